import { describe, expect, it } from 'vitest';
import { createCronDates } from '../../../electron/adapters/dates/cron-dates';
import {
  FORECAST_RUNS,
  forecastOf,
  monthlySlots,
  pastRuns,
  type PastRun,
} from '../../../electron/engine/schedule/forecast';
import type { TurnRow } from '../../../electron/ports/journal/rows';
import type { SlotRow } from '../../../electron/ports/journal/schedule';
import { forecastText } from '../../../renderer/schedule/schedule-view';

const NOW_MS = Date.UTC(2026, 10, 26, 14, 31);
const DAY_MS = 86_400_000;
const dates = createCronDates();
const run = (costUsd: number | undefined, daysAgo = 1, tokens = 1000): PastRun => ({
  atMs: NOW_MS - daysAgo * DAY_MS,
  tokens,
  ...(costUsd === undefined ? {} : { costUsd }),
});

describe('how often a task comes in 30 days', () => {
  it.each([
    ['every 30 min', { kind: 'interval', everyMs: 1_800_000, anchorMs: 0 }, 1440],
    ['every 45 days', { kind: 'interval', everyMs: 45 * DAY_MS, anchorMs: 0 }, 2 / 3],
    ['daily at 9', { kind: 'cron', cron: '0 9 * * *', zone: 'Europe/Berlin' }, 30],
    ['weekdays at 9', { kind: 'cron', cron: '0 9 * * 1-5', zone: 'Europe/Berlin' }, 21],
    ['the first of a month', { kind: 'cron', cron: '0 0 1 * *', zone: 'UTC' }, 1],
    ['every minute', { kind: 'cron', cron: '* * * * *', zone: 'UTC' }, 43_200],
  ] as const)('BU-05 %s: %o', (_words, rule, slots) => {
    const rate = monthlySlots(rule, NOW_MS, dates);
    // A rate that is read from the next dates may be off by the part of a minute that has begun.
    expect(Math.abs((rate ?? NaN) - slots) / slots).toBeLessThan(0.01);
  });

  it('BU-05 an event and a single run have no rate of their own', () => {
    expect(monthlySlots({ kind: 'once', atMs: NOW_MS }, NOW_MS, dates)).toBeUndefined();
    const trigger = { kind: 'file', path: '/x' } as never;
    expect(monthlySlots({ kind: 'event', trigger, debounceMs: 0 }, NOW_MS, dates)).toBeUndefined();
  });
});

describe('what a task costs in a month', () => {
  it.each([
    [
      'the mean of its runs, as often as it comes',
      'cron',
      30,
      [run(0.1), run(0.3)],
      6,
      'about $6.00 a month',
    ],
    ['less than a cent', 'cron', 1, [run(0.001)], 0.001, 'about under $0.01 a month'],
    [
      'nothing where the check finds nothing to do',
      'cron',
      30,
      [run(0.2), run(0, 2, 0)],
      3,
      'about $3.00 a month',
    ],
    [
      'at least, if a run has no price',
      'cron',
      30,
      [run(0.2), run(undefined)],
      3,
      'at least $3.00 a month',
    ],
    [
      'tokens, if no run has one',
      'interval',
      60,
      [run(undefined), run(undefined)],
      undefined,
      'about 60K tokens a month',
    ],
    [
      'tokens, if only checks cost nothing',
      'cron',
      30,
      [run(undefined), run(0, 2, 0)],
      undefined,
      'about 15K tokens a month',
    ],
    [
      'as often as its events came',
      'event',
      undefined,
      [run(1, 1), run(1, 2), run(1, 10)],
      9,
      'about $9.00 a month',
    ],
  ] as const)('BU-05 %s', (_words, kind, slots, runs, usd, words) => {
    const said = forecastOf({ kind, slots }, runs, NOW_MS);
    if (said === undefined) throw new Error('no forecast');
    if (usd === undefined) expect(said.usdPerMonth).toBeUndefined();
    else expect(said.usdPerMonth).toBeCloseTo(usd, 10);
    expect(said.fromRuns).toBe(runs.length);
    expect(forecastText(said)).toBe(words);
  });

  it.each([
    ['a task that runs once', 'once', undefined, [run(1)]],
    ['a task that never ran', 'cron', 30, []],
    ['events of less than a day', 'event', undefined, [run(1, 0.2), run(1, 0.5)]],
  ] as const)('BU-05 says nothing of %s', (_words, kind, slots, runs) => {
    expect(forecastOf({ kind, slots }, runs, NOW_MS)).toBeUndefined();
  });
});

it('BU-05 is made from the last 10 runs that are over; missed, skipped and running ones say nothing', () => {
  const slot = (given: Partial<SlotRow>): SlotRow =>
    ({
      taskId: 1,
      slotMs: 0,
      atMs: NOW_MS,
      why: 'on_time',
      lateMs: 0,
      missed: 1,
      ...given,
    }) as SlotRow;
  const turn = (endedAtMs: number | undefined): TurnRow =>
    ({ endedAtMs, usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 } }) as TurnRow;
  const turns = new Map([
    [1, turn(NOW_MS)],
    [2, turn(undefined)],
  ]);
  const read = (id: number): TurnRow | undefined => turns.get(id);
  expect(
    pastRuns(
      [
        slot({ turnId: 1 }),
        slot({ turnId: 2 }),
        slot({ turnId: 3 }),
        slot({ why: 'window' }),
        slot({ why: 'overlap' }),
        slot({ why: 'unchanged' }),
      ],
      read,
    ),
  ).toEqual([
    { atMs: NOW_MS, tokens: 7, costUsd: 0.5 },
    { atMs: NOW_MS, tokens: 0, costUsd: 0 },
  ]);
  const many = Array.from({ length: 30 }, () => slot({ turnId: 1 }));
  expect(pastRuns(many, read)).toHaveLength(FORECAST_RUNS);
});
