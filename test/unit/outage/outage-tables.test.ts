import { describe, expect, it } from 'vitest';
import {
  causeOf,
  planMove,
  planWait,
  slotsOf,
} from '../../../electron/engine/outage/waiting-turns';
import {
  isUntroubled,
  limitWaitMs,
  newRecord,
  onRetryAt,
  onRetryAtPassed,
  onCallOutcome,
  onTurnTrial,
  quietMs,
  type OutageFacts,
} from '../../../electron/engine/outage/plan-outage';
import { nextProbe } from '../../../electron/engine/outage/plan-probe';
import type { ProviderRecord } from '../../../electron/ports/journal/outage';
import { CLOSED, halfOpen, openUntil } from './breaker-views';

const down: ProviderRecord = {
  ...newRecord('p'),
  failedTurns: 3,
  lastTryAtMs: 1_000,
  probeAnchorMs: 1_000,
  standing: { kind: 'down', outageId: 1, sinceMs: 1_000 },
};
const at = (record: ProviderRecord, breaker = CLOSED, intervalMs = 3_600_000, isEarly = true) =>
  nextProbe({ record, breaker, policy: { intervalMs, isEarly }, hasCanary: true, nowMs: 1_000 });

describe('the rhythms of probes', () => {
  it('X-02 asks early after 10, 20, 40, 80, 120, 120 s while the breaker is closed', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((tries) => (at({ ...down, tries })?.atMs ?? 0) - 1_000);
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
  });

  it('X-02 keeps the interval of 2 s alone, whatever the breaker would wait', () => {
    expect(at(down, openUntil(1_500), 2_000)).toEqual({ atMs: 3_000, why: 'interval' });
    expect(at(down, CLOSED, 3_600_000, false)).toEqual({ atMs: 3_601_000, why: 'interval' });
  });

  it('S2-07 tries an open breaker without traffic when its wait is over, outage or not', () => {
    expect(at(newRecord('p'), openUntil(11_000))).toEqual({ atMs: 11_000, why: 'trial' });
    expect(at(newRecord('p'))).toBeUndefined();
  });
});

describe('a limit without a time', () => {
  const policy = { limitFirstMs: 300_000, limitMaxMs: 3_600_000 };
  const facts = {
    threshold: 3,
    waiting: 1,
    isBreakerClosed: true,
    newOutageId: () => 7,
  };
  const limited = (record: ProviderRecord, nowMs: number): ProviderRecord =>
    onRetryAt(
      record,
      {
        cause: 'quota',
        untilMs: nowMs + limitWaitMs(record, policy),
        error: 'used up',
        isUnnamed: true,
      },
      { ...facts, nowMs },
    ).record;
  const untilOf = ({ standing }: ProviderRecord): number =>
    standing.kind === 'quota' ? standing.untilMs : NaN;

  it('LM-04 is asked again after 5, 10, 20, 40, 60, 60 min, in a row', () => {
    let record = newRecord('p');
    let nowMs = 0;
    const waits = [1, 2, 3, 4, 5, 6].map(() => {
      record = limited(record, nowMs);
      const waitMs = untilOf(record) - 1_000 - nowMs;
      nowMs = untilOf(record);
      record = onRetryAtPassed(record, { ...facts, nowMs }).record;
      expect(record.standing).toMatchObject({ kind: 'draining', ramp: 1 });
      return waitMs / 60_000;
    });
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
    expect(limitWaitMs(record, { limitFirstMs: 5, limitMaxMs: 1 })).toBe(5);
  });

  it('LM-04 several calls that were out when it began are one limit, and nothing is put off', () => {
    const first = limited(newRecord('p'), 0);
    expect(limited(first, 60_000)).toBe(first);
  });

  it('LM-04 an answer to a turn or a client begins the waits anew, one to a light request does not', () => {
    const over = onRetryAtPassed(limited(newRecord('p'), 0), {
      ...facts,
      nowMs: 301_000,
      waiting: 0,
    }).record;
    expect(over).toMatchObject({ standing: { kind: 'answering' }, unnamedLimits: 1 });
    expect(isUntroubled(over)).toBe(false);
    const after = (source: 'turn' | 'gateway' | 'probe' | 'trial'): ProviderRecord =>
      onCallOutcome(over, { kind: 'success', source }, { ...facts, waiting: 0, nowMs: 301_000 })
        .record;
    for (const source of ['turn', 'gateway'] as const)
      expect([after(source).unnamedLimits, isUntroubled(after(source))]).toEqual([undefined, true]);
    for (const source of ['probe', 'trial'] as const) expect(after(source).unnamedLimits).toBe(1);
  });

  it('LM-04 a time that is named later takes its place', () => {
    const named = { cause: 'quota', untilMs: 900_000, error: 'until then' } as const;
    const { record } = onRetryAt(limited(newRecord('p'), 0), named, { ...facts, nowMs: 1 });
    expect(record.standing).toEqual({
      kind: 'quota',
      cause: 'quota',
      untilMs: 901_000,
      sinceMs: 1,
    });
    expect(record.unnamedLimits).toBeUndefined();
  });
});

describe('a provider that asks for quiet', () => {
  const facts: OutageFacts = {
    nowMs: 2_000,
    threshold: 3,
    waiting: 1,
    isBreakerClosed: true,
    newOutageId: () => 7,
  };
  const told = { cause: 'retry_after', untilMs: 5_000, error: 'slow down' } as const;
  const quiet = onRetryAt({ ...newRecord('p'), failedTurns: 1 }, told, facts).record;
  const ends = (kind: 'success' | 'failure', source: 'turn' | 'probe', nowMs: number) =>
    onCallOutcome(quiet, { kind, source }, { ...facts, nowMs }).record;

  it('S0-+07 is left alone for 3 s and 1 s more, which the call that was told does not wait', () => {
    expect(quiet.standing).toMatchObject({ kind: 'quota', untilMs: 6_000 });
    expect([quietMs(quiet, 2_000), quietMs(quiet, 5_500)]).toEqual([3_000, 0]);
    expect(quietMs(newRecord('p'), 2_000)).toBe(0);
    expect(ends('success', 'turn', 4_000).standing.kind).toBe('quota');
    expect(ends('success', 'probe', 5_000).standing.kind).toBe('quota');
    expect(ends('success', 'turn', 5_000).standing).toMatchObject({ kind: 'draining', ramp: 1 });
  });

  it('S0-14 counts a turn that fails all the same, 1 each, and the third declares an outage', () => {
    const second = ends('failure', 'turn', 5_000);
    expect(second).toMatchObject({ failedTurns: 2, standing: { kind: 'quota' } });
    const over = onRetryAtPassed(second, facts).record;
    expect(over).toMatchObject({ failedTurns: 2, standing: { kind: 'draining' } });
    for (const before of [second, over])
      expect(
        onCallOutcome(before, { kind: 'failure', source: 'turn' }, facts).record,
      ).toMatchObject({
        failedTurns: 3,
        standing: { kind: 'down', outageId: 7 },
      });
  });
});

describe('an agent that nobody but its turns can ask', () => {
  const facts: OutageFacts = {
    nowMs: 5_000,
    threshold: 3,
    waiting: 2,
    isBreakerClosed: true,
    newOutageId: () => 2,
  };
  const good = (record: ProviderRecord, waiting = 2) =>
    onCallOutcome(record, { kind: 'success', source: 'turn' }, { ...facts, waiting });
  const phases = (change: ReturnType<typeof good>) =>
    change.steps.flatMap((step) => (step.kind === 'recovering' ? [step.phase] : [step.kind]));
  const trial = onTurnTrial(down, { nowMs: 5_000, isInterval: false });

  it('R3 X-03 is over after two finished turns, not one: the first looks, the second is the canary, then 1, 2, 4', () => {
    expect([phases(trial), slotsOf(trial.record, CLOSED)]).toEqual([['trial'], 1]);
    const first = good(trial.record);
    expect([phases(first), slotsOf(first.record, CLOSED)]).toEqual([['contact', 'canary'], 1]);
    expect(first.record.standing).toEqual({ kind: 'recovering', outageId: 1, sinceMs: 1_000 });
    const second = good(first.record, 1);
    expect([phases(second), slotsOf(second.record, CLOSED)]).toEqual([['drain'], 1]);
    expect(slotsOf(good(second.record).record, CLOSED)).toBe(2);
  });

  it('R3 X-03 a second turn that fails puts it back into the same outage, declared once', () => {
    const first = good(trial.record);
    const failed = onCallOutcome(first.record, { kind: 'failure', source: 'turn' }, facts);
    expect(phases(failed)).toEqual(['contact', 'back']);
    expect(failed.record.standing).toEqual({ kind: 'down', outageId: 1, sinceMs: 1_000 });
    expect(slotsOf(failed.record, CLOSED)).toBe(0);
  });

  it('R3 with nobody behind the turn that looked there is nothing to hold back: the outage is over', () => {
    const first = good(trial.record, 0);
    expect(first.record.standing).toEqual({ kind: 'answering' });
    expect(phases(first)).toEqual(['resolved']);
  });
});

describe('who may go', () => {
  it('X-01 X-03 nobody while down or open, 1 as canary, then 1, 2, 4', () => {
    expect(slotsOf(down, CLOSED)).toBe(0);
    expect(slotsOf(newRecord('p'), openUntil(2_000))).toBe(0);
    expect(slotsOf(newRecord('p'), halfOpen(1))).toBe(1);
    expect(causeOf(newRecord('p'), openUntil(2_000))).toEqual({ cause: 'breaker' });
    for (const ramp of [1, 2, 4] as const)
      expect(slotsOf({ ...down, standing: { kind: 'draining', ramp } }, CLOSED)).toBe(ramp);
  });

  it('S0-20 a turn is moved before another or to the end; what does not wait is refused', () => {
    const queue = [1, 2, 3].map((turnId) => ({ turnId, rank: turnId }));
    expect(planMove(queue, 3, 1)).toEqual([{ turnId: 3, rank: 0 }]);
    expect(planMove(queue, 1, 3)).toEqual([{ turnId: 1, rank: 2.5 }]);
    expect(planMove(queue, 1, undefined)).toEqual([{ turnId: 1, rank: 4 }]);
    expect(planMove(queue, 9, 1)).toBeUndefined();
  });

  it.each<[string, number[], number, number | undefined, number[] | undefined]>([
    ['an absent turn', [1, 2], 9, 1, undefined],
    ['an absent turn to the end', [1, 2], 9, undefined, undefined],
    ['before an absent one', [1, 2], 1, 9, undefined],
    ['in an empty queue', [], 1, undefined, undefined],
    ['the only one', [1], 1, undefined, [1]],
    ['before itself', [1, 2], 2, 2, [1, 2]],
    ['the last to the end', [1, 2, 3], 3, undefined, [1, 2, 3]],
    ['where it stands already', [1, 2, 3], 1, 2, [1, 2, 3]],
  ])('S0-20 moves %s', (_name, turns, turnId, before, order) => {
    const queue = turns.map((one) => ({ turnId: one, rank: one }));
    const moved = planMove(queue, turnId, before);
    const ranks = new Map([...queue, ...(moved ?? [])].map((one) => [one.turnId, one.rank]));
    const after = [...ranks].toSorted(([, a], [, b]) => a - b).map(([one]) => one);
    expect(moved === undefined ? undefined : after).toEqual(order);
  });

  it('S0-20 keeps its order through 200 moves to one place, where ranks come too close to tell apart', () => {
    let queue = [1, 2, 3].map((turnId) => ({ turnId, rank: turnId }));
    for (let count = 0; count < 200; count += 1) {
      const [first, second, third] = queue.map((one) => one.turnId) as [number, number, number];
      const moved = planMove(queue, third, second) ?? [];
      queue = queue
        .map((one) => moved.find(({ turnId }) => turnId === one.turnId) ?? one)
        .toSorted((a, b) => a.rank - b.rank);
      expect(queue.map((one) => one.turnId)).toEqual([first, third, second]);
    }
  });

  it('S0-+07 waits until the named time, is put to a person after 24 h, or where waiting is off', () => {
    const facts = {
      cause: 'quota' as const,
      untilMs: 3_600_000,
      sinceMs: 0,
      nowMs: 0,
      isAllowed: true,
      isQuotaAllowed: true,
      maxWaitMs: 86_400_000,
      isAnswered: false,
    };
    expect(planWait(facts)).toEqual({ kind: 'wait' });
    expect(planWait({ ...facts, untilMs: 86_400_001 })).toEqual({
      kind: 'park',
      reason: 'too_long',
    });
    expect(planWait({ ...facts, isQuotaAllowed: false })).toEqual({ kind: 'park', reason: 'off' });
    expect(planWait({ ...facts, isAllowed: false, isAnswered: true })).toEqual({ kind: 'go' });
  });
});
