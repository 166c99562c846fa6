/** Updates of this program: the signed list, the downloaded file, the note on disk, the helper. */
/** State of an update, in `D/updates/update.json`. */
export interface UpdateNote {
  readonly phase:
    | 'none'
    | 'ready'
    | 'stopping'
    | 'starting'
    | 'rolling_back'
    | 'done'
    | 'rolled_back'
    | 'interrupted';
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  /** The newest version that a signed list has named. */
  readonly seen: string;
  readonly sha512: string;
  /** The downloaded file. */
  readonly artifact: string;
  /** The file of this program, which will be replaced. */
  readonly target: string;
  /** Arguments with which it was started. */
  readonly args: readonly string[];
  /** The old program, stored until the new one is up. */
  readonly previous?: string;
  /** The data as the old version left it. */
  readonly data?: { readonly backup: string; readonly version: number; readonly seq: number };
  /** Number of started attempts to start the new version. */
  readonly attempts: number;
  readonly reason?: string;
}

/** The newest version as its signed list names it. */
export interface UpdateOffer {
  readonly version: string;
  /** The file for this kind of installation; absent if the list has none. */
  readonly file?: { readonly url: string; readonly sha512: string; readonly bytes: number };
}

/** Implemented by adapters/updates/signed-feed.ts. */
export interface UpdateSource {
  /**
   * Reads the list and its signature. Uses nothing of it before the signature is verified.
   * @throws UPDATE_REFUSED if the signature is missing or wrong, UPDATE_UNREACHABLE
   */
  readOffer(from: { readonly feed: string; readonly publicKey: string }): Promise<UpdateOffer>;
  /**
   * Downloads to `D/updates`. The file is complete and has exactly the signed content when this
   * resolves, with its path. @throws UPDATE_REFUSED, UPDATE_UNREACHABLE, DISK_FULL
   */
  download(file: NonNullable<UpdateOffer['file']>, version: string): Promise<string>;
}

/**
 * `D/updates/update.json`: the state of an update. One file, replaced as a whole.
 * Implemented by adapters/updates/update-notes.ts.
 */
export interface UpdateNotes {
  /** Undefined if there is none. @throws RESULT_UNREADABLE if it cannot be read now */
  read(): UpdateNote | undefined;
  /** On disk when it returns. */
  write(note: UpdateNote): void;
}

/**
 * Starts the helper that replaces the program once this process has ended. @throws if that fails
 */
export type StartHelper = (program: string) => void;
