import type { DiffRow, DiffSummary } from '../../../shared/types/drafts';
/** One run of lines of a comparison, in order. */
export interface DiffRun {
  readonly kind: 'same' | 'removed' | 'added';
  readonly lines: readonly string[];
}

/** Changed lines with their context. */
interface DiffHunk {
  readonly fileStart: number;
  readonly draftStart: number;
  readonly rows: readonly DiffRow[];
}

const DIFF_LIMITS = {
  /** Lines around a change. */
  context: 3,
  /** Maximum lines shown; the totals count the rest. */
  rows: 4_000,
  lineChars: 500,
} as const;

/** Splits at line ends; a text that ends with one has no empty last line. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Splits off the common start and end: most changes of large files are small. */
export function trimSame(
  file: readonly string[],
  draft: readonly string[],
): { readonly head: number; readonly tail: number } {
  const most = Math.min(file.length, draft.length);
  let head = 0;
  while (head < most && file[head] === draft[head]) head += 1;
  let tail = 0;
  while (tail < most - head && file[file.length - 1 - tail] === draft[draft.length - 1 - tail])
    tail += 1;
  return { head, tail };
}

/** Puts what was trimmed back around the runs of the middle. */
export function withSame(
  file: readonly string[],
  { head, tail }: { readonly head: number; readonly tail: number },
  middle: readonly DiffRun[],
): readonly DiffRun[] {
  const same = (lines: readonly string[]): readonly DiffRun[] =>
    lines.length === 0 ? [] : [{ kind: 'same', lines }];
  return [...same(file.slice(0, head)), ...middle, ...same(file.slice(file.length - tail))];
}

/** Lines of the file that the base lacks, and lines of the base that the file no longer has. */
interface SourceChange {
  /** 1-based lines of the file. */
  readonly newer: ReadonlySet<number>;
  /** Removed texts, each with its count. */
  readonly gone: ReadonlyMap<string, number>;
}

/** Reads a comparison of the base with the current file. */
export function sourceChange(runs: readonly DiffRun[]): SourceChange {
  const newer = new Set<number>();
  const gone = new Map<string, number>();
  let line = 0;
  for (const run of runs) {
    if (run.kind === 'removed') {
      for (const text of run.lines) gone.set(text, (gone.get(text) ?? 0) + 1);
      continue;
    }
    for (let at = 0; at < run.lines.length; at += 1) {
      line += 1;
      if (run.kind === 'added') newer.add(line);
    }
  }
  return { newer, gone };
}

/**
 * Builds rows, their totals and hunks from a comparison of file (removed) and draft (added). Pure.
 */
export function diffHunks(
  runs: readonly DiffRun[],
  change: SourceChange | undefined,
): { readonly hunks: readonly DiffHunk[]; readonly summary: DiffSummary; readonly isCut: boolean } {
  const rows = rowsOf(runs, change);
  const count = (kind: DiffRow['kind']): number =>
    rows.reduce((sum, row) => sum + (row.kind === kind ? 1 : 0), 0);
  const summary = {
    added: count('added') + count('revived'),
    removed: count('removed') + count('newer'),
    newer: count('newer'),
    revived: count('revived'),
  };
  const hunks: DiffHunk[] = [];
  let shown = 0;
  /** Index of the first row after the shown hunks. */
  let done = 0;
  let at = 0;
  while (at < rows.length && shown < DIFF_LIMITS.rows) {
    if (rows[at]?.kind === 'same') {
      at += 1;
      continue;
    }
    const from = Math.max(done, at - DIFF_LIMITS.context);
    const end = hunkEnd(rows, at);
    const part = rows.slice(from, Math.min(end, from + DIFF_LIMITS.rows - shown));
    hunks.push({
      fileStart: lineAt(rows, from, 'fileLine'),
      draftStart: lineAt(rows, from, 'draftLine'),
      rows: part,
    });
    shown += part.length;
    done = from + part.length;
    at = end;
  }
  const lastChange = rows.findLastIndex((row) => row.kind !== 'same');
  return { hunks, summary, isCut: lastChange >= done };
}

/**
 * The lines of the file with only these hunks of the draft, numbered as {@link diffHunks} shows
 * them. `isWhole`: the end of the file is the draft's. Undefined if there is no such hunk. Pure.
 */
export function takeHunks(
  runs: readonly DiffRun[],
  taken: ReadonlySet<number>,
):
  | { readonly lines: readonly string[]; readonly isWhole: boolean; readonly all: number }
  | undefined {
  const rows = runs.flatMap(({ kind, lines }) => lines.map((text) => ({ kind, text })));
  const lines: string[] = [];
  let all = 0;
  let end = 0;
  let isTaken = false;
  for (const [at, { kind, text }] of rows.entries()) {
    if (kind !== 'same' && at >= end) {
      isTaken = taken.has(all);
      all += 1;
      end = hunkEnd(rows, at);
    }
    if (kind === 'same' || (kind === 'added') === isTaken) lines.push(text);
  }
  if ([...taken].some((one) => one >= all)) return undefined;
  return { lines, isWhole: isTaken && end >= rows.length, all };
}

/** Changes whose context lines touch belong to one hunk. */
function hunkEnd(rows: readonly Pick<DiffRow, 'kind'>[], from: number): number {
  let end = from;
  let quiet = 0;
  while (end < rows.length && quiet <= 2 * DIFF_LIMITS.context) {
    quiet = rows[end]?.kind === 'same' ? quiet + 1 : 0;
    end += 1;
  }
  return end - Math.max(0, quiet - DIFF_LIMITS.context);
}

/** The line at which a hunk starts, on a side that may lack its first rows. */
function lineAt(rows: readonly DiffRow[], from: number, key: 'fileLine' | 'draftLine'): number {
  for (let at = from; at >= 0; at -= 1) {
    const line = rows[at]?.[key];
    if (line !== undefined) return at === from ? line : line + 1;
  }
  return 1;
}

function rowsOf(runs: readonly DiffRun[], change: SourceChange | undefined): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  const gone = new Map(change?.gone);
  let fileLine = 0;
  let draftLine = 0;
  for (const run of runs) {
    for (const text of run.lines) {
      if (run.kind !== 'added') fileLine += 1;
      if (run.kind !== 'removed') draftLine += 1;
      rows.push({ ...lineOf(text), ...kindOf(run.kind, text) });
    }
  }
  return rows;

  function kindOf(kind: DiffRun['kind'], text: string): Omit<DiffRow, 'text'> {
    switch (kind) {
      case 'same':
        return { kind, fileLine, draftLine };
      case 'removed':
        return { kind: change?.newer.has(fileLine) === true ? 'newer' : kind, fileLine };
      case 'added': {
        const left = gone.get(text) ?? 0;
        if (left === 0 || text.trim() === '') return { kind, draftLine };
        gone.set(text, left - 1);
        return { kind: 'revived', draftLine };
      }
    }
  }
}

function lineOf(text: string): Pick<DiffRow, 'text' | 'isCut'> {
  const plain = text.endsWith('\r') ? text.slice(0, -1) : text;
  return plain.length <= DIFF_LIMITS.lineChars
    ? { text: plain }
    : { text: plain.slice(0, DIFF_LIMITS.lineChars), isCut: true };
}
