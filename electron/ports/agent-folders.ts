/**
 * The folders that agents work in.
 * Implemented by adapters/files/agent-folders.ts.
 */
export interface AgentFolders {
  /** The practice agent's folder. */
  readonly practice: string;
  exists(folder: string): boolean;
  /** Its real path; undefined if it is missing, not a folder or unreadable. */
  usable(folder: string): string | undefined;
  /**
   * The stored form: absolute, `~` replaced by the home folder. A relative one would mean another
   * folder at each start. @throws INPUT_INVALID
   */
  stored(written: string): string;
  /** Writes files into a new folder; later changes by the user stay. */
  prepare(
    folder: string,
    files: readonly { readonly path: string; readonly content: string }[],
  ): void;
}
