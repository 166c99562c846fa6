/** Large results by content address, beside the database (S4-+05). */
export interface Blobs {
  /** Writes (temp, fsync, rename, fsync of the folder) and returns the sha256 in hex; same content, same file. */
  put(content: string): Promise<string>;
  /** Undefined where the file is missing or its content does not match: then it counts as not recorded. */
  get(sha256: string): Promise<string | undefined>;
  /** Removes files that `isUsed` does not know; bounded work per call; returns how many went. */
  sweep(isUsed: (sha256: string) => boolean, limit: number): Promise<number>;
}

/** sha256 as the engine needs it. */
export interface Hasher {
  /** Lower case hex, 64 characters. */
  sha256Hex(text: string): string;
}
