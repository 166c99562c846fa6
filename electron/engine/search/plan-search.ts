import type { VerbInput } from '../../../shared/contract';
import type { SearchText } from '../../ports/search';

/** Prefix of index terms for who and where: a private-use character that no search contains. */
const MARK = '\uE000';
const hex = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16)).join('x');

export const searchMarks = {
  agent: (name: string): string => `${MARK}a${hex(name)}`,
  session: (id: number): string => `${MARK}s${String(id)}`,
  tool: (name: string): string => `${MARK}t${hex(name.toLowerCase())}`,
} as const;

/** Characters that separate words in the index. */
const SEPARATORS = /[^\p{L}\p{N}]+/u;
const tokensOf = (text: string): string[] => text.split(SEPARATORS).filter(Boolean);

/** Conditions on a text beyond the words of the index. */
interface WantedText {
  readonly tokens: readonly string[];
  readonly prefix?: string;
  /** Parts that must occur exactly so, except for case: quoted ones, paths. */
  readonly exact: readonly string[];
}

const QUOTED = /"([^"]*)"/g;
/** Shorter prefixes match too many words; the index knows those of three letters as words. */
const SHORTEST_BEGINNING = 3;

/**
 * `disk full` requires both words, the last one also as a prefix; `"disk full"` requires them side
 * by side; `src/main.ts` requires exactly that.
 */
export function planWords(words: string, file?: string): WantedText {
  const quoted = [...words.matchAll(QUOTED)].map(([, text = '']) => text.trim()).filter(Boolean);
  const loose = words.replace(QUOTED, ' ').replaceAll('"', ' ').split(/\s+/).filter(Boolean);
  const named = file === undefined ? [] : [file];
  const exact = [...quoted, ...loose.filter((word) => tokensOf(word).length > 1), ...named];
  const last = tokensOf(loose.at(-1) ?? '').at(-1);
  const isOpen = last !== undefined && last.length >= SHORTEST_BEGINNING;
  const all = [...quoted, ...loose, ...named].flatMap(tokensOf);
  const at = isOpen ? all.length - 1 - [...named].flatMap(tokensOf).length : -1;
  const tokens = [...new Set(all.filter((_token, index) => index !== at))];
  return { tokens, exact, ...(isOpen ? { prefix: last } : {}) };
}

/** How the index and a reader compare: without case and accents. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

type Filter = Pick<VerbInput<'search.find'>, 'state' | 'minCostUsd' | 'untilMs' | 'sinceMs'>;

/**
 * Whether a text found by the index really matches: the index knows neither word order nor later
 * changes.
 */
export function fits(found: SearchText, wanted: WantedText, filter: Filter): boolean {
  if (filter.state !== undefined && found.state !== filter.state) return false;
  if (filter.minCostUsd !== undefined && (found.costUsd ?? 0) < filter.minCostUsd) return false;
  if (filter.untilMs !== undefined && found.atMs > filter.untilMs) return false;
  if (filter.sinceMs !== undefined && found.atMs < filter.sinceMs) return false;
  const text = folded(found.text);
  if (!wanted.exact.every((part) => text.includes(folded(part)))) return false;
  // A text that became a secret after it was indexed is hidden: its words are no longer found.
  const begins = wanted.prefix === undefined ? [] : [wanted.prefix];
  return [...wanted.tokens, ...begins].every((token) => text.includes(folded(token)));
}

const EXCERPT = 240;
const BEFORE = 60;

/** One line around the first match. */
export function excerptOf(text: string, wanted: WantedText): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const lower = line.toLowerCase();
  const places = [...wanted.exact, ...wanted.tokens, wanted.prefix ?? '']
    .filter(Boolean)
    .map((part) => lower.indexOf(part.toLowerCase()))
    .filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, line.length) - BEFORE);
  const start = places.length === 0 ? 0 : from;
  const cut = line.slice(start, start + EXCERPT).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT < line.length ? '…' : ''}`;
}
