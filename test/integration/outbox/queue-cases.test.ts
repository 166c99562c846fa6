/** Every case of the documents for the disk queue and the dead letters, over a real database. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Published } from '../../../electron/engine/outbox/queue-rules';
import type { PublishOutcome } from '../../../electron/ports/broker';
import {
  createFakeBroker,
  createHandClock,
  dead,
  queued,
  startDelivery,
  tempDir,
  type DeliveryLife,
  type FakeBroker,
  type HandClock,
} from '../../helpers/delivery-world';

interface Step {
  readonly t: number;
  readonly op: string;
  readonly id?: string;
  readonly subject?: string;
  readonly bytes?: number;
  readonly up?: boolean;
  readonly silently?: boolean;
  readonly fail?: readonly string[];
  readonly broker_dies_after?: number;
  readonly crash_after_send?: string;
  readonly crash_in_the_middle?: boolean;
  readonly full?: boolean;
  readonly by_ms?: number;
  readonly prefix?: string;
  readonly count?: number;
  readonly times?: number;
  readonly torn_tail?: boolean;
  readonly expect?: Readonly<Record<string, unknown>>;
}

interface Case {
  readonly id: string;
  readonly title: string;
  readonly config?: { readonly cap_events?: number };
  readonly steps: readonly Step[];
}

const casesOf = (file: string): readonly Case[] =>
  (JSON.parse(fs.readFileSync(path.resolve('test/cases', file), 'utf8')) as { cases: Case[] })
    .cases;
const cases = ['queue-cases.json', 'queue-variants.json'].flatMap(casesOf);

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** The end of a process: nothing runs behind it. */
class Killed extends Error {}

class Driver {
  #life: DeliveryLife | undefined;
  #dir: string;
  readonly #broker: FakeBroker = createFakeBroker('connected');
  readonly #clock: HandClock = createHandClock();
  #isUp = true;
  #isFull = false;
  #crashAt: string | undefined;
  #published = new Map<string, Published>();
  #isStarted = false;
  #stopping: Promise<void> | undefined;

  constructor(readonly maxPending: number) {
    this.#dir = this.#newDir();
  }

  #newDir(): string {
    const { dir, remove } = tempDir('cases');
    cleanUps.push(remove);
    return dir;
  }

  get life(): DeliveryLife {
    if (this.#life === undefined) throw new Error('not started');
    return this.#life;
  }

  async start(): Promise<void> {
    this.#life = await startDelivery({
      dataDir: this.#dir,
      broker: this.#broker,
      clock: this.#clock,
      maxPending: this.maxPending,
      crash: (point) => {
        if (point === this.#crashAt) throw new Killed(point);
      },
    });
    this.#isStarted = true;
    this.life.delivery.start();
  }

  #end(): void {
    this.#life?.kill();
    this.#life = undefined;
  }

  async publish(id: string, subject = 's', bytes = 0): Promise<Published> {
    // A full disk has room for a row of some bytes: what does not fit needs pages.
    const payload = JSON.stringify({ id, fill: 'x'.repeat(this.#isFull ? 200_000 : bytes) });
    let result: Published | undefined;
    void this.life.delivery.publish({ topic: subject, payload, id }).then((end) => {
      result = end;
    });
    // A producer that is slowed waits for the clock.
    while (result === undefined) {
      await new Promise(setImmediate);
      this.#clock.advance(1);
    }
    this.#published.set(id, result);
    return result;
  }

  /** What the broker does to each event of the next drains. */
  #answers(step: Step): (event: { readonly id: string }) => PublishOutcome | undefined {
    let left = step.broker_dies_after ?? Infinity;
    return ({ id }) => {
      if (!this.#isUp) return { kind: 'unreachable', error: 'no answer' };
      if (step.fail?.includes(id) === true) return { kind: 'refused', error: 'no' };
      if (left <= 0) {
        this.#isUp = false;
        return { kind: 'unreachable', error: 'gone' };
      }
      left -= 1;
      return undefined;
    };
  }

  async step(step: Step): Promise<void> {
    switch (step.op) {
      case 'publish':
        await this.publish(step.id ?? '', step.subject, step.bytes);
        return;
      case 'publish_many':
        for (let n = 0; n < (step.count ?? 0); n += 1)
          await this.publish(`${step.prefix ?? ''}${String(n)}`, step.subject);
        return;
      case 'broker':
        this.#isUp = step.up === true;
        this.#broker.answer = this.#answers(step);
        if (!this.#isUp && step.silently !== true) this.#broker.turn('down');
        return;
      case 'wall_jump':
        this.#clock.jumpWall(step.by_ms ?? 0);
        return;
      case 'disk': {
        this.#isFull = step.full === true;
        const pages = Number(this.life.db.pragma('page_count', { simple: true }));
        this.life.db.pragma(`max_page_count = ${String(this.#isFull ? pages : 1_000_000)}`);
        return;
      }
      case 'drain':
      case 'drain_until_idle':
      case 'drain_concurrently':
        return this.#drain(step);
      case 'dlq_replay':
        this.#crashAt = step.crash_in_the_middle === true ? 'journal.commit.inside' : undefined;
        await this.life.delivery.replay({ id: step.id ?? '' }).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        this.#crashAt = undefined;
        if (step.crash_in_the_middle === true) this.#end();
        return;
      case 'kill9':
        this.#end();
        return;
      case 'power_cut': {
        const to = this.#newDir();
        fs.cpSync(this.#dir, to, { recursive: true });
        this.#end();
        const wal = path.join(to, 'holdfast.db-wal');
        if (step.torn_tail === true) fs.truncateSync(wal, fs.statSync(wal).size - 1_000);
        this.#dir = to;
        return;
      }
      case 'sigterm_begin':
        this.#stopping = this.life.delivery.stop();
        return;
      case 'sigterm_end':
        await this.#stopping;
        this.#end();
        return;
      case 'restart':
        this.#isStarted = false;
        if (this.#life !== undefined) this.#end();
        await this.start();
        return;
      case 'read':
        return;
      default:
        throw new Error(`unknown step ${step.op}`);
    }
  }

  async #drain(step: Step): Promise<void> {
    const { delivery } = this.life;
    this.#broker.answer = this.#answers(step);
    // What was refused is asked again after its wait.
    this.#clock.advance(60_000);
    if (step.crash_after_send !== undefined) this.#crashAt = 'event.send.after';
    if (this.#isUp && this.#broker.health().state !== 'connected') this.#broker.turn('connected');
    if (this.#isUp) this.life.breaker.reset('a drain');
    await Promise.all(Array.from({ length: step.times ?? 1 }, () => delivery.drain()));
    if (step.op === 'drain_until_idle') await delivery.drain();
    this.#crashAt = undefined;
    if (step.crash_after_send !== undefined) this.#end();
  }

  check(expected: Readonly<Record<string, unknown>>, step: Step): void {
    const ids = this.#broker.delivered.map((event) => event.id);
    const result = this.#published.get(step.id ?? '');
    for (const [name, value] of Object.entries(expected)) {
      const all = value as readonly string[];
      switch (name) {
        case 'producer':
          // A refusal is an answer, not an exception.
          if (value === 'ok') expect(result?.kind).toBe('accepted');
          else expect(result?.kind).toBeDefined();
          break;
        case 'delivered':
          expect(ids).toEqual(value);
          break;
        case 'delivered_count':
          expect(new Set(ids).size).toBe(value);
          break;
        case 'delivered_prefix':
          expect(ids.slice(0, all.length)).toEqual(value);
          break;
        case 'delivered_includes':
          expect(ids).toEqual(expect.arrayContaining([...all]));
          break;
        case 'queue':
          expect(queued(this.life)).toEqual(value);
          break;
        case 'queue_last':
          expect(queued(this.life).at(-1)).toBe(value);
          break;
        case 'dlq':
          expect(dead(this.life)).toEqual(value);
          break;
        case 'shed':
          expect(dead(this.life, true)).toEqual(value);
          break;
        case 'attempts':
          for (const [id, count] of Object.entries(value as Record<string, number>)) {
            const row = this.life.queue.next(0, 1_000).find((event) => event.id === id);
            expect(row?.attempts).toBe(count);
          }
          break;
        case 'shed_counter':
          expect(this.life.delivery.status().shed.total).toBe(value);
          break;
        case 'shed_reported':
          expect(this.life.announced()).toBe(1);
          expect(this.life.audit).toContainEqual({
            event: 'event_shed',
            facts: { id: 'a', topic: 's' },
          });
          break;
        case 'loss_reported':
          expect(result).toMatchObject({ kind: 'refused', code: 'DISK_FULL' });
          expect(this.life.delivery.status().refused).toBe(1);
          expect(this.life.audit.map((one) => one.event)).toContain('event_refused');
          break;
        case 'same_msg_id':
          expect(new Set(ids).size).toBe(1);
          break;
        case 'in_exactly_one_of':
          expect([...queued(this.life), ...dead(this.life)]).toHaveLength(1);
          break;
        case 'started':
          expect(this.#isStarted).toBe(true);
          break;
        case 'delivered_or_queued_or_reported':
          for (const id of all) {
            const isReported = this.#published.get(id)?.kind === 'refused';
            expect(ids.includes(id) || queued(this.life).includes(id) || isReported).toBe(true);
          }
          break;
        default:
          throw new Error(`unknown expectation ${name}`);
      }
    }
  }

  close(): void {
    this.#end();
  }
}

describe('the queue and its dead letters behave as in case', () => {
  it.each(cases.map((one) => [one.id, one.title, one] as const))(
    'S2-31 S2-32 S2-34 S2-35 S2-37 S2-38 %s: %s',
    async (_id, _title, one) => {
      const driver = new Driver(one.config?.cap_events ?? 10_000);
      await driver.start();
      // A slowed producer waits; nothing else does.
      for (const step of one.steps) {
        await driver.step(step);
        if (step.expect !== undefined) driver.check(step.expect, step);
      }
      driver.close();
    },
  );
});

it('S2-37 a producer waits 100, 200 … 500 ms from the 6th of 10 waiting events on, and its event is on disk before it waits', async () => {
  const { dir, remove } = tempDir('slow');
  cleanUps.push(remove);
  const clock = createHandClock();
  const broker = createFakeBroker('down');
  const life = await startDelivery({ dataDir: dir, broker, clock, maxPending: 10 });
  const waits: number[] = [];
  let answered = 0;
  for (let n = 1; n <= 10; n += 1) {
    const sleeps = clock.sleeps.length;
    const published = life.delivery
      .publish({ topic: 's', payload: '{}', id: `e${String(n)}` })
      .then(() => (answered += 1));
    await expect.poll(() => answered === n || clock.sleeps.length > sleeps).toBe(true);
    expect(queued(life)).toHaveLength(n);
    const [waitMs = 0] = clock.sleeps.slice(sleeps);
    waits.push(waitMs);
    if (waitMs > 0) {
      clock.advance(waitMs - 1);
      await new Promise(setImmediate);
      expect(answered).toBe(n - 1);
      clock.advance(1);
    }
    await published;
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 100, 200, 300, 400, 500]);
  life.kill();
});

it('S2-38 R27 of 6 shed events at a cap of 3 the newest 3 are kept, the others are only counted, and a refused one before them stays', async () => {
  const { dir, remove } = tempDir('shed');
  cleanUps.push(remove);
  const broker = createFakeBroker('down');
  const life = await startDelivery({ dataDir: dir, broker, clock: createHandClock() });
  const bounds = { maxPending: 1, maxShedLetters: 3, inFlight: [] };
  const add = (id: string): Promise<boolean> =>
    life.queue.enqueue({ id, topic: 's', payload: '{}', bytes: 2 }, () => bounds);
  await add('refused');
  const seq = life.queue.next(0, 1)[0]?.seq ?? 0;
  const buried = [{ seq, reason: 'refused', detail: 'no' }] as const;
  await life.queue.settle({ delivered: [], failed: [], buried });
  for (const id of 'abcdefg') await add(id);
  expect([queued(life), dead(life), dead(life, true)]).toEqual([
    ['g'],
    ['refused'],
    ['d', 'e', 'f'],
  ]);
  expect(life.delivery.status()).toMatchObject({
    deadLetters: 4,
    shed: { total: 6, summarised: 3, kept: 3 },
  });
  life.kill();
});
