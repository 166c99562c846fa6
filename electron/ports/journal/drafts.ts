/** Stages of a draft. `promoting` is on disk before the file is replaced: a start settles it. */
export type DraftStage = 'staged' | 'promoting' | 'promoted' | 'discarded';

/**
 * Journal entries about drafts of files (kinds 45..54). Staging shares the commit of the step's
 * intent.
 */
export type DraftEntry =
  /** A new draft, or a new version of a staged one. Its content is already on disk. */
  | {
      readonly kind: 'draft.staged';
      readonly turnId: number;
      readonly draftId: number;
      readonly sessionId: number;
      /** Real path of the folder that the agent works in. */
      readonly workspace: string;
      /** Relative to the workspace, `/` between folders. */
      readonly path: string;
      /** sha256 of the file that the draft started from; absent if there was none. */
      readonly baseHash?: string;
      /** sha256 of this version, which determines its location. */
      readonly contentHash: string;
      readonly sizeBytes: number;
    }
  /** The intent to replace the file; the hashes tell which of the two is in place. */
  | {
      readonly kind: 'draft.promoting';
      readonly draftId: number;
      /** The replaced file, stored under this hash; absent if there was no file. */
      readonly fromHash?: string;
      readonly toHash: string;
      readonly by: string;
    }
  | { readonly kind: 'draft.promoted'; readonly draftId: number; readonly by: string }
  /**
   * The draft is staged again: its file was not replaced, or the disk did not confirm the
   * replacement.
   */
  | {
      readonly kind: 'draft.kept';
      readonly draftId: number;
      readonly reason: string;
      readonly isUnconfirmed?: true;
    }
  /** Some of its changes were applied to the file; the draft stays staged with the others. */
  | {
      readonly kind: 'draft.partApplied';
      readonly draftId: number;
      /** sha256 of the file with them: the draft's new base. */
      readonly baseHash: string;
      readonly by: string;
    }
  | { readonly kind: 'draft.discarded'; readonly draftId: number; readonly by: string };

/** A draft, read from its table row. */
export interface DraftRow extends Omit<
  Extract<DraftEntry, { kind: 'draft.staged' }>,
  'kind' | 'draftId' | 'baseHash'
> {
  readonly id: number;
  readonly baseHash: string | undefined;
  readonly stage: DraftStage;
  readonly stagedAtMs: number;
  readonly updatedAtMs: number;
  /** The file that applying it replaces or replaced; undefined if there was no file. */
  readonly fromHash: string | undefined;
  /** The content that applying it writes or wrote. */
  readonly toHash: string | undefined;
  readonly decidedAtMs: number | undefined;
  readonly decidedBy: string | undefined;
}

/**
 * Reads of drafts; indexed, none grows with decided drafts.
 * Implemented by adapters/sqlite/tables/drafts.ts.
 */
export interface DraftReads {
  draft(id: number): DraftRow | undefined;
  /** Staged ones and those that are being applied, by session and path. */
  openDrafts(filter: { readonly sessionId?: number; readonly limit: number }): readonly DraftRow[];
  /** A session's draft for a file. */
  openDraftOf(sessionId: number, workspace: string, path: string): DraftRow | undefined;
  /** Newest first. */
  decidedDrafts(filter: {
    readonly sessionId?: number;
    readonly limit: number;
  }): readonly DraftRow[];
  countOpenDrafts(sessionId?: number): number;
}
