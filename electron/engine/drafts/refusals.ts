import type { DraftFacts } from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';
import { HoldfastError, stale, type ErrorCode } from '../kernel/errors';
import type { ApplyPlan } from './rules';

export function notRestorable(draft: DraftRow, why: string): HoldfastError {
  return new HoldfastError('DRAFT_STATE', `${draft.path} cannot be restored. ${why}`, {
    hint: 'Nothing was changed.',
    facts: { draftId: draft.id, stage: draft.stage },
  });
}

export function changedSince(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'DRAFT_SOURCE_CHANGED',
    `${draft.path} has changed since the draft was applied; undoing it would lose that change.`,
    {
      hint:
        draft.fromHash === undefined
          ? 'Nothing was changed. Remove the file by hand if it is no longer needed.'
          : `Nothing was changed. The old file is saved in the data directory: drafts/kept/${draft.fromHash.slice(0, 2)}/${draft.fromHash}`,
      facts: { draftId: draft.id },
    },
  );
}

/** A change that is applied but not confirmed by the disk. */
export function unconfirmed(draft: DraftRow, why: string): HoldfastError {
  return new HoldfastError(
    'DISK_FAILED',
    `${draft.path} was changed, but the disk did not confirm it (${why}).`,
    {
      hint: 'A power cut could undo the change. The draft is still there: check the disk, then apply it again.',
      facts: { draftId: draft.id },
    },
  );
}

export function notStaged(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'DRAFT_STATE',
    `Draft ${String(draft.id)} is ${draft.stage === 'promoting' ? 'being applied' : draft.stage}.`,
    { hint: 'Nothing was changed.', facts: { draftId: draft.id, stage: draft.stage } },
  );
}

export const staleDraft = (draft: DraftRow): HoldfastError =>
  stale(`The draft of ${draft.path}, or the file itself,`, { draftId: draft.id });

export function refusalOf(
  draft: DraftRow,
  plan: Extract<ApplyPlan, { kind: 'refuse' }>,
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

export function noSuchChange(draft: DraftRow): HoldfastError {
  return new HoldfastError(
    'REQUEST_STALE',
    `The draft of ${draft.path} has no such change, or its changes cannot be applied one by one.`,
    {
      hint: 'Nothing was changed. Review the changes again, or decide about the whole draft.',
      facts: { draftId: draft.id },
    },
  );
}
