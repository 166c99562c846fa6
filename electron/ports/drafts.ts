import type { StagedWrite } from './staged-write';
import type { DraftRow } from './journal/drafts';
import type { ToolCall } from './tool-call';

/** The current state of a file, by content. */
export type FileFact =
  | {
      readonly kind: 'present';
      readonly hash: string;
      readonly sizeBytes: number;
      readonly changedAtMs: number;
    }
  | { readonly kind: 'missing' }
  /** It leads outside the folder, is not a regular file, or cannot be read. */
  | { readonly kind: 'blocked'; readonly why: string };

/** The state of one draft on disk. */
export interface DraftFacts {
  readonly file: FileFact;
  readonly draft: FileFact;
  /** False if the folder itself is gone. */
  readonly isWorkspaceThere: boolean;
}

/** How applying a draft ended. */
export type ApplyOutcome =
  | { readonly kind: 'applied' }
  /** The change is applied, but the disk did not confirm it: a power cut could undo it. */
  | { readonly kind: 'unconfirmed'; readonly why: string }
  /** The file is unchanged. */
  | { readonly kind: 'unchanged'; readonly message: string }
  /** Something differs from what was seen; nothing was written. */
  | { readonly kind: 'stale' };

/** Text of a version for a comparison; undefined if it is gone, too large or not text. */
export type VersionText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number };

/** The current file in a folder, for a comparison that the user requested. */
export type FileNow =
  | (VersionText & { readonly path: string })
  /** It leads outside the folder, is not a regular file, or cannot be read. */
  | { readonly kind: 'outside' | 'unreadable'; readonly path: string };

/**
 * Drafts on disk: `D/drafts/s<session>/d<draft>/<hash>/<name>` for each version, and every replaced
 * or original file under `D/drafts/kept`, named by its hash. Each write is durable when it
 * resolves.
 * Implemented by adapters/drafts/draft-store.ts.
 */
export interface DraftStore {
  /** Path of a version, for users. */
  pathOf(draft: DraftPlace): string;
  facts(draft: DraftRow): Promise<DraftFacts>;
  /** The draft, the current file, or the file that the draft started from. */
  text(draft: DraftRow, which: 'draft' | 'file' | 'base'): Promise<VersionText>;
  /** Stores the current file under its hash. @throws DRAFT_REFUSED if it changed since `hash` */
  keepFile(draft: DraftRow, hash: string): Promise<void>;
  /**
   * Replaces the file with the version of hash `toHash`, atomically, and only if the file still has
   * `fromHash` (absent: does not exist). The last check of the file is right before the rename; a
   * program that writes at the same instant cannot be detected.
   */
  apply(
    draft: DraftRow,
    change: { readonly fromHash: string | undefined; readonly toHash: string },
  ): Promise<ApplyOutcome>;
  /**
   * Makes sure that the file, which already has the wanted content, is on disk with its name.
   * Returns why it is not, or undefined.
   */
  confirm(draft: DraftRow): Promise<string | undefined>;
  /** Writes a version of a draft; on disk when it resolves. Same content, same place. */
  put(place: DraftPlace, content: string): Promise<void>;
  /** Removes the file that an applied draft created, only if it still has this content. On disk when it resolves. */
  remove(draft: DraftRow, hash: string): Promise<ApplyOutcome>;
  /** Removes what applying a draft left when it was interrupted, next to the file. Never rejects. */
  tidy(draft: DraftRow): Promise<void>;
  /** Removes the versions of a decided draft. Idempotent, never rejects. */
  release(draft: Pick<DraftRow, 'id' | 'sessionId'>): Promise<void>;
  /** Removes leftovers of drafts; calls `isLeft` right before each removal. Returns the number. */
  sweep(isLeft: (draftId: number) => boolean): Promise<number>;
  /**
   * Makes a stored file the version of a draft again. Returns its size, or undefined if the stored
   * file is gone. On disk when it resolves. @throws RESULT_UNREADABLE
   */
  restage(place: DraftPlace): Promise<number | undefined>;
  /** Removes older stored files that are not needed by `isNeeded`; returns the number. */
  sweepKept(beforeMs: number, isNeeded: (hash: string) => boolean): Promise<number>;
}

/** Identifies the location of a version. */
export type DraftPlace = Pick<DraftRow, 'id' | 'sessionId' | 'path' | 'contentHash'>;

/** The file in a session's folder that a draft belongs to. */
type DraftFile = Pick<DraftRow, 'sessionId' | 'workspace' | 'path'>;

/**
 * Serializes work on a draft: it is either written or decided. Without this, a user who applies
 * one version while the agent writes the next would lose the next one.
 * Implemented by engine/drafts/claims.ts.
 */
export interface DraftClaims {
  /** Returns the function that ends the claim; undefined if the draft is already claimed. */
  take(file: DraftFile): (() => void) | undefined;
}

/**
 * What the file tools know about the drafts of their session.
 * Implemented by adapters/drafts/draft-workspace.ts.
 */
export interface DraftWorkspace {
  /** Content first, entry later: if killed in between, nothing refers to the content yet. S3-20 */
  stage(
    call: ToolCall,
    file: { readonly workspace: string; readonly path: string },
    content: string,
  ): Promise<StagedWrite>;
  /** True if the draft of this file is on disk with exactly this content. */
  has(
    call: ToolCall,
    file: { readonly workspace: string; readonly path: string },
    content: string,
  ): Promise<boolean>;
  /** The session's drafts in this folder: relative path, and the draft's location. S3-21 */
  overlay(call: ToolCall, workspace: string): ReadonlyMap<string, string>;
  /** The folder that holds all drafts. */
  readonly root: string;
}
