import type { DeadLetter, QueueStatus } from '../../../shared/model/delivery';
import type { Broker, BrokerStanding } from '../../ports/broker';
import type { Breaker } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type {
  EventQueue,
  LetterChoice,
  NewEvent,
  QueueBounds,
  QueueTotals,
} from '../../ports/event-queue';
import type { Audit, Log } from '../../ports/log';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError, stoppingError, toHoldfastError } from '../kernel/errors';
import { createDrain } from './drain';
import { retryAfterMs } from './drain-model';
import {
  DELIVERY_RULES,
  eventProblem,
  fillOf,
  planPublish,
  slowdownMs,
  utf8Bytes,
  type Published,
} from './queue-model';
import { tellBreaker } from './sender';
import type { ShedNotice } from './shed-notice';

interface DeliveryDeps {
  readonly queue: EventQueue;
  readonly broker: Broker;
  /** The breaker in front of the broker; never asked for where events stay in this process. S2-17 */
  readonly breaker: () => Breaker;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly log: Log;
  readonly newId: () => string;
  readonly maxPending: () => number;
  readonly maxPayloadBytes: () => number;
  /** Queue, dead letters or broker stand otherwise. */
  readonly onChanged: () => void;
  readonly shedNotice: ShedNotice;
}

/** Events to the broker: at least once from the moment they are accepted. S2-31..S2-38, R12, R17 */
export interface Delivery {
  /**
   * Accepted: at the broker or on disk when this resolves. Refused: nowhere, and it says why. Never
   * throws. With an id that waits already nothing is added.
   */
  publish(event: {
    readonly topic: string;
    readonly payload: string;
    readonly id?: string;
  }): Promise<Published>;
  /** So many rows came in with commits of the journal. */
  noticeCommitted(count: number): void;
  /** One look at the whole queue; resolves when nothing moves any more. */
  drain(): Promise<void>;
  status(): QueueStatus;
  letters(options: {
    readonly topic?: string;
    readonly beforeId?: string;
    readonly limit: number;
  }): { readonly letters: DeadLetter[]; readonly total: number; readonly hasMore: boolean };
  /** Back to the end of the queue with no attempts. @throws LETTER_UNKNOWN, QUEUE_FULL, DISK_* */
  replay(choice: LetterChoice): Promise<number>;
  /** @throws LETTER_UNKNOWN, DISK_* */
  purge(choice: LetterChoice): Promise<number>;
  /** What new rows are held to. */
  bounds(): QueueBounds;
  start(): void;
  /** Nothing is accepted after this; what is at the broker is settled, the rest stays on disk. */
  stop(): Promise<void>;
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { queue, broker, clock, crashPoints, audit } = deps;
  const counts = { published: 0, delivered: 0, refused: 0 };
  const stopping = new AbortController();
  /** The last direct call of each topic: a second event of it waits, so that none overtakes. */
  const lanes = new Map<string, Promise<unknown>>();
  /** Events of each topic that are on their way to the disk. */
  const entering = new Map<string, number>();
  let sums: QueueTotals | undefined;
  let shedSeen = { count: queue.shedTotal(), seq: queue.shedSince(0).seq };
  let wasConnected = false;

  const totals = (): QueueTotals => (sums ??= queue.totals());
  const changed = (): void => {
    sums = undefined;
    deps.onChanged();
  };
  const drain = createDrain({
    ...deps,
    onSettled(delivered) {
      counts.delivered += delivered;
      changed();
    },
  });
  const bounds = (): QueueBounds => ({
    maxPending: deps.maxPending(),
    maxShedLetters: DELIVERY_RULES.maxShedLetters,
    inFlight: drain.inFlight(),
  });

  /** What was shed is said: one line each in the audit, one notice for all. S2-38 */
  const noticeShed = (): void => {
    const shed = queue.shedTotal();
    if (shed <= shedSeen.count) return;
    crashPoints.hit('event.shed.after');
    const { events, seq } = queue.shedSince(shedSeen.seq);
    shedSeen = { count: shed, seq };
    for (const { id, topic } of events) audit.record('event_shed', { id, topic });
    deps.log.warn('delivery.shed', { count: events.length, total: shed });
    deps.shedNotice.request();
  };

  /** Its place in the queue is taken when this returns, its row is there when it resolves. */
  const onDisk = async (event: NewEvent): Promise<Published> => {
    crashPoints.hit('event.accept.before');
    const { topic } = event;
    entering.set(topic, (entering.get(topic) ?? 0) + 1);
    let isNew: boolean;
    try {
      isNew = await queue.enqueue(event, bounds);
    } catch (error) {
      return refused(event, error);
    } finally {
      const left = (entering.get(topic) ?? 1) - 1;
      if (left > 0) entering.set(topic, left);
      else entering.delete(topic);
    }
    crashPoints.hit('event.accept.after');
    if (isNew) counts.published += 1;
    changed();
    noticeShed();
    // What was refused just now is not asked again at once.
    if (event.history === undefined) void drain.request();
    else drain.later(retryAfterMs(event.history.length));
    await slowDown();
    return { kind: 'accepted', id: event.id, state: 'queued', isDuplicate: !isNew };
  };

  /** Accepted it is not: its producer is told, and it is counted. */
  const refused = (event: NewEvent, error: unknown): Published => {
    const known = toHoldfastError(error);
    counts.refused += 1;
    deps.log.error('delivery.refused', { id: event.id, topic: event.topic, code: known.code });
    audit.record('event_refused', { id: event.id, topic: event.topic, code: known.code });
    changed();
    return {
      kind: 'refused',
      code: known.code,
      message: `The event was not accepted. ${known.message}`,
      hint: known.hint ?? '',
    };
  };

  /** After the event is on disk: its producer waits, the event does not. S2-37 */
  const slowDown = async (): Promise<void> => {
    const delayMs = slowdownMs(queue.depth(), deps.maxPending());
    if (delayMs > 0) await clock.sleep(delayMs);
  };

  /** Straight to the broker; what is left to do where that came to nothing. */
  const direct = async (event: NewEvent): Promise<Published | NewEvent> => {
    const breaker = deps.breaker();
    const permit = breaker.allow();
    if (permit.kind === 'refused') return event;
    const outcome = await broker.publish(event);
    tellBreaker(breaker, permit, outcome);
    switch (outcome.kind) {
      case 'confirmed':
        counts.delivered += 1;
        if (!outcome.isDuplicate) counts.published += 1;
        deps.onChanged();
        return {
          kind: 'accepted',
          id: event.id,
          state: 'confirmed',
          isDuplicate: outcome.isDuplicate,
        };
      case 'too_large':
        return {
          kind: 'refused',
          code: 'EVENT_TOO_LARGE',
          message: outcome.error,
          hint: 'Nothing was published. Put the data somewhere else and publish where it is.',
        };
      case 'refused':
        return { ...event, history: [{ atMs: clock.nowMs(), error: outcome.error }] };
      case 'out_of_line': // it followed none
      case 'unreachable':
        return event;
    }
  };

  /** Ends when the next event of the topic may begin: with an answer, or with a place in the queue. */
  const place = async (event: NewEvent): Promise<{ readonly answer: Promise<Published> }> => {
    const { topic } = event;
    const plan = planPublish({
      broker: stopping.signal.aborted ? 'down' : broker.standing().state,
      isTopicWaiting: entering.has(topic) || queue.isWaiting(topic),
      isIdKnown: queue.knows(event.id),
    });
    const end = plan === 'direct' ? await direct(event) : event;
    return { answer: 'kind' in end ? Promise.resolve(end) : onDisk(end) };
  };

  const inOrder = <T>(topic: string, work: () => Promise<T>): Promise<T> => {
    const before = lanes.get(topic);
    const mine = before === undefined ? work() : before.then(work);
    const done = mine.then(
      () => undefined,
      () => undefined,
    );
    lanes.set(topic, done);
    void done.then(() => {
      if (lanes.get(topic) === done) lanes.delete(topic);
    });
    return mine;
  };

  const local = async (event: NewEvent): Promise<Published> => {
    await broker.publish(event);
    counts.delivered += 1;
    counts.published += 1;
    return { kind: 'accepted', id: event.id, state: 'local', isDuplicate: false };
  };

  const offChange = broker.onChange((standing: BrokerStanding) => {
    if (standing.state === 'connected') {
      wasConnected = true;
      deps.breaker().reset('the connection');
      void drain.request();
    } else if (standing.state === 'down') {
      const words = wasConnected
        ? 'The connection to the broker was lost'
        : 'The broker cannot be reached';
      deps.breaker().trip(standing.problem ?? words);
    }
    changed();
  });

  const needOne = (choice: LetterChoice, count: number, isKnown: boolean): number => {
    if (count > 0 || choice.id === undefined) return count;
    if (isKnown) {
      throw new HoldfastError('QUEUE_FULL', 'The queue is full: nothing more can wait in it.', {
        hint: 'The dead letter stays where it is. Try again when events have gone out.',
      });
    }
    throw new HoldfastError('LETTER_UNKNOWN', `There is no dead letter "${choice.id}".`, {
      hint: 'Nothing was changed. What is there: holdfast dlq list',
    });
  };

  return {
    async publish({ topic, payload, id = deps.newId() }) {
      if (stopping.signal.aborted) {
        const { code, message, hint } = stoppingError('Nothing was published.');
        return { kind: 'refused', code, message, hint: hint ?? '' };
      }
      const event = { id, topic, payload, bytes: utf8Bytes(payload) };
      const problem = eventProblem({ ...event, maxBytes: deps.maxPayloadBytes() });
      if (problem !== undefined) return problem;
      try {
        if (broker.standing().state === 'local') return await local(event);
        const { answer } = await inOrder(topic, () => place(event));
        return await answer;
      } catch (error) {
        return refused(event, error);
      }
    },
    noticeCommitted(count) {
      counts.published += count;
      changed();
      noticeShed();
      void drain.request();
    },
    drain: () => drain.request(),
    status() {
      const { depth, bytes, oldestAtMs, deadLetters, shed, shedSummarised, shedLetters } = totals();
      const { state, server, sinceMs, problem = strandedWords(state, depth) } = broker.standing();
      const maxPending = deps.maxPending();
      return {
        broker: state,
        ...(server === undefined ? {} : { server }),
        sinceMs,
        ...(problem === undefined ? {} : { problem }),
        depth,
        bytes,
        ...(oldestAtMs === undefined ? {} : { oldestAtMs }),
        maxPending,
        fill: fillOf(depth, maxPending),
        slowdownMs: slowdownMs(depth, maxPending),
        isDraining: drain.isDraining(),
        deadLetters,
        shed: { total: shed, summarised: shedSummarised, kept: shedLetters },
        ...counts,
      };
    },
    letters(options) {
      const found = queue.letters({ ...options, limit: options.limit + 1 });
      return {
        letters: found.letters.slice(0, options.limit),
        total: found.total,
        hasMore: found.letters.length > options.limit,
      };
    },
    async replay(choice) {
      crashPoints.hit('letter.replay.before');
      const isKnown = choice.id !== undefined && queue.letters({ ...choice, limit: 1 }).total > 0;
      const count = needOne(choice, await queue.replay(choice, bounds), isKnown);
      crashPoints.hit('letter.replay.after');
      audit.record('letters_replayed', { ...choice, count });
      changed();
      void drain.request();
      return count;
    },
    async purge(choice) {
      const count = needOne(choice, await queue.purge(choice), false);
      crashPoints.hit('letter.purge.after');
      audit.record('letters_purged', { ...choice, count });
      changed();
      return count;
    },
    bounds,
    start() {
      broker.start();
      // What an earlier life shed and could not say any more.
      deps.shedNotice.request();
    },
    async stop() {
      stopping.abort();
      deps.shedNotice.stop();
      await Promise.all(lanes.values());
      await drain.stop();
      await broker.stop();
      offChange();
    },
  };
}

/** Rows of a time when a broker was configured: they are kept, and said. */
function strandedWords(state: BrokerStanding['state'], depth: number): string | undefined {
  if (state !== 'local' || depth === 0) return undefined;
  return `${String(depth)} events wait for a broker, and none is configured. Set nats.url to send them.`;
}
