import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCronDates } from '../../../electron/adapters/dates/cron-dates';
import { parseSchedule } from '../../../shared/schedule/grammar';
import { bindRule, nextSlots, newestSlot, type Rule } from '../../../electron/engine/schedule/rule';

interface Case {
  readonly id: string;
  readonly tag: string;
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly expected: readonly string[];
  readonly expected_prev?: string;
}
const { cases } = JSON.parse(fs.readFileSync('test/cases/cron-next-cases.json', 'utf8')) as {
  readonly cases: readonly Case[];
};
const dates = createCronDates();
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

function ruleOf(input: string, zone: string, nowMs: number): Rule {
  const parsed = parseSchedule(input);
  if (!parsed.ok) throw new Error(parsed.error);
  const rule = bindRule(parsed, { input, nowMs, zone, dates });
  if ('ok' in rule) throw new Error(rule.error);
  return rule;
}

describe('dates of cron expressions', () => {
  it.each(cases.map((one) => [`${one.id} ${one.tag}`, one] as const))(
    'S1-09 S0-35 case %s: the next three runs and the one before',
    (_name, { expr, tz, from, expected, expected_prev: before }) => {
      const fromMs = Date.parse(from);
      const rule = ruleOf(expr, tz, fromMs);
      expect(nextSlots(rule, fromMs, 3, dates).map(iso)).toEqual(expected);
      if (before !== undefined) {
        expect(iso(newestSlot(rule, 0, fromMs - 1, dates))).toBe(before);
      }
    },
  );

  it('S1-08 daily keeps its time of day over both changes of the clocks', () => {
    const from = Date.parse('2027-03-26T08:15:30Z');
    const rule = ruleOf('daily', 'Europe/Berlin', from);
    expect(nextSlots(rule, from, 3, dates).map(iso)).toEqual([
      '2027-03-27T08:15:30Z',
      '2027-03-28T07:15:30Z',
      '2027-03-29T07:15:30Z',
    ]);
    const autumn = Date.parse('2027-10-30T07:15:30Z');
    expect(nextSlots(rule, autumn, 2, dates).map(iso)).toEqual([
      '2027-10-31T08:15:30Z',
      '2027-11-01T08:15:30Z',
    ]);
  });

  it('S1-06 an interval of 7 minutes keeps its anchor and never restarts at the full hour', () => {
    const from = Date.parse('2027-03-28T00:00:00Z');
    const rule = ruleOf('every 7m', 'Europe/Berlin', from);
    const slots = nextSlots(rule, from, 20, dates);
    expect(slots[0]).toBe(from + 420_000);
    expect(new Set(slots.slice(1).map((slot, at) => slot - (slots[at] ?? 0)))).toEqual(
      new Set([420_000]),
    );
  });

  it('S1-10 a date without an offset is one of the zone of the task, in a gap the first instant after it', () => {
    const nowMs = Date.parse('2027-01-01T00:00:00Z');
    expect(ruleOf('2027-06-01T09:00', 'Europe/Berlin', nowMs)).toEqual({
      kind: 'once',
      atMs: Date.parse('2027-06-01T07:00:00Z'),
    });
    expect(ruleOf('2027-03-28T02:30', 'Europe/Berlin', nowMs)).toEqual({
      kind: 'once',
      atMs: Date.parse('2027-03-28T01:00:00Z'),
    });
  });

  it('S1-10 a past instant and an unknown zone are refused', () => {
    const parsed = parseSchedule('2020-06-01T09:00Z');
    if (!parsed.ok) throw new Error(parsed.error);
    const at = { input: '2020-06-01T09:00Z', nowMs: Date.parse('2027-01-01T00:00:00Z'), dates };
    expect(bindRule(parsed, { ...at, zone: 'UTC' })).toMatchObject({ ok: false, code: 'past' });
    expect(bindRule(parsed, { ...at, zone: 'Mars/Olympus' })).toMatchObject({
      ok: false,
      code: 'unknown_zone',
      error: '"Mars/Olympus" is not a time zone: use a name such as "Europe/Berlin".',
    });
  });
});
