/**
 * Splits a text into pieces that a channel accepts, cut at the end of a paragraph, a line or a word
 * if there is one in the second half, and never inside a character. Only white space at a cut is
 * lost. Pure.
 *
 * @param sizeOf what the channel counts: UTF-16 units when absent, or bytes.
 */
export function piecesOf(
  text: string,
  most: number,
  sizeOf: (text: string) => number = (one) => one.length,
): readonly string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (sizeOf(rest) > most) {
    const cut = cutOf(rest, longestHead(rest, most, sizeOf));
    pieces.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** Maximum text units that fit; at least one. */
function longestHead(text: string, most: number, sizeOf: (text: string) => number): number {
  let least = 1;
  // No unit has a size below one.
  let above = Math.min(text.length, most) + 1;
  while (above - least > 1) {
    const middle = Math.floor((least + above) / 2);
    if (sizeOf(text.slice(0, middle)) <= most) least = middle;
    else above = middle;
  }
  return least;
}

function cutOf(text: string, most: number): number {
  const head = text.slice(0, most);
  for (const end of ['\n\n', '\n', ' ']) {
    const at = head.lastIndexOf(end);
    if (at > 0 && at >= most / 2) return at;
  }
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff && most > 1;
  return isHalf ? most - 1 : most;
}

/** A question that may be a repeat starts with a note about it. */
export const withRepeatNote = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${note.slice(0, 150)}\n\n${text}`;

export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** Truncated to one message, with a mark; never inside a character. */
export function clipped(
  text: string,
  most: number,
  sizeOf: (text: string) => number = (one) => one.length,
): string {
  if (sizeOf(text) <= most) return text;
  return `${piecesOf(text, most - 4, sizeOf)[0] ?? ''}…`;
}
