/** Removes what deleted sessions left in the database. */
export interface SessionErasure {
  /**
   * Erases the prompts, answers and steps of all deleted sessions, in small transactions. The next
   * call continues an interrupted one.
   */
  erase(): Promise<void>;
}
