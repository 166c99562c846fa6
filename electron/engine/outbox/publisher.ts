import type { Broker } from '../../ports/broker';
import type { Breaker } from '../../ports/breakers';
import type { Basics } from '../kernel/basics';
import type { EventQueue, NewEvent, QueueBounds } from '../../ports/event-queue';
import { stoppingError, toHoldfastError } from '../kernel/errors';
import type { Drain } from './drain';
import { retryDelayMs } from './plan-drain';
import { eventProblem, planPublish, slowdownMs, utf8Bytes, type Published } from './queue-rules';
import { tellBreaker } from './sender';

/** Runs work of one topic one at a time, in order; topics do not wait for each other. */
interface TopicQueues {
  /** Rejects as the work does; later work still runs. */
  inOrder<T>(topic: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when everything in progress at the time of the call is done. */
  settled(): Promise<void>;
}

function createTopicQueues(): TopicQueues {
  /** The latest work of each topic. */
  const last = new Map<string, Promise<void>>();
  return {
    inOrder(topic, work) {
      const before = last.get(topic);
      const mine = before === undefined ? work() : before.then(work);
      const done = mine.then(
        () => undefined,
        () => undefined,
      );
      last.set(topic, done);
      void done.then(() => {
        if (last.get(topic) === done) last.delete(topic);
      });
      return mine;
    },
    async settled() {
      await Promise.all(last.values());
    },
  };
}

/** Events published since startup, for the status. */
export interface OutboxCounts {
  published: number;
  delivered: number;
  refused: number;
}

/** Dependencies of event acceptance. */
export interface OutboxPorts extends Pick<Basics, 'clock' | 'crashPoints' | 'audit' | 'log'> {
  readonly queue: EventQueue;
  readonly broker: Broker;
  /** The broker's breaker; never used if events stay in this process. S2-17 */
  readonly breaker: () => Breaker;
  readonly newId: () => string;
  readonly maxPending: () => number;
  readonly maxPayloadBytes: () => number;
}

interface PublisherDeps {
  readonly ports: OutboxPorts;
  readonly drain: Drain;
  readonly counts: OutboxCounts;
  readonly bounds: () => QueueBounds;
  readonly on: {
    /** A new row is in the queue; others may have been dropped to make room. */
    readonly queued: () => void;
    readonly refused: () => void;
    /** It went straight to the broker: the counts change, the queue does not. */
    readonly delivered: () => void;
  };
}

/** Brings one event to the broker or to disk. */
interface Publisher {
  /** See {@link import('./outbox').Delivery.publish}. */
  publish(event: {
    readonly topic: string;
    readonly payload: string;
    readonly id?: string;
  }): Promise<Published>;
  /** Accepts nothing more; resolves when events in progress have an answer. */
  stop(): Promise<void>;
}

export function createPublisher(deps: PublisherDeps): Publisher {
  const { ports, drain, counts, bounds } = deps;
  const { queue, broker, clock, crashPoints, audit } = ports;
  let isStopping = false;
  /** A second event of a topic waits for the direct call of the first, so that none overtakes. */
  const queues = createTopicQueues();
  /** Number of each topic's events that are being written to disk. */
  const entering = new Map<string, number>();

  /** Its place in the queue is taken when this returns; its row exists when it resolves. */
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
    deps.on.queued();
    // Does not immediately retry what was just rejected.
    if (event.history === undefined) void drain.request();
    else drain.later(retryDelayMs(event.history.length));
    await slowDown();
    return { kind: 'accepted', id: event.id, state: 'queued', isDuplicate: !isNew };
  };

  /** Not accepted: its producer gets the error, and it is counted. */
  const refused = (event: NewEvent, error: unknown): Published => {
    const known = toHoldfastError(error);
    counts.refused += 1;
    ports.log.error('delivery.refused', { id: event.id, topic: event.topic, code: known.code });
    audit.record('event_refused', { id: event.id, topic: event.topic, code: known.code });
    deps.on.refused();
    return {
      kind: 'refused',
      code: known.code,
      message: `The event was not accepted. ${known.message}`,
      hint: known.hint ?? '',
    };
  };

  /** After the event is on disk: its producer waits, the event does not. S2-37 */
  const slowDown = async (): Promise<void> => {
    const delayMs = slowdownMs(queue.depth(), ports.maxPending());
    if (delayMs > 0) await clock.sleep(delayMs);
  };

  /** Sends straight to the broker; returns the event if that failed. */
  const direct = async (event: NewEvent): Promise<Published | NewEvent> => {
    const breaker = ports.breaker();
    const permit = breaker.allow();
    if (permit.kind === 'refused') return event;
    const outcome = await broker.publish(event);
    tellBreaker(breaker, permit, outcome);
    switch (outcome.kind) {
      case 'confirmed':
        counts.delivered += 1;
        if (!outcome.isDuplicate) counts.published += 1;
        deps.on.delivered();
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
          hint: 'Nothing was published. Store the data somewhere else and publish a link to it.',
        };
      case 'refused':
        return { ...event, history: [{ atMs: clock.nowMs(), error: outcome.error }] };
      case 'out_of_line': // It was not chained to another event.
      case 'unreachable':
        return event;
    }
  };

  /**
   * Resolves when the topic's next event may start: with an acknowledgment, or with a place in the
   * queue.
   */
  const place = async (event: NewEvent): Promise<{ readonly answer: Promise<Published> }> => {
    const { topic } = event;
    const plan = planPublish({
      broker: isStopping ? 'down' : broker.health().state,
      isTopicWaiting: entering.has(topic) || queue.isWaiting(topic),
      isIdKnown: queue.knows(event.id),
    });
    const end = plan === 'direct' ? await direct(event) : event;
    return { answer: 'kind' in end ? Promise.resolve(end) : onDisk(end) };
  };

  const local = async (event: NewEvent): Promise<Published> => {
    await broker.publish(event);
    counts.delivered += 1;
    counts.published += 1;
    return { kind: 'accepted', id: event.id, state: 'local', isDuplicate: false };
  };

  return {
    async publish({ topic, payload, id = ports.newId() }) {
      if (isStopping) {
        const { code, message, hint } = stoppingError('Nothing was published.');
        return { kind: 'refused', code, message, hint: hint ?? '' };
      }
      const event = { id, topic, payload, bytes: utf8Bytes(payload) };
      const problem = eventProblem({ ...event, maxBytes: ports.maxPayloadBytes() });
      if (problem !== undefined) return problem;
      try {
        if (broker.health().state === 'local') return await local(event);
        const { answer } = await queues.inOrder(topic, () => place(event));
        return await answer;
      } catch (error) {
        return refused(event, error);
      }
    },
    async stop() {
      isStopping = true;
      await queues.settled();
    },
  };
}
