/** Retry state of one external dependency that is tried repeatedly. Times are wall times. */
export interface AttemptState {
  /** Failures since its last success. */
  readonly streak: number;
  readonly lastError: string;
  /** Absent if it is only retried on the user's request. */
  readonly nextTryAtMs?: number;
  /** Nothing is sent before this time: the other side requested the wait. */
  readonly heldUntilMs?: number;
  /** Starts of a program that count toward their limit, oldest first. */
  readonly startsAtMs?: readonly number[];
  /** Identifies the configuration that was tried; state stored for another one does not count. */
  readonly of?: string;
}

/** The attempts at one external dependency that a restart must know. S2-19, S3-15 */
export interface AttemptRecord {
  /** The state stored last; undefined if nothing has failed since the last success. */
  saved(): AttemptState | undefined;
  /**
   * On disk when it resolves. Never throws: a failed write is logged, and the state stays in
   * memory.
   */
  keep(state: AttemptState): Promise<void>;
  /** It succeeded, or the user restarted it: the stored state is deleted. Never throws. */
  over(): Promise<void>;
}

/**
 * Attempts by the name of the dependency.
 * Implemented by engine/retry/saved-attempts.ts.
 */
export type Attempts = (name: string) => AttemptRecord;
