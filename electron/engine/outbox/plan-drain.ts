import type { PublishOutcome } from '../../ports/broker';
import type { Settlement, WaitingEvent } from '../../ports/event-queue';
import { DELIVERY_RULES } from './queue-rules';

/** Maximum bytes in flight; one larger event goes alone. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** A batch in pieces that are sent at once, each event behind the one before it. */
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

/** Whether events are sent at once, in line. Any other publisher breaks a line. */
interface LinePlan {
  /** Number of batches sent topic by topic before a line is tried again. */
  readonly pausedBatches: number;
  readonly nextPause: number;
}
export const FIRST_LINE: LinePlan = { pausedBatches: 0, nextPause: 1 };

/** After a batch. `broken`: events were out of line though none before them was refused. */
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
 * Rows of one batch by topic, in order. Within a topic one is sent after the other was answered;
 * topics do not wait for each other. Source: S2-34.
 */
export function planLanes(batch: readonly WaitingEvent[]): readonly (readonly WaitingEvent[])[] {
  const lanes = new Map<string, WaitingEvent[]>();
  for (const event of batch) {
    const lane = lanes.get(event.topic);
    if (lane === undefined) lanes.set(event.topic, [event]);
    else lane.push(event);
  }
  return [...lanes.values()];
}

/** What an acknowledgment means for the row and those after it. */
export type Verdict =
  /** Not taken because of another one: nothing is counted, it is sent again. */
  | { readonly kind: 'out_of_line' }
  | { readonly kind: 'delivered' }
  /** Retried later; its topic waits meanwhile. */
  | { readonly kind: 'failed'; readonly error: string }
  /** Becomes a dead letter; its topic continues. */
  | { readonly kind: 'buried'; readonly letter: Settlement['buried'][number] }
  /** Nobody was reached: nothing is counted, everything waits (R26). */
  | { readonly kind: 'cut'; readonly error: string };

/** S2-27, S2-35: the third refusal makes an event a dead letter; a wait is no attempt. */
export function judgeOutcome(event: WaitingEvent, outcome: PublishOutcome): Verdict {
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
