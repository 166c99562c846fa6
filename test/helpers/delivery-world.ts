import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { createEventRows } from '../../electron/adapters/sqlite/tables/outbox';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../electron/adapters/sqlite/open-database';
import { createOutbox, type Outbox } from '../../electron/engine/outbox/outbox';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type {
  Broker,
  BrokerHealth,
  OutgoingEvent,
  PublishOutcome,
} from '../../electron/ports/broker';
import type { Breaker, Permit } from '../../electron/ports/breakers';
import type { Clock } from '../../electron/ports/clock';
import type { EventQueue } from '../../electron/ports/event-queue';

/** A broker whose every answer the test decides; what reached subscribers stays across restarts. */
export interface FakeBroker extends Broker {
  readonly delivered: OutgoingEvent[];
  readonly asked: OutgoingEvent[];
  /** What it does to an event; confirmed where it says nothing. */
  answer: (event: OutgoingEvent) => PublishOutcome | Promise<PublishOutcome> | undefined;
  /** The client notices. */
  turn(state: BrokerHealth['state'], problem?: string): void;
}

export function createFakeBroker(state: BrokerHealth['state'] = 'connected'): FakeBroker {
  let health: BrokerHealth = { state, sinceMs: 0 };
  const listeners = new Set<(health: BrokerHealth) => void>();
  let newest: Promise<unknown> = Promise.resolve();
  const broker: FakeBroker = {
    delivered: [],
    asked: [],
    answer: () => undefined,
    turn(next, problem) {
      health = { state: next, sinceMs: 0, ...(problem === undefined ? {} : { problem }) };
      for (const listener of listeners) listener(health);
    },
    publish(event, behindId) {
      broker.asked.push(event);
      const before = newest;
      const answer = async (): Promise<PublishOutcome> => {
        if (behindId !== undefined) {
          await before;
          if (broker.delivered.at(-1)?.id !== behindId) return { kind: 'out_of_line' };
        }
        const outcome = (await broker.answer(event)) ?? { kind: 'confirmed', isDuplicate: false };
        if (outcome.kind === 'confirmed') broker.delivered.push(event);
        return outcome;
      };
      const outcome = answer();
      newest = outcome;
      return outcome;
    },
    health: () => health,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => undefined,
    stop: () => Promise.resolve(),
  };
  return broker;
}

/** A breaker by the rules that matter here: 5 failures open it, a trip opens it, a reset closes it. */
export function createPlainBreaker(): Breaker & { readonly said: string[] } {
  let failures = 0;
  let isOpen = false;
  let generation = 0;
  const permit = (): Permit => ({ kind: 'allowed', generation, isTrial: false, trial: 0 });
  const said: string[] = [];
  return {
    name: 'nats',
    dependency: 'broker',
    said,
    allow: () =>
      isOpen ? { kind: 'refused', state: 'open', retryInMs: 10_000, reason: 'open' } : permit(),
    onSuccess() {
      said.push('success');
      failures = 0;
    },
    onFailure() {
      said.push('failure');
      failures += 1;
      isOpen ||= failures >= 5;
    },
    onIgnored() {
      said.push('ignored');
    },
    onAlive: () => undefined,
    onAnswerWhileOpen: () => undefined,
    trip(reason) {
      said.push(`trip ${reason}`);
      isOpen = true;
      generation += 1;
    },
    reset() {
      said.push('reset');
      isOpen = false;
      failures = 0;
      generation += 1;
    },
    view: () => {
      throw new Error('nobody looks');
    },
  };
}

/** Time that only moves when the test moves it. */
export interface HandClock extends Clock {
  advance(byMs: number): void;
  jumpWall(byMs: number): void;
  readonly sleeps: number[];
}

export function createHandClock(): HandClock {
  let mono = 0;
  let wall = 1_700_000_000_000;
  const waiting = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const sleeps: number[] = [];
  return {
    sleeps,
    nowMs: () => wall,
    monotonicMs: () => mono,
    sleep(delayMs, signal) {
      sleeps.push(delayMs);
      return new Promise((resolve, reject) => {
        const one = { atMs: mono + delayMs, wake: resolve };
        waiting.add(one);
        signal?.addEventListener('abort', () => {
          waiting.delete(one);
          reject(signal.reason as Error);
        });
      });
    },
    advance(byMs) {
      mono += byMs;
      wall += byMs;
      for (const one of waiting) {
        if (one.atMs > mono) continue;
        waiting.delete(one);
        one.wake();
      }
    },
    jumpWall(byMs) {
      wall += byMs;
    },
  };
}

/** One life of the room over a real database. */
export interface DeliveryLife {
  readonly db: Database.Database;
  readonly journal: GroupCommit;
  readonly queue: EventQueue;
  readonly delivery: Outbox;
  readonly breaker: ReturnType<typeof createPlainBreaker>;
  readonly audit: { readonly event: string; readonly facts: unknown }[];
  /** How often shedding was announced. */
  announced(): number;
  /** No code runs any more; the disk keeps what it has. */
  kill(): void;
}

interface LifeOptions {
  readonly dataDir: string;
  readonly broker: Broker;
  readonly clock: Clock;
  readonly maxPending?: number;
  readonly crash?: (point: CrashPointName) => void;
}

export async function startDelivery(options: LifeOptions): Promise<DeliveryLife> {
  const { dataDir, broker, clock } = options;
  const crashPoints = { hit: options.crash ?? ((): void => undefined) };
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs: clock.nowMs(),
    crashPoints,
  });
  const journal = createGroupCommit({ db, clock, crashPoints, assertOwner: () => undefined });
  const queue = createEventRows(db).queue(journal.run);
  const breaker = createPlainBreaker();
  const audit: DeliveryLife['audit'] = [];
  let announced = 0;
  let ids = 0;
  const delivery = createOutbox({
    queue,
    broker,
    breaker: () => breaker,
    clock,
    crashPoints,
    audit: {
      record: (event, facts) => void audit.push({ event, facts }),
      flush: () => Promise.resolve(),
    },
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
    newId: () => `made-${String((ids += 1))}`,
    maxPending: () => options.maxPending ?? 10_000,
    maxPayloadBytes: () => 4 * 1024 * 1024,
    onChanged: () => undefined,
    shedNotice: {
      request: () => {
        if (queue.shedUntold() > 0) announced += 1;
      },
      stop: () => undefined,
    },
  });
  return {
    db,
    journal,
    queue,
    delivery,
    breaker,
    audit,
    announced: () => announced,
    kill: () => db.close(),
  };
}

/** Ids that wait, in order. */
export const queued = (life: DeliveryLife): string[] =>
  life.queue.next(0, 100_000).map((event) => event.id);

/** Ids of dead letters, oldest first. */
export const dead = (life: DeliveryLife, isShed = false): string[] =>
  life.queue
    .letters({ limit: 100_000 })
    .letters.filter((letter) => (letter.reason === 'shed') === isShed)
    .map((letter) => letter.id)
    .reverse();

export function tempDir(name: string): { readonly dir: string; readonly remove: () => void } {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `holdfast-${name}-`));
  return { dir, remove: () => fs.rmSync(dir, { recursive: true, force: true }) };
}
