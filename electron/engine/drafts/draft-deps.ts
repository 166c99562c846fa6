import type { DraftClaims, DraftStore } from '../../ports/drafts';
import type { Basics } from '../kernel/basics';
import type { DraftReads } from '../../ports/journal/drafts';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { DiffRun } from './diff';

export interface DraftsDeps extends Pick<Basics, 'journal' | 'hasher' | 'crashPoints' | 'audit'> {
  readonly reads: DraftReads & SessionReads & TurnReads;
  readonly store: DraftStore;
  readonly claims: DraftClaims;
  readonly newDraftId: () => number;
  /** True if the ID was assigned since the start: its content may be on disk before its row. */
  readonly isNew: (draftId: number) => boolean;
  /** Compares lines within a time limit. Undefined if the texts differ too much. */
  readonly compare: (
    from: readonly string[],
    to: readonly string[],
  ) => Promise<readonly DiffRun[] | undefined>;
}

/** A draft with the hash of exactly what the user saw. */
export interface DraftChoice {
  readonly draftId: number;
  readonly requestHash: string;
  /** Numbers of the chosen changes, as the comparison lists them; undefined: all of them. */
  readonly hunks?: readonly number[] | undefined;
}

/** A replacement and what it replaces. */
export interface Replacement {
  readonly fromHash: string | undefined;
  readonly toHash: string;
  readonly by: string;
}
