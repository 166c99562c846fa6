/**
 * Events queued for one window: coalesced, bounded, at most 10 a second per event (I6).
 *
 * Pure: the caller provides the time and does the sending. Of several payloads with one key, only
 * what
 * the window still needs is queued: the newest state, the joined text, the union of keys.
 */
import type { EventName, EventPayload } from '../../shared/contract';

const MAX_PER_SECOND = 10;
/** Maximum turns or sessions queued for one event; beyond it, the oldest is dropped. */
export const MAX_WAITING = 100;
const WINDOW_MS = 1000;
/** The contract's bound on one `turn.delta`. */
const MAX_DELTA_CHARS = 100_000;

export interface EventQueue {
  push<E extends EventName>(event: E, payload: EventPayload<E>): void;
  /** Payloads that may be sent now, in queue order. */
  take(nowMs: number): readonly { readonly event: EventName; readonly payload: unknown }[];
  /** When a queued payload may be sent; undefined if nothing is queued. */
  nextAtMs(nowMs: number): number | undefined;
  clear(): void;
  readonly dropped: number;
}

function keyOf<E extends EventName>(event: E, payload: EventPayload<E>): string {
  switch (event) {
    case 'turn.changed':
      return String((payload as EventPayload<'turn.changed'>).turnId);
    case 'turn.delta': {
      const delta = payload as EventPayload<'turn.delta'>;
      return delta.isWithdrawn ? `${String(delta.turnId)} withdrawn` : String(delta.turnId);
    }
    case 'step.output': {
      const { turnId, step } = payload as EventPayload<'step.output'>;
      return `${String(turnId)}:${String(step)}`;
    }
    case 'session.changed':
      return String((payload as EventPayload<'session.changed'>).sessionId);
    case 'hosts.news':
      return (payload as EventPayload<'hosts.news'>).host;
    default:
      return '';
  }
}

/** Combines an older payload with a newer one that has the same key. */
function merge(event: EventName, older: unknown, newer: unknown): unknown {
  if (event === 'config.changed') {
    const keys = (payload: unknown) => (payload as EventPayload<'config.changed'>).keys;
    return { keys: [...new Set([...keys(older), ...keys(newer)])].slice(0, 200) };
  }
  if (event === 'turn.delta') {
    const before = older as EventPayload<'turn.delta'>;
    const after = newer as EventPayload<'turn.delta'>;
    return { ...after, text: (before.text + after.text).slice(0, MAX_DELTA_CHARS) };
  }
  return newer;
}

export function createEventQueue(): EventQueue {
  const waiting = new Map<EventName, Map<string, unknown>>();
  const sentAtMs = new Map<EventName, number[]>();
  let dropped = 0;

  const recent = (event: EventName, nowMs: number): number[] => {
    const times = (sentAtMs.get(event) ?? []).filter((at) => nowMs - at < WINDOW_MS && at <= nowMs);
    sentAtMs.set(event, times);
    return times;
  };

  return {
    push(event, payload) {
      const byKey = waiting.get(event) ?? new Map<string, unknown>();
      waiting.set(event, byKey);
      const key = keyOf(event, payload);
      // Withdrawn text need not be sent; text after the withdrawal starts a new entry.
      if (event === 'turn.delta' && (payload as EventPayload<'turn.delta'>).isWithdrawn) {
        byKey.delete(String((payload as EventPayload<'turn.delta'>).turnId));
      }
      const older = byKey.get(key);
      if (older !== undefined) {
        byKey.set(key, merge(event, older, payload));
        return;
      }
      if (byKey.size >= MAX_WAITING) {
        const oldest = byKey.keys().next();
        if (oldest.done !== true) byKey.delete(oldest.value);
        dropped += 1;
      }
      byKey.set(key, payload);
    },
    take(nowMs) {
      const ready: { event: EventName; payload: unknown }[] = [];
      for (const [event, byKey] of waiting) {
        const times = recent(event, nowMs);
        for (const [key, payload] of byKey) {
          if (times.length >= MAX_PER_SECOND) break;
          byKey.delete(key);
          times.push(nowMs);
          ready.push({ event, payload });
        }
        if (byKey.size === 0) waiting.delete(event);
      }
      return ready;
    },
    nextAtMs(nowMs) {
      let next: number | undefined;
      for (const event of waiting.keys()) {
        const times = recent(event, nowMs);
        const first = times[0];
        const atMs =
          times.length < MAX_PER_SECOND || first === undefined ? nowMs : first + WINDOW_MS;
        next = next === undefined ? atMs : Math.min(next, atMs);
      }
      return next;
    },
    clear() {
      waiting.clear();
    },
    get dropped() {
      return dropped;
    },
  };
}
