import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AwakeFacts,
  type AwakePlan,
  DUE_SOON_MS,
  LINGER_MS,
  planAwake,
} from '../../../electron/engine/awake/plan-awake';
import { turnsAtWork } from '../../../electron/engine/awake/turns-at-work';
import type { StepRow, TurnRow } from '../../../electron/ports/journal/rows';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const facts = (over: Partial<AwakeFacts> = {}): AwakeFacts => ({
  nowMs: NOW,
  mode: 'plugged_in',
  turnsAtWork: 1,
  nextDueAtMs: undefined,
  power: { kind: 'plugged_in', hasBattery: true },
  batteryFloorPercent: 30,
  maxAwakeMs: 8 * HOUR,
  heldSinceMs: undefined,
  lastCauseAtMs: NOW,
  letGo: undefined,
  ...over,
});

const short = (plan: AwakePlan): string =>
  plan.kind === 'rest' ? 'rest' : `${plan.kind} ${plan.cause}`;

describe('whether the computer has to stay awake', () => {
  it.each<[string, Partial<AwakeFacts>]>([
    ['hold turns', {}],
    ['hold turns', { turnsAtWork: 3, mode: 'always' }],
    ['rest', { turnsAtWork: 0, lastCauseAtMs: undefined }],
    ['hold due', { turnsAtWork: 0, nextDueAtMs: NOW + DUE_SOON_MS }],
    ['rest', { turnsAtWork: 0, nextDueAtMs: NOW + DUE_SOON_MS + 1 }],
    ['hold due', { turnsAtWork: 0, nextDueAtMs: NOW - 1 }],
    ['rest', { turnsAtWork: 0, nextDueAtMs: NOW - DUE_SOON_MS - 1 }],
    ['sleep off', { mode: 'off' }],
    ['sleep on_battery', { power: { kind: 'battery', percent: 90 } }],
    ['hold turns', { mode: 'always', power: { kind: 'battery', percent: 31 } }],
    ['sleep battery_low', { mode: 'always', power: { kind: 'battery', percent: 30 } }],
    ['hold turns', { mode: 'always', power: { kind: 'battery', percent: undefined } }],
    ['hold turns', { power: { kind: 'plugged_in', hasBattery: false } }],
    ['hold turns', { power: { kind: 'unknown' } }],
    ['hold turns', { heldSinceMs: NOW - 8 * HOUR + 1 }],
    ['sleep ceiling', { heldSinceMs: NOW - 8 * HOUR }],
    ['sleep ceiling', { letGo: 'ceiling' }],
    ['sleep let_go', { letGo: 'let_go' }],
  ])('KA-01 KA-03 it is "%s" of %o', (expected, over) => {
    expect(short(planAwake(facts(over)))).toBe(expected);
  });

  it('KA-02 the hold of a turn that has ended is kept for 10 s, so that the next one finds it', () => {
    const ended = { turnsAtWork: 0, heldSinceMs: NOW - MINUTE };
    const plan = planAwake(facts({ ...ended, lastCauseAtMs: NOW - LINGER_MS + 1 }));
    expect(plan).toEqual({ kind: 'hold', cause: 'turns', lookAtMs: NOW + 1 });
    expect(short(planAwake(facts({ ...ended, lastCauseAtMs: NOW - LINGER_MS })))).toBe('rest');
    expect(short(planAwake(facts({ ...ended, heldSinceMs: undefined })))).toBe('rest');
  });

  it('KA-05 "let it sleep" lasts over the turns that follow within 10 s, and no longer', () => {
    const gap = { turnsAtWork: 0, letGo: 'let_go' as const };
    expect(short(planAwake(facts({ ...gap, lastCauseAtMs: NOW - 1 })))).toBe('sleep let_go');
    expect(short(planAwake(facts({ ...gap, lastCauseAtMs: NOW - LINGER_MS })))).toBe('rest');
  });

  it('KA-01 looks again 5 min before the next task, each minute while a battery decides, and at the ceiling', () => {
    const look = (over: Partial<AwakeFacts>): number | undefined => {
      const { lookAtMs } = planAwake(facts(over));
      return lookAtMs === undefined ? undefined : lookAtMs - NOW;
    };
    const none = { turnsAtWork: 0, lastCauseAtMs: undefined };
    expect(look({ ...none, nextDueAtMs: NOW + HOUR })).toBe(HOUR - DUE_SOON_MS);
    expect(look(none)).toBeUndefined();
    expect(look({ mode: 'off', nextDueAtMs: NOW + HOUR })).toBeUndefined();
    expect(look({})).toBe(MINUTE);
    expect(look({ power: { kind: 'plugged_in', hasBattery: false } })).toBe(8 * HOUR);
    expect(look({ power: { kind: 'battery', percent: 90 } })).toBe(MINUTE);
  });

  it('KA-01 KA-03 never holds without work, without the setting, or below the floor; and never asks to look in the past', () => {
    const time = fc.option(fc.integer({ min: NOW - 9 * HOUR, max: NOW }), { nil: undefined });
    const arbitrary = fc.record({
      nowMs: fc.constant(NOW),
      mode: fc.constantFrom('off', 'plugged_in', 'always'),
      turnsAtWork: fc.nat(3),
      nextDueAtMs: fc.option(fc.integer({ min: NOW - HOUR, max: NOW + HOUR }), { nil: undefined }),
      power: fc.oneof(
        fc.record({ kind: fc.constant('plugged_in' as const), hasBattery: fc.boolean() }),
        fc.record({
          kind: fc.constant('battery' as const),
          percent: fc.option(fc.nat(100), { nil: undefined }),
        }),
      ),
      batteryFloorPercent: fc.nat(100),
      maxAwakeMs: fc.integer({ min: 1, max: 24 * HOUR }),
      heldSinceMs: time,
      lastCauseAtMs: time,
      letGo: fc.constantFrom(undefined, 'let_go' as const, 'ceiling' as const),
    }) as fc.Arbitrary<AwakeFacts>;
    fc.assert(
      fc.property(arbitrary, (given) => {
        const plan = planAwake(given);
        expect(plan.lookAtMs ?? NOW + 1).toBeGreaterThan(NOW - 1);
        if (plan.kind !== 'hold') return;
        expect(given.mode).not.toBe('off');
        expect(given.letGo).toBeUndefined();
        if (given.power.kind === 'battery') {
          expect(given.mode).toBe('always');
          expect(given.power.percent ?? 101).toBeGreaterThan(given.batteryFloorPercent);
        }
        const hasWork =
          given.turnsAtWork > 0 ||
          (given.nextDueAtMs !== undefined && Math.abs(given.nextDueAtMs - NOW) <= DUE_SOON_MS);
        if (!hasWork) expect(NOW - (given.lastCauseAtMs ?? 0)).toBeLessThan(LINGER_MS);
      }),
    );
  });
});

describe('turns that keep the computer awake', () => {
  const world = (turn: Partial<TurnRow>, step?: Partial<StepRow>, dueAtMs?: number) => ({
    turn: () => turn as TurnRow,
    newestStep: () => step as StepRow | undefined,
    callTries: () => (dueAtMs === undefined ? [] : ([{ dueAtMs }] as never)),
  });
  it.each([
    [1, 'is being started', world({ state: 'queued' })],
    [1, 'runs its first step', world({ state: 'running' })],
    [1, 'runs a step', world({ state: 'running' }, { step: 4, state: 'started' })],
    [0, 'waits for a person', world({ state: 'requires_action' })],
    [0, 'waits for its provider', world({ state: 'waiting' })],
    [
      0,
      'waits for its next try',
      world({ state: 'running' }, { step: 4, state: 'started' }, NOW + 1),
    ],
    [1, 'is at its next try', world({ state: 'running' }, { step: 4, state: 'started' }, NOW)],
  ])('KA-01 counts %i for one that %s', (expected, _what, reads) => {
    expect(turnsAtWork(reads, [7], NOW)).toBe(expected);
  });
});
