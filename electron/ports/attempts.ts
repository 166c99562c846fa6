/** Retry state of one external dependency that is tried repeatedly. Times are wall times. */
export interface AttemptState {
  /** Failures since it last went well. */
  readonly streak: number;
  readonly lastError: string;
  /** Absent if it is not retried until a person asks for it. */
  readonly nextTryAtMs?: number;
  /** Nothing is sent before this time: the other side asked for that wait. */
  readonly heldUntilMs?: number;
  /** Starts of a program that count against their limit, oldest first. */
  readonly startsAtMs?: readonly number[];
  /** Identifies the configuration that was tried; state stored for another one does not count. */
  readonly of?: string;
}

/** The attempts at one thing outside: what a restart has to know of them. S2-19, S3-15 */
export interface AttemptRecord {
  /** The state stored last; undefined if nothing has failed since the last success. */
  saved(): AttemptState | undefined;
  /** On disk when it resolves. Never throws: what the disk refuses is logged, and known until the end. */
  keep(state: AttemptState): Promise<void>;
  /** It succeeded, or a person restarted it: the stored state is deleted. Never throws. */
  over(): Promise<void>;
}

/** Attempts by the name of what they are made at. */
export type Attempts = (name: string) => AttemptRecord;
