/** Text for terminals: tables, times, and hostile text that stays text. */
import { unseenEscaped, unseenSpelled } from '../../shared/unseen';

/** Multi-line text from others: control characters are shown and have no effect. */
export const inert = unseenSpelled((char) => {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code > 0xffff) return `\\u{${digits}}`;
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
});

/** Text from others for one line of a table. */
export function inertLine(text: string): string {
  return inert(text.replace(/[\r\n\t]+/g, ' ')).trim();
}

/** JSON with control characters as escapes: the same value, safe on a terminal. */
export function safeJson(value: unknown, indent: number): string {
  return unseenEscaped(JSON.stringify(value, null, indent));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `840 ms`, `12 s`, `4 min`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  for (const [unit, size] of UNITS)
    if (ms >= size) return `${String(Math.floor(ms / size))} ${unit}`;
  return `${String(Math.max(0, Math.round(ms)))} ms`;
}

/** `just now`, `4 min ago`, `in 3 h`; `-` without a time. */
export function whenText(atMs: number | undefined, nowMs: number): string {
  if (atMs === undefined) return '-';
  const ago = nowMs - atMs;
  if (Math.abs(ago) < 1_000) return 'just now';
  return ago > 0 ? `${spanText(ago)} ago` : `in ${spanText(-ago)}`;
}

/** `$0.04`, or tokens if the price is unknown. */
export function usageText(usage: {
  inputTokens: number;
  outputTokens: number;
  costUsd?: number | undefined;
}): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  if (usage.costUsd !== undefined && usage.costUsd > 0)
    return `$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`;
  return tokens > 0 ? `${String(tokens)} tokens` : '-';
}

/** `1 turn`, `2 turns`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

export type Tone = 'strong' | 'quiet' | 'good' | 'warn' | 'bad';

const CODES: Readonly<Record<Tone, string>> = {
  strong: '1',
  quiet: '2',
  good: '32',
  warn: '33',
  bad: '31',
};

export type Paint = (tone: Tone, text: string) => string;

/** Colors on a terminal that supports them; respects `NO_COLOR` and `TERM=dumb`. */
export function painter(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  const wants = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return wants ? (tone, text) => `\u001b[${CODES[tone]}m${text}\u001b[0m` : (_tone, text) => text;
}

/** Splits as a terminal does: never inside a surrogate pair. */
const characters = (text: string): string[] => Array.from(text);

/** Drawn over the character before them, or not at all. */
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Emoji_Modifier}\u200d]$/u;
/** Each half of a flag takes one column; every other picture takes two, as CJK does. */
const TWO_COLUMNS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303e\uff01-\uff60\uffe0-\uffe6]|^(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u;

const columnsOf = (char: string): number =>
  char < '\u0300' ? 1 : NO_COLUMN.test(char) ? 0 : TWO_COLUMNS.test(char) ? 2 : 1;

/** Columns on the screen: color codes take none. */
const shownLength = (text: string): number =>
  characters(text.replace(/\u001b\[\d+m/g, '')).reduce((sum, char) => sum + columnsOf(char), 0);

/** Columns two spaces apart; the last one is cut to the width of the terminal, if there is one. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  look: { readonly paint: Paint; readonly columns: number },
): string {
  if (rows.length === 0) return '';
  const widths = head.map((title, column) =>
    Math.max(shownLength(title), ...rows.map((row) => shownLength(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) =>
      column === cells.length - 1
        ? cell
        : cell + ' '.repeat((widths[column] ?? 0) - shownLength(cell)),
    );
    return cut(padded.join('  ').trimEnd(), look.columns);
  };
  return [look.paint('quiet', line(head)), ...rows.map(line)].join('\n');
}

/** Truncates text at the width, never inside a color, which ends with the text. */
function cut(text: string, columns: number): string {
  if (columns < 20 || shownLength(text) <= columns) return text;
  let room = columns - 1;
  let isPainted = false;
  let shown = '';
  for (const part of text.split(/(\u001b\[\d+m)/)) {
    if (room === 0) break;
    if (part.startsWith('\u001b')) {
      isPainted = part !== '\u001b[0m';
      shown += part;
      continue;
    }
    for (const char of characters(part)) {
      const wide = columnsOf(char);
      // The next one might be narrower: the text ends at the first that does not fit.
      if (wide > room) {
        room = 0;
        break;
      }
      room -= wide;
      shown += char;
    }
  }
  return `${shown}…${isPainted ? '\u001b[0m' : ''}`;
}

/** The parts that exist and are not empty, as lines, or with something else between them. */
export const joinParts = (parts: readonly (string | undefined)[], between = '\n'): string =>
  parts.filter((part) => part !== undefined && part !== '').join(between);

/** Multi-line text from others below a line about it. */
export const indented = (text: string, indent = '  '): string =>
  inert(text)
    .split('\n')
    .map((line) => `${indent}${line}`)
    .join('\n');

/** The text of a value; undefined if it is not known. */
export const ifKnown = <T>(
  value: T | undefined,
  textOf: (known: T) => string | undefined,
): string | undefined => (value === undefined ? undefined : textOf(value));

/** A name with its value; undefined leaves the line out. */
export type Fact = readonly [name: string, value: string | undefined];

/** `name  value` lines. */
export function facts(rows: readonly Fact[]): string {
  const known = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value = '']) => `${name.padEnd(width)}  ${value}`).join('\n');
}
