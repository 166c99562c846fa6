/** How trying stands with something outside that is tried again and again. Times are wall times. */
export interface AttemptState {
  /** Failures since it last went well. */
  readonly streak: number;
  readonly lastError: string;
  /** Absent where it is not tried again before a person asks for it. */
  readonly nextTryAtMs?: number;
  /** Nothing goes there before: the other side asked for that wait. */
  readonly heldUntilMs?: number;
  /** Starts of a program that count against their limit, oldest first. */
  readonly startsAtMs?: readonly number[];
  /** What was tried, as far as it can be changed: what is kept of another one does not count. */
  readonly of?: string;
}

/** The attempts at one thing outside: what a restart has to know of them. S2-19, S3-15 */
export interface AttemptRecord {
  /** As it was kept last; undefined where nothing failed since it last went well. */
  saved(): AttemptState | undefined;
  /** On disk when it resolves. Never throws: what the disk refuses is logged, and known until the end. */
  keep(state: AttemptState): Promise<void>;
  /** It went well, or a person began it anew: nothing is kept any more. Never throws. */
  over(): Promise<void>;
}

/** Attempts by the name of what they are made at. */
export type Attempts = (name: string) => AttemptRecord;
