/** Characters that are invisible or that affect how text is displayed. Pure. Security T4 */

/**
 * As Unicode names them, so that no list of ours falls behind: controls, direction, no width, fillers, tags,
 * selectors of another form, separators; and the blank of Braille.
 */
const KINDS = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
const LATER = String.raw`\ufe0e\ufe0f`;
/** The selector behind an emoji belongs to it. */
const ALONE = String.raw`(?<!\p{Extended_Pictographic})[${LATER}]`;
const ONE = String.raw`[[${KINDS}]--[${LATER}\n\t]]`;

/** One of them; a line feed and a tab are none. */
export const UNSEEN = new RegExp(`${ONE}|${ALONE}`, 'gv');
const RUNS = new RegExp(`${ONE}{1,1000}|${ALONE}`, 'gv');
const LINE = new RegExp(String.raw`(?:[[${KINDS}\s]--[${LATER}]]+|${ALONE})+`, 'gv');

/** A text on one line, with a single space in the place of blanks and of what is not seen. */
export const flatLine = (text: string): string => text.replace(LINE, ' ').trim();

/**
 * Writes each of them in another way. They come in runs, and a text may be made of them: what each becomes is
 * made once, and a run is one step. Bounded, because a pattern keeps a way back for each character.
 */
export function unseenSpelled(spell: (character: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  const spelled = (character: string): string => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const now = spell(character);
    known.set(character, now);
    return now;
  };
  return (text) =>
    text.replace(RUNS, (run) => {
      if (run.length === 1) return spelled(run);
      let all = '';
      for (const character of run) all += spelled(character);
      return all;
    });
}

export const jsonEscape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** As escapes of JSON: the same value in a finished line of it. */
export const unseenEscaped = unseenSpelled(jsonEscape);
