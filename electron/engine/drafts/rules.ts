import type { DraftFacts, FileFact } from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';

/**
 * State of a staged draft. `in_sync`: the file has the same content. `draft_missing`: the draft's
 * file is gone. `substrate_missing`: the base file is gone or unreachable. S3-21
 */
type DraftState = 'ready' | 'in_sync' | 'draft_missing' | 'substrate_missing';

/** A draft with its current facts. */
interface DraftComparison {
  readonly state: DraftState;
  /** The workspace file changed since the draft started. */
  readonly sourceChanged: boolean;
  /** The draft was edited since the agent wrote it. */
  readonly draftChanged: boolean;
  /** sha256 of the current file; undefined if there is none. */
  readonly fileHash: string | undefined;
  /** sha256 of the current draft; undefined if it is gone. */
  readonly draftHash: string | undefined;
}

const hashOf = (fact: FileFact): string | undefined =>
  fact.kind === 'present' ? fact.hash : undefined;

/** A draft's state, from what is on disk. Pure. */
export function compareDraft(
  draft: Pick<DraftRow, 'baseHash' | 'contentHash'>,
  facts: DraftFacts,
): DraftComparison {
  const fileHash = hashOf(facts.file);
  const draftHash = hashOf(facts.draft);
  const isReachable = facts.isWorkspaceThere && facts.file.kind !== 'blocked';
  const common = {
    sourceChanged: !isReachable || fileHash !== draft.baseHash,
    draftChanged: draftHash !== undefined && draftHash !== draft.contentHash,
    fileHash,
    draftHash,
  };
  if (draftHash === undefined) return { state: 'draft_missing', ...common };
  if (!isReachable) return { state: 'substrate_missing', ...common };
  if (fileHash === draftHash) return { state: 'in_sync', ...common };
  if (fileHash === undefined && draft.baseHash !== undefined)
    return { state: 'substrate_missing', ...common };
  return { state: 'ready', ...common };
}

/** What applying a draft would do, or why it is not allowed. */
export type ApplyPlan =
  /** The file already has this content: only the journal records it. */
  | { readonly kind: 'settle' }
  | {
      readonly kind: 'replace';
      readonly fromHash: string | undefined;
      readonly toHash: string;
    }
  | {
      readonly kind: 'refuse';
      readonly code: 'DRAFT_STATE' | 'DRAFT_SOURCE_CHANGED' | 'DRAFT_REFUSED';
      readonly why: 'draft_missing' | 'unreachable' | 'source_changed' | 'decided';
    };

const refuse = (
  code: Extract<ApplyPlan, { kind: 'refuse' }>['code'],
  why: Extract<ApplyPlan, { kind: 'refuse' }>['why'],
): ApplyPlan => ({ kind: 'refuse', code, why });

/**
 * Decides whether a draft may be applied. A file that changed since the draft started is replaced only
 * on explicit request; an unreachable file never. S3-20
 */
export function decideApply(
  draft: Pick<DraftRow, 'stage'>,
  compared: DraftComparison,
  facts: DraftFacts,
  overChanged: boolean,
): ApplyPlan {
  if (draft.stage !== 'staged') return refuse('DRAFT_STATE', 'decided');
  if (compared.draftHash === undefined) return refuse('DRAFT_STATE', 'draft_missing');
  if (!facts.isWorkspaceThere || facts.file.kind === 'blocked')
    return refuse('DRAFT_REFUSED', 'unreachable');
  if (compared.state === 'in_sync') return { kind: 'settle' };
  if (compared.sourceChanged && !overChanged)
    return refuse('DRAFT_SOURCE_CHANGED', 'source_changed');
  return { kind: 'replace', fromHash: compared.fileHash, toHash: compared.draftHash };
}

/**
 * Settles at startup a draft whose application was interrupted: the file is the new one, or has the chosen part of
 * the draft, or the draft is staged as before. S3-20
 */
export function settleApply(
  draft: Pick<DraftRow, 'toHash'>,
  facts: DraftFacts,
): 'promoted' | 'part' | 'kept' {
  const { toHash } = draft;
  if (toHash === undefined || hashOf(facts.file) !== toHash) return 'kept';
  const left = hashOf(facts.draft);
  return left === undefined || left === toHash ? 'promoted' : 'part';
}
