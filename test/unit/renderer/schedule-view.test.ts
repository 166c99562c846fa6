import { quoted } from '../../../shared/shell-quoted';
import { describe, expect, it } from 'vitest';
import {
  answersTo,
  dayText,
  decisionGroups,
  findTasks,
  isWindowOff,
  missedText,
  ruleAsWritten,
  runOutcome,
  scheduleSub,
  slotLook,
  slotShort,
} from '../../../renderer/schedule/schedule-view';
import {
  addCommand,
  formSentence,
  offsetMinutes,
  previewRows,
} from '../../../renderer/schedule/task-form-view';
import { fakeSlot, fakeTask, nightSchedule } from '../../helpers/fake-schedule';

const NOW = new Date(2026, 2, 24, 14, 31).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what the schedule says', () => {
  const { slots } = nightSchedule(NOW);
  const woke = NOW - 3 * HOUR;
  const stretches = [{ kind: 'asleep', fromMs: woke - 7.5 * HOUR, toMs: woke }] as const;

  it('S0-23 S0-24 R11 gathers what was decided together after a sleep, with the length of it', () => {
    const groups = decisionGroups(slots, [...stretches], { nowMs: NOW, locale: 'en-GB' });
    const night = groups.find(({ away }) => away === 'asleep');
    expect(night).toMatchObject({
      title: 'Decided at 11:31',
      after: ', after 7 h 30 min asleep',
    });
    expect(night?.slots.map((one) => slotLook(one).label)).toEqual([
      'caught up',
      'caught up',
      'skipped',
      'missed',
    ]);
  });

  it.each([
    ['interval', 'every 30m', 'Every 30 min', undefined],
    ['cron', 'daily at 02:00', 'Daily at 02:00, Europe/Berlin time', undefined],
    ['cron', '0 7 * * 2', 'Tuesdays at 07:00, Europe/Berlin time', '0 7 * * 2'],
    ['once', '2026-03-24T06:30', 'Once, Tue 24 Mar 2026, 06:30', undefined],
  ] as const)(
    'S1-+02 of the schedule of one %s, "%s", read as "%s", shows as written: %s',
    (kind, schedule, words, shown) => {
      const task = fakeTask(NOW, 1, { kind, schedule, words, zone: 'Europe/Berlin' });
      expect(ruleAsWritten(task)).toBe(shown);
    },
  );

  it('S1-+02 leaves out what simply ran, and keeps what waits, failed or was run by hand', () => {
    const groups = decisionGroups(slots, [], { nowMs: NOW, locale: 'en-GB' });
    const alone = groups.filter(({ slots: some }) => some.length === 1);
    expect(alone.map(({ slots: [one] }) => one && slotLook(one).label)).toEqual([
      'waiting',
      'failed or canceled',
    ]);
  });

  it('says in one sentence what the absence came to, and what is next', () => {
    const groups = decisionGroups(slots, [...stretches], { nowMs: NOW });
    const outlook = {
      active: 4,
      paused: 1,
      missed: 1,
      next: [{ taskId: 2, name: 'Calendar sync', atMs: NOW + 14 * MINUTE, isOnce: false }],
    };
    expect(scheduleSub(outlook, groups, { nowMs: NOW, locale: 'en-GB' })).toBe(
      'While the computer was asleep, 2 tasks were caught up, 1 was skipped and 1 was missed. Next: Calendar sync, 14:45.',
    );
    expect(scheduleSub(undefined, [], { nowMs: NOW })).toBe('No task is active. No upcoming runs.');
  });

  it.each([
    ['default', '1h', 'caught up within 1h'],
    ['default', 'off', 'skipped (catch-up is off)'],
    ['default', '0', 'skipped (catch-up is off)'],
    ['always', '1h', 'always caught up'],
    ['never', '1h', 'skipped'],
  ] as const)(
    'S0-25 S0-26 with %s and a window of %s a missed slot is %s',
    (rule, window, words) => {
      expect(missedText(rule, window)).toBe(words);
    },
  );

  it('S0-25 knows which windows mean never', () => {
    expect(['0', '0s', 'off', '00ms', '10s', undefined].map(isWindowOff)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('S1-02 names the channel and whom it answers', () => {
    expect(answersTo({ channel: 'window', peer: '' })).toBe('this window');
    expect(answersTo({ channel: 'telegram', peer: 'team' })).toBe('telegram, team');
  });

  it('S1-+02 shows the answer of a run, and the error where there is one', () => {
    expect(runOutcome(fakeSlot(NOW, { taskId: 1, why: 'on_time', result: ' 212 copied\n' }))).toBe(
      '212 copied',
    );
    const failed = { taskId: 1, why: 'on_time', status: 'failed', error: 'disk full' } as const;
    expect(runOutcome(fakeSlot(NOW, failed))).toBe('Ran on time. disk full');
  });

  it.each([
    [{ why: 'in_window', lateMs: 12 * MINUTE }, '12 min late'],
    [
      { why: 'in_window', lateMs: 58_000, slots: 15, oldestMs: NOW - HOUR },
      '58 s late; 15 missed, one run',
    ],
    [
      { why: 'always', lateMs: 58_000, slots: 30, oldestMs: NOW - HOUR },
      '58 s late, always caught up; 30 missed, one run',
    ],
    [{ why: 'window', lateMs: 5.2 * HOUR }, '5 h 12 min late, outside its catch-up window'],
    [{ why: 'never', lateMs: HOUR }, '1 h late, never caught up'],
    [
      { why: 'window', lateMs: HOUR, outcome: 'missed' },
      '1 h late; runs only if you choose Run now',
    ],
    [{ why: 'overlap' }, 'Skipped: previous run still in progress.'],
    [
      { why: 'in_window', lateMs: MINUTE, status: 'failed', error: 'disk full' },
      'Caught up, 1 min late. disk full',
    ],
  ] as const)('S0-23 S0-24 beside its mark a decision fits in one line: %j', (given, text) => {
    expect(slotShort(fakeSlot(NOW, { taskId: 1, ...given }))).toBe(text);
  });

  it('S0-24 a run that was skipped says in its list only what its mark does not', () => {
    const skipped = fakeSlot(NOW, { taskId: 1, why: 'window', lateMs: 5.2 * HOUR });
    expect(runOutcome(skipped)).toBe('5 h 12 min late, outside its catch-up window');
  });

  it.each([
    [MINUTE, '2:30 PM'],
    [14 * HOUR, '12:31 AM'],
    [15 * HOUR, 'yesterday'],
    [3 * 24 * HOUR, 'Saturday'],
    [8 * 24 * HOUR, 'Mar 16'],
  ])('S1-+02 a run %d ms ago was at "%s": one of many today has its time', (agoMs, text) => {
    expect(dayText(NOW - agoMs, NOW, 'en-US').replaceAll('\u202f', ' ')).toBe(text);
  });

  it('finds tasks by all words of a search, in name, rule, prompt and agent', () => {
    const tasks = [fakeTask(NOW, 1, { name: 'Price watch' }), fakeTask(NOW, 2, { name: 'Backup' })];
    expect(findTasks(tasks, 'watch 30M').map(({ id }) => id)).toEqual([1]);
    expect(findTasks(tasks, '')).toHaveLength(2);
  });
});

describe('the form of a task', () => {
  const berlin = { isByClock: true, locale: 'en-GB' };
  const spring = ['2026-03-27T07:00:00Z', '2026-03-30T06:00:00Z'];

  it('S1-08 S1-09 says between which runs the clocks go forward, and that a fixed time stays', () => {
    const rows = previewRows(spring, 'Europe/Berlin', berlin);
    expect(rows).toMatchObject([
      { kind: 'run', day: 'Fri 27 March', time: '08:00', utc: '07:00 UTC' },
      {
        kind: 'clocks',
        text: 'Clocks go forward on Sunday 29 March. The task stays at 08:00.',
      },
      { kind: 'run', day: 'Mon 30 March', time: '08:00', utc: '06:00 UTC' },
    ]);
  });

  it('S1-06 says that an interval keeps its distance when the clocks go back', () => {
    const rows = previewRows(['2026-10-24T22:00:00Z', '2026-10-25T22:00:00Z'], 'Europe/Berlin', {
      isByClock: false,
      locale: 'en-GB',
    });
    expect(rows[1]).toMatchObject({
      text: 'Clocks go back on Sunday 25 October. The interval between runs stays the same.',
    });
  });

  it.each([
    ['Europe/Berlin', '2026-01-01T00:00:00Z', 60],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', 330],
    ['America/St_Johns', '2026-01-01T00:00:00Z', -210],
    ['UTC', '2026-01-01T00:00:00Z', 0],
  ])('S1-09 %s is ahead by so many minutes', (zone, iso, minutes) => {
    expect(offsetMinutes(Date.parse(iso), zone)).toBe(minutes);
  });

  it('says the rule and its first run, and nothing of the kind while there is none', () => {
    const nowMs = Date.parse('2026-03-26T13:31:00Z');
    expect(
      formSentence({ words: 'Weekdays at 08:00', next: spring }, 'Europe/Berlin', {
        nowMs,
        locale: 'en-GB',
      }),
    ).toMatch(/^Weekdays at 08:00\. First run Fri 27 March 08:00, in 17 h 29 min\.$/);
    expect(formSentence(undefined, 'UTC', { nowMs })).toMatch(/^Enter a prompt and a schedule/);
  });

  it.each([
    ['plain', 'plain'],
    ['two words', "'two words'"],
    ["it's $HOME `x`", "'it'\\''s $HOME `x`'"],
    ['', "''"],
  ])('writes %j for a shell as %s', (text, word) => {
    expect(quoted(text)).toBe(word);
  });

  it('S1-04 writes the command that does the same', () => {
    expect(
      addCommand({
        name: 'Open invoices',
        prompt: 'List the invoices',
        schedule: '0 8 * * 1-5',
        zone: 'Europe/Berlin',
        agent: 'Researcher',
        catchup: 'always',
        channel: 'telegram',
        peer: '',
        check: ' command: ls inbox ',
        isShared: true,
      }),
    ).toBe(
      "holdfast tasks add 'List the invoices' --schedule '0 8 * * 1-5' --name 'Open invoices' --tz Europe/Berlin --agent Researcher --check 'command: ls inbox' --catchup always --channel telegram --peer '' --shared",
    );
  });
});
