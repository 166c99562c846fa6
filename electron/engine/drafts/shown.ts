import type { DraftDiff, DraftView } from '../../../shared/types/drafts';
import type { Hasher } from '../../ports/blobs';
import type { DraftFacts, DraftStore, VersionText } from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';
import type { JournalReads } from '../../ports/journal/reads';
import { canonicalJson } from '../kernel/canonical';
import { diffHunks, linesOf, sourceChange, trimSame, withSame, type DiffRun } from './diff';
import { compareDraft } from './rules';

interface ShownDeps {
  readonly reads: Pick<JournalReads, 'session'>;
  readonly hasher: Hasher;
  readonly store: Pick<DraftStore, 'pathOf' | 'text'>;
  readonly compare: (
    from: readonly string[],
    to: readonly string[],
  ) => Promise<readonly DiffRun[] | undefined>;
}

/** The user's view of a draft; its hash binds an answer to it. */
export function viewOf(
  deps: Omit<ShownDeps, 'compare'>,
  draft: DraftRow,
  facts: DraftFacts | undefined,
): DraftView {
  const session = deps.reads.session({ id: draft.sessionId });
  const onDisk = facts === undefined ? undefined : compareDraft(draft, facts);
  const file = facts?.file;
  const problem =
    facts === undefined
      ? undefined
      : !facts.isWorkspaceThere
        ? "The agent's folder does not exist."
        : file?.kind === 'blocked'
          ? file.why
          : undefined;
  return {
    draftId: draft.id,
    sessionId: draft.sessionId,
    sessionKey: session?.key ?? '',
    sessionTitle: session?.title ?? '',
    agent: session?.agent ?? '',
    turnId: draft.turnId,
    workspace: draft.workspace,
    path: draft.path,
    place: deps.store.pathOf(draft),
    stage: draft.stage,
    ...(onDisk === undefined ? {} : { state: onDisk.state }),
    sourceChanged: onDisk?.sourceChanged ?? false,
    draftChanged: onDisk?.draftChanged ?? false,
    isNewFile: draft.baseHash === undefined,
    ...(problem === undefined ? {} : { problem: problem.slice(0, 500) }),
    sizeBytes: draft.sizeBytes,
    stagedAtMs: draft.stagedAtMs,
    updatedAtMs: draft.updatedAtMs,
    ...(file?.kind === 'present' ? { fileChangedAtMs: file.changedAtMs } : {}),
    ...(draft.decidedAtMs === undefined ? {} : { decidedAtMs: draft.decidedAtMs }),
    ...(draft.fromHash === undefined || draft.stage !== 'promoted'
      ? {}
      : { keptHash: draft.fromHash }),
    requestHash: deps.hasher.sha256Hex(
      canonicalJson({
        draftId: draft.id,
        workspace: draft.workspace,
        path: draft.path,
        stage: draft.stage,
        state: onDisk?.state ?? null,
        base: draft.baseHash ?? null,
        draft: onDisk?.draftHash ?? null,
        file: onDisk?.fileHash ?? null,
      }),
    ),
  };
}

export async function diffOf(
  deps: ShownDeps,
  draft: DraftRow,
  now: { readonly facts: DraftFacts; readonly view: DraftView },
): Promise<DraftDiff> {
  const nothing = {
    draft: now.view,
    hunks: [],
    summary: { added: 0, removed: 0, newer: 0, revived: 0 },
    isCut: false,
    isCoarse: false,
    isBaseMissing: false,
  };
  const staged = await deps.store.text(draft, 'draft');
  if (staged.kind !== 'text') return { ...nothing, kind: staged.kind };
  const file: VersionText =
    now.facts.file.kind === 'missing'
      ? { kind: 'text', text: '' }
      : await deps.store.text(draft, 'file');
  if (file.kind !== 'text') return { ...nothing, kind: file.kind };
  const [fileLines, draftLines] = [linesOf(file.text), linesOf(staged.text)];
  const compared = await compareLines(deps, fileLines, draftLines);
  const isChanged = now.view.sourceChanged;
  const base = isChanged ? await deps.store.text(draft, 'base') : undefined;
  const change =
    base?.kind === 'text'
      ? sourceChange((await compareLines(deps, linesOf(base.text), fileLines)).runs)
      : undefined;
  const { hunks, summary, isCut } = diffHunks(compared.runs, change);
  return {
    draft: now.view,
    kind: 'text',
    hunks: hunks.map((hunk) => ({ ...hunk, rows: [...hunk.rows] })),
    summary,
    isCut,
    isCoarse: compared.isCoarse,
    isBaseMissing: isChanged && change === undefined,
  };
}

/** Skips the common start and end: they are most of a large file. */
export async function compareLines(
  deps: Pick<ShownDeps, 'compare'>,
  from: readonly string[],
  to: readonly string[],
): Promise<{ readonly runs: readonly DiffRun[]; readonly isCoarse: boolean }> {
  const same = trimSame(from, to);
  const left = from.slice(same.head, from.length - same.tail);
  const right = to.slice(same.head, to.length - same.tail);
  const replaced: readonly DiffRun[] = [
    ...(left.length === 0 ? [] : [{ kind: 'removed' as const, lines: left }]),
    ...(right.length === 0 ? [] : [{ kind: 'added' as const, lines: right }]),
  ];
  const isPlain = left.length === 0 || right.length === 0;
  const middle = isPlain ? replaced : await deps.compare(left, right);
  return { runs: withSame(from, same, middle ?? replaced), isCoarse: middle === undefined };
}
