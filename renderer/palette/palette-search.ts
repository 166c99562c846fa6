/** Search words of the palette: prefixes, highlights, and excerpts. Pure. */
import { oneLine } from '../parts/inert-view';

/** `>` finds only actions, `#` only turns. */
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

const LEAD_CHARS = 24;

/** One line of at most `most` characters that contains the match. */
export function excerpt(text: string, search: string, most: number): string {
  const line = oneLine(text, 2000);
  const at = line.toLowerCase().indexOf(search.toLowerCase());
  if (at <= most - search.length - LEAD_CHARS) return oneLine(line, most);
  return oneLine(`…${line.slice(Math.max(0, at - LEAD_CHARS))}`, most);
}
