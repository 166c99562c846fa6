import type { Broker, PublishOutcome } from '../../ports/broker';
import type { Breaker } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type { EventQueue, Settlement, WaitingEvent } from '../../ports/event-queue';
import type { Audit, Log } from '../../ports/log';
import type { CrashPoints } from '../kernel/crash-points';
import { judgeOutcome, planLanes, retryAfterMs, type Verdict } from './drain-model';
import { DELIVERY_RULES, payloadProblem } from './queue-model';

/** Topics that are at the broker at the same time. */
const LANES = 32;
/** After a call without an answer, while the breaker is still closed. */
const CUT_WAIT_MS = 1_000;
/** At least so long between two looks at a breaker that lets nothing through. */
const SHORTEST_WAIT_MS = 250;

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
interface Drain {
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

type Sent =
  Verdict | { readonly kind: 'held'; readonly retryInMs: number } | { readonly kind: 'gone' };

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

  const send = async (event: WaitingEvent): Promise<Sent> => {
    const payload = queue.payload(event.seq);
    if (payload === undefined) return { kind: 'gone' };
    const problem = payloadProblem(payload, event.bytes);
    if (problem !== undefined) {
      return { kind: 'buried', letter: { seq: event.seq, reason: 'unreadable', detail: problem } };
    }
    const breaker = deps.breaker();
    const permit = breaker.allow();
    if (permit.kind === 'refused') return { kind: 'held', retryInMs: permit.retryInMs };
    crashPoints.hit('event.send.before');
    const { id, topic } = event;
    const outcome = await broker.publish({ id, topic, payload: payload as string });
    tellBreaker(breaker, permit, outcome);
    crashPoints.hit('event.send.after');
    return judgeOutcome(event, outcome);
  };

  /** One batch: its lanes side by side, each until something of it has to wait. */
  const sendBatch = async (batch: readonly WaitingEvent[]): Promise<number | undefined> => {
    const delivered: number[] = [];
    const failed: { seq: number; error: string }[] = [];
    const buried: Settlement['buried'][number][] = [];
    let waitMs: number | undefined;
    const walk = async (lane: readonly WaitingEvent[]): Promise<void> => {
      for (const event of lane) {
        if (waitMs !== undefined || !canSend()) return;
        const sent = await send(event);
        if (sent.kind === 'delivered') delivered.push(event.seq);
        else if (sent.kind === 'buried') {
          buried.push(sent.letter);
          deps.audit.record('event_buried', {
            id: event.id,
            topic: event.topic,
            reason: sent.letter.reason,
          });
        } else if (sent.kind === 'failed') {
          failed.push({ seq: event.seq, error: sent.error });
          const delayMs = retryAfterMs(event.attempts + 1);
          refusedUntil.set(event.topic, clock.monotonicMs() + delayMs);
          later(delayMs);
          return;
        } else if (sent.kind === 'cut') waitMs = CUT_WAIT_MS;
        else if (sent.kind === 'held') waitMs = Math.max(sent.retryInMs, SHORTEST_WAIT_MS);
      }
    };
    const lanes = [...planLanes(batch, new Set(refusedUntil.keys()))];
    const worker = async (): Promise<void> => {
      for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) await walk(lane);
    };
    inFlight = batch.map((event) => event.seq);
    try {
      await Promise.all(Array.from({ length: LANES }, worker));
      if (delivered.length + failed.length + buried.length > 0)
        await queue.settle({ delivered, failed, buried });
    } finally {
      inFlight = [];
    }
    crashPoints.hit('event.settle.after');
    deps.onSettled(delivered.length);
    return waitMs;
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

/** A broker that says no is there: that is no failure of the dependency. */
export function tellBreaker(
  breaker: Breaker,
  permit: Extract<ReturnType<Breaker['allow']>, { kind: 'allowed' }>,
  outcome: PublishOutcome,
): void {
  if (outcome.kind === 'confirmed') breaker.onSuccess(permit);
  else if (outcome.kind === 'unreachable') breaker.onFailure(permit, outcome.error);
  else breaker.onIgnored(permit);
}
