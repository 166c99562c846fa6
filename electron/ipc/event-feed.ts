/**
 * Carries the engine's events to the visible windows; a hidden window gets none and receives the
 * current state when it is shown again.
 */
import { EVENT_NAMES, eventChannel } from '../../shared/verbs';
import type { EventName, EventPayload } from '../../shared/contract';
import type { Holdfast } from '../engine/api/facade';
import { createEventQueue } from './event-queue';
import type { EventQueue } from './event-queue';

/** A window as the feed sees it. */
export interface EventTarget {
  readonly id: number;
  isVisible(): boolean;
  send(channel: string, payload: unknown): void;
}

interface EventFeedDeps {
  readonly holdfast: Pick<Holdfast, 'on' | 'status'>;
  readonly targets: () => readonly EventTarget[];
  /** Monotonic ms. */
  readonly nowMs: () => number;
  /** Calls back once after `delayMs`. */
  readonly later: (delayMs: number, run: () => void) => void;
}

export interface EventFeed {
  /** The window became visible: it gets the current snapshot. */
  refresh(target: EventTarget): void;
  /** Sends without queueing; for `navigate`, which answers a click. */
  tell<E extends EventName>(target: EventTarget, event: E, payload: EventPayload<E>): void;
  forget(id: number): void;
  stop(): void;
}

/** Payloads within this time of each other are sent together. */
const GATHER_MS = 25;

export function createEventFeed(deps: EventFeedDeps): EventFeed {
  const queues = new Map<number, EventQueue>();
  let isArmed = false;
  let isStopped = false;

  const arm = (delayMs: number): void => {
    if (isArmed || isStopped) return;
    isArmed = true;
    deps.later(delayMs, () => {
      isArmed = false;
      if (!isStopped) flush();
    });
  };

  const flush = (): void => {
    const nowMs = deps.nowMs();
    let nextAtMs: number | undefined;
    const targets = new Map(deps.targets().map((target) => [target.id, target]));
    for (const [id, queue] of queues) {
      const target = targets.get(id);
      if (target === undefined || !target.isVisible()) {
        queue.clear();
        if (target === undefined) queues.delete(id);
        continue;
      }
      for (const { event, payload } of queue.take(nowMs)) target.send(eventChannel(event), payload);
      const next = queue.nextAtMs(nowMs);
      if (next !== undefined) nextAtMs = nextAtMs === undefined ? next : Math.min(nextAtMs, next);
    }
    if (nextAtMs !== undefined) arm(Math.max(GATHER_MS, nextAtMs - nowMs));
  };

  const publish = <E extends EventName>(event: E, payload: EventPayload<E>): void => {
    let isWaiting = false;
    for (const target of deps.targets()) {
      if (!target.isVisible()) continue;
      const queue = queues.get(target.id) ?? createEventQueue();
      queues.set(target.id, queue);
      queue.push(event, payload);
      isWaiting = true;
    }
    if (isWaiting) arm(GATHER_MS);
  };

  const follow = <E extends EventName>(event: E) =>
    deps.holdfast.on(event, (payload) => publish(event, payload));
  const unsubscribe = EVENT_NAMES.map((event) => follow(event));

  return {
    refresh(target) {
      target.send(eventChannel('status.changed'), deps.holdfast.status());
    },
    tell(target, event, payload) {
      target.send(eventChannel(event), payload);
    },
    forget: (id) => void queues.delete(id),
    stop() {
      isStopped = true;
      for (const off of unsubscribe) off();
      queues.clear();
    },
  };
}
