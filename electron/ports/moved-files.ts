/** Files of a git repository that move to another computer with a turn. */

/**
 * Everything that another computer needs to have the same files; the pieces are in the shared
 * store.
 */
export interface FilesMove {
  /** The commit that both computers have. */
  readonly base: string;
  /** Git tree of all files, with content and executable bit: equal if the files are equal. */
  readonly tree: string;
  /** The agent's folder relative to the repository's top, with a final `/`; empty for the top. */
  readonly prefix: string;
  /** Hashes of the pieces of the packed patch, in order. */
  readonly pieces: readonly string[];
}

/** The same with the pieces themselves, which must be sent first. */
export interface CapturedFiles extends Omit<FilesMove, 'pieces'> {
  readonly texts: readonly string[];
  /** The repository's name on every computer. */
  readonly repository: string;
}

/**
 * State of a file in the user's folder relative to the turn's change: `open` without the change;
 * `edited` without it and changed since, but it still applies; `done` with it; `conflict` if it
 * does not apply.
 */
export type FileStand = 'open' | 'edited' | 'done' | 'conflict';

/** A file that a turn has changed. */
export interface ReturnedFile {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
  /** Line counts; absent for binary content. */
  readonly lines?: { readonly added: number; readonly removed: number };
  readonly stand: FileStand;
}

/** What to do with a turn's changes. */
export type ReturnAct =
  | { readonly kind: 'show' }
  /** Writes a new file; an existing one stays, unless the user has allowed replacing it. */
  | { readonly kind: 'patch'; readonly file: string; readonly mayReplace?: true }
  /** Each file is replaced atomically; repeating it after a kill writes the rest. */
  | { readonly kind: 'apply' };

/**
 * Outside Holdfast's own folders only `giveBack` writes; nothing that a repository configures is
 * run.
 * Implemented by adapters/git-workspace/index.ts.
 */
export interface MovedFiles {
  /**
   * Name of this folder's repository that is the same on every computer; undefined if there is
   * none.
   */
  repositoryOf(folder: string): Promise<string | undefined>;
  /** The current files: committed or not, staged or not, without ignored ones. */
  capture(
    folder: string,
  ): Promise<
    | { readonly kind: 'captured'; readonly files: CapturedFiles }
    | { readonly kind: 'refused'; readonly why: string }
  >;
  /** The files of a turn as its agent has left them, on the same commit. */
  recapture(
    turn: string,
    base: string,
  ): Promise<
    | { readonly kind: 'captured'; readonly files: Pick<CapturedFiles, 'tree' | 'texts'> }
    | { readonly kind: 'refused'; readonly why: string }
  >;
  /** The agent's folder within this turn's files, whether they exist here or not. */
  placeOf(turn: string, prefix: string): string;
  /**
   * Creates the files of a turn in a separate folder, from the repository of `from`. An existing
   * folder stays as it is, unless `isEqual` and it differs from what was sent.
   */
  arrive(
    turn: string,
    from: string,
    move: FilesMove,
    more: {
      /** Nothing changed these files since, so they must equal the sent ones. */
      readonly isEqual: boolean;
      /** @throws SHARE_UNREACHABLE */
      readonly piece: (hash: string) => Promise<string | undefined>;
    },
  ): Promise<{ readonly kind: 'here' } | { readonly kind: 'refused'; readonly why: string }>;
  /**
   * Returns a turn's changes, from the files that were sent to the newest, next to its agent's
   * folder. The index, commits and branches there stay as they are. `written`: files that this call
   * has changed there.
   */
  giveBack(
    turn: string,
    folder: string,
    moves: { readonly sent: FilesMove; readonly newest: FilesMove },
    more: {
      readonly act: ReturnAct;
      /** @throws SHARE_UNREACHABLE */
      readonly piece: (hash: string) => Promise<string | undefined>;
    },
  ): Promise<
    | {
        readonly kind: 'files';
        readonly top: string;
        readonly files: readonly ReturnedFile[];
        readonly written: number;
        /** Text diff, if the changes are only shown. Absent if it is too long. */
        readonly diff?: string;
      }
    | { readonly kind: 'refused'; readonly why: string }
  >;
  /** Removes files of turns that are no longer needed, and unfinished leftovers of a crash. */
  sweep(nowMs: number, isOver: (turn: string, ageMs: number) => boolean): Promise<void>;
}
