import type { Broker } from '../../ports/broker';
import type { Breaker } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type { EventQueue, WaitingEvent } from '../../ports/event-queue';
import type { Audit, Log } from '../../ports/log';
import type { CrashPoints } from '../kernel/crash-points';
import { DELIVERY_RULES } from './queue-model';
import { createSender, type SenderEnd } from './sender';

interface DrainDeps {
  readonly queue: EventQueue;
  readonly broker: Broker;
  readonly breaker: () => Breaker;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly log: Log;
  /** After each settled batch. */
  readonly onSettled: (delivered: number) => void;
}

/**
 * Sends what waits on disk, oldest first, while the broker answers. One at a time: a second request
 * lets the running drain look once more. S2-34
 *
 *   idle --request--> draining --empty--> idle
 *                        |--refused events left--> waits 1 s, 2 s, then draining again
 *                        \--no answer, breaker open--> waits for the next trial or a reconnect
 */
export interface Drain {
  /** Drains unless nothing may be sent; resolves when nothing moves any more. */
  request(): Promise<void>;
  /** The same after a while; an earlier appointment stays. */
  later(delayMs: number): void;
  isDraining(): boolean;
  /** Rows that are at the broker. */
  inFlight(): readonly number[];
  /** Sends nothing more; what is at the broker is settled. */
  stop(): Promise<void>;
}

export function createDrain(deps: DrainDeps): Drain {
  const { queue, broker, clock, crashPoints } = deps;
  let running: Promise<void> | undefined;
  let isAgain = false;
  let isStopped = false;
  let inFlight: readonly number[] = [];
  /** Topics whose first event was refused, and until when they wait. */
  const refusedUntil = new Map<string, number>();
  let appointment: { readonly atMs: number; readonly abort: AbortController } | undefined;

  const canSend = (): boolean => !isStopped && broker.standing().state === 'connected';

  const sender = createSender({
    ...deps,
    canSend,
    isBlocked: (topic) => refusedUntil.has(topic),
    block(topic, delayMs) {
      refusedUntil.set(topic, clock.monotonicMs() + delayMs);
      later(delayMs);
    },
  });

  /** One batch at the broker, and what came of it on disk; how long to wait where something has to. */
  const sendBatch = async (batch: readonly WaitingEvent[]): Promise<number | undefined> => {
    inFlight = batch.map((event) => event.seq);
    let end: SenderEnd;
    try {
      end = await sender.send(batch);
      const { delivered, failed, buried } = end.settlement;
      if (delivered.length + failed.length + buried.length > 0) await queue.settle(end.settlement);
    } finally {
      inFlight = [];
    }
    crashPoints.hit('event.settle.after');
    deps.onSettled(end.settlement.delivered.length);
    return end.waitMs;
  };

  /** From the oldest row to the newest. */
  const cycle = async (): Promise<void> => {
    for (const [topic, untilMs] of refusedUntil)
      if (untilMs <= clock.monotonicMs()) refusedUntil.delete(topic);
    let afterSeq = 0;
    while (canSend()) {
      const batch = queue.next(afterSeq, DELIVERY_RULES.drainBatch);
      const last = batch.at(-1);
      if (last === undefined) return;
      afterSeq = last.seq;
      const waitMs = await sendBatch(batch);
      if (waitMs === undefined) continue;
      if (canSend()) later(waitMs);
      return;
    }
  };

  const request = (): Promise<void> => {
    if (!canSend()) return running ?? Promise.resolve();
    if (running !== undefined) {
      isAgain = true;
      return running;
    }
    const drain = async (): Promise<void> => {
      do {
        isAgain = false;
        await cycle();
      } while (isAgain && canSend());
    };
    running = drain()
      .catch((error: unknown) => {
        // The disk or the lock: the rows are where they were, and the next request tries again.
        deps.log.error('delivery.drain', { error });
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const later = (delayMs: number): void => {
    if (isStopped) return;
    const atMs = clock.monotonicMs() + delayMs;
    if (appointment !== undefined && appointment.atMs <= atMs) return;
    appointment?.abort.abort();
    const mine = { atMs, abort: new AbortController() };
    appointment = mine;
    clock.sleep(delayMs, mine.abort.signal).then(
      () => {
        if (appointment === mine) appointment = undefined;
        void request();
      },
      () => undefined, // another appointment comes earlier, or nothing is sent any more
    );
  };

  return {
    request,
    later,
    isDraining: () => running !== undefined,
    inFlight: () => inFlight,
    async stop() {
      isStopped = true;
      appointment?.abort.abort();
      appointment = undefined;
      await running;
    },
  };
}
