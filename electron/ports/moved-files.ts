/** Files of a git repository that move to another computer with a turn. */

/** What another computer needs to have the same files; the pieces are in the shared store. */
export interface FilesMove {
  /** The commit that both computers have. */
  readonly base: string;
  /** Names every file, its content, and whether it can be run: equal where both are equal. */
  readonly tree: string;
  /** The agent's folder below the top of the repository, with `/` at its end; empty for the top. */
  readonly prefix: string;
  /** Hashes of the pieces of the packed patch, in order. */
  readonly pieces: readonly string[];
}

/** The same with the pieces themselves, which are to be sent first. */
export interface CapturedFiles extends Omit<FilesMove, 'pieces'> {
  readonly texts: readonly string[];
  /** What the repository is called on every computer. */
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
  /** Lines; absent of binary content. */
  readonly lines?: { readonly added: number; readonly removed: number };
  readonly stand: FileStand;
}

/** What is done with the changes of a turn. */
export type ReturnAct =
  | { readonly kind: 'show' }
  /** A new file; one that is there stays, unless a person has said that it may be replaced. */
  | { readonly kind: 'patch'; readonly file: string; readonly mayReplace?: true }
  /** Each file is replaced at once or not at all; doing it again after a kill writes the rest. */
  | { readonly kind: 'apply' };

/** Outside Holdfast's own folders only `giveBack` writes; nothing that a repository configures runs. */
export interface MovedFiles {
  /**
   * Name of this folder's repository that is the same on every computer; undefined if there is
   * none.
   */
  repositoryOf(folder: string): Promise<string | undefined>;
  /** The files as they are now: committed or not, staged or not, without ignored ones. */
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
  /** Where the agent works in the files of this turn, whether they are here or not. */
  placeOf(turn: string, prefix: string): string;
  /**
   * The files of a turn in a folder of their own, made of the repository of `from`. One that is there stays
   * as it is, unless `isEqual` and it is not what was sent.
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
