/** The change that a call which writes a whole file would make to the current file. */
import { folderOfToolCall, pathIn } from '../../../shared/call-folder';
import { editsOf, wholeWrite } from '../../../shared/file-edits';
import type { FileChange } from '../../../shared/types/drafts';
import type { Blobs } from '../../ports/blobs';
import type { FileNow } from '../../ports/drafts';
import type { RequestRow } from '../../ports/journal/approvals';
import type { JournalReads } from '../../ports/journal/reads';
import { diffHunks, linesOf, type DiffRun } from './diff';
import { compareLines } from './shown';
import { wholeTextOf } from '../journal/stored-text';

interface FileChangeDeps {
  readonly reads: Pick<JournalReads, 'turn' | 'frame'>;
  readonly blobs: Blobs;
  /** The file at `path` within a folder. */
  readonly fileNow: (workspace: string, path: string) => Promise<FileNow>;
  /** Compares lines within a time limit. Undefined if the texts differ too much. */
  readonly compare: (
    from: readonly string[],
    to: readonly string[],
  ) => Promise<readonly DiffRun[] | undefined>;
}

/** Longer texts are not split into lines while a user waits. */
const MAX_CHARS = 1024 * 1024;

const without = (path: string, kind: FileChange['kind']): FileChange => ({
  path: path.slice(0, 4096),
  kind,
  hunks: [],
  summary: { added: 0, removed: 0, newer: 0, revived: 0 },
  isCut: false,
  isCoarse: false,
});

/** @throws RESULT_UNREADABLE */
export async function fileChangeOf(
  deps: FileChangeDeps,
  row: Pick<RequestRow, 'turnId' | 'tool' | 'input'>,
): Promise<FileChange> {
  const input = await wholeTextOf(deps.blobs, row.input);
  const edits = editsOf(input);
  const after = edits === undefined ? undefined : wholeWrite(edits);
  if (edits === undefined || after === undefined) return without('', 'other');
  const frameId = deps.reads.turn(row.turnId)?.frameId;
  const folder = frameId === undefined ? undefined : deps.reads.frame(frameId)?.workspace;
  if (folder === undefined) return without(edits.path, 'unreadable');
  if (after.length > MAX_CHARS) return without(edits.path, 'too_large');
  // Its edits are known, so the input is JSON.
  const at = folderOfToolCall(row.tool, JSON.parse(input), folder);
  const path = at === undefined ? undefined : pathIn(edits.path, at);
  if (path === undefined) return without(edits.path, 'outside');
  const now = await deps.fileNow(folder, path);
  if (now.kind !== 'text' && now.kind !== 'missing') return without(now.path, now.kind);
  const before = now.kind === 'text' ? linesOf(now.text) : [];
  const { runs, isCoarse } = await compareLines(deps, before, linesOf(after));
  const { hunks, summary, isCut } = diffHunks(runs, undefined);
  return {
    path: now.path.slice(0, 4096),
    kind: now.kind === 'text' ? 'text' : 'new',
    hunks: hunks.map((hunk) => ({ ...hunk, rows: [...hunk.rows] })),
    summary,
    isCut,
    isCoarse,
  };
}
