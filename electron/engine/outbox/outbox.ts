import type { DeadLetter, QueueStatus } from '../../../shared/types/delivery';
import type { BrokerHealth } from '../../ports/broker';
import type { DeadLetterFilter, QueueBounds, QueueTotals } from '../../ports/event-queue';
import { HoldfastError } from '../kernel/errors';
import { createDrain } from './drain';
import { createPublisher, type OutboxCounts, type OutboxPorts } from './publisher';
import { DELIVERY_RULES, fillOf, slowdownMs, type Published } from './queue-rules';
import type { ShedNotice } from './dropped-notice';

interface OutboxDeps extends OutboxPorts {
  /** Queue, dead letters or broker changed. */
  readonly onChanged: () => void;
  readonly shedNotice: ShedNotice;
}

/** Events to the broker: at least once from the moment they are accepted. S2-31..S2-38, R12, R17 */
export interface Outbox {
  /**
   * Accepted: at the broker or on disk when this resolves. Rejected: nowhere, with a reason. Never
   * throws. An ID that is already waiting adds nothing.
   */
  publish(event: {
    readonly topic: string;
    readonly payload: string;
    readonly id?: string;
  }): Promise<Published>;
  /** Number of rows that journal commits added. */
  noticeCommitted(count: number): void;
  /** One pass over the whole queue; resolves when nothing is in progress. */
  drain(): Promise<void>;
  /** Why a task that waits for a subject of the broker receives nothing; undefined: all is well. */
  tellSubjects(problem: string | undefined): void;
  status(): QueueStatus;
  letters(options: {
    readonly topic?: string;
    readonly beforeId?: string;
    readonly limit: number;
  }): { readonly letters: DeadLetter[]; readonly total: number; readonly hasMore: boolean };
  /**
   * Moves dead letters to the end of the queue, with no attempts. @throws LETTER_UNKNOWN,
   * QUEUE_FULL, DISK_*
   */
  replay(choice: DeadLetterFilter): Promise<number>;
  /** @throws LETTER_UNKNOWN, DISK_* */
  purge(choice: DeadLetterFilter): Promise<number>;
  /** Limits for new rows. */
  bounds(): QueueBounds;
  start(): void;
  /** Accepts nothing more; finishes what was sent to the broker, the rest stays on disk. */
  stop(): Promise<void>;
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { queue, broker, crashPoints, audit } = deps;
  const counts: OutboxCounts = { published: 0, delivered: 0, refused: 0 };
  let sums: QueueTotals | undefined;
  let shedSeen = { count: queue.shedTotal(), seq: queue.shedSince(0).seq };
  let wasConnected = false;
  let subjectsProblem: string | undefined;

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

  /** Reports dropped events: one audit line each, one notice for all. S2-38 */
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

  const publisher = createPublisher({
    ports: deps,
    drain,
    counts,
    bounds,
    on: {
      queued() {
        changed();
        noticeShed();
      },
      refused: changed,
      delivered: deps.onChanged,
    },
  });

  const offChange = broker.onChange((health: BrokerHealth) => {
    if (health.state === 'connected') {
      wasConnected = true;
      deps.breaker().reset('the connection');
      void drain.request();
    } else if (health.state === 'down') {
      const words = wasConnected
        ? 'The connection to the event broker was lost'
        : 'The event broker cannot be reached';
      deps.breaker().trip(health.problem ?? words);
    }
    changed();
  });

  return {
    publish: (event) => publisher.publish(event),
    noticeCommitted(count) {
      counts.published += count;
      changed();
      noticeShed();
      void drain.request();
    },
    drain: () => drain.request(),
    tellSubjects(problem) {
      subjectsProblem =
        problem === undefined ? undefined : `A task receives no messages: ${problem}`.slice(0, 500);
      changed();
    },
    status() {
      const { depth, bytes, oldestAtMs, deadLetters, shed, shedSummarised, shedLetters } = totals();
      const { state, server, sinceMs, ...health } = broker.health();
      const problem = health.problem ?? subjectsProblem ?? strandedWords(state, depth);
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
      // Dropped events that an earlier process could not report.
      deps.shedNotice.request();
    },
    async stop() {
      // First: nothing is accepted from here on.
      const published = publisher.stop();
      deps.shedNotice.stop();
      await published;
      await drain.stop();
      await broker.stop();
      offChange();
    },
  };
}

/** Rows from when a broker was configured: they stay and are reported. */
function strandedWords(state: BrokerHealth['state'], depth: number): string | undefined {
  if (state !== 'local' || depth === 0) return undefined;
  const [events, them] =
    depth === 1 ? ['1 event is queued', 'it'] : [`${String(depth)} events are queued`, 'them'];
  return `${events}, but no event broker is configured. Set nats.url to send ${them}.`;
}

/** The count; throws if a named letter was not found. */
function needOne(choice: DeadLetterFilter, count: number, isKnown: boolean): number {
  if (count > 0 || choice.id === undefined) return count;
  if (isKnown) {
    throw new HoldfastError('QUEUE_FULL', 'The event queue is full.', {
      hint: 'The dead letter was left unchanged. Try again when events have been delivered.',
    });
  }
  throw new HoldfastError('LETTER_UNKNOWN', `There is no dead letter "${choice.id}".`, {
    hint: 'Nothing was changed. List them: holdfast dlq list',
  });
}
