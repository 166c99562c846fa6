/** What became of a draft. `promoting` is on disk before the file is replaced: a start settles it. */
export type DraftStage = 'staged' | 'promoting' | 'promoted' | 'discarded';

/** Entries of the journal about drafts of files (kinds 45..54). Staging rides in the step's intent. */
export type DraftEntry =
  /** A new draft, or a new version of one that is still staged. Its content is on disk already. */
  | {
      readonly kind: 'draft.staged';
      readonly turnId: number;
      readonly draftId: number;
      readonly sessionId: number;
      /** Real path of the folder that the agent works in. */
      readonly workspace: string;
      /** Below the workspace, `/` between folders. */
      readonly path: string;
      /** sha256 of the file that the draft started from; absent if there was none. */
      readonly baseHash?: string;
      /** sha256 of this version: its place is made of it. */
      readonly contentHash: string;
      readonly sizeBytes: number;
    }
  /** The intent to replace the file; the hashes tell which of the two is in place. */
  | {
      readonly kind: 'draft.promoting';
      readonly draftId: number;
      /** What it replaces, stored under this hash; absent if there was no file. */
      readonly fromHash?: string;
      readonly toHash: string;
      readonly by: string;
    }
  | { readonly kind: 'draft.promoted'; readonly draftId: number; readonly by: string }
  /** The draft is staged as before: its file was not replaced, or it was and the disk did not confirm it. */
  | {
      readonly kind: 'draft.kept';
      readonly draftId: number;
      readonly reason: string;
      readonly isUnconfirmed?: true;
    }
  /** Some of its changes are in the file; the draft stays staged with the others. */
  | {
      readonly kind: 'draft.partApplied';
      readonly draftId: number;
      /** sha256 of the file with them: from now on the draft starts from it. */
      readonly baseHash: string;
      readonly by: string;
    }
  | { readonly kind: 'draft.discarded'; readonly draftId: number; readonly by: string };

/** A draft, read from its table row. */
export interface DraftRow {
  readonly id: number;
  readonly sessionId: number;
  readonly turnId: number;
  readonly workspace: string;
  readonly path: string;
  readonly baseHash: string | undefined;
  readonly contentHash: string;
  readonly sizeBytes: number;
  readonly stage: DraftStage;
  readonly stagedAtMs: number;
  readonly updatedAtMs: number;
  /** What a promotion replaces or replaced; undefined if there was no file. */
  readonly fromHash: string | undefined;
  /** What a promotion puts there or put there. */
  readonly toHash: string | undefined;
  readonly decidedAtMs: number | undefined;
  readonly decidedBy: string | undefined;
}

/** Reads of drafts; indexed, none grows with drafts that are decided. */
export interface DraftReads {
  draft(id: number): DraftRow | undefined;
  /** Staged ones and those in the middle of a promotion, by session and path. */
  openDrafts(filter: { readonly sessionId?: number; readonly limit: number }): readonly DraftRow[];
  /** The one of a session for a file. */
  openDraftOf(sessionId: number, workspace: string, path: string): DraftRow | undefined;
  /** Newest first. */
  decidedDrafts(filter: {
    readonly sessionId?: number;
    readonly limit: number;
  }): readonly DraftRow[];
  countOpenDrafts(sessionId?: number): number;
}
