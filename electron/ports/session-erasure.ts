/** Removes what deleted sessions have left in the database. */
export interface SessionErasure {
  /**
   * Erases the prompts, answers and steps of all deleted sessions, in small transactions. One that
   * is interrupted is continued by the next call.
   */
  erase(): Promise<void>;
}
