/** The lines of a tool call's file edits, in the same form as drafts. Pure. */
import type { diffArrays } from 'diff';
import type { FileEdits } from '../../shared/file-edits';
import type { DiffHunk, DiffRow } from '../../shared/types/drafts';

/** Compares two lists of lines. */
type CompareLines = typeof diffArrays<string>;

/** Same limit as in the contract for the lines of a draft. */
const MAX_LINE = 500;

/**
 * The lines of each edit. The input does not tell their position in the file, so an edit has no
 * line numbers; a completely written file has those of its new text.
 */
export function editHunks({ edits }: FileEdits, compare: CompareLines): readonly DiffHunk[] {
  return edits.map(({ before, after }) => ({
    fileStart: 0,
    draftStart: 0,
    rows:
      before === undefined
        ? linesOf(after).map((line, at) => rowOf('added', line, at + 1))
        : compare(linesOf(before), linesOf(after)).flatMap(({ value, added, removed }) =>
            value.map((line) => rowOf(added ? 'added' : removed ? 'removed' : 'same', line)),
          ),
  }));
}

/** An edit that deletes a text has no lines on that side. */
const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);

const rowOf = (kind: DiffRow['kind'], line: string, draftLine?: number): DiffRow => ({
  kind,
  text: line.slice(0, MAX_LINE),
  ...(line.length > MAX_LINE ? { isCut: true as const } : {}),
  ...(draftLine === undefined ? {} : { draftLine }),
});
