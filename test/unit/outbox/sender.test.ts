import { describe, expect, it } from 'vitest';
import { FIRST_LINE, planLine, planWindows } from '../../../electron/engine/outbox/plan-drain';
import { createSender } from '../../../electron/engine/outbox/sender';
import type { PublishOutcome } from '../../../electron/ports/broker';
import type { WaitingEvent } from '../../../electron/ports/event-queue';
import { createFakeBroker, createPlainBreaker } from '../../helpers/delivery-world';

const PAYLOAD = '"x"';
const row = (seq: number, topic = 's', bytes = PAYLOAD.length, attempts = 0): WaitingEvent => ({
  seq,
  id: `e${String(seq)}`,
  topic,
  bytes,
  enqueuedAtMs: 0,
  attempts,
});
const rows = (count: number, topic?: string): WaitingEvent[] =>
  Array.from({ length: count }, (_, n) => row(n + 1, topic));

function place(unreadable: readonly number[] = []) {
  const broker = createFakeBroker();
  const breaker = createPlainBreaker();
  const blocked = new Map<string, number>();
  const sender = createSender({
    queue: { payload: (seq) => (unreadable.includes(seq) ? '{broken' : PAYLOAD) },
    broker,
    breaker: () => breaker,
    crashPoints: { hit: () => undefined },
    audit: { record: () => undefined, flush: () => Promise.resolve() },
    canSend: () => broker.health().state === 'connected',
    isBlocked: (topic) => blocked.has(topic),
    block: (topic, delayMs) => void blocked.set(topic, delayMs),
  });
  const stored = (): string[] => broker.delivered.map((event) => event.id);
  return { broker, breaker, blocked, sender, stored };
}
const except =
  (id: string, outcome: PublishOutcome) =>
  (event: { readonly id: string }): PublishOutcome | undefined =>
    event.id === id ? outcome : undefined;
const ids = (...seqs: number[]): string[] => seqs.map((seq) => `e${String(seq)}`);

describe('a batch at the broker', () => {
  it('S2-34 goes out at once in one line: 100 events of one topic are all asked before the first answer', async () => {
    const { broker, sender, stored } = place();
    let answer = (): void => undefined;
    const first = new Promise<PublishOutcome>((resolve) => {
      answer = () => resolve({ kind: 'confirmed', isDuplicate: false });
    });
    broker.answer = () => first;
    const sending = sender.send(rows(100));
    expect(broker.asked).toHaveLength(100);
    answer();
    const { settlement, waitMs } = await sending;
    expect(stored()).toEqual(rows(100).map((event) => event.id));
    expect([settlement.delivered.length, waitMs]).toEqual([100, undefined]);
  });

  it('S2-34 S2-27 the 3rd of 6 is refused: nothing of its topic behind it is stored, other topics go on, one attempt counts', async () => {
    const { broker, blocked, sender, stored } = place();
    broker.answer = except('e3', { kind: 'refused', error: 'no' });
    const batch = [row(1), row(2), row(3), row(4), row(5, 'other'), row(6)];
    const { settlement } = await sender.send(batch);
    expect(stored()).toEqual(ids(1, 2, 5));
    expect(settlement).toEqual({
      delivered: [1, 2, 5],
      failed: [{ seq: 3, error: 'no' }],
      buried: [],
    });
    expect([...blocked]).toEqual([['s', 1_000]]);
    // In one line 4, 5 and 6 were turned away with it; only 5 was sent again.
    expect(broker.asked.map((event) => event.id)).toEqual(ids(1, 2, 3, 4, 5, 6, 5));
  });

  it('S2-35 the 3rd of 5 is refused for the third time: it is buried, and the rest follows in order', async () => {
    const { broker, sender, stored } = place();
    broker.answer = except('e3', { kind: 'refused', error: 'no' });
    const { settlement } = await sender.send([row(1), row(2), row(3, 's', 3, 2), row(4), row(5)]);
    expect(stored()).toEqual(ids(1, 2, 4, 5));
    expect(settlement.buried.map((letter) => letter.seq)).toEqual([3]);
  });

  it('S2-34 R26 the 3rd of 5 is lost on its way: nothing behind it is stored, no attempt counts, it waits', async () => {
    const { broker, sender, stored } = place();
    broker.answer = except('e3', { kind: 'unreachable', error: 'timeout' });
    const { settlement, waitMs } = await sender.send(rows(5));
    expect(stored()).toEqual(ids(1, 2));
    expect(settlement).toEqual({ delivered: [1, 2], failed: [], buried: [] });
    expect(waitMs).toBe(1_000);
  });

  it('S2-34 R12 stored already and sent again: known by their ids, the line holds', async () => {
    const { broker, sender } = place();
    broker.answer = () => ({ kind: 'confirmed', isDuplicate: true });
    const { settlement } = await sender.send(rows(20));
    expect([settlement.delivered.length, broker.asked.length]).toEqual([20, 20]);
  });

  it('S2-34 others publish in between: all arrive in order, topic by topic, and the next batch is not tried in line', async () => {
    const { broker, sender, stored } = place();
    const publish = broker.publish.bind(broker);
    broker.publish = async (event, behindId) =>
      behindId === undefined ? publish(event) : { kind: 'out_of_line' };
    expect((await sender.send(rows(5))).settlement.delivered).toEqual([1, 2, 3, 4, 5]);
    expect(stored()).toEqual(ids(1, 2, 3, 4, 5));
    const lines: (string | undefined)[] = [];
    broker.publish = (event, behindId) => {
      lines.push(behindId);
      return publish(event, behindId);
    };
    await sender.send(rows(3));
    await sender.send(rows(3));
    expect(lines).toEqual([undefined, undefined, undefined, undefined, 'e1', 'e2']);
  });

  it('S2-35 a damaged row is buried unsent and breaks no line', async () => {
    const { broker, sender, stored } = place([2]);
    const { settlement } = await sender.send(rows(4));
    expect(stored()).toEqual(ids(1, 3, 4));
    expect(broker.asked).toHaveLength(3);
    expect(settlement.buried).toMatchObject([{ seq: 2, reason: 'unreadable' }]);
  });

  it('S2-17 an open breaker: nothing is asked, and the wait is its own', async () => {
    const { broker, breaker, sender } = place();
    breaker.trip('test');
    const { settlement, waitMs } = await sender.send(rows(4));
    expect(broker.asked).toEqual([]);
    expect(waitMs).toBe(10_000);
    expect(settlement.delivered).toEqual([]);
  });
});

describe('what is under way at once', () => {
  const MB = 1024 * 1024;
  it.each([
    ['100 small ones', Array<number>(100).fill(500), [100]],
    ['one of 4 MB goes alone', [4 * MB, 10, 10], [1, 2]],
    ['4 of 1 MB are one window, the 5th begins another', [MB, MB, MB, MB, MB], [4, 1]],
    ['one above the bound goes alone too', [10, 9 * MB, 10], [1, 1, 1]],
    ['nothing', [], []],
  ])('S2-34 %s', (_what, bytes, sizes) => {
    const batch = bytes.map((count, n) => row(n, 's', count));
    expect(planWindows(batch).map((window) => window.length)).toEqual(sizes);
  });

  it('S2-34 broken lines are tried again after 1, 2, 4 … 64 batches, and a kept one forgets it', () => {
    const pauses: number[] = [];
    let plan = FIRST_LINE;
    for (let n = 0; n < 9; n += 1) {
      plan = planLine(plan, 'broken');
      pauses.push(plan.pausedBatches);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    expect(planLine(plan, 'not_tried').pausedBatches).toBe(63);
    expect(planLine(plan, 'kept')).toEqual(FIRST_LINE);
  });
});
