/** Lines of a comparison as pieces: syntax role, and the words that differ. Pure. */
import type { diffWordsWithSpace } from 'diff';
import type { DiffHunk, DiffRow } from '../../shared/types/drafts';
import type { CodeColor, CodePiece } from '../parts/use-code-color';

export interface LinePiece extends CodePiece {
  /** It differs from the other line of its pair. */
  readonly isWord?: true;
}
type Pieces = readonly LinePiece[];

type DiffWords = typeof diffWordsWithSpace;

/** Above these limits, only whole lines are marked. */
const MAX_LINE = 1000;
const MAX_RUN = 200;
/** Lines that share less than this are different lines, not an edited one. */
const LEAST_SHARED = 0.3;

const isOld = ({ kind }: DiffRow): boolean => kind === 'removed' || kind === 'newer';
const isNew = ({ kind }: DiffRow): boolean => kind === 'added' || kind === 'revived';

/** Pieces of each row; a row that is not in the map is one plain piece. */
export function linePieces(
  hunks: readonly DiffHunk[],
  path: string,
  tools: { readonly colour: CodeColor | undefined; readonly words: DiffWords | undefined },
): ReadonlyMap<DiffRow, Pieces> {
  const pieces = new Map<DiffRow, Pieces>();
  const language = tools.colour?.languageOf(path);
  for (const { rows } of hunks) {
    if (tools.colour !== undefined && language !== undefined) {
      // Each side is parsed separately, because a text that starts in one line ends in another.
      for (const of of [rows.filter((row) => !isNew(row)), rows.filter((row) => !isOld(row))]) {
        const lines = tools.colour.linesOf(of.map(({ text }) => text).join('\n'), language);
        for (const [at, row] of of.entries()) pieces.set(row, lines[at] ?? [{ text: row.text }]);
      }
    }
    if (tools.words === undefined) continue;
    for (const [before, after] of changedPairs(rows)) {
      const marks = changedWords(before.text, after.text, tools.words);
      if (marks === undefined) continue;
      pieces.set(before, withMarks(pieces.get(before) ?? [{ text: before.text }], marks.before));
      pieces.set(after, withMarks(pieces.get(after) ?? [{ text: after.text }], marks.after));
    }
  }
  return pieces;
}

/** The first removed line of a run with its first added one, and so on. */
function changedPairs(rows: readonly DiffRow[]): readonly (readonly [DiffRow, DiffRow])[] {
  const pairs: (readonly [DiffRow, DiffRow])[] = [];
  let olds: DiffRow[] = [];
  let news: DiffRow[] = [];
  const flush = (): void => {
    if (olds.length <= MAX_RUN && news.length <= MAX_RUN)
      for (const [at, before] of olds.entries()) {
        const after = news[at];
        if (after !== undefined) pairs.push([before, after]);
      }
    olds = [];
    news = [];
  };
  for (const row of rows) {
    if (isOld(row)) {
      if (news.length > 0) flush();
      olds.push(row);
    } else if (isNew(row)) news.push(row);
    else flush();
  }
  flush();
  return pairs;
}

/** Start and end of a range, in characters. */
type Range = readonly [number, number];

/** The differing ranges; undefined if the two lines have too little in common. */
function changedWords(
  before: string,
  after: string,
  words: DiffWords,
): { readonly before: readonly Range[]; readonly after: readonly Range[] } | undefined {
  if (before.length > MAX_LINE || after.length > MAX_LINE) return undefined;
  const out = { before: [] as Range[], after: [] as Range[] };
  let old = 0;
  let fresh = 0;
  let shared = 0;
  for (const { value, added, removed } of words(before, after)) {
    if (added) out.after.push([fresh, fresh + value.length]);
    else if (removed) out.before.push([old, old + value.length]);
    else shared += value.trim().length;
    if (!added) old += value.length;
    if (!removed) fresh += value.length;
  }
  const longest = Math.max(before.trim().length, after.trim().length);
  return longest === 0 || shared / longest < LEAST_SHARED ? undefined : out;
}

/** Cuts pieces at the ends of the ranges; joined, they are the same text. */
function withMarks(pieces: Pieces, ranges: readonly Range[]): Pieces {
  const cut: LinePiece[] = [];
  let at = 0;
  for (const piece of pieces) {
    let from = 0;
    while (from < piece.text.length) {
      const here = at + from;
      const range = ranges.find(([, end]) => end > here);
      const isWord = range !== undefined && range[0] <= here;
      const end = range === undefined ? Infinity : isWord ? range[1] : range[0];
      const to = Math.min(piece.text.length, end - at);
      cut.push({ ...piece, text: piece.text.slice(from, to), ...(isWord ? { isWord } : {}) });
      from = to;
    }
    at += piece.text.length;
  }
  return cut;
}

/** Characters of the longest line, for columns that scroll side by side. */
export const longestLine = (hunks: readonly DiffHunk[]): number =>
  Math.max(0, ...hunks.flatMap(({ rows }) => rows.map(({ text }) => text.length)));
