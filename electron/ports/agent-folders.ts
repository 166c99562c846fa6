/** The folders that agents work in. */
export interface AgentFolders {
  /** That of the practice agent. */
  readonly practice: string;
  exists(folder: string): boolean;
  /** Its real path; undefined if it is missing, not a folder or unreadable. */
  usable(folder: string): string | undefined;
  /**
   * As it is stored: absolute, `~` read as the home. A relative one would mean another folder at each
   * start. @throws INPUT_INVALID
   */
  stored(written: string): string;
  /** Writes files into a folder that is not there yet; what a person changes there later stays. */
  prepare(
    folder: string,
    files: readonly { readonly path: string; readonly content: string }[],
  ): void;
}
