/**
 * Removes what deleted sessions left in the database.
 * Implemented by adapters/sqlite/erase-sessions.ts.
 */
export interface SessionErasure {
  /**
   * Erases the prompts, answers and steps of all deleted sessions, in small transactions. The next
   * call continues an interrupted one.
   */
  erase(): Promise<void>;
}
