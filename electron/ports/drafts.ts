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
  /** False where the folder itself is gone. */
  readonly isWorkspaceThere: boolean;
}

/** How a promotion ended. */
export type PromoteOutcome =
  | { readonly kind: 'promoted' }
  /** The file is as it was. */
  | { readonly kind: 'unchanged'; readonly message: string }
  /** Something is other than what was seen; nothing was written. */
  | { readonly kind: 'stale' };

/** Text of a version for a comparison; undefined where it is gone, too large or not text. */
export type VersionText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number };

/**
 * Drafts on disk: `D/drafts/s<session>/d<draft>/<hash>/<name>` for each version, and every replaced
 * or original file under `D/drafts/kept` by its hash. Each write is durable when it resolves.
 */
export interface DraftStore {
  /** Where a version is, for people. */
  pathOf(draft: DraftPlace): string;
  facts(draft: DraftRow): Promise<DraftFacts>;
  /** The draft, the file as it is now, or the file that the draft began from. */
  text(draft: DraftRow, which: 'draft' | 'file' | 'base'): Promise<VersionText>;
  /** Keeps the file of now by its hash. @throws DRAFT_REFUSED where it changed since `hash` */
  keepFile(draft: DraftRow, hash: string): Promise<void>;
  /**
   * Puts the version of hash `toHash` in place of the file, whole or not at all, and only where the
   * file still is `fromHash` (absent: is not there). The last look at the file is right before the
   * rename; a program that writes in the same instant cannot be noticed.
   */
  promote(
    draft: DraftRow,
    change: { readonly fromHash: string | undefined; readonly toHash: string },
  ): Promise<PromoteOutcome>;
  /** Removes what a promotion that was cut off left beside the file. Never rejects. */
  tidy(draft: DraftRow): Promise<void>;
  /** Removes the versions of a draft that is decided. Idempotent, never rejects. */
  release(draft: Pick<DraftRow, 'id' | 'sessionId'>): Promise<void>;
  /** Removes what is left of drafts that are not open any more; how many went. */
  sweep(isOpen: (draftId: number) => boolean): Promise<number>;
  /**
   * Makes a kept file the version of a draft, at its place; its size, or undefined where the kept
   * one is gone. On disk when it resolves.
   */
  restage(place: DraftPlace): Promise<number | undefined>;
  /** Removes kept files that are older and that `isNeeded` does not name; how many went. */
  sweepKept(beforeMs: number, isNeeded: (hash: string) => boolean): Promise<number>;
}

/** What names the place of a version. */
export type DraftPlace = Pick<DraftRow, 'id' | 'sessionId' | 'path' | 'contentHash'>;

/** The file of a session's folder that a draft is of. */
type DraftFile = Pick<DraftRow, 'sessionId' | 'workspace' | 'path'>;

/**
 * One thing at a time happens to a draft: it is written, or it is decided. Without that a person
 * who promotes one version in the instant in which the agent writes the next would lose that one.
 */
export interface DraftClaims {
  /** Ends the claim; undefined where somebody else has it. */
  take(file: DraftFile): (() => void) | undefined;
}

/** What the file tools know of the drafts of the session they work for. */
export interface DraftWorkspace {
  /** Content first, entry later: killed in between, nobody has heard of it. S3-20 */
  stage(
    call: ToolCall,
    file: { readonly workspace: string; readonly path: string },
    content: string,
  ): Promise<StagedWrite>;
  /** True where the draft of this file is on disk with exactly this content. */
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
