import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  createTurnScheduler,
  planStarts,
  type QueuedTurn,
} from '../../../electron/engine/agents/turn-scheduler';
import { resumeDelayMs } from '../../../electron/engine/recovery/plan-resume';
import { createLeaseBook } from '../../../electron/engine/work/lease-book';
import type { JournalEntry } from '../../../electron/ports/journal';
import { createVirtualClock } from '../../helpers/virtual-clock';

const turn = (turnId: number, sessionId: number, notBeforeMs = 0): QueuedTurn => ({
  turnId,
  sessionId,
  notBeforeMs,
  hasBegun: false,
});
const base = {
  busySessions: new Set<number>(),
  running: 0,
  isOneAlone: false,
  cap: 8,
  isPaused: false,
  nowMs: 1000,
  admits: () => true,
  rankOf: () => undefined,
};
const ids = (turns: readonly QueuedTurn[]): number[] => turns.map((one) => one.turnId);

describe('which queued turns start', () => {
  it('S3-02 one per session, in the order of arrival', () => {
    const queued = [turn(1, 1), turn(2, 1), turn(3, 2), turn(4, 3)];
    expect(ids(planStarts({ ...base, queued }))).toEqual([1, 3, 4]);
    expect(ids(planStarts({ ...base, queued, busySessions: new Set([2]) }))).toEqual([1, 4]);
  });

  it('limits: never above the cap of 2, no new one while paused', () => {
    const queued = [turn(1, 1), turn(2, 2), turn(3, 3)];
    expect(ids(planStarts({ ...base, queued, cap: 2 }))).toEqual([1, 2]);
    expect(ids(planStarts({ ...base, queued, cap: 2, running: 2 }))).toEqual([]);
    expect(ids(planStarts({ ...base, queued, isPaused: true }))).toEqual([]);
    const resumed = [turn(1, 1), { ...turn(2, 2), hasBegun: true }, turn(3, 2)];
    expect(ids(planStarts({ ...base, queued: resumed, isPaused: true }))).toEqual([2]);
  });

  it('S0-+04 a turn that waits for its delay keeps its session: a later message does not overtake it', () => {
    const queued = [turn(1, 1, 5000), turn(2, 1), turn(3, 2)];
    expect(ids(planStarts({ ...base, queued }))).toEqual([3]);
    // Both may start now: what was due first goes first (S3-23).
    expect(ids(planStarts({ ...base, queued, nowMs: 5000 }))).toEqual([3, 1]);
  });

  it('S0-+04 what may have ended Holdfast starts first, one at a time, with nothing beside it', () => {
    const alone = (turnId: number, notBeforeMs = 0): QueuedTurn => ({
      ...turn(turnId, turnId, notBeforeMs),
      isAlone: true,
    });
    const queued = [turn(1, 1), alone(2), alone(3)];
    expect(ids(planStarts({ ...base, queued }))).toEqual([2]);
    // While it is by itself nothing starts; what runs already is not waited for by the others.
    expect(ids(planStarts({ ...base, queued, running: 1, isOneAlone: true }))).toEqual([]);
    expect(ids(planStarts({ ...base, queued, running: 1 }))).toEqual([1]);
    // Its delay keeps the others back, an outage of its provider does not.
    expect(ids(planStarts({ ...base, queued: [turn(1, 1), alone(2, 3000)] }))).toEqual([]);
    expect(ids(planStarts({ ...base, queued, admits: (id) => id === 1 }))).toEqual([1]);
  });

  it('S3-02 order and isolation hold for 300 random queues', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2000 })), {
          maxLength: 30,
        }),
        fc.integer({ min: 0, max: 6 }),
        (pairs, cap) => {
          const queued = pairs.map(([session, notBefore], index) =>
            turn(index + 1, session, notBefore),
          );
          const starts = planStarts({ ...base, queued, cap });
          expect(starts.length).toBeLessThanOrEqual(cap);
          expect(new Set(starts.map((one) => one.sessionId)).size).toBe(starts.length);
          for (const one of starts) {
            expect(one.notBeforeMs).toBeLessThanOrEqual(base.nowMs);
            expect(queued.find((other) => other.sessionId === one.sessionId)).toBe(one);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('S0-+04 the delay before a resume is 0, 0, 2, 4, 8 s and never above 60 s', () => {
    expect([0, 1, 2, 3, 4, 30].map((crashes) => resumeDelayMs(crashes, 2000))).toEqual([
      0, 0, 2000, 4000, 8000, 60_000,
    ]);
  });

  it('S0-+04 a turn by itself holds nobody back while it waits for a person', async () => {
    const clock = createVirtualClock(0);
    const started: number[] = [];
    type Listener = (entries: readonly JournalEntry[]) => void;
    const heard: Listener[] = [];
    const commit = async (entry: object): Promise<void> => {
      for (const listener of heard) listener([entry as JournalEntry]);
      await clock.advance(0);
    };
    const scheduler = createTurnScheduler({
      clock,
      reads: { turn: (id: number) => ({ id, sessionId: id, attempt: 2, crashes: 2 }) } as never,
      journal: { onCommitted: (listener: Listener) => heard.push(listener) } as never,
      log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      pauseStore: { read: () => undefined, write: vi.fn() } as never,
      cap: () => 8,
      leases: createLeaseBook({
        monotonicMs: () => clock.monotonicMs(),
        newId: () => 'claim',
        instance: 'here',
        policy: () => ({ renewMs: 1e6, staleMs: 1e7 }),
      }),
      leasePolicy: () => ({ renewMs: 1e6, staleMs: 1e7 }),
      gate: {
        look: () => ({ dropped: new Set(), admits: () => true, rankOf: () => undefined }),
        started: vi.fn(),
        ended: vi.fn(),
      } as never,
      run: (row) => {
        started.push(row.id);
        return new Promise(() => undefined);
      },
      takeOver: () => Promise.resolve(undefined),
      onCrash: () => Promise.resolve(),
      onChange: () => undefined,
    });
    scheduler.enqueue({ ...turn(1, 1), isAlone: true });
    scheduler.enqueue(turn(2, 2));
    scheduler.start();
    await clock.advance(0);
    expect(started).toEqual([1]);
    await commit({ kind: 'outside.asking', turnId: 1, step: 0, state: 'allowed', by: 'policy' });
    await commit({ kind: 'outside.asking', turnId: 9, step: 0, state: 'asked', by: '' });
    expect(started).toEqual([1]);
    await commit({ kind: 'outside.asking', turnId: 1, step: 0, state: 'asked', by: '' });
    expect(started).toEqual([1, 2]);
  });
});
