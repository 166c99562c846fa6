import type { Broker, PublishOutcome } from '../../ports/broker';
import type { Breaker, Permit } from '../../ports/breakers';
import type { EventQueue, Settlement, WaitingEvent } from '../../ports/event-queue';
import type { Basics } from '../kernel/basics';
import {
  FIRST_LINE,
  judgeOutcome,
  groupByTopic,
  planLine,
  planWindows,
  retryDelayMs,
  type PublishVerdict,
} from './plan-drain';
import { payloadProblem } from './queue-rules';

/** Maximum topics sent in parallel when events go topic by topic. */
const MAX_TOPICS_AT_ONCE = 32;
/** Delay after a call without an answer, while the breaker is still closed. */
const CUT_WAIT_MS = 1_000;
/** Minimum time between two checks of an open breaker. */
const SHORTEST_WAIT_MS = 250;

interface SenderDeps extends Pick<Basics, 'crashPoints' | 'audit'> {
  readonly queue: Pick<EventQueue, 'payload'>;
  readonly broker: Broker;
  readonly breaker: () => Breaker;
  readonly canSend: () => boolean;
  /** True if the first event of the topic was rejected and waits. */
  readonly isBlocked: (topic: string) => boolean;
  readonly block: (topic: string, delayMs: number) => void;
}

/** The outcome of a batch. */
export interface SenderEnd {
  readonly settlement: Settlement;
  /** Nothing may be sent before. */
  readonly waitMs: number | undefined;
}

/**
 * Sends batches without overtaking within a topic. First all at once in one line, each accepted
 * only directly after its predecessor: a rejected or lost event blocks those after it. The
 * remainder, and everything while others publish in between, goes topic by topic, each event after
 * the previous one's acknowledgment. S2-34
 */
interface Sender {
  send(batch: readonly WaitingEvent[]): Promise<SenderEnd>;
}

interface Ready {
  readonly kind: 'ready';
  readonly event: WaitingEvent;
  readonly payload: string;
  readonly breaker: Breaker;
  readonly permit: Extract<Permit, { kind: 'allowed' }>;
}
type Sent =
  | PublishVerdict
  | { readonly kind: 'held'; readonly retryInMs: number }
  | { readonly kind: 'gone' };

export function createSender(deps: SenderDeps): Sender {
  let line = FIRST_LINE;
  return {
    async send(batch) {
      const round = new Round(deps);
      const isInLine = line.pausedBatches === 0 && batch.length > 1;
      if (isInLine) await round.sendInLine(batch);
      line = planLine(line, isInLine ? round.lineEnd() : 'not_tried');
      await round.sendByTopic(batch);
      return { settlement: round.settlement, waitMs: round.waitMs };
    },
  };
}

/** One batch in flight. */
class Round {
  readonly settlement = {
    delivered: [] as number[],
    failed: [] as { seq: number; error: string }[],
    buried: [] as Settlement['buried'][number][],
  };
  waitMs: number | undefined;
  /** Events that need no further check in this round. */
  readonly #done = new Set<WaitingEvent>();
  #isOutOfLine = false;
  #isRefused = false;
  readonly #deps: SenderDeps;
  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  lineEnd(): 'kept' | 'broken' {
    return this.#isOutOfLine && !this.#isRefused ? 'broken' : 'kept';
  }

  async sendInLine(batch: readonly WaitingEvent[]): Promise<void> {
    for (const window of planWindows(batch)) {
      if (this.#isOutOfLine) return;
      let behindId: string | undefined;
      const sending: Promise<void>[] = [];
      for (const event of window) {
        if (!this.#maySend(event)) continue;
        const ready = this.#prepare(event);
        if (ready.kind !== 'ready') {
          this.#note(event, ready);
          continue;
        }
        const answer = this.#publish(ready, behindId);
        sending.push(answer.then((sent) => this.#note(event, sent)));
        behindId = event.id;
      }
      await Promise.all(sending);
    }
  }

  async sendByTopic(batch: readonly WaitingEvent[]): Promise<void> {
    const left = batch.filter((event) => this.#maySend(event));
    const topics = [...groupByTopic(left)];
    const sendInOrder = async (rows: readonly WaitingEvent[]): Promise<void> => {
      for (const event of rows) {
        if (!this.#maySend(event)) return;
        const ready = this.#prepare(event);
        this.#note(event, ready.kind === 'ready' ? await this.#publish(ready) : ready);
      }
    };
    const worker = async (): Promise<void> => {
      for (let rows = topics.shift(); rows !== undefined; rows = topics.shift())
        await sendInOrder(rows);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_TOPICS_AT_ONCE, topics.length) }, worker));
  }

  #maySend(event: WaitingEvent): boolean {
    return (
      this.waitMs === undefined &&
      !this.#done.has(event) &&
      !this.#deps.isBlocked(event.topic) &&
      this.#deps.canSend()
    );
  }

  #prepare(event: WaitingEvent): Ready | Sent {
    const payload = this.#deps.queue.payload(event.seq);
    if (payload === undefined) return { kind: 'gone' };
    const problem = payloadProblem(payload, event.bytes);
    if (problem !== undefined) {
      return { kind: 'buried', letter: { seq: event.seq, reason: 'unreadable', detail: problem } };
    }
    const breaker = this.#deps.breaker();
    const permit = breaker.allow();
    if (permit.kind === 'refused') return { kind: 'held', retryInMs: permit.retryInMs };
    return { kind: 'ready', event, payload: payload as string, breaker, permit };
  }

  async #publish({ event, payload, breaker, permit }: Ready, behindId?: string): Promise<Sent> {
    const { broker, crashPoints } = this.#deps;
    crashPoints.hit('event.send.before');
    const { id, topic } = event;
    const outcome = await broker.publish({ id, topic, payload }, behindId);
    tellBreaker(breaker, permit, outcome);
    crashPoints.hit('event.send.after');
    return judgeOutcome(event, outcome);
  }

  #note(event: WaitingEvent, sent: Sent): void {
    const { settlement } = this;
    if (sent.kind === 'out_of_line') {
      this.#isOutOfLine = true;
      return;
    }
    this.#done.add(event);
    switch (sent.kind) {
      case 'delivered':
        settlement.delivered.push(event.seq);
        return;
      case 'buried':
        this.#isRefused = true;
        settlement.buried.push(sent.letter);
        this.#deps.audit.record('event_buried', {
          id: event.id,
          topic: event.topic,
          reason: sent.letter.reason,
        });
        return;
      case 'failed':
        this.#isRefused = true;
        settlement.failed.push({ seq: event.seq, error: sent.error });
        this.#deps.block(event.topic, retryDelayMs(event.attempts + 1));
        return;
      case 'cut':
        this.waitMs = CUT_WAIT_MS;
        return;
      case 'held':
        this.waitMs = Math.max(sent.retryInMs, SHORTEST_WAIT_MS);
        return;
      case 'gone':
        return;
    }
  }
}

/** A broker that rejects an event is up: not a failure of the dependency. */
export function tellBreaker(
  breaker: Breaker,
  permit: Extract<ReturnType<Breaker['allow']>, { kind: 'allowed' }>,
  outcome: PublishOutcome,
): void {
  if (outcome.kind === 'confirmed') breaker.onSuccess(permit);
  else if (outcome.kind === 'unreachable') breaker.onFailure(permit, outcome.error);
  else breaker.onIgnored(permit);
}
