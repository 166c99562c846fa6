import { reasonText } from '../../../shared/reason';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planStarts, type QueuedTurn } from '../../../electron/engine/turns/plan-starts';
import { createLeaseTable } from '../../../electron/engine/turns/lease-table';
import { decideLease, wasAsleep } from '../../../electron/engine/turns/lease-rules';
import { planRequeue, requeueReason } from '../../../electron/engine/turns/plan-requeue';
import { nextLookMs } from '../../../electron/engine/wakes/wakes';
import type { ProviderFailure } from '../../../electron/ports/provider';

const failure = (extra: Partial<ProviderFailure> = {}): ProviderFailure => ({
  kind: 'server',
  message: 'The provider failed (500).',
  hint: 'Try again.',
  isRetryable: true,
  ...extra,
});
const policy = { delayMs: 2_000, maxDelayMs: 30_000, maxRequeues: 10 };
const plan = (streak: number, extra: Partial<Parameters<typeof planRequeue>[0]> = {}) =>
  planRequeue({ failure: failure(), streak, policy, random: 0.5, ...extra });

describe('S3-12 how long a failed wake waits', () => {
  it('S3-12 failure n waits 2, 4, 8, 16, 30, 30 s without jitter', () => {
    const delays = [0, 1, 2, 3, 4, 5].map((streak) => plan(streak));
    expect(delays.map((one) => (one.kind === 'requeue' ? one.delayMs : one))).toEqual([
      2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('S3-12 jitter stays within a tenth and never goes above the cap, for 500 random waits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (streak, random) => {
          const one = plan(streak, { random });
          if (one.kind !== 'requeue') throw new Error('parked');
          const plain = Math.min(2_000 * 2 ** streak, 30_000);
          expect(one.delayMs).toBeGreaterThanOrEqual(Math.floor(plain * 0.9));
          expect(one.delayMs).toBeLessThanOrEqual(Math.min(30_000, Math.ceil(plain * 1.1)));
        },
      ),
      { numRuns: 500 },
    );
    expect(plan(0, { random: 0 })).not.toEqual(plan(0, { random: 0.999 }));
  });

  it('S3-12 a longer wait that the provider asks for wins, a shorter one does not', () => {
    expect(plan(0, { failure: failure({ retryAfterMs: 3_600_000 }) })).toMatchObject({
      delayMs: 3_600_000,
    });
    expect(plan(4, { failure: failure({ retryAfterMs: 1_000 }) })).toMatchObject({
      delayMs: 30_000,
    });
  });

  it('S3-12 the 11th failure in a row is parked, and with 0 the 1st', () => {
    expect(plan(9)).toMatchObject({ kind: 'requeue', streak: 10 });
    const parked = (given: ReturnType<typeof plan>): string =>
      given.kind === 'park' ? reasonText(given.reason) : given.kind;
    expect(parked(plan(10))).toBe(
      'The provider failed (500). Try again. Tried 11 times in a row, so it is not retried automatically.',
    );
    expect(parked(plan(0, { policy: { ...policy, maxRequeues: 0 } }))).toBe(
      'The provider failed (500). Try again.',
    );
  });

  it.each([
    ['network', true, 'requeue'],
    ['timeout', true, 'requeue'],
    ['server', true, 'requeue'],
    ['rate_limited', true, 'requeue'],
    ['cut', true, 'requeue'],
    ['malformed', true, 'requeue'],
    ['malformed', false, 'park'],
    ['config', false, 'park'],
    ['quota', false, 'park'],
    ['quota', true, 'park'],
    ['config', true, 'park'],
    ['aborted', true, 'park'],
  ] as const)('S3-12 %s, retryable %s: %s', (kind, isRetryable, wanted) => {
    expect(plan(0, { failure: failure({ kind, isRetryable }) }).kind).toBe(wanted);
  });

  it('S3-15 the reason is one sentence of the error and one with the time', () => {
    const reason = reasonText(requeueReason('x'.repeat(1000), 'Fri Jan 02 03:04', 2));
    expect(reason).toMatch(/… Next retry at Fri Jan 02 03:04 \(try 3\)\.$/);
    expect(reason.length).toBeLessThan(500);
  });
});

describe('S3-18 when a lease is stale', () => {
  const lease = { renewMs: 60_000, staleMs: 600_000 };

  it.each([
    ['young', { renewedAtMs: 0, aliveUntilMs: 0 }, 30_000, { kind: 'keep', lookAtMs: 60_000 }],
    [
      'alive',
      { renewedAtMs: 0, aliveUntilMs: 50_000 },
      60_000,
      { kind: 'renew', lookAtMs: 120_000 },
    ],
    ['silent', { renewedAtMs: 0, aliveUntilMs: 0 }, 60_000, { kind: 'keep', lookAtMs: 120_000 }],
    [
      'nearly stale',
      { renewedAtMs: 0, aliveUntilMs: 0 },
      599_000,
      { kind: 'keep', lookAtMs: 600_000 },
    ],
    ['stale', { renewedAtMs: 0, aliveUntilMs: 0 }, 600_000, { kind: 'stale', silentMs: 600_000 }],
    [
      'a tool within its hour',
      { renewedAtMs: 0, aliveUntilMs: 3_600_000 },
      1_200_000,
      { kind: 'renew', lookAtMs: 1_260_000 },
    ],
    [
      'a tool above its hour',
      { renewedAtMs: 3_600_000, aliveUntilMs: 3_600_000 },
      4_200_000,
      { kind: 'stale', silentMs: 600_000 },
    ],
  ] as const)('S3-24 %s', (_name, signs, nowMs, verdict) => {
    expect(decideLease(signs, lease, nowMs)).toEqual(verdict);
  });

  it('S3-25 a silent lease is looked at again at last when it goes stale, for 300 random histories', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 5_000 }),
        fc.integer({ min: 50, max: 5_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        (renewMs, staleMs, aliveUntilMs) => {
          let nowMs = 0;
          const signs = { renewedAtMs: 0, aliveUntilMs };
          for (let looks = 0; looks < 30_000; looks += 1) {
            const verdict = decideLease(signs, { renewMs, staleMs }, nowMs);
            if (verdict.kind === 'stale') {
              expect(nowMs).toBe(aliveUntilMs + staleMs);
              return;
            }
            expect(verdict.lookAtMs).toBeGreaterThan(nowMs);
            if (verdict.kind === 'renew') signs.renewedAtMs = nowMs;
            nowMs = verdict.lookAtMs;
          }
          throw new Error('never stale');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('S3-18 a watchdog that comes minutes late blames nobody: the process stood still', () => {
    expect(wasAsleep(60_000, 61_000, lease)).toBe(false);
    expect(wasAsleep(60_000, 360_000, lease)).toBe(false);
    expect(wasAsleep(60_000, 700_000, lease)).toBe(true);
  });
});

describe('S3-24 the book of leases', () => {
  let nowMs = 0;
  let ids = 0;
  const book = () =>
    createLeaseTable({
      monotonicMs: () => nowMs,
      newId: () => `claim-${String((ids += 1))}`,
      instance: 'here',
      isFenced: () => false,
      policy: () => ({ renewMs: 10, staleMs: 100 }),
    });
  const work = { sessionId: 1, turnId: 7, attempt: 1, worker: 'w1' };

  it('S3-24 two workers want one session: one leases, the other is told who has it', () => {
    const leases = book();
    const one = leases.take(work);
    const two = leases.take({ ...work, turnId: 8, worker: 'w2' });
    if (one.kind !== 'leased') throw new Error('not leased');
    expect(two).toEqual({ kind: 'contended', owner: one.lease.owner });
    expect(leases.take({ ...work, sessionId: 2, worker: 'w2' }).kind).toBe('leased');
    leases.release(one.lease);
    const again = leases.take(work);
    if (again.kind !== 'leased') throw new Error('not leased');
    expect(again.lease.owner).not.toBe(one.lease.owner);
    expect(again.lease.claimId).not.toBe(one.lease.claimId);
  });

  it('S3-19 a revoked lease cannot be renewed, released or used by its loser', () => {
    const leases = book();
    const lost = leases.take(work);
    if (lost.kind !== 'leased') throw new Error('not leased');
    leases.revoke(lost.lease);
    const taker = leases.take({ ...work, attempt: 2 });
    if (taker.kind !== 'leased') throw new Error('not leased');
    lost.lease.alive(1_000_000);
    leases.release(lost.lease);
    expect(lost.lease.isHeld()).toBe(false);
    expect(() => lost.lease.assertHeld()).toThrow(
      expect.objectContaining({ code: 'LEASE_LOST' }) as Error,
    );
    expect(taker.lease.isHeld()).toBe(true);
    nowMs += 100;
    expect(leases.look(nowMs).stale.map((one) => one.lease)).toEqual([taker.lease]);
  });

  it('S3-05 what is at work without a limit holds it for days, until it has let go twice or once', () => {
    const leases = book();
    const taken = leases.take(work);
    if (taken.kind !== 'leased') throw new Error('not leased');
    const [first, second] = [taken.lease.atWork(), taken.lease.atWork()];
    nowMs += 1_000_000;
    expect(leases.look(nowMs).stale).toEqual([]);
    first();
    first();
    nowMs += 1_000;
    expect(leases.look(nowMs).stale).toEqual([]);
    second();
    nowMs += 99;
    expect(leases.look(nowMs).stale).toEqual([]);
    nowMs += 1;
    expect(leases.look(nowMs).stale).toHaveLength(1);
  });

  it('S3-24 signs of life renew it: streamed text, step boundaries, a tool within its time', () => {
    nowMs = 0;
    const leases = book();
    const taken = leases.take(work);
    if (taken.kind !== 'leased') throw new Error('not leased');
    for (let look = 0; look < 30; look += 1) {
      nowMs += 50;
      taken.lease.alive();
      expect(leases.look(nowMs).stale).toEqual([]);
    }
    expect(leases.ofSession(1)?.renewedAtMs).toBe(nowMs);
    taken.lease.alive(5_000);
    nowMs += 4_999;
    expect(leases.look(nowMs).stale).toEqual([]);
    nowMs += 101;
    expect(leases.look(nowMs).stale).toHaveLength(1);
  });
});

describe('S3-23 the order of activations', () => {
  const turn = (turnId: number, extra: Partial<QueuedTurn> = {}): QueuedTurn => ({
    turnId,
    sessionId: turnId,
    notBeforeMs: 0,
    hasBegun: false,
    ...extra,
  });
  const starts = (queued: readonly QueuedTurn[]): number[] =>
    planStarts({
      queued,
      busySessions: new Set(),
      isOneAlone: false,
      running: 0,
      cap: 100,
      isPaused: false,
      nowMs: 1_000,
      admits: () => true,
      rankOf: () => undefined,
    }).map((one) => one.turnId);

  it('S3-23 priority, then kind, then due time, then number', () => {
    expect(
      starts([
        turn(1, { source: 'queued_wake', priority: 'low' }),
        turn(2, { source: 'queued_wake', notBeforeMs: 900 }),
        turn(3, { source: 'queued_wake', notBeforeMs: 800 }),
        turn(4),
        turn(5),
        turn(6, { source: 'queued_wake', priority: 'high' }),
      ]),
    ).toEqual([6, 4, 5, 3, 2, 1]);
  });

  it('S3-12 a turn that waits for its next try is not overtaken by a later message of its session', () => {
    expect(starts([turn(2, { sessionId: 1 }), turn(1, { notBeforeMs: 5_000 })])).toEqual([]);
  });
});

describe('S3-+03 the timer of wakes', () => {
  it('S3-+03 sleeps to the due instant, never longer than 10 s, so that a clock that was set is seen', () => {
    expect(nextLookMs(5_000, 1_000)).toBe(4_000);
    expect(nextLookMs(500_000, 1_000)).toBe(10_000);
    expect(nextLookMs(1_000, 5_000)).toBe(0);
  });
});
