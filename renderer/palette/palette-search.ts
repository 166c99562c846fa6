/** Search words of the palette: prefixes, marks and excerpts. Pure. */
import { oneLine } from '../parts/inert-view';

/** `>` looks only for what can be done, `#` only for turns. */
interface PaletteSearch {
  readonly scope: 'all' | 'commands' | 'turns';
  readonly text: string;
}

export function parseSearch(raw: string): PaletteSearch {
  const text = raw.trimStart();
  if (text.startsWith('>')) return { scope: 'commands', text: text.slice(1).trim() };
  if (text.startsWith('#')) return { scope: 'turns', text: text.slice(1).trim() };
  return { scope: 'all', text: text.trim() };
}

export const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().split(/\s+/).filter(Boolean);

/** A piece of a name, and whether the search is in it. */
interface MarkedPiece {
  readonly text: string;
  readonly isHit: boolean;
}

/** The text in pieces, each word of the search marked wherever it is. */
export function markedPieces(text: string, words: readonly string[]): readonly MarkedPiece[] {
  const lower = text.toLowerCase();
  // A letter whose lower case is longer would move every mark behind it.
  if (words.length === 0 || lower.length !== text.length) return [{ text, isHit: false }];
  const hits = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      hits.fill(true, at, at + word.length);
  }
  const pieces: { text: string; isHit: boolean }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const isHit = hits[at] === true;
    const last = pieces.at(-1);
    if (last?.isHit === isHit) last.text += text.charAt(at);
    else pieces.push({ text: text.charAt(at), isHit });
  }
  return pieces;
}

const LEAD_CHARS = 24;

/** One line of at most `most` characters in which the search can be seen. */
export function excerpt(text: string, search: string, most: number): string {
  const line = oneLine(text, 2000);
  const at = line.toLowerCase().indexOf(search.toLowerCase());
  if (at <= most - search.length - LEAD_CHARS) return oneLine(line, most);
  return oneLine(`…${line.slice(Math.max(0, at - LEAD_CHARS))}`, most);
}
