/**
 * Large texts by content, next to the database (S4-+05).
 * Implemented by adapters/blobs/blobs.ts.
 */
export interface Blobs {
  /**
   * Writes (temp, fsync, rename, fsync of the folder) and returns the address: the sha256 in hex,
   * after `t<turn>/` for the result of a turn's tool, which is deleted at the end of the turn. Same
   * content, same file.
   */
  put(content: string, turnId?: number): Promise<string>;
  /**
   * Undefined if the file is missing or its content does not match: it then counts as not recorded.
   * @throws RESULT_UNREADABLE if the file exists but cannot be read now; a later read may succeed
   */
  get(address: string): Promise<string | undefined>;
  /** Removes the results of a turn that is over. Idempotent, never rejects. */
  release(turnId: number): Promise<void>;
  /**
   * Removes unused blobs and those of turns that are over; bounded work per call; returns the
   * number removed.
   */
  sweep(
    used: {
      /** For an address without a turn. */
      readonly isUsed: (address: string) => boolean;
      readonly isOver: (turnId: number) => boolean;
    },
    limit: number,
  ): Promise<number>;
}

/**
 * sha256 for the engine.
 * Implemented by adapters/blobs/hasher.ts.
 */
export interface Hasher {
  /** Lower case hex, 64 characters. */
  sha256Hex(text: string): string;
}
