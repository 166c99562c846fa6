import type { StagedDraft } from '../../../shared/types/work';
import type { DraftDiff, DraftView, ApplyResult } from '../../../shared/types/drafts';
import type { DraftFacts } from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';
import { HoldfastError } from '../kernel/errors';
import type { DraftChoice, DraftsDeps, Replacement } from './draft-deps';
import { createParts } from './parts';
import {
  changedSince,
  notRestorable,
  notStaged,
  refusalOf,
  staleDraft,
  unconfirmed,
} from './refusals';
import { decideApply, compareDraft, settleApply } from './rules';
import { diffOf, viewOf } from './shown';

/** Staged drafts of files: seen, compared, applied, discarded. S3-20, S3-21 */
export interface Drafts {
  list(filter: {
    readonly sessionId?: number;
    readonly decided: boolean;
    readonly limit: number;
  }): Promise<readonly DraftView[]>;
  /** @throws DRAFT_UNKNOWN */
  diff(draftId: number): Promise<DraftDiff>;
  /**
   * Replaces the file with the draft, atomically, bound to both as the user saw them. With chosen
   * changes it applies only those, and the draft stays staged with the others. Stores the replaced
   * file first. On disk when it resolves. @throws DRAFT_UNKNOWN, DRAFT_STATE, DRAFT_SOURCE_CHANGED,
   * DRAFT_REFUSED, REQUEST_STALE
   */
  apply(
    choice: DraftChoice,
    options: { readonly overChanged: boolean; readonly by: string },
  ): Promise<ApplyResult>;
  /**
   * Restores the file that an applied draft replaced, as a new draft that is applied at once; so the
   * file that this replaces is stored too. A file that the draft created is removed, and its draft
   * is staged again. Only while the file is still the applied one. If interrupted, the draft stays
   * staged. On disk when it resolves. @throws DRAFT_UNKNOWN,
   * DRAFT_STATE, DRAFT_SOURCE_CHANGED, DRAFT_REFUSED, REQUEST_STALE
   */
  restore(choice: DraftChoice, by: string): Promise<ApplyResult>;
  /**
   * Discards the draft, or chosen changes of it. The file stays as it is. @throws DRAFT_UNKNOWN,
   * DRAFT_STATE, REQUEST_STALE
   */
  discard(
    choice: DraftChoice,
    by: string,
  ): Promise<{ readonly draftId: number; readonly path: string }>;
  /** Settles what a crash interrupted; runs at startup before any other draft is applied. */
  settle(): Promise<void>;
  /**
   * Removes leftover files of decided drafts, and files stored before `keptBeforeMs` that no open
   * draft needs; returns how many.
   */
  sweep(keptBeforeMs: number): Promise<number>;
  /** For the status of a session (S3-30, S3-31); at most 100. */
  stagedDrafts(sessionId: number): Promise<readonly StagedDraft[]>;
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
    if (now.view.requestHash !== choice.requestHash) throw staleDraft(draft);
    return { draft, facts: now.facts };
  };

  /**
   * Writes the intent first, then the file; throws with the draft still staged if the file was not
   * replaced.
   */
  const replaceFile = async (
    draft: DraftRow,
    version: DraftRow,
    { fromHash, toHash, by }: Replacement,
  ): Promise<void> => {
    const draftId = draft.id;
    // The replaced file is safe before any entry announces the replacement.
    if (fromHash !== undefined) await store.keepFile(draft, fromHash);
    const from = fromHash === undefined ? {} : { fromHash };
    await journal.commit([{ kind: 'draft.promoting', draftId, ...from, toHash, by }]);
    const outcome = await store.apply(version, { fromHash, toHash });
    if (outcome.kind === 'applied') return;
    const reason =
      outcome.kind === 'stale'
        ? CHANGED
        : outcome.kind === 'unconfirmed'
          ? UNCONFIRMED
          : outcome.message;
    const isUnconfirmed = outcome.kind === 'unconfirmed';
    await journal.commit(
      [
        {
          kind: 'draft.kept',
          draftId,
          reason: reason.slice(0, 300),
          ...(isUnconfirmed && { isUnconfirmed }),
        },
      ],
      { isOutcome: true },
    );
    if (outcome.kind === 'stale') throw staleDraft(draft);
    if (outcome.kind === 'unconfirmed') throw unconfirmed(draft, outcome.why);
    throw new HoldfastError('DRAFT_REFUSED', `${draft.path}: ${outcome.message}`, {
      hint: 'The draft and its file were not changed. Check the folder, then try again.',
      facts: { draftId },
    });
  };
  const parts = createParts({ ...deps, seen, replaceFile });

  const applyOne = async (
    choice: DraftChoice,
    overChanged: boolean,
    by: string,
  ): Promise<ApplyResult> => {
    const { draft, facts } = await seen(choice);
    const { id: draftId, path } = draft;
    const plan = decideApply(draft, compareDraft(draft, facts), facts, overChanged);
    if (plan.kind === 'refuse') throw refusalOf(draft, plan, facts);
    if (plan.kind === 'settle') {
      const why = await store.confirm(draft);
      if (why !== undefined) throw unconfirmed(draft, why);
      await journal.commit([{ kind: 'draft.promoted', draftId, by }]);
      await store.release(draft);
      return { draftId, path, outcome: 'settled' };
    }
    const { fromHash, toHash } = plan;
    await replaceFile(draft, draft, { fromHash, toHash, by });
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

  const restoreOne = async (choice: DraftChoice, by: string): Promise<ApplyResult> => {
    const old = need(choice.draftId);
    if (viewOf(deps, old, undefined).requestHash !== choice.requestHash) throw staleDraft(old);
    const { sessionId, turnId, workspace, path, fromHash, toHash } = old;
    if (old.stage !== 'promoted' || toHash === undefined) throw notRestorable(old, NOTHING_KEPT);
    const staged = reads.openDraftOf(sessionId, workspace, path);
    if (staged !== undefined)
      throw notRestorable(
        old,
        `Draft ${String(staged.id)} of the same file is staged: apply or discard it first.`,
      );
    const { file } = await store.facts(old);
    if (file.kind !== 'present' || file.hash !== toHash) throw changedSince(old);
    // If there was no file before, its content becomes the earlier draft.
    if (fromHash === undefined) await store.keepFile(old, toHash);
    const contentHash = fromHash ?? toHash;
    const draftId = deps.newDraftId();
    const place = { id: draftId, sessionId, path, contentHash };
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
        ...(fromHash === undefined ? {} : { baseHash: toHash }),
        contentHash,
        sizeBytes,
      },
    ]);
    crashPoints.hit('draft.restore.staged');
    audit.record('draft_restored', { draftId: old.id, as: draftId, path, by });
    if (fromHash === undefined) {
      const gone = await store.remove(old, toHash);
      if (gone.kind === 'unconfirmed') throw unconfirmed(old, gone.why);
      if (gone.kind !== 'applied') throw changedSince(old);
      return { draftId, path, outcome: 'removed' };
    }
    const { requestHash } = (await view(need(draftId))).view;
    return applyOne({ draftId, requestHash }, false, by);
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
      // One at a time, because each reads two complete files.
      for (const row of rows)
        views.push(decided ? viewOf(deps, row, undefined) : (await view(row)).view);
      return views;
    },
    async diff(draftId) {
      const draft = need(draftId);
      return diffOf(deps, draft, await view(draft));
    },
    apply: (choice, { overChanged, by }) =>
      alone(choice.draftId, async () =>
        (await parts.isAll(choice))
          ? applyOne(choice, overChanged, by)
          : parts.apply(choice, overChanged, by),
      ),
    restore: (choice, by) => alone(choice.draftId, () => restoreOne(choice, by)),
    discard: (choice, by) =>
      alone(choice.draftId, async () => {
        if (!(await parts.isAll(choice))) return parts.discard(choice, by);
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
        const facts = await store.facts(draft);
        const found = settleApply(draft, facts);
        // The process that renamed it may have died before the folder was synced.
        const doubt = found === 'kept' ? undefined : await store.confirm(draft);
        const end = doubt === undefined ? found : 'kept';
        await store.tidy(draft);
        if (end === 'part') await parts.settle(draft);
        else
          await journal.commit([
            end === 'promoted'
              ? { kind: 'draft.promoted', draftId: draft.id, by: 'start' }
              : {
                  kind: 'draft.kept',
                  draftId: draft.id,
                  ...(doubt === undefined
                    ? { reason: facts.file.kind === 'blocked' ? cutOffUnread(facts.file) : CUT_OFF }
                    : { reason: UNCONFIRMED, isUnconfirmed: true }),
                },
          ]);
        audit.record('draft_settled', { draftId: draft.id, path: draft.path, end });
      }
    },
    async sweep(keptBeforeMs) {
      const rows = reads.openDrafts({ limit: MOST });
      if (rows.length >= MOST) return 0;
      // The base of each open draft, and the file that one being applied replaces.
      const needed = new Set(rows.flatMap((row) => [row.baseHash, row.fromHash, row.toHash]));
      const swept = await store.sweep((draftId) => isLeft(deps, draftId));
      return swept + (await store.sweepKept(keptBeforeMs, (hash) => needed.has(hash)));
    },
    async stagedDrafts(sessionId) {
      const rows = reads.openDrafts({ sessionId, limit: 100 });
      const lines: StagedDraft[] = [];
      for (const row of rows) {
        const { state, sourceChanged, draftChanged } = compareDraft(row, await store.facts(row));
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

/** Checked for each right before it is deleted, because its content is on disk before its row. */
function isLeft({ reads, isNew }: Pick<DraftsDeps, 'reads' | 'isNew'>, draftId: number): boolean {
  const stage = reads.draft(draftId)?.stage;
  return stage === undefined ? !isNew(draftId) : stage !== 'staged' && stage !== 'promoting';
}

const MOST = 10_000;
const CHANGED = 'The draft or its file changed while the draft was being applied.';
const NOTHING_KEPT = 'The draft was not applied: no old version is saved.';
const KEPT_IS_GONE = 'The old file is no longer saved (resilience.recovery.retention_days).';
const UNCONFIRMED = 'Its file was changed, but the disk did not confirm it.';
const CUT_OFF = 'It was interrupted before the file was replaced.';
const cutOffUnread = ({ why }: { readonly why: string }): string =>
  `It was interrupted, and whether the file was replaced is not known. ${why}`.slice(0, 300);
