import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createTurnScheduler } from '../../../electron/engine/turns/scheduler';
import { planStarts, type QueuedTurn } from '../../../electron/engine/turns/plan-starts';
import type { RunEnd } from '../../../electron/engine/turns/run-ends';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { resumeDelayMs } from '../../../electron/engine/recovery/plan-resume';
import { createLeaseTable } from '../../../electron/engine/turns/lease-table';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { createVirtualClock } from '../../helpers/virtual-clock';

const turn = (turnId: number, sessionId: number, notBeforeMs = 0): QueuedTurn => ({
  turnId,
  sessionId,
  notBeforeMs,
  hasBegun: false,
});
const queuedRow = (id: number, sessionId: number) => ({ id, sessionId, attempt: 0 });
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

  it('S3-23 of turns due at one time the first number goes first, whatever part of a millisecond two clocks differ by', () => {
    const queued = [
      { ...turn(1, 1, 900), dueMs: 900.7 },
      { ...turn(2, 2, 900), dueMs: 900.2 },
      { ...turn(3, 3, 900), dueMs: 1000.4 },
    ];
    expect(ids(planStarts({ ...base, queued }))).toEqual([1, 2]);
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
});

type Listener = (entries: readonly JournalEntry[]) => void;

type SchedulerDeps = Parameters<typeof createTurnScheduler>[0];
type Over = Partial<Omit<SchedulerDeps, 'run'>> & { readonly run?: Partial<SchedulerDeps['run']> };

/** A scheduler on virtual time, whose runs end as the test says, or not at all. */
function onVirtualTime(
  run: (turnId: number) => Promise<RunEnd> = () => new Promise(() => undefined),
  { run: runOver, ...over }: Over = {},
) {
  const clock = createVirtualClock(Date.parse('2027-06-01T00:00:00Z'));
  const started: number[] = [];
  const heard: Listener[] = [];
  const leasePolicy = () => ({ renewMs: 1e6, staleMs: 1e7 });
  const scheduler = createTurnScheduler({
    clock,
    reads: {
      turn: (id: number) => ({ id, sessionId: id, attempt: 2, crashes: 2 }),
      steps: () => [],
    } as never,
    workReads: { wakeOfTurn: () => undefined },
    journal: { onCommitted: (listener: Listener) => heard.push(listener) } as never,
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    starts: {
      pauseStore: { read: () => undefined, write: vi.fn() } as never,
      cap: () => 8,
      gate: {
        look: () => ({ dropped: new Set(), admits: () => true, rankOf: () => undefined }),
        started: vi.fn(),
        ended: vi.fn(),
      } as never,
    },
    leases: {
      table: createLeaseTable({
        monotonicMs: () => clock.monotonicMs(),
        newId: () => 'claim',
        instance: 'here',
        isFenced: () => false,
        policy: leasePolicy,
      }),
      policy: leasePolicy,
    },
    run: {
      turn: (row) => {
        started.push(row.id);
        return run(row.id);
      },
      takeOver: () => Promise.resolve(undefined),
      onCrash: () => Promise.resolve(true),
      ...runOver,
    },
    onChange: () => undefined,
    ...over,
  });
  const commit = async (entry: object): Promise<void> => {
    for (const listener of heard) listener([entry as JournalEntry]);
    await clock.advance(0);
  };
  return { clock, scheduler, started, commit };
}

describe('a scheduler on virtual time', () => {
  it('S0-+04 a turn by itself holds nobody back while it waits for a person', async () => {
    const { clock, scheduler, started, commit } = onVirtualTime();
    scheduler.enqueue(queuedRow(1, 1), { isAlone: true });
    scheduler.enqueue(queuedRow(2, 2));
    scheduler.start();
    await clock.advance(0);
    expect(started).toEqual([1]);
    await commit({ kind: 'outside.asking', turnId: 1, step: 0, state: 'allowed', by: 'policy' });
    await commit({ kind: 'outside.asking', turnId: 9, step: 0, state: 'asked', by: '' });
    expect(started).toEqual([1]);
    await commit({ kind: 'outside.asking', turnId: 1, step: 0, state: 'asked', by: '' });
    expect(started).toEqual([1, 2]);
  });

  it.each([
    ['is set back by 1 h, also twice', [-3_600_000, -3_600_000], 0],
    ['is set forth by 10 s and back again', [10_000, -10_000], 0],
    ['goes on for 20 s while the computer sleeps', [20_000], 20_000],
  ])(
    'S3-12 a retry that waits 30 s does not wait longer when the clock %s',
    async (_what, steps, sooner) => {
      let tries = 0;
      const { clock, scheduler, started } = onVirtualTime(() => {
        tries += 1;
        if (tries > 1) return new Promise(() => undefined);
        return Promise.resolve({ kind: 'requeued', dueAtMs: clock.nowMs() + 30_000 });
      });
      scheduler.enqueue(queuedRow(1, 1));
      scheduler.start();
      await clock.advance(0);
      for (const byMs of steps) {
        clock.set(byMs);
        // Any turn that comes has the queue looked at.
        scheduler.enqueue(queuedRow(90 + started.length, 90 + started.length));
        await clock.advance(0);
      }
      const others = started.length - 1;
      await clock.advance(29_999 - sooner);
      expect(started).toHaveLength(1 + others);
      await clock.advance(1);
      expect(started).toHaveLength(2 + others);
    },
  );

  it('a pause of 15 min ends after 15 min when the clock is set back by 1 h meanwhile', async () => {
    const { clock, scheduler, started } = onVirtualTime();
    scheduler.start();
    scheduler.pause(clock.nowMs() + 900_000);
    scheduler.enqueue(queuedRow(1, 1));
    clock.set(-3_600_000);
    await clock.advance(899_999);
    expect(started).toEqual([]);
    await clock.advance(1);
    expect(started).toEqual([1]);
  });

  it('S3-18 a run without a sign of life for the stale time counts as lost until somebody has taken it over', async () => {
    let taken = (): void => undefined;
    const takeOver = () => new Promise<undefined>((resolve) => (taken = () => resolve(undefined)));
    const onChange = vi.fn();
    const { clock, scheduler } = onVirtualTime(undefined, { run: { takeOver }, onChange });
    scheduler.enqueue(queuedRow(1, 1));
    scheduler.start();
    await clock.advance(9_999_999);
    expect([scheduler.lostRuns(), scheduler.running()]).toEqual([0, [1]]);
    onChange.mockClear();
    await clock.advance(1);
    expect([scheduler.lostRuns(), scheduler.running(), onChange.mock.calls.length]).toEqual([
      1,
      [],
      1,
    ]);
    taken();
    await clock.advance(0);
    expect(scheduler.lostRuns()).toBe(0);
  });

  it.each(['DISK_FULL', 'DISK_READ_ONLY', 'DISK_FAILED'] as const)(
    'R17 S0-03 a turn whose intent the disk refuses (%s) is tried again after 2 s until it is taken; any other error asks a person',
    async (code) => {
      const onCrash = vi.fn(() => Promise.resolve(true));
      const ends = [code, code, 'INTERNAL'] as const;
      const run = (): Promise<RunEnd> =>
        Promise.reject(new HoldfastError(ends[started.length - 1] ?? 'INTERNAL', 'x'));
      const { clock, scheduler, started } = onVirtualTime(run, { run: { onCrash } });
      scheduler.enqueue(queuedRow(1, 1));
      scheduler.start();
      await clock.advance(0);
      await clock.advance(1_999);
      expect([started, scheduler.running(), scheduler.isQueued(1)]).toEqual([[1], [], true]);
      // Where its row says running, nobody takes it for cut off by an end of Holdfast.
      expect(scheduler.lostBy(1)).toBe('disk');
      await clock.advance(1);
      expect(started).toEqual([1, 1]);
      expect(onCrash).not.toHaveBeenCalled();
      await clock.advance(2_000);
      expect([started, onCrash.mock.calls.length]).toEqual([[1, 1, 1], 1]);
      expect(scheduler.isQueued(1)).toBe(false);
    },
  );

  it.each([
    ['DISK_FULL with a call at work', 'DISK_FULL', 'started'],
    ['DISK_FAILED with a call whose result is unknown', 'DISK_FAILED', 'ambiguous'],
    ['any error that cannot be written either', 'INTERNAL', 'completed'],
  ] as const)(
    'R17 S4-20 a run that ends with %s is judged as after a restart as soon as the disk takes that: its session waits, others go on, and it is called neither lost nor at work',
    async (_what, code, state) => {
      let taken = (_end: unknown): void => undefined;
      const takeOver = vi.fn(() => new Promise<never>((resolve) => (taken = resolve as never)));
      const row = { id: 1, sessionId: 1, attempt: 2 };
      const { clock, scheduler, started } = onVirtualTime(
        (id) =>
          id === 1 && started.length === 1
            ? Promise.reject(new HoldfastError(code, 'x'))
            : new Promise(() => undefined),
        {
          reads: {
            turn: (id: number) => (id === 1 ? row : { id, sessionId: id === 2 ? 1 : id }),
            steps: () => [
              { attempt: 2, state: 'ambiguous' },
              { attempt: 3, state },
            ],
          } as never,
          run: { onCrash: () => Promise.resolve(false), takeOver },
        },
      );
      for (const one of [queuedRow(1, 1), queuedRow(2, 1), queuedRow(3, 3)]) scheduler.enqueue(one);
      scheduler.start();
      await clock.advance(10_000);
      expect(takeOver.mock.calls).toEqual([[{ turnId: 1, attempt: 3, cause: { kind: 'disk' } }]]);
      expect([started, scheduler.running(), scheduler.lostRuns(), scheduler.lostBy(1)]).toEqual([
        [1, 3],
        [3],
        0,
        'disk',
      ]);
      taken({ turn: row, delayMs: 0 });
      await clock.advance(0);
      expect([started, scheduler.lostBy(1)]).toEqual([[1, 3, 1], undefined]);
    },
  );

  it('R17 what an earlier run left unknown does not keep a refused start from being tried again', async () => {
    const { clock, scheduler, started } = onVirtualTime(
      () => Promise.reject(new HoldfastError('DISK_FULL', 'x')),
      {
        reads: {
          turn: (id: number) => ({ id, sessionId: id, attempt: 2 }),
          steps: () => [{ attempt: 2, state: 'ambiguous' }],
        } as never,
      },
    );
    scheduler.enqueue(queuedRow(1, 1));
    scheduler.start();
    await clock.advance(0);
    await clock.advance(2_000);
    expect(started).toEqual([1, 1]);
  });

  it('S3-18 a run that could not be taken over stays lost, and no longer once its turn has ended', async () => {
    const row: { id: number; sessionId: number; attempt: number; endedAtMs?: number } = {
      id: 1,
      sessionId: 1,
      attempt: 2,
    };
    const { clock, scheduler } = onVirtualTime(undefined, {
      reads: { turn: () => row } as never,
      run: { takeOver: () => Promise.reject(new Error('no disk')) },
    });
    scheduler.enqueue(queuedRow(1, 1));
    scheduler.start();
    await clock.advance(10_000_000);
    expect(scheduler.lostRuns()).toBe(1);
    row.endedAtMs = 5;
    expect(scheduler.lostRuns()).toBe(0);
  });
});
