/** New turns wait, running ones continue. Without `untilMs` until someone resumes. Epoch ms. */
export interface Pause {
  readonly untilMs?: number;
}

/** Where a pause survives the end of the process. */
export interface PauseStore {
  /** Undefined if nothing is paused; an instant that has passed is left to the caller. */
  read(): Pause | undefined;
  /** On disk when it returns; undefined ends the pause. @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED */
  write(pause: Pause | undefined): void;
}
