import type { StagedWrite } from './staged-write';
import type { DraftRow } from './journal/drafts';
import type { ToolCall } from './tool-call';

/** A file as it is now, by content. */
export type FileFact =
  | {
      readonly kind: 'present';
      readonly hash: string;
      readonly sizeBytes: number;
      readonly changedAtMs: number;
    }
  | { readonly kind: 'missing' }
  /** It leads outside the folder, is no regular file, or cannot be read. */
  | { readonly kind: 'blocked'; readonly why: string };

/** What is on disk about one draft. */
export interface DraftFacts {
  readonly file: FileFact;
  readonly draft: FileFact;
  /** False if the folder itself is gone. */
  readonly isWorkspaceThere: boolean;
}

/** How a promotion ended. */
export type PromoteOutcome =
  | { readonly kind: 'promoted' }
  /** It is in place, but the disk did not confirm that: a power cut could undo it. */
  | { readonly kind: 'unconfirmed'; readonly why: string }
  /** The file is as it was. */
  | { readonly kind: 'unchanged'; readonly message: string }
  /** Something is other than what was seen; nothing was written. */
  | { readonly kind: 'stale' };

/** Text of a version for a comparison; undefined if it is gone, too large or not text. */
export type VersionText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number };

/** A file of a folder as it is now, for a comparison that a person asked for. */
export type FileNow =
  | (VersionText & { readonly path: string })
  /** It leads outside the folder, is no regular file, or cannot be read. */
  | { readonly kind: 'outside' | 'unreadable'; readonly path: string };

/**
 * Drafts on disk: `D/drafts/s<session>/d<draft>/<hash>/<name>` for each version, and every replaced
 * or original file under `D/drafts/kept`, named by its hash. Each write is durable when it
 * resolves.
 */
export interface DraftStore {
  /** Where a version is, for people. */
  pathOf(draft: DraftPlace): string;
  facts(draft: DraftRow): Promise<DraftFacts>;
  /** The draft, the current file, or the file that the draft started from. */
  text(draft: DraftRow, which: 'draft' | 'file' | 'base'): Promise<VersionText>;
  /** Stores the current file under its hash. @throws DRAFT_REFUSED if it changed since `hash` */
  keepFile(draft: DraftRow, hash: string): Promise<void>;
  /**
   * Replaces the file with the version of hash `toHash`, atomically, and only if the file still has
   * `fromHash` (absent: does not exist). The last check of the file is right before the rename; a
   * program that writes in the same instant cannot be noticed.
   */
  promote(
    draft: DraftRow,
    change: { readonly fromHash: string | undefined; readonly toHash: string },
  ): Promise<PromoteOutcome>;
  /**
   * Makes sure that the file, which has the wanted content already, is on disk with its name. Returns
   * why it is not, or undefined.
   */
  confirm(draft: DraftRow): Promise<string | undefined>;
  /** Writes a version of a draft; on disk when it resolves. Same content, same place. */
  put(place: DraftPlace, content: string): Promise<void>;
  /** Removes the file that a promotion created, only if it still has this content. On disk when it resolves. */
  remove(draft: DraftRow, hash: string): Promise<PromoteOutcome>;
  /** Removes what an interrupted promotion left next to the file. Never rejects. */
  tidy(draft: DraftRow): Promise<void>;
  /** Removes the versions of a draft that is decided. Idempotent, never rejects. */
  release(draft: Pick<DraftRow, 'id' | 'sessionId'>): Promise<void>;
  /** Removes what is left of drafts; `isLeft` is asked right before each goes. Returns how many. */
  sweep(isLeft: (draftId: number) => boolean): Promise<number>;
  /**
   * Makes a stored file the version of a draft, in its place. Returns its size, or undefined if the
   * stored file is gone. On disk when it resolves.
   */
  restage(place: DraftPlace): Promise<number | undefined>;
  /** Removes stored files that are older and that `isNeeded` does not name; returns how many. */
  sweepKept(beforeMs: number, isNeeded: (hash: string) => boolean): Promise<number>;
}

/** What names the place of a version. */
export type DraftPlace = Pick<DraftRow, 'id' | 'sessionId' | 'path' | 'contentHash'>;

/** The file of a session's folder that a draft is of. */
type DraftFile = Pick<DraftRow, 'sessionId' | 'workspace' | 'path'>;

/**
 * Serializes work on a draft: it is either written or decided. Without this, a user who promotes
 * one version while the agent writes the next would lose the next one.
 */
export interface DraftClaims {
  /** Returns the function that ends the claim; undefined if the draft is already claimed. */
  take(file: DraftFile): (() => void) | undefined;
}

/** What the file tools know of the drafts of the session they work for. */
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
  /** Drafts of the session in this folder: path below it and where the draft is. S3-21 */
  overlay(call: ToolCall, workspace: string): ReadonlyMap<string, string>;
  /** The folder that holds all drafts. */
  readonly root: string;
}
