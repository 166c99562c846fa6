import type { Broker } from '../../ports/broker';
import type { Breaker } from '../../ports/breakers';
import type { Basics } from '../kernel/basics';
import type { EventQueue, WaitingEvent } from '../../ports/event-queue';
import { DELIVERY_RULES } from './queue-rules';
import { createSender, type SenderEnd } from './sender';

interface DrainDeps extends Pick<Basics, 'clock' | 'crashPoints' | 'audit' | 'log'> {
  readonly queue: EventQueue;
  readonly broker: Broker;
  readonly breaker: () => Breaker;
  /** After each settled batch. */
  readonly onSettled: (delivered: number) => void;
}

/**
 * Sends the queue on disk, oldest first, while the broker is up. One at a time: a second request
 * makes the running drain check once more. S2-34
 *
 *   idle --request--> draining --empty--> idle
 *                        |--refused events left--> waits 1 s, 2 s, then draining again
 *                        \--no answer, breaker open--> waits for the next trial or a reconnect
 */
export interface Drain {
  /** Sends unless sending is blocked; resolves when nothing is in progress. */
  request(): Promise<void>;
  /** Sends after a delay; an earlier time stays. */
  later(delayMs: number): void;
  isDraining(): boolean;
  /** Rows sent to the broker, or whose acknowledgment is not on disk yet. */
  inFlight(): readonly number[];
  /** Sends nothing more; finishes what was sent to the broker. */
  stop(): Promise<void>;
}

export function createDrain(deps: DrainDeps): Drain {
  const { queue, broker, clock, crashPoints } = deps;
  let running: Promise<void> | undefined;
  let isAgain = false;
  let isStopped = false;
  /** Events sent to the broker, including acknowledged ones that are not settled on disk. */
  const unsettled = new Set<readonly WaitingEvent[]>();
  /** Topics whose first event was rejected, and until when they wait. */
  const refusedUntil = new Map<string, number>();
  let nextSend: { readonly atMs: number; readonly abort: AbortController } | undefined;

  const canSend = (): boolean => !isStopped && broker.health().state === 'connected';

  const sender = createSender({
    ...deps,
    canSend,
    isBlocked: (topic) => refusedUntil.has(topic),
    block(topic, delayMs) {
      refusedUntil.set(topic, clock.monotonicMs() + delayMs);
      later(delayMs);
    },
  });

  /** Writes the outcome of a batch to disk. */
  const settle = async (batch: readonly WaitingEvent[], end: SenderEnd): Promise<void> => {
    try {
      const { delivered, failed, buried } = end.settlement;
      if (delivered.length + failed.length + buried.length > 0) await queue.settle(end.settlement);
    } finally {
      unsettled.delete(batch);
    }
    crashPoints.hit('event.settle.after');
    deps.onSettled(end.settlement.delivered.length);
  };

  const send = async (batch: readonly WaitingEvent[]): Promise<SenderEnd> => {
    unsettled.add(batch);
    try {
      return await sender.send(batch);
    } catch (error) {
      unsettled.delete(batch);
      throw error;
    }
  };

  /** From the oldest row to the newest. */
  const cycle = async (): Promise<void> => {
    for (const [topic, untilMs] of refusedUntil)
      if (untilMs <= clock.monotonicMs()) refusedUntil.delete(topic);
    let afterSeq = 0;
    // While a batch is sent, the outcome of the previous one is written.
    let settling = Promise.resolve();
    try {
      while (canSend()) {
        const batch = queue.next(afterSeq, DELIVERY_RULES.drainBatch);
        const last = batch.at(-1);
        if (last === undefined) return;
        afterSeq = last.seq;
        const end = await send(batch);
        const before = settling;
        settling = settle(batch, end);
        settling.catch(() => undefined); // It is awaited after the next batch.
        await before;
        if (end.waitMs === undefined) continue;
        if (canSend()) later(end.waitMs);
        return;
      }
    } finally {
      await settling;
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
        // Disk or lock error: the rows are unchanged, and the next request retries.
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
    if (nextSend !== undefined && nextSend.atMs <= atMs) return;
    nextSend?.abort.abort();
    const mine = { atMs, abort: new AbortController() };
    nextSend = mine;
    clock.sleep(delayMs, mine.abort.signal).then(
      () => {
        if (nextSend === mine) nextSend = undefined;
        void request();
      },
      () => undefined, // An earlier time is set, or sending has stopped.
    );
  };

  return {
    request,
    later,
    isDraining: () => running !== undefined,
    inFlight: () => [...unsettled].flatMap((batch) => batch.map((event) => event.seq)),
    async stop() {
      isStopped = true;
      nextSend?.abort.abort();
      nextSend = undefined;
      await running;
    },
  };
}
