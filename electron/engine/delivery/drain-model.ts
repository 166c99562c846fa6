import type { PublishOutcome } from '../../ports/broker';
import type { Settlement, WaitingEvent } from '../../ports/event-queue';
import { DELIVERY_RULES } from './queue-model';

/**
 * Rows of one batch by topic, in order. Within a topic one is sent after the other was answered;
 * topics do not wait for each other. Source: S2-34.
 */
export function planLanes(
  batch: readonly WaitingEvent[],
  blocked: ReadonlySet<string>,
): readonly (readonly WaitingEvent[])[] {
  const lanes = new Map<string, WaitingEvent[]>();
  for (const event of batch) {
    if (blocked.has(event.topic)) continue;
    const lane = lanes.get(event.topic);
    if (lane === undefined) lanes.set(event.topic, [event]);
    else lane.push(event);
  }
  return [...lanes.values()];
}

/** What an answer means for the row, and for those behind it. */
export type Verdict =
  | { readonly kind: 'delivered' }
  /** Tried again later; its topic waits so long. */
  | { readonly kind: 'failed'; readonly error: string }
  /** To the dead letters; its topic goes on. */
  | { readonly kind: 'buried'; readonly letter: Settlement['buried'][number] }
  /** Nobody was reached: nothing is counted, everything waits (R26). */
  | { readonly kind: 'cut'; readonly error: string };

/** S2-27, S2-35: the third refusal makes an event a dead letter; a wait is no attempt. */
export function judgeOutcome(event: WaitingEvent, outcome: PublishOutcome): Verdict {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'delivered' };
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

/** Until a refused event is tried again: 1 s after the first refusal, 2 s after the second. */
export function retryAfterMs(attempts: number): number {
  return DELIVERY_RULES.retryMs * 2 ** Math.max(0, attempts - 1);
}
