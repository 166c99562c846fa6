import { describe, expect, it } from 'vitest';
import {
  DAY_BAR_MAX,
  dayLineModel,
  dayLineSentence,
  readingOf,
  slotAt,
} from '../../../renderer/instruments/day-line-view';
import type { DayLine } from '../../../shared/types';
import { fakeDayLine } from '../../helpers/fake-history';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const NOW = new Date(2026, 2, 24, 14, 30).getTime();
const FROM = NOW - 24 * HOUR;
const day = (given: Partial<DayLine> = {}): DayLine => ({
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
    const { bars } = dayLineModel(day({ steps: steps({ 0: 10, 72: 20, 143: 1 }) }), 1440);
    expect(bars).toEqual([
      { x: 1.3, width: 7.4, height: DAY_BAR_MAX / 2, steps: 10 },
      { x: 721.3, width: 7.4, height: DAY_BAR_MAX, steps: 20 },
      { x: 1431.3, width: 7.4, height: 3, steps: 1 },
    ]);
  });

  it.each([200, 753, 903, 1440])(
    'lie inside a picture of %i px, and beside each other',
    (width) => {
      const { bars } = dayLineModel(fakeDayLine(NOW), width);
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
      dayLineModel(day({ stretches }), 1440).bands.map(({ kind, label }) => [kind, label]),
    ).toEqual([
      ['running', undefined],
      ['asleep', 'computer asleep 7 h 32 min'],
      ['stopped', undefined],
      ['running', undefined],
    ]);
    expect(dayLineModel(day({ stretches }), 300).bands[1]?.label).toBeUndefined();
  });

  it('S0-30 leaves a gap of 3 px for a stop of 4 min, and marks it', () => {
    const atMs = FROM + 20 * HOUR;
    const backAtMs = atMs + 4 * MINUTE;
    const model = dayLineModel(
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

  it('counts stops that would lie on each other as one mark', () => {
    const stops = [0, 1, 2, 60].map((minute) => ({
      atMs: FROM + HOUR + minute * MINUTE,
      backAtMs: FROM + HOUR + minute * MINUTE + 20_000,
      reason: 'crash' as const,
    }));
    expect(dayLineModel(day({ stops }), 720).stops.map(({ count }) => count)).toEqual([3, 1]);
  });

  it('draws nothing before the first known start', () => {
    expect(dayLineModel(day({ stretches: [] }), 720).bands).toEqual([]);
  });
});

describe('the axis', () => {
  it.each([
    [1440, 2],
    [903, 3],
    [500, 6],
    [200, 12],
  ])('%i px have a tick every %i hours, none under "now"', (width, hours) => {
    const { ticks } = dayLineModel(day(), width, 'en-GB');
    const places = ticks.map(({ x }) => x);
    places.slice(1).forEach((x, at) => {
      expect(x - (places[at] ?? 0)).toBeCloseTo((width / 24) * hours, 0);
    });
    expect(Math.max(...places)).toBeLessThan(width - 45);
    expect(ticks.every(({ text }) => Number(text.slice(0, 2)) % hours === 0)).toBe(true);
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
    const text = dayLineSentence(fakeDayLine(NOW, stopped), 'en-GB');
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
    const text = dayLineSentence(day({ stops }), 'en-GB');
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
    const marks = dayLineModel(day({ outages }), 1440);
    expect(marks.outages).toEqual([
      { x: 240, width: 21, label: 'Anthropic, 21 min' },
      { x: 1422, width: 18 },
    ]);
    expect(marks.has.outages).toBe(true);
    expect(dayLineModel(day(), 1440).has.outages).toBe(false);
  });

  it('S0-17 are said: from when to when, and since when the one in force', () => {
    const text = dayLineSentence(day({ outages }), 'en-GB');
    expect(text).toContain('Anthropic down from 18:30 to 18:51.');
    expect(text).toContain('Office down since 14:12.');
    expect(readingOf(day({ outages }), 143, 'en-GB').words).toContain('Office down');
    expect(readingOf(day({ outages }), 100, 'en-GB').words).not.toContain('down');
  });

  it('of a minute can still be seen', () => {
    const short = [{ provider: 'x', fromMs: NOW - 1000, toMs: NOW }];
    expect(dayLineModel(day({ outages: short }), 600).outages[0]).toMatchObject({
      x: 597,
      width: 3,
    });
  });
});
