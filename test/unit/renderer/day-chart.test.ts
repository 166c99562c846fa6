import { describe, expect, it } from 'vitest';
import {
  DAY_BAR_MAX,
  closerLook,
  dayChartModel,
  dayChartSentence,
  dayTitle,
  fromFirstStart,
  readingOf,
  slotAt,
} from '../../../renderer/charts/day-chart-view';
import type { DayLine } from '../../../shared/types';
import { fakeDayLine } from '../../helpers/fake-history';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const NOW = new Date(2026, 2, 24, 14, 30).getTime();
const FROM = NOW - 24 * HOUR;
const day = (given: Partial<DayLine> = {}): DayLine => ({
  range: 'day',
  fromMs: FROM,
  toMs: NOW,
  slotMs: 10 * MINUTE,
  steps: Array.from({ length: 144 }, () => 0),
  stretches: [{ kind: 'running', fromMs: FROM, toMs: NOW }],
  stops: [],
  turnsFinishedToday: 0,
  ...given,
});
const steps = (filled: Readonly<Record<number, number>>): number[] =>
  Array.from({ length: 144 }, (_, slot) => filled[slot] ?? 0);

describe('the bars of the 24-hour line', () => {
  it('stand at their ten minutes, the highest as high as there is room, none for nothing', () => {
    const { bars } = dayChartModel(day({ steps: steps({ 0: 10, 72: 20, 143: 1 }) }), 1440);
    expect(bars).toEqual([
      { x: 1.3, width: 7.4, height: DAY_BAR_MAX / 2, steps: 10 },
      { x: 721.3, width: 7.4, height: DAY_BAR_MAX, steps: 20 },
      { x: 1431.3, width: 7.4, height: 3, steps: 1 },
    ]);
  });

  it.each([200, 753, 903, 1440])(
    'lie inside a picture of %i px, and beside each other',
    (width) => {
      const { bars } = dayChartModel(fakeDayLine(NOW), width);
      expect(bars.length).toBeGreaterThan(60);
      bars.forEach((bar, at) => {
        const before = bars[at - 1];
        if (before) expect(bar.x).toBeGreaterThanOrEqual(before.x + before.width - 0.21);
        expect(bar.x + bar.width).toBeLessThanOrEqual(width + 0.2);
      });
    },
  );
});

describe('the band of the engine', () => {
  it('says what a pause is where there is room for the words, and is silent where not', () => {
    const stretches: DayLine['stretches'] = [
      { kind: 'running', fromMs: FROM, toMs: FROM + 8 * HOUR },
      { kind: 'asleep', fromMs: FROM + 8 * HOUR, toMs: FROM + 15 * HOUR + 32 * MINUTE },
      { kind: 'stopped', fromMs: FROM + 15 * HOUR + 32 * MINUTE, toMs: FROM + 16 * HOUR },
      { kind: 'running', fromMs: FROM + 16 * HOUR, toMs: NOW },
    ];
    expect(
      dayChartModel(day({ stretches }), 1440).bands.map(({ kind, label }) => [kind, label]),
    ).toEqual([
      ['running', undefined],
      ['asleep', 'computer asleep 7 h 32 min'],
      ['stopped', undefined],
      ['running', undefined],
    ]);
    expect(dayChartModel(day({ stretches }), 300).bands[1]?.label).toBeUndefined();
  });

  it('S0-30 leaves a gap of 3 px for a stop of 4 min, and marks it', () => {
    const atMs = FROM + 20 * HOUR;
    const backAtMs = atMs + 4 * MINUTE;
    const model = dayChartModel(
      day({
        stretches: [
          { kind: 'running', fromMs: FROM, toMs: atMs },
          { kind: 'stopped', fromMs: atMs, toMs: backAtMs },
          { kind: 'running', fromMs: backAtMs, toMs: NOW },
        ],
        stops: [{ atMs, backAtMs, reason: 'power_loss' }],
      }),
      720,
    );
    const [before, , after] = model.bands;
    expect((after?.x ?? 0) - (before?.x ?? 0) - (before?.width ?? 0)).toBeCloseTo(3, 0);
    expect(model.stops).toEqual([{ x: 601, count: 1 }]);
    expect(model.has).toEqual({ asleep: false, stopped: true, stops: true, outages: false });
  });

  const stopsAt = (...minutes: readonly number[]): DayLine['stops'] =>
    minutes.map((minute) => ({
      atMs: FROM + minute * MINUTE,
      backAtMs: FROM + minute * MINUTE + 20_000,
      reason: 'crash' as const,
    }));

  it('draws stops that would lie on each other as one mark that says how many', () => {
    expect(dayChartModel(day({ stops: stopsAt(60, 61, 62, 300) }), 720).stops).toEqual([
      { x: 30.1, count: 3, label: { text: '3 crashes', isLeft: false } },
      { x: 150.1, count: 1 },
    ]);
  });

  it('writes how many to the left where the right has no room, and nowhere where neither has', () => {
    const last = dayChartModel(day({ stops: stopsAt(1430, 1432) }), 720).stops;
    expect(last.map(({ label }) => label)).toEqual([{ text: '2 crashes', isLeft: true }]);
    const dense = dayChartModel(day({ stops: stopsAt(60, 61, 100, 101, 140, 141) }), 720).stops;
    expect(dense.map(({ count, label }) => [count, label?.isLeft])).toEqual([
      [2, undefined],
      [2, undefined],
      [2, false],
    ]);
  });

  it('draws ten starts and crashes of the last 20 minutes as one gap with one mark, not as a blot', () => {
    const stretches: DayLine['stretches'] = [
      { kind: 'running', fromMs: FROM, toMs: NOW - 20 * MINUTE },
    ];
    for (let at = NOW - 20 * MINUTE; at < NOW; at += 2 * MINUTE) {
      stretches.push({ kind: 'stopped', fromMs: at, toMs: at + MINUTE });
      stretches.push({ kind: 'running', fromMs: at + MINUTE, toMs: at + 2 * MINUTE });
    }
    const stops = stopsAt(...Array.from({ length: 10 }, (_, n) => 1420 + 2 * n));
    const outages = Array.from({ length: 10 }, (_, n) => ({
      provider: 'practice',
      fromMs: NOW - (20 - 2 * n) * MINUTE,
      toMs: NOW - (20 - 2 * n) * MINUTE + 5000,
    }));
    const model = dayChartModel(day({ stretches, stops, outages }), 900);
    expect(model.bands.map(({ kind }) => kind)).toEqual(['running', 'stopped', 'running']);
    expect(model.stops).toHaveLength(1);
    expect(model.stops[0]?.label?.text).toBe('10 crashes');
    expect(model.outages).toHaveLength(1);
  });

  it('draws nothing before the first known start', () => {
    expect(dayChartModel(day({ stretches: [] }), 720).bands).toEqual([]);
  });
});

describe('the axis', () => {
  it.each([
    [1440, 2],
    [903, 3],
    [500, 6],
    [200, 12],
  ])('%i px have a tick every %i hours, none under "now"', (width, hours) => {
    const { ticks } = dayChartModel(day(), width, 'en-GB');
    const places = ticks.map(({ x }) => x);
    places.slice(1).forEach((x, at) => {
      expect(x - (places[at] ?? 0)).toBeCloseTo((width / 24) * hours, 0);
    });
    expect(Math.max(...places)).toBeLessThan(width - 45);
    expect(ticks.every(({ text }) => Number(text.slice(0, 2)) % hours === 0)).toBe(true);
  });
});

describe('the axis of a young history', () => {
  const young = (minutes: number, given: Partial<DayLine> = {}): DayLine =>
    day({
      stretches: [{ kind: 'running', fromMs: NOW - minutes * MINUTE, toMs: NOW }],
      ...given,
    });

  it.each([
    ['day', 8 * 60, 8],
    ['day', 30, 3],
    ['day', 60 * 24, 24],
  ] as const)('of a %s, %i min after the first start, is %i h long', (range, minutes, hours) => {
    const shown = fromFirstStart(young(minutes, { range }));
    expect((shown.toMs - shown.fromMs) / HOUR).toBe(hours);
    expect(shown.steps).toHaveLength(hours * 6);
  });

  it('of an hour, 3 min after the first start, is 15 min long', () => {
    const hour = young(3, {
      range: 'hour',
      fromMs: NOW - HOUR,
      slotMs: MINUTE,
      steps: Array.from({ length: 60 }, (_, at) => at),
    });
    const shown = fromFirstStart(hour);
    expect(shown.toMs - shown.fromMs).toBe(15 * MINUTE);
    expect(shown.steps).toEqual([45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
    expect(dayChartModel(shown, 900, 'en-GB').ticks.map(({ text }) => text)).toEqual([
      '14:16',
      '14:18',
      '14:20',
      '14:22',
      '14:24',
      '14:26',
      '14:28',
    ]);
  });

  it('has no bar wider than 14 px, however few there are', () => {
    const shown = fromFirstStart(young(30, { steps: steps({ 143: 5 }) }));
    expect(dayChartModel(shown, 900).bars).toMatchObject([{ width: 14 }]);
  });

  it('names days where it has a week', () => {
    const week = day({ range: 'week', fromMs: NOW - 7 * 24 * HOUR, slotMs: 2 * HOUR });
    expect(dayChartModel(week, 900, 'en-GB').ticks.map(({ text }) => text)).toEqual([
      'Wed 18',
      'Thu 19',
      'Fri 20',
      'Sat 21',
      'Sun 22',
      'Mon 23',
      'Tue 24',
    ]);
    expect(readingOf(week, 0, 'en-GB').words).toMatch(/^17 Mar 2026 14:30 to 16:30/);
  });
});

describe('a closer look', () => {
  it('goes from the week to a day, from the day to an hour around the moment, and ends there', () => {
    const week = day({ range: 'week' });
    const at = NOW - 3 * 24 * HOUR;
    expect(closerLook(week, at, NOW)).toEqual({ range: 'day', untilMs: at + 12 * HOUR });
    expect(closerLook(day(), at, NOW)).toEqual({ range: 'hour', untilMs: at + 30 * MINUTE });
    expect(closerLook(day({ range: 'hour' }), at, NOW)).toBeUndefined();
  });

  it('ends now where it would reach beyond', () => {
    expect(closerLook(day(), NOW - 5 * MINUTE, NOW)).toEqual({ range: 'hour' });
  });

  it('is named by its length up to now, and by its moments where it ends earlier', () => {
    expect(dayTitle(day({ range: 'hour' }), false, NOW)).toBe('Last hour');
    expect(dayTitle(day({ range: 'week' }), false, NOW)).toBe('Last 7 days');
    const past = day({ range: 'hour', fromMs: NOW - 26 * HOUR, toMs: NOW - 25 * HOUR });
    expect(dayTitle(past, true, NOW, 'en-GB')).toBe('Monday 12:30 to 13:30');
  });
});

describe('the reading of ten minutes', () => {
  const atMs = FROM + 2 * HOUR + 3 * MINUTE;
  const busy = day({
    steps: steps({ 0: 1, 12: 23 }),
    stretches: [
      { kind: 'running', fromMs: FROM + HOUR, toMs: atMs },
      { kind: 'stopped', fromMs: atMs, toMs: atMs + 4 * MINUTE },
      { kind: 'running', fromMs: atMs + 4 * MINUTE, toMs: FROM + 5 * HOUR },
      { kind: 'asleep', fromMs: FROM + 5 * HOUR, toMs: NOW },
    ],
    stops: [{ atMs, backAtMs: atMs + 4 * MINUTE, reason: 'kill' }],
  });
  it.each([
    [3, '15:00 to 15:10 · unknown'],
    [8, '15:50 to 16:00 · no steps completed · running'],
    [12, '16:30 to 16:40 · 23 steps completed · running, not running · crash at 16:33'],
    [40, '21:10 to 21:20 · asleep'],
  ])('slot %i: %s', (slot, words) => {
    expect(readingOf(busy, slot, 'en-GB').words).toBe(words);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [0.5, 72],
    [0.9999, 143],
    [1, 143],
    [7, 143],
  ])('the share %d of the width is slot %i', (share, slot) => {
    expect(slotAt(day(), share)).toBe(slot);
  });
});

describe('the line as one text', () => {
  it('says how much, and each interruption with its times', () => {
    const stopped = { stoppedAtMs: NOW - 29 * MINUTE, backAtMs: NOW - 25 * MINUTE };
    const text = dayChartSentence(fakeDayLine(NOW, stopped), 'en-GB');
    expect(text).toMatch(/^Last 24 hours: [\d,]+ steps completed\./);
    expect(text).toContain('Asleep from 23:39 to 07:10.');
    expect(text).toContain('Crash at 14:01, back at 14:05.');
    expect(text).not.toContain('Not running');
  });

  it('says the last four interruptions and counts the others', () => {
    const stops = Array.from({ length: 9 }, (_, hour) => ({
      atMs: FROM + hour * HOUR,
      backAtMs: FROM + hour * HOUR + MINUTE,
      reason: 'crash' as const,
    }));
    const text = dayChartSentence(day({ stops }), 'en-GB');
    expect(text.match(/Crash at/g)).toHaveLength(4);
    expect(text).toMatch(/5 more interruptions\.$/);
  });
});

describe('outages on the 24-hour line', () => {
  const outages: NonNullable<DayLine['outages']> = [
    { provider: 'anthropic', fromMs: FROM + 4 * HOUR, toMs: FROM + 4 * HOUR + 21 * MINUTE },
    { provider: 'office', fromMs: NOW - 18 * MINUTE },
  ];

  it('S0-17 are marks below the band, with words where nothing is right of them', () => {
    const marks = dayChartModel(day({ outages }), 1440);
    expect(marks.outages).toEqual([
      { x: 240, width: 21, label: 'Anthropic, 21 min' },
      { x: 1422, width: 18 },
    ]);
    expect(marks.has.outages).toBe(true);
    expect(dayChartModel(day(), 1440).has.outages).toBe(false);
  });

  it('S0-17 are said: from when to when, and since when the one in force', () => {
    const text = dayChartSentence(day({ outages }), 'en-GB');
    expect(text).toContain('Anthropic down from 18:30 to 18:51.');
    expect(text).toContain('Office down since 14:12.');
    expect(readingOf(day({ outages }), 143, 'en-GB').words).toContain('Office down');
    expect(readingOf(day({ outages }), 100, 'en-GB').words).not.toContain('down');
  });

  it('of a minute can still be seen', () => {
    const short = [{ provider: 'x', fromMs: NOW - 1000, toMs: NOW }];
    expect(dayChartModel(day({ outages: short }), 600).outages[0]).toMatchObject({
      x: 597,
      width: 3,
    });
  });
});
