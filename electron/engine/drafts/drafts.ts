import type { DraftDiff, DraftView, PromoteResult } from '../../../shared/types/drafts';
import type { Hasher } from '../../ports/blobs';
import type { DraftClaims, DraftFacts, DraftStore, VersionText } from '../../ports/drafts';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { DraftRow } from '../../ports/journal/drafts';
import type { Audit } from '../../ports/log';
import { canonicalJson } from '../kernel/canonical';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError, type ErrorCode } from '../kernel/errors';
import { diffHunks, linesOf, sourceChange, trimSame, withSame, type DiffRun } from './diff';
import { decidePromote, draftStanding, settlePromotion, type PromotePlan } from './rules';

interface DraftsDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly hasher: Hasher;
  readonly store: DraftStore;
  readonly claims: DraftClaims;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly newDraftId: () => number;
  /** Compares lines within a time limit. Undefined if the texts differ too much. */
  readonly compare: (
    from: readonly string[],
    to: readonly string[],
  ) => Promise<readonly DiffRun[] | undefined>;
}

/** A draft with the hash of exactly what the user saw. */
interface DraftChoice {
  readonly draftId: number;
  readonly requestHash: string;
}

/** A draft as the status of a session names it. S3-31 */
interface StagedDraftLine {
  readonly path: string;
  readonly target: string;
  readonly status: string;
  readonly sourceChanged: boolean;
  readonly draftChanged: boolean;
}

/** Staged drafts of files: seen, compared, promoted, discarded. S3-20, S3-21 */
export interface Drafts {
  list(filter: {
    readonly sessionId?: number;
    readonly decided: boolean;
    readonly limit: number;
  }): Promise<readonly DraftView[]>;
  /** @throws DRAFT_UNKNOWN */
  diff(draftId: number): Promise<DraftDiff>;
  /**
   * Replaces the file with the draft, completely or not at all, bound to both as the user saw them.
   * Stores the replaced file first. On disk when it resolves. @throws DRAFT_UNKNOWN, DRAFT_STATE,
   * DRAFT_SOURCE_CHANGED, DRAFT_REFUSED, REQUEST_STALE
   */
  promote(
    choice: DraftChoice,
    options: { readonly overChanged: boolean; readonly by: string },
  ): Promise<PromoteResult>;
  /**
   * Restores the file that a promotion replaced, as a new draft that is promoted at once; so the
   * file that this replaces is stored too. Only while the file is still the promoted one. If
   * interrupted, the draft stays staged. On disk when it resolves. @throws DRAFT_UNKNOWN,
   * DRAFT_STATE, DRAFT_SOURCE_CHANGED, DRAFT_REFUSED, REQUEST_STALE
   */
  restore(choice: DraftChoice, by: string): Promise<PromoteResult>;
  /** The file stays as it is. @throws DRAFT_UNKNOWN, DRAFT_STATE, REQUEST_STALE */
  discard(
    choice: DraftChoice,
    by: string,
  ): Promise<{ readonly draftId: number; readonly path: string }>;
  /** Settles promotions that a crash interrupted; runs at startup before any other promotion. */
  settle(): Promise<void>;
  /**
   * Removes leftover files of decided drafts, and files stored before `keptBeforeMs` that no open
   * draft needs; returns how many.
   */
  sweep(keptBeforeMs: number): Promise<number>;
  /** For the status of a session (S3-30, S3-31); at most 100. */
  stagedDrafts(sessionId: number): Promise<readonly StagedDraftLine[]>;
}

export function createDrafts(deps: DraftsDeps): Drafts {
  const { journal, reads, store, crashPoints, audit } = deps;
  const view = async (draft: DraftRow): Promise<{ facts: DraftFacts; view: DraftView }> => {
    const facts = await store.facts(draft);
    return { facts, view: viewOf(deps, draft, facts) };
  };
  const need = (draftId: number): DraftRow => {
    const draft = reads.draft(draftId);
    if (draft !== undefined) return draft;
    throw new HoldfastError('DRAFT_UNKNOWN', `There is no draft ${String(draftId)}.`, {
      hint: 'Nothing was changed. List drafts: holdfast drafts list',
      facts: { draftId },
    });
  };
  const seen = async (
    choice: DraftChoice,
  ): Promise<{ readonly draft: DraftRow; readonly facts: DraftFacts }> => {
    const draft = need(choice.draftId);
    if (draft.stage !== 'staged') throw notStaged(draft);
    const now = await view(draft);
    if (now.view.requestHash !== choice.requestHash) throw stale(draft);
    return { draft, facts: now.facts };
  };

  const promoteOne = async (
    choice: DraftChoice,
    overChanged: boolean,
    by: string,
  ): Promise<PromoteResult> => {
    const { draft, facts } = await seen(choice);
    const { id: draftId, path } = draft;
    const plan = decidePromote(draft, draftStanding(draft, facts), facts, overChanged);
    if (plan.kind === 'refuse') throw refusalOf(draft, plan, facts);
    if (plan.kind === 'settle') {
      await journal.commit([{ kind: 'draft.promoted', draftId, by }]);
      await store.release(draft);
      return { draftId, path, outcome: 'settled' };
    }
    const { fromHash, toHash } = plan;
    // The replaced file is safe before any entry announces the replacement.
    if (fromHash !== undefined) await store.keepFile(draft, fromHash);
    const from = fromHash === undefined ? {} : { fromHash };
    await journal.commit([{ kind: 'draft.promoting', draftId, ...from, toHash, by }]);
    const outcome = await store.promote(draft, { fromHash, toHash });
    if (outcome.kind !== 'promoted') {
      const reason = outcome.kind === 'stale' ? CHANGED : outcome.message;
      await journal.commit([{ kind: 'draft.kept', draftId, reason: reason.slice(0, 300) }], {
        isOutcome: true,
      });
      if (outcome.kind === 'stale') throw stale(draft);
      throw new HoldfastError('DRAFT_REFUSED', `${draft.path}: ${outcome.message}`, {
        hint: 'The draft and its file were not changed. Check the folder, then try again.',
        facts: { draftId },
      });
    }
    await journal.commit([{ kind: 'draft.promoted', draftId, by }], { isOutcome: true });
    crashPoints.hit('draft.promote.after');
    audit.record('draft_promoted', { draftId, path, by });
    await store.release(draft);
    return {
      draftId,
      path,
      outcome: 'promoted',
      ...(fromHash === undefined ? {} : { keptHash: fromHash }),
    };
  };

  const restoreOne = async (choice: DraftChoice, by: string): Promise<PromoteResult> => {
    const old = need(choice.draftId);
    if (viewOf(deps, old, undefined).requestHash !== choice.requestHash) throw stale(old);
    const { sessionId, turnId, workspace, path, fromHash, toHash } = old;
    if (old.stage !== 'promoted' || fromHash === undefined || toHash === undefined)
      throw notRestorable(old, NOTHING_KEPT);
    const staged = reads.openDraftOf(sessionId, workspace, path);
    if (staged !== undefined)
      throw notRestorable(
        old,
        `Draft ${String(staged.id)} of the same file is staged: apply or discard it first.`,
      );
    const { file } = await store.facts(old);
    if (file.kind !== 'present' || file.hash !== toHash) throw changedSince(old);
    const draftId = deps.newDraftId();
    const place = { id: draftId, sessionId, path, contentHash: fromHash };
    const sizeBytes = await store.restage(place);
    if (sizeBytes === undefined) throw notRestorable(old, KEPT_IS_GONE);
    await journal.commit([
      {
        kind: 'draft.staged',
        turnId,
        draftId,
        sessionId,
        workspace,
        path,
        baseHash: toHash,
        contentHash: fromHash,
        sizeBytes,
      },
    ]);
    crashPoints.hit('draft.restore.staged');
    const { requestHash } = (await view(need(draftId))).view;
    audit.record('draft_restored', { draftId: old.id, as: draftId, path, by });
    return promoteOne({ draftId, requestHash }, false, by);
  };

  /** Decisions about one draft never overlap, with each other or with the agent that writes it. */
  const alone = async <T>(draftId: number, work: () => Promise<T>): Promise<T> => {
    const done = deps.claims.take(need(draftId));
    if (done === undefined) {
      throw new HoldfastError(
        'DRAFT_STATE',
        `Draft ${String(draftId)} is being written, applied or discarded right now.`,
        { hint: 'Nothing was changed. Try again in a moment.', facts: { draftId } },
      );
    }
    try {
      return await work();
    } finally {
      done();
    }
  };

  return {
    async list({ sessionId, decided, limit }) {
      const filter = { limit, ...(sessionId === undefined ? {} : { sessionId }) };
      const rows = decided ? reads.decidedDrafts(filter) : reads.openDrafts(filter);
      const views: DraftView[] = [];
      // One after the other: each reads two files whole.
      for (const row of rows)
        views.push(decided ? viewOf(deps, row, undefined) : (await view(row)).view);
      return views;
    },
    async diff(draftId) {
      const draft = need(draftId);
      return diffOf(deps, draft, await view(draft));
    },
    promote: (choice, { overChanged, by }) =>
      alone(choice.draftId, () => promoteOne(choice, overChanged, by)),
    restore: (choice, by) => alone(choice.draftId, () => restoreOne(choice, by)),
    discard: (choice, by) =>
      alone(choice.draftId, async () => {
        const { draft } = await seen(choice);
        crashPoints.hit('draft.discard.before');
        await journal.commit([{ kind: 'draft.discarded', draftId: draft.id, by }]);
        crashPoints.hit('draft.discard.after');
        audit.record('draft_discarded', { draftId: draft.id, path: draft.path, by });
        await store.release(draft);
        return { draftId: draft.id, path: draft.path };
      }),
    async settle() {
      const cutOff = reads
        .openDrafts({ limit: MOST })
        .filter((draft) => draft.stage === 'promoting');
      for (const draft of cutOff) {
        const end = settlePromotion(draft, await store.facts(draft));
        await store.tidy(draft);
        await journal.commit([
          end === 'promoted'
            ? { kind: 'draft.promoted', draftId: draft.id, by: 'start' }
            : { kind: 'draft.kept', draftId: draft.id, reason: CUT_OFF },
        ]);
        audit.record('draft_settled', { draftId: draft.id, path: draft.path, end });
      }
    },
    async sweep(keptBeforeMs) {
      const rows = reads.openDrafts({ limit: MOST });
      if (rows.length >= MOST) return 0;
      const open = new Set(rows.map(({ id }) => id));
      // The base of each open draft, and the file that a running promotion replaces.
      const needed = new Set(rows.flatMap((row) => [row.baseHash, row.fromHash, row.toHash]));
      const swept = await store.sweep((id) => open.has(id));
      return swept + (await store.sweepKept(keptBeforeMs, (hash) => needed.has(hash)));
    },
    async stagedDrafts(sessionId) {
      const rows = reads.openDrafts({ sessionId, limit: 100 });
      const lines: StagedDraftLine[] = [];
      for (const row of rows) {
        const { state, sourceChanged, draftChanged } = draftStanding(row, await store.facts(row));
        lines.push({
          path: row.path,
          target: `${row.workspace}/${row.path}`,
          status: state,
          sourceChanged,
          draftChanged,
        });
      }
      return lines;
    },
  };
}

const MOST = 10_000;
const CHANGED = 'The draft or its file changed while the draft was being applied.';
const NOTHING_KEPT =
  'There was no file before, or the draft was not applied: no old version is saved.';
const KEPT_IS_GONE = 'The old file is no longer saved (resilience.recovery.retention_days).';
const CUT_OFF = 'It was interrupted before the file was replaced.';

/** The user's view of a draft; its hash binds an answer to it. */
function viewOf(
  deps: Pick<DraftsDeps, 'reads' | 'hasher' | 'store'>,
  draft: DraftRow,
  facts: DraftFacts | undefined,
): DraftView {
  const session = deps.reads.session({ id: draft.sessionId });
  const standing = facts === undefined ? undefined : draftStanding(draft, facts);
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
    ...(standing === undefined ? {} : { state: standing.state }),
    sourceChanged: standing?.sourceChanged ?? false,
    draftChanged: standing?.draftChanged ?? false,
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
        state: standing?.state ?? null,
        base: draft.baseHash ?? null,
        draft: standing?.draftHash ?? null,
        file: standing?.fileHash ?? null,
      }),
    ),
  };
}

async function diffOf(
  deps: DraftsDeps,
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
async function compareLines(
  deps: Pick<DraftsDeps, 'compare'>,
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

function notRestorable(draft: DraftRow, why: string): HoldfastError {
  return new HoldfastError('DRAFT_STATE', `${draft.path} cannot be restored. ${why}`, {
    hint: 'Nothing was changed.',
    facts: { draftId: draft.id, stage: draft.stage },
  });
}

function changedSince(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'DRAFT_SOURCE_CHANGED',
    `${draft.path} has changed since the draft was applied; restoring the old file would lose that change.`,
    {
      hint: `Nothing was changed. The old file is saved in the data directory: drafts/kept/${(draft.fromHash ?? '').slice(0, 2)}/${draft.fromHash ?? ''}`,
      facts: { draftId: draft.id },
    },
  );
}

function notStaged(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'DRAFT_STATE',
    `Draft ${String(draft.id)} is ${draft.stage === 'promoting' ? 'being applied' : draft.stage}.`,
    { hint: 'Nothing was changed.', facts: { draftId: draft.id, stage: draft.stage } },
  );
}

function stale(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'REQUEST_STALE',
    `The draft of ${draft.path}, or the file itself, has changed since you saw it.`,
    {
      hint: 'Nothing was done. Review the changes again and decide then.',
      facts: { draftId: draft.id },
    },
  );
}

function refusalOf(
  draft: DraftRow,
  plan: Extract<PromotePlan, { kind: 'refuse' }>,
  facts: DraftFacts,
): HoldfastError {
  const about = { draftId: draft.id, path: draft.path };
  const say = (code: ErrorCode, message: string, hint: string): HoldfastError =>
    new HoldfastError(code, message, { hint, facts: about });
  switch (plan.why) {
    case 'source_changed':
      return say(
        plan.code,
        `${draft.path} has changed since the draft was created; applying it would lose the newer lines.`,
        'Nothing was changed. Review the changes; then apply it anyway (--over-changed), or discard the draft.',
      );
    case 'draft_missing':
      return say(
        plan.code,
        `The draft of ${draft.path} is no longer on disk.`,
        'The file was not changed. Discard the draft, or ask the agent to write it again.',
      );
    case 'unreachable':
      return say(
        plan.code,
        `${draft.path} cannot be reached. ${facts.file.kind === 'blocked' ? facts.file.why : "The agent's folder does not exist."}`,
        'Nothing was changed. Restore the folder, then try again.',
      );
    case 'decided':
      return notStaged(draft);
  }
}
