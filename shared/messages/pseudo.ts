/**
 * A pseudo-locale for tests: every sentence of the catalogue 40 % longer, accented and in brackets.
 * Plain English text is missing from the catalogue; truncated text lacks space.
 *
 * Guarantees: pure and always the same; names of values, plural and select branches and `#` are
 * unchanged, so a rewritten message takes the same values.
 */
import { rewriteMessage } from './format';

const PLAIN = 'ACDEGHIJKLNORSTUWYZacdeghijklnorstuwyz';
const ACCENTED = 'ÅÇÐÉĜĤÎĴĶĻÑÖŔŠŢÛŴÝŽåçðéĝĥîĵķļñöŕšţûŵýž';
const TWINS = new Map(
  Array.from(PLAIN, (letter, at): [string, string] => [letter, ACCENTED[at] ?? letter]),
);
const VOWELS = new Set('aeiouy');
/** How much longer other languages run than English. */
const GROWTH = 0.4;

/** Grows inside words, where lines cannot break, by writing vowels twice. */
const growText = (text: string): string => {
  let owed = 0;
  let out = '';
  let lastLetter = '';
  for (const letter of text) {
    out += TWINS.get(letter) ?? letter;
    owed += GROWTH;
    if (VOWELS.has(letter.toLowerCase())) {
      for (; owed >= 1; owed -= 1) out += TWINS.get(letter.toLowerCase()) ?? letter;
    }
    if (/\p{L}/u.test(letter)) lastLetter = letter;
  }
  const rest = lastLetter === '' ? 0 : Math.round(owed);
  const end = /\s*$/.exec(out)?.[0] ?? '';
  return out.slice(0, out.length - end.length) + '·'.repeat(rest) + end;
};

/** The pattern in the pseudo-locale. Throws if the pattern cannot be parsed. */
export function pseudo(pattern: string): string {
  return `[${rewriteMessage(pattern, growText)}]`;
}
