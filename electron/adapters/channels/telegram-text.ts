/** What one message of Telegram holds. */
export const MOST_CHARS = 4_096;

/**
 * Splits a text into pieces that Telegram accepts, cut at the end of a paragraph, a line or a word
 * if there is one in the second half, and never inside a character. Only white space at a cut is
 * lost. Pure.
 */
export function piecesOf(text: string, most = MOST_CHARS): readonly string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > most) {
    const cut = cutOf(rest, most);
    pieces.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function cutOf(text: string, most: number): number {
  const head = text.slice(0, most);
  for (const end of ['\n\n', '\n', ' ']) {
    const at = head.lastIndexOf(end);
    if (at >= most / 2) return at;
  }
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? most - 1 : most;
}
