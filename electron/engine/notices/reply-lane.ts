import type { Clock } from '../../ports/clock';

/** What a walk over the waiting answers of one channel came to. */
export type LaneEnd =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'later';
      readonly error?: string;
      /** Not before this. */
      readonly afterMs?: number;
      /** The other side asked for that wait: it is kept whoever visits. */
      readonly isAsked?: boolean;
    };

/** How a channel's answers stand: failures in a row, the last one, the next try. S3-15 */
export interface LanePosture {
  readonly streak: number;
  readonly lastError?: string;
  readonly nextTryAtMs?: number;
}

/** The answers of one channel, one after the other. */
export interface ReplyLane {
  visit(): void;
  posture(): LanePosture;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A wait that is asked for is believed up to here. */
const MOST_AFTER_MS = 3_600_000;

/**
 * Walks when it is visited, and again later while something is left: with growing waits, idle
 * otherwise. A wait that the other side asked for is kept whoever visits.
 */
export function createReplyLane(deps: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly walk: () => Promise<LaneEnd>;
}): ReplyLane {
  const { clock, signal } = deps;
  let isBusy = false;
  let isAgain = false;
  let retryMs = FIRST_RETRY_MS;
  let heldUntilMs = 0;
  let timer = new AbortController();
  let posture: LanePosture = { streak: 0 };

  const later = (end: Extract<LaneEnd, { kind: 'later' }>): void => {
    const afterMs = Math.min(end.afterMs ?? 0, MOST_AFTER_MS);
    const waitMs = Math.max(retryMs, afterMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    heldUntilMs = end.isAsked === true ? clock.monotonicMs() + afterMs : 0;
    posture = {
      streak: posture.streak + (end.error === undefined ? 0 : 1),
      ...(end.error === undefined ? {} : { lastError: end.error }),
      nextTryAtMs: clock.nowMs() + waitMs,
    };
    timer.abort();
    timer = new AbortController();
    clock.sleep(waitMs, AbortSignal.any([signal, timer.signal])).then(visit, () => undefined);
  };

  const walk = async (): Promise<void> => {
    do {
      isAgain = false;
      const end = await deps.walk().catch((error: unknown): LaneEnd => ({
        kind: 'later',
        error: String(error).slice(0, 300),
      }));
      if (signal.aborted) return;
      if (end.kind === 'later') {
        later(end);
        break;
      }
      timer.abort();
      retryMs = FIRST_RETRY_MS;
      posture = { streak: 0 };
    } while (isAgain);
    // In the same breath as the look at `isAgain`: a visit in between would be lost for good.
    isBusy = false;
  };

  const visit = (): void => {
    if (signal.aborted) return;
    if (isBusy) {
      isAgain = true;
      return;
    }
    if (clock.monotonicMs() < heldUntilMs) return;
    isBusy = true;
    void walk();
  };
  return { visit, posture: () => posture };
}
