import type { AttemptRecord } from '../../ports/attempts';
import type { Clock } from '../../ports/clock';

/** The outcome of one pass over one channel's waiting answers. */
export type PassEnd =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'later';
      readonly error?: string;
      /** Earliest time of the next try. */
      readonly afterMs?: number;
    };

/** State of a channel's answers: consecutive failures, the last failure, the next try. S3-15 */
export interface QueuePosture {
  readonly streak: number;
  readonly lastError?: string;
  readonly nextTryAtMs?: number;
}

/** The answers of one channel, sent one at a time. */
export interface ReplyQueue {
  visit(): void;
  posture(): QueuePosture;
  /** Remaining wait that the other side requested; 0 for none. */
  heldMs(): number;
  /** The other side requested a pause of `afterMs`; on disk when it resolves. */
  hold(afterMs: number, error: string): Promise<void>;
  /** Something that was not queued here has arrived there. */
  wentWell(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** Maximum requested wait. */
const MAX_AFTER_MS = 3_600_000;

/**
 * Sends when visited, and again later while answers remain: with growing waits, idle otherwise. A
 * wait that the other side requested holds for every visitor. Both survive a restart, but a start
 * counts as a visit, so answers without a requested wait are tried at once.
 */
export function createReplyQueue(deps: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly sendDue: () => Promise<PassEnd>;
  /** Without it, failures are forgotten when the run ends. */
  readonly attempts?: AttemptRecord;
}): ReplyQueue {
  const { clock, signal, attempts } = deps;
  const saved = attempts?.saved();
  let isBusy = false;
  let isAgain = false;
  let retryMs = Math.min(FIRST_RETRY_MS * 2 ** (saved?.streak ?? 0), MAX_RETRY_MS);
  let heldUntilMs = 0;
  let timer = new AbortController();
  let posture = savedPosture(attempts);

  const heldMs = (): number => Math.max(0, heldUntilMs - clock.monotonicMs());
  const keep = async (): Promise<void> => {
    const restMs = heldMs();
    await attempts?.keep({
      streak: posture.streak,
      lastError: posture.lastError ?? '',
      ...(posture.nextTryAtMs === undefined ? {} : { nextTryAtMs: posture.nextTryAtMs }),
      ...(restMs === 0 ? {} : { heldUntilMs: Math.round(clock.nowMs() + restMs) }),
    });
  };
  const visitIn = (waitMs: number): void => {
    timer.abort();
    timer = new AbortController();
    clock.sleep(waitMs, AbortSignal.any([signal, timer.signal])).then(visit, () => undefined);
  };

  const later = async (end: Extract<PassEnd, { kind: 'later' }>): Promise<void> => {
    const waitMs = Math.max(retryMs, Math.min(end.afterMs ?? 0, MAX_AFTER_MS), heldMs());
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    const isFailure = end.error !== undefined;
    posture = {
      streak: posture.streak + (isFailure ? 1 : 0),
      ...(isFailure ? { lastError: end.error } : {}),
      nextTryAtMs: Math.round(clock.nowMs() + waitMs),
    };
    visitIn(waitMs);
    // A channel that was not called has not failed.
    if (isFailure) await keep();
  };
  const over = async (): Promise<void> => {
    timer.abort();
    retryMs = FIRST_RETRY_MS;
    posture = { streak: 0 };
    await attempts?.over();
  };

  const pass = async (): Promise<void> => {
    do {
      isAgain = false;
      const end = await deps.sendDue().catch((error: unknown): PassEnd => ({
        kind: 'later',
        error: String(error).slice(0, 300),
      }));
      if (signal.aborted) return;
      if (end.kind === 'later') {
        await later(end);
        break;
      }
      await over();
    } while (isAgain);
    // Synchronously with the check of `isAgain`: a visit in between would be lost.
    isBusy = false;
  };

  const visit = (): void => {
    if (signal.aborted) return;
    if (isBusy) {
      isAgain = true;
      return;
    }
    if (heldMs() > 0) return;
    isBusy = true;
    void pass();
  };

  if (saved?.heldUntilMs !== undefined && saved.heldUntilMs > clock.nowMs()) {
    const restMs = Math.min(saved.heldUntilMs - clock.nowMs(), MAX_AFTER_MS);
    heldUntilMs = clock.monotonicMs() + restMs;
    visitIn(restMs);
  }
  return {
    visit,
    posture: () => posture,
    heldMs,
    async hold(afterMs, error) {
      const waitMs = Math.min(afterMs, MAX_AFTER_MS);
      heldUntilMs = clock.monotonicMs() + waitMs;
      // The pass in progress reports this at its end.
      if (isBusy) return;
      posture = {
        streak: posture.streak + 1,
        lastError: error,
        nextTryAtMs: Math.round(clock.nowMs() + waitMs),
      };
      visitIn(waitMs);
      await keep();
    },
    async wentWell() {
      if (!isBusy && posture.streak > 0) await over();
    },
  };
}

/** The last stored state of a channel's answers. */
export function savedPosture(attempts: AttemptRecord | undefined): QueuePosture {
  const saved = attempts?.saved();
  if (saved === undefined) return { streak: 0 };
  const { streak, lastError, nextTryAtMs } = saved;
  return { streak, lastError, ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }) };
}
