import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCronDates } from '../../../electron/adapters/dates';
import { gapBetween } from '../../../electron/engine/catchup/clock-watch';
import { planCatchup } from '../../../electron/engine/catchup/plan-catchup';
import { parseSchedule } from '../../../shared/schedule/grammar';
import type { Rule } from '../../../electron/engine/schedule/rule';
import { parseDuration } from '../../../shared/durations';

interface Case {
  readonly id: string;
  readonly title: string;
  readonly now: string;
  readonly tz: string;
  readonly window: string;
  readonly task: {
    readonly schedule: string;
    readonly created_at: string;
    readonly last_run: string | null;
    readonly stored_next_run: string | null;
    readonly catchup: string;
    readonly enabled: boolean;
  };
  readonly expect: {
    readonly action: string;
    readonly missed_runs: number;
    readonly oldest_missed: string | null;
    readonly newest_missed: string | null;
    readonly age_of_newest_ms: number | null;
    readonly next_run: string | null;
  };
}
const { cases } = JSON.parse(fs.readFileSync('test/cases/catchup-cases.json', 'utf8')) as {
  readonly cases: readonly Case[];
};
const dates = createCronDates();
const at = (text: string | null): number | undefined =>
  text === null ? undefined : Date.parse(text);

/** In the cases `daily` is midnight of the zone, and an interval counts from its last run. */
function ruleOf({ task, tz }: Case): Rule {
  const parsed = parseSchedule(task.schedule);
  if (!parsed.ok) throw new Error(parsed.error);
  const anchorMs = Date.parse(task.last_run ?? task.created_at);
  switch (parsed.kind) {
    case 'interval':
      return { kind: 'interval', everyMs: parsed.ms, anchorMs };
    case 'once':
      return { kind: 'once', atMs: at(task.stored_next_run) ?? 0 };
    case 'daily':
      return { kind: 'cron', cron: 'cron' in parsed ? parsed.cron : '0 0 * * *', zone: tz };
    case 'cron':
      return { kind: 'cron', cron: parsed.cron, zone: tz };
  }
}

function windowMs(text: string): number {
  const parsed = parseDuration(text === 'off' ? '0' : text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.ms;
}

describe('catching up', () => {
  it.each(cases.map((one) => [`${one.id} ${one.title}`, one] as const))(
    'S0-22 S0-23 S0-24 S0-26 case %s',
    (_title, one) => {
      const plan = planCatchup(
        {
          rule: ruleOf(one),
          catchup: one.task.catchup,
          isActive: one.task.enabled,
          nextRunAtMs: at(one.task.stored_next_run),
        },
        { nowMs: Date.parse(one.now), windowMs: windowMs(one.window), isLive: false, dates },
      );
      expect(plan.action).toBe(one.expect.action);
      expect(plan.nextRunAtMs).toBe(at(one.expect.next_run));
      if (plan.action === 'none') return;
      expect(plan.slotMs).toBe(at(one.expect.newest_missed));
      expect(plan.oldestMs).toBe(at(one.expect.oldest_missed));
      expect(plan.lateMs).toBe(one.expect.age_of_newest_ms);
      expect(plan.missed).toBe(one.expect.missed_runs);
    },
  );

  it('S0-28 a task that never catches up still runs on time', () => {
    const nowMs = 1_000_000;
    const task = {
      rule: { kind: 'interval', everyMs: 1_000, anchorMs: 0 },
      catchup: 'never',
      isActive: true,
      nextRunAtMs: nowMs - 3,
    } as const;
    expect(planCatchup(task, { nowMs, windowMs: 0, isLive: true, dates })).toMatchObject({
      action: 'fire',
      why: 'on_time',
    });
  });
});

describe('what lay between two looks at the clock', () => {
  const before = { wallMs: 1_000_000, monotonicMs: 500 };
  const after = (wall: number, monotonic: number, wasResumed = false) =>
    gapBetween(
      before,
      { wallMs: before.wallMs + wall, monotonicMs: before.monotonicMs + monotonic },
      wasResumed,
    );

  it.each([
    ['10 s apart', after(10_000, 10_000), { kind: 'none' }],
    ['a busy loop of 4 s', after(14_000, 14_000), { kind: 'none' }],
    ['corrected by 1 s', after(11_000, 10_000), { kind: 'none' }],
    ['8 h asleep, monotonic stood still', after(28_800_000, 3_000, true), { kind: 'asleep' }],
    ['stopped for a minute, monotonic ran on', after(60_000, 60_000), { kind: 'asleep' }],
    ['set forward by an hour', after(3_610_000, 10_000), { kind: 'set_forward', byMs: 3_600_000 }],
    ['set back by an hour', after(-3_590_000, 10_000), { kind: 'set_back', byMs: 3_600_000 }],
    ['the second report of one wake', after(5, 5, true), { kind: 'none' }],
  ])('S0-22 %s', (_title, gap, wanted) => {
    expect(gap).toMatchObject(wanted);
  });
});
