/** New turns wait, running ones continue. Without `untilMs` until someone resumes. Epoch ms. */
export interface Pause {
  readonly untilMs?: number;
}

/**
 * Stores a pause beyond the end of the process.
 * Implemented by adapters/sqlite/tables/pauses.ts.
 */
export interface PauseStore {
  /** Undefined if nothing is paused; the caller handles an instant that has passed. */
  read(): Pause | undefined;
  /** On disk when it returns; undefined ends the pause. @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED */
  write(pause: Pause | undefined): void;
}
