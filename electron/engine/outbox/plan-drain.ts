import type { PublishOutcome } from '../../ports/broker';
import type { Settlement, WaitingEvent } from '../../ports/event-queue';
import { DELIVERY_RULES } from './queue-rules';

/** Maximum bytes in flight; a larger event is sent alone. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Splits a batch into parts that are sent at once, each event chained to the previous one. */
export function planWindows(batch: readonly WaitingEvent[]): readonly (readonly WaitingEvent[])[] {
  const windows: WaitingEvent[][] = [];
  let bytes = Infinity;
  for (const event of batch) {
    if (bytes + event.bytes > WINDOW_BYTES) {
      windows.push([]);
      bytes = 0;
    }
    windows.at(-1)?.push(event);
    bytes += event.bytes;
  }
  return windows;
}

/** Batches that go topic by topic after others came in between; doubles up to the most. */
const MAX_PAUSED = 64;

/** Whether events are sent at once, in one chain. Any other publisher breaks a chain. */
interface LinePlan {
  /** Number of batches sent topic by topic before a chain is tried again. */
  readonly pausedBatches: number;
  readonly nextPause: number;
}
export const FIRST_LINE: LinePlan = { pausedBatches: 0, nextPause: 1 };

/**
 * The plan after a batch. `broken`: events were out of line although none before them was rejected.
 */
export function planLine(plan: LinePlan, end: 'kept' | 'broken' | 'not_tried'): LinePlan {
  switch (end) {
    case 'kept':
      return FIRST_LINE;
    case 'not_tried':
      return { ...plan, pausedBatches: Math.max(0, plan.pausedBatches - 1) };
    case 'broken':
      return {
        pausedBatches: plan.nextPause,
        nextPause: Math.min(MAX_PAUSED, plan.nextPause * 2),
      };
  }
}

/**
 * Rows of one batch by topic, in order. Within a topic each is sent after the previous one's
 * acknowledgment; topics do not wait for each other. Source: S2-34.
 */
export function groupByTopic(batch: readonly WaitingEvent[]): readonly (readonly WaitingEvent[])[] {
  const topics = new Map<string, WaitingEvent[]>();
  for (const event of batch) {
    const rows = topics.get(event.topic);
    if (rows === undefined) topics.set(event.topic, [event]);
    else rows.push(event);
  }
  return [...topics.values()];
}

/** What an acknowledgment means for the row and those after it. */
export type PublishVerdict =
  /** Rejected because of another event: not counted, sent again. */
  | { readonly kind: 'out_of_line' }
  | { readonly kind: 'delivered' }
  /** Retried later; its topic waits meanwhile. */
  | { readonly kind: 'failed'; readonly error: string }
  /** Becomes a dead letter; its topic continues. */
  | { readonly kind: 'buried'; readonly letter: Settlement['buried'][number] }
  /** No server was reached: nothing is counted, everything waits (R26). */
  | { readonly kind: 'cut'; readonly error: string };

/**
 * S2-27, S2-35: the third rejection makes an event a dead letter; a wait does not count as an
 * attempt.
 */
export function judgeOutcome(event: WaitingEvent, outcome: PublishOutcome): PublishVerdict {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'delivered' };
    case 'out_of_line':
      return { kind: 'out_of_line' };
    case 'unreachable':
      return { kind: 'cut', error: outcome.error };
    case 'too_large':
      return {
        kind: 'buried',
        letter: {
          seq: event.seq,
          reason: 'too_large',
          detail: outcome.error,
          error: outcome.error,
        },
      };
    case 'refused':
      return event.attempts + 1 < DELIVERY_RULES.maxAttempts
        ? { kind: 'failed', error: outcome.error }
        : {
            kind: 'buried',
            letter: {
              seq: event.seq,
              reason: 'refused',
              detail: outcome.error,
              error: outcome.error,
            },
          };
  }
}

/** Wait before a rejected event is retried: 1 s after the first rejection, 2 s after the second. */
export function retryDelayMs(attempts: number): number {
  return DELIVERY_RULES.retryMs * 2 ** Math.max(0, attempts - 1);
}
