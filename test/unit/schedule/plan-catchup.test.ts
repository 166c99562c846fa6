import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCronDates } from '../../../electron/adapters/dates/cron-dates';
import { gapBetween } from '../../../electron/engine/schedule/due-loop';
import { planCatchup } from '../../../electron/engine/schedule/plan-catchup';
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
function ruleOf({
  task,
  tz,
}: {
  readonly tz: string;
  readonly task: Omit<Case['task'], 'catchup' | 'enabled'>;
}): Rule {
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
    case 'event':
      throw new Error('no case has an event');
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

interface Variant {
  readonly is: string;
  readonly when: string;
  readonly zone?: string;
  /** The slot that was next by the stored state. */
  readonly due: string;
  readonly now: string;
  readonly window?: string;
  readonly catchup?: string;
  readonly isPaused?: true;
  /** Action and reason, newest missed slot, how many, next slot; all but the action left out for `none`. */
  readonly wants: readonly [
    action: string,
    slot?: string | undefined,
    missed?: number | undefined,
    next?: string,
  ];
}

/** Counted by hand, from the calendars of the zones. */
const VARIANTS: readonly Variant[] = [
  {
    is: 'a time that the clocks leap over is due at the first instant after, and caught up 20 min later',
    when: '30 2 * * *',
    zone: 'Europe/Berlin',
    due: '2027-03-28T01:00:00Z',
    now: '2027-03-28T01:20:00Z',
    wants: ['fire in_window', '2027-03-28T01:00:00Z', 1, '2027-03-29T00:30:00Z'],
  },
  {
    is: 'the same, on the edge of the window',
    when: '30 2 * * *',
    zone: 'Europe/Berlin',
    due: '2027-03-28T01:00:00Z',
    now: '2027-03-28T02:00:00Z',
    wants: ['fire in_window', '2027-03-28T01:00:00Z', 1, '2027-03-29T00:30:00Z'],
  },
  {
    is: 'the same, 1 ms over the edge',
    when: '30 2 * * *',
    zone: 'Europe/Berlin',
    due: '2027-03-28T01:00:00Z',
    now: '2027-03-28T02:00:00.001Z',
    wants: ['skip window', '2027-03-28T01:00:00Z', 1, '2027-03-29T00:30:00Z'],
  },
  {
    is: 'a time that comes twice is one slot, and its second coming none',
    when: '30 2 * * *',
    zone: 'Europe/Berlin',
    due: '2027-10-31T00:30:00Z',
    now: '2027-10-31T01:40:00Z',
    window: '2h',
    wants: ['fire in_window', '2027-10-31T00:30:00Z', 1, '2027-11-01T01:30:00Z'],
  },
  {
    is: 'every half hour runs in both passes of the hour that comes twice',
    when: '*/30 * * * *',
    zone: 'Europe/Berlin',
    due: '2027-10-31T00:00:00Z',
    now: '2027-10-31T02:05:00Z',
    wants: ['fire in_window', '2027-10-31T02:00:00Z', 5, '2027-10-31T02:30:00Z'],
  },
  {
    is: 'a clock that goes back by half an hour only',
    when: '45 1 * * *',
    zone: 'Australia/Lord_Howe',
    due: '2027-04-03T14:45:00Z',
    now: '2027-04-03T15:20:00Z',
    wants: ['fire in_window', '2027-04-03T14:45:00Z', 1, '2027-04-04T15:15:00Z'],
  },
  {
    is: 'two days over the change to summer time: 23 h lie between the slots',
    when: '0 9 * * *',
    zone: 'America/New_York',
    due: '2027-03-13T14:00:00Z',
    now: '2027-03-14T13:30:00Z',
    wants: ['fire in_window', '2027-03-14T13:00:00Z', 2, '2027-03-15T13:00:00Z'],
  },
  {
    is: 'two days over the change to winter time: 25 h lie between the slots',
    when: '0 9 * * *',
    zone: 'America/New_York',
    due: '2027-11-06T13:00:00Z',
    now: '2027-11-07T14:30:00Z',
    wants: ['fire in_window', '2027-11-07T14:00:00Z', 2, '2027-11-08T14:00:00Z'],
  },
  {
    is: 'an interval of 24 h knows no summer time',
    when: 'every 24h',
    zone: 'Europe/Berlin',
    due: '2027-03-27T08:00:00Z',
    now: '2027-03-28T08:30:00Z',
    wants: ['fire in_window', '2027-03-28T08:00:00Z', 2, '2027-03-29T08:00:00Z'],
  },
  {
    is: 'a one-shot on the edge of the window',
    when: 'in 30m',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T11:00:00Z',
    wants: ['fire in_window', '2027-06-10T10:00:00Z', 1],
  },
  {
    is: 'a one-shot 1 ms over the edge is missed, and there is no next',
    when: 'in 30m',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T11:00:00.001Z',
    wants: ['skip window', '2027-06-10T10:00:00Z', 1],
  },
  {
    is: 'a one-shot that is always caught up, 30 days later',
    when: 'in 30m',
    due: '2027-06-10T10:00:00Z',
    now: '2027-07-10T10:00:00Z',
    catchup: 'always',
    wants: ['fire always', '2027-06-10T10:00:00Z', 1],
  },
  {
    is: 'a one-shot that is never caught up, 1 ms later',
    when: 'in 30m',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T10:00:00.001Z',
    catchup: 'never',
    wants: ['skip never', '2027-06-10T10:00:00Z', 1],
  },
  {
    is: 'a clock set back by an hour: what was next is next',
    when: 'every 5m',
    due: '2027-06-10T10:05:00Z',
    now: '2027-06-10T09:05:00Z',
    wants: ['none', undefined, undefined, '2027-06-10T10:05:00Z'],
  },
  {
    is: '1 ms before it is due',
    when: '0 9 * * *',
    due: '2027-06-10T09:00:00Z',
    now: '2027-06-10T08:59:59.999Z',
    wants: ['none', undefined, undefined, '2027-06-10T09:00:00Z'],
  },
  {
    is: 'at the very millisecond',
    when: '0 9 * * *',
    due: '2027-06-10T09:00:00Z',
    now: '2027-06-10T09:00:00Z',
    wants: ['fire in_window', '2027-06-10T09:00:00Z', 1, '2027-06-11T09:00:00Z'],
  },
  {
    is: 'the same with the window off',
    when: '0 9 * * *',
    due: '2027-06-10T09:00:00Z',
    now: '2027-06-10T09:00:00Z',
    window: 'off',
    wants: ['skip window', '2027-06-10T09:00:00Z', 1, '2027-06-11T09:00:00Z'],
  },
  {
    is: 'a window as long as the interval always holds the newest slot, 1 ms before the next',
    when: 'every 5m',
    due: '2027-06-10T10:05:00Z',
    now: '2027-06-10T12:04:59.999Z',
    window: '5m',
    wants: ['fire in_window', '2027-06-10T12:00:00Z', 24, '2027-06-10T12:05:00Z'],
  },
  {
    is: 'a window shorter than the interval, 1 ms over its edge',
    when: 'every 1h',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T10:59:00.001Z',
    window: '59m',
    wants: ['skip window', '2027-06-10T10:00:00Z', 1, '2027-06-10T11:00:00Z'],
  },
  {
    is: 'paused before it went down: nothing, whatever was due',
    when: 'every 1h',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-12T10:00:00Z',
    catchup: 'always',
    isPaused: true,
    wants: ['none'],
  },
  {
    is: 'a rule for missed slots that no version knows is the default',
    when: 'every 1h',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T10:10:00Z',
    catchup: 'sometimes',
    wants: ['fire in_window', '2027-06-10T10:00:00Z', 1, '2027-06-10T11:00:00Z'],
  },
  {
    is: 'the 29th of February: the next is 4 years away',
    when: '0 0 29 2 *',
    due: '2028-02-29T00:00:00Z',
    now: '2028-02-29T00:30:00Z',
    wants: ['fire in_window', '2028-02-29T00:00:00Z', 1, '2032-02-29T00:00:00Z'],
  },
  {
    is: 'the 31st: months that have none are no slots',
    when: '0 0 31 * *',
    due: '2027-01-31T00:00:00Z',
    now: '2027-04-01T00:00:00Z',
    wants: ['skip window', '2027-03-31T00:00:00Z', 2, '2027-05-31T00:00:00Z'],
  },
  {
    is: 'weekdays: down from Friday to a second before Monday',
    when: '0 9 * * 1-5',
    due: '2027-06-11T09:00:00Z',
    now: '2027-06-14T08:59:59Z',
    wants: ['skip window', '2027-06-11T09:00:00Z', 1, '2027-06-14T09:00:00Z'],
  },
  {
    is: 'the 13th or a Friday: a day that is both is one slot',
    when: '0 0 13 * 5',
    due: '2027-08-06T00:00:00Z',
    now: '2027-08-13T00:30:00Z',
    wants: ['fire in_window', '2027-08-13T00:00:00Z', 2, '2027-08-20T00:00:00Z'],
  },
  {
    is: 'a cron of seconds',
    when: '*/10 * * * * *',
    due: '2027-06-10T10:00:00Z',
    now: '2027-06-10T10:00:35Z',
    wants: ['fire in_window', '2027-06-10T10:00:30Z', 4, '2027-06-10T10:00:40Z'],
  },
  {
    is: 'every second, down for 10 years: counted, not walked',
    when: 'every 1s',
    due: '2017-06-10T10:00:00Z',
    now: '2027-06-10T10:00:00.500Z',
    wants: ['fire in_window', '2027-06-10T10:00:00Z', 315_532_801, '2027-06-10T10:00:01Z'],
  },
];

describe('catching up, beyond the cases', () => {
  it.each(VARIANTS.map((one) => [one.is, one] as const))('S0-22 S0-35 %s', (_is, one) => {
    const { due, now, zone: tz = 'UTC', window = '1h', catchup = 'default' } = one;
    const rule = ruleOf({
      tz,
      task: { schedule: one.when, last_run: null, created_at: due, stored_next_run: due },
    });
    const plan = planCatchup(
      { rule, catchup, isActive: one.isPaused !== true, nextRunAtMs: Date.parse(due) },
      { nowMs: Date.parse(now), windowMs: windowMs(window), isLive: false, dates },
    );
    const [action, slot, missed, next] = one.wants;
    const word = plan.action === 'none' ? 'none' : `${plan.action} ${plan.why}`;
    expect([word, plan.nextRunAtMs]).toEqual([action, at(next ?? null)]);
    if (plan.action === 'none') return;
    expect(plan).toMatchObject({
      slotMs: at(slot ?? null),
      missed,
      oldestMs: Date.parse(due),
      lateMs: Date.parse(now) - Date.parse(slot ?? ''),
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
