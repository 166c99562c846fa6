import { describe, expect, it } from 'vitest';
import { createCronDates } from '../../../electron/adapters/dates/cron-dates';
import { beatAtMs, planSetBack, timerDueMs } from '../../../electron/engine/schedule/plan-set-back';
import { nextSlot, type Rule } from '../../../electron/engine/schedule/rule';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const dates = createCronDates();
const at = (iso: string): number => Date.parse(iso);
const every = (everyMs: number, anchor: string): Rule => ({
  kind: 'interval',
  everyMs,
  anchorMs: at(anchor),
});
const daily: Rule = { kind: 'cron', cron: '0 9 * * *', zone: 'UTC' };

describe('what a clock that was set back makes of a task', () => {
  const now = '2027-06-01T08:30:00Z';
  const plan = (
    rule: Rule,
    over: {
      state?: 'active' | 'paused' | 'missed';
      schedule?: string;
      next?: string;
      /** What the clock showed when it was decided or set. */
      set?: string;
    } = {},
    decided: readonly string[] = [],
  ) =>
    planSetBack(
      {
        rule,
        state: over.state ?? 'active',
        schedule: over.schedule ?? '',
        nextRunAtMs: over.next === undefined ? undefined : at(over.next),
        lastSlotMs: undefined,
        updatedAtMs: at(over.set ?? '2030-01-01T00:00Z'),
      },
      { nowMs: at(now), dates, hasSlot: (slotMs) => decided.map(at).includes(slotMs) },
    );
  const next = (iso: string) => ({ kind: 'next', nextRunAtMs: at(iso) });
  const stays = { kind: 'stays' };

  it.each([
    ['daily at 9', daily, '2030-01-02T09:00Z', [], next('2027-06-01T09:00Z')],
    [
      'daily at 9, which ran today already',
      daily,
      '2030-01-02T09:00Z',
      ['2027-06-01T09:00Z'],
      next('2027-06-02T09:00Z'),
    ],
    ['daily at 9, untouched', daily, '2027-06-01T09:00Z', [], stays],
    [
      'every hour',
      every(HOUR, '2027-05-01T00:10Z'),
      '2030-01-01T00:10Z',
      [],
      next('2027-06-01T09:10Z'),
    ],
    [
      'every hour, made by the clock that was ahead',
      every(HOUR, '2030-01-01T00:10Z'),
      '2030-01-01T01:10Z',
      [],
      next('2027-06-01T09:10Z'),
    ],
  ] as const)('S0-35 S1-+05 %s with its next run %s', (_what, rule, stored, decided, expected) => {
    expect(plan(rule, { next: stored }, decided)).toEqual(expected);
  });

  const cron = (expression: string): Rule => ({ kind: 'cron', cron: expression, zone: 'UTC' });
  it.each([
    // The clock was at 10:30 and is at 08:30: 2 h, a correction to a time of the day.
    ['every 10m', every(600_000, '2027-06-01T00:00Z'), '2027-06-01T10:40Z', '2027-06-01T08:40Z'],
    ['*/10 * * * *', cron('*/10 * * * *'), '2027-06-01T10:40Z', '2027-06-01T08:40Z'],
    ['5-59/10 * * * *', cron('5-59/10 * * * *'), '2027-06-01T10:35Z', '2027-06-01T08:35Z'],
    ['20 * * * *', cron('20 * * * *'), '2027-06-01T11:20Z', '2027-06-01T09:20Z'],
    ['* 8-10 * * 1-5', cron('* 8-10 * * 1-5'), '2027-06-01T10:31Z', '2027-06-01T08:31Z'],
    ['*/20 * * * * *', cron('*/20 * * * * *'), '2027-06-01T10:30:20Z', '2027-06-01T08:30:20Z'],
    ['every 1h', every(HOUR, '2027-06-01T00:10Z'), '2027-06-01T11:10Z', '2027-06-01T09:10Z'],
    ['every 2h', every(2 * HOUR, '2027-06-01T00:10Z'), '2027-06-01T12:10Z', undefined],
    ['0 9 * * *', cron('0 9 * * *'), '2027-06-02T09:00Z', undefined],
    ['0 9,10 * * *', cron('0 9,10 * * *'), '2027-06-02T09:00Z', undefined],
    ['0 9-17 * * 1-5', cron('0 9-17 * * 1-5'), '2027-06-01T11:00Z', undefined],
  ] as const)(
    'S1-+05 S1-06 set back by 2 h, %s goes on at once where it says how often, and waits where it says when',
    (_what, rule, stored, goesOn) => {
      const given = { next: stored, set: '2027-06-01T10:30Z' };
      const expected = goesOn === undefined ? stays : next(goesOn);
      expect(plan(rule, given)).toEqual(expected);
      // Whatever of it has run already.
      expect(plan(rule, given, goesOn === undefined ? [] : [goesOn])).toEqual(expected);
    },
  );

  it('S1-+05 a correction of 3 s right after a run of every minute does not bring it again', () => {
    const minutes = cron('* * * * *');
    const justRan = { next: '2027-06-01T08:31Z', set: '2027-06-01T08:30:01Z' };
    const early = { nowMs: at('2027-06-01T08:29:58Z'), dates, hasSlot: () => true };
    expect(
      planSetBack(
        {
          rule: minutes,
          state: 'active',
          schedule: '',
          nextRunAtMs: at(justRan.next),
          lastSlotMs: at('2027-06-01T08:30Z'),
          updatedAtMs: at(justRan.set),
        },
        early,
      ),
    ).toEqual(stays);
  });

  it('S0-35 a paused one stays, and so does a one-shot whose date was meant', () => {
    const once: Rule = { kind: 'once', atMs: at('2030-01-01T00:30Z') };
    expect(plan(daily, { state: 'paused' })).toEqual(stays);
    expect(plan(once, { schedule: '2030-01-01T00:30Z', next: '2030-01-01T00:30Z' })).toEqual(stays);
  });

  it('S1-10 "in 30m" said while the clock was 2 years ahead is 30 minutes from now at the latest', () => {
    const once: Rule = { kind: 'once', atMs: at('2030-01-01T00:30Z') };
    expect(plan(once, { schedule: 'in 30m', next: '2030-01-01T00:30Z' })).toEqual({
      kind: 'once',
      atMs: at('2027-06-01T09:00Z'),
    });
    const hourAhead: Rule = { kind: 'once', atMs: at('2027-06-01T10:00Z') };
    expect(
      plan(hourAhead, { schedule: 'in 30m', set: '2027-06-01T09:30Z', next: '2027-06-01T10:00Z' }),
    ).toEqual({ kind: 'once', atMs: at('2027-06-01T09:00Z') });
  });

  it('S0-24 a one-shot that was missed only because the clock was ahead has its time again, as a slot of its own', () => {
    const once: Rule = { kind: 'once', atMs: at('2027-06-03T12:00Z') };
    expect(plan(once, { state: 'missed' }, ['2027-06-03T12:00Z'])).toEqual({
      kind: 'once',
      atMs: at('2027-06-03T12:00Z') + 1,
    });
    const past: Rule = { kind: 'once', atMs: at('2027-06-01T08:00Z') };
    expect(plan(past, { state: 'missed' })).toEqual(stays);
  });
});

describe('slots before the anchor of an interval', () => {
  it('S1-06 a clock corrected by 3 s right after creation keeps the first run an interval away; by 2 years it does not', () => {
    const rule = every(HOUR, '2027-06-01T10:00:00Z');
    expect(nextSlot(rule, at('2027-06-01T09:59:57Z'), dates)).toBe(at('2027-06-01T11:00:00Z'));
    expect(nextSlot(rule, at('2025-06-01T09:59:57Z'), dates)).toBe(at('2025-06-01T10:00:00Z'));
  });
});

describe('what a clock that was set back makes of timers and heartbeats', () => {
  const nowMs = at('2027-06-01T08:00:00Z');

  it('S1-14 a timer of 60 s waits 60 s at most, and is left alone where it waits less', () => {
    expect(timerDueMs({ dueAtMs: nowMs + 9 * HOUR, seconds: 60 }, nowMs)).toBe(nowMs + MINUTE);
    expect(timerDueMs({ dueAtMs: nowMs + 5_000, seconds: 60 }, nowMs)).toBe(nowMs + 5_000);
    expect(timerDueMs({ dueAtMs: nowMs - 5_000, seconds: 60 }, nowMs)).toBe(nowMs - 5_000);
  });

  it('S1-23 a heartbeat of 1 min ticks within a minute; one that a correction of 3 s moved does not tick twice', () => {
    const rule = every(MINUTE, '2027-06-01T00:00:10Z');
    expect(beatAtMs({ rule, nextAtMs: nowMs + 9 * HOUR + 10_000 }, nowMs, dates)).toBe(
      nowMs + 10_000,
    );
    const ticked = at('2027-06-01T08:00:10Z');
    expect(beatAtMs({ rule, nextAtMs: ticked + MINUTE }, ticked - 3_000, dates)).toBe(
      ticked + MINUTE,
    );
  });
});
