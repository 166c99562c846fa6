import { scaledPicture } from '../../../renderer/charts/text-scale';
import { describe, expect, it } from 'vitest';
import type { OutagePlot, PlotRange } from '../../../shared/types/outage';
import {
  fitOutage,
  momentAt,
  PLOT,
  plotRows,
  plotSentence,
  queuePlotModel,
  readingAt,
  shareOf,
  stateAt,
  waitingAt,
} from '../../../renderer/charts/queue-plot-view';
import type { PlotView } from '../../../renderer/charts/queue-plot-view';

const now = new Date(2026, 2, 24, 14, 31).getTime();
const ago = (minutes: number): number => now - minutes * 60_000;

const plot = (given: Partial<OutagePlot> = {}): OutagePlot => ({
  provider: 'office',
  fromMs: ago(30),
  nowMs: now,
  states: [
    { atMs: ago(40), state: 'answering' },
    { atMs: ago(20), state: 'failing' },
    { atMs: ago(15), state: 'down' },
  ],
  waiting: [
    { atMs: ago(18), count: 1 },
    { atMs: ago(10), count: 2 },
    { atMs: ago(5), count: 14 },
  ],
  calls: [
    { atMs: ago(20), what: 'call', ok: false },
    { atMs: ago(14), what: 'trial', ok: false },
    { atMs: ago(2), what: 'probe', ok: true },
  ],
  declaredAtMs: [{ atMs: ago(16), failedTurns: 3 }],
  ...given,
});
const view = (given: Partial<PlotView> = {}): PlotView => ({
  plot: plot(),
  range: '30m',
  nowMs: now,
  locale: 'en-GB',
  ...given,
});

describe('queuePlotModel', () => {
  // 1000 px: the last 11 % lie after now, so 30 minutes have 890 px.
  it('X-02 puts every moment where its time is, and 110 px after now are not known yet', () => {
    const marks = queuePlotModel(view(), 1000);
    expect(marks.now).toEqual({ x: 890, y: PLOT.top, text: '14 waiting' });
    expect(marks.ahead).toEqual({ x: 891.5, width: 108 });
    expect(marks.bands.map(({ state, x, label }) => [state, x, label])).toEqual([
      ['answering', 0, 'up'],
      ['failing', 296.7, 'degraded'],
      ['down', 445, 'down, one probe at a time'],
    ]);
    expect(marks.calls).toEqual([
      { x: 296.7, kind: 'call', isOk: false, count: 1 },
      { x: 474.7, kind: 'trial', isOk: false, count: 1 },
      { x: 830.7, kind: 'trial', isOk: true, count: 1 },
    ]);
    expect(marks.declared).toEqual([
      { x: 415.3, label: 'marked down: 3 consecutive turns failed' },
    ]);
  });

  it('S0-18 draws 0, 1, 2 and 14 waiting turns as steps, with the highest at the top', () => {
    const { line, area, grid } = queuePlotModel(view(), 1000);
    expect(line).toBe('M356 116H356V111.1H593.3V106.1H741.7V47H890');
    expect(area).toBe('M356 116H356V111.1H593.3V106.1H741.7V47H890V116H356z');
    expect(grid.map(({ text }) => text)).toEqual(['5', '10']);
  });

  it('S0-20 goes down one step for each turn that is answered while it drains', () => {
    const waiting = [3, 2, 1, 0].map((count, at) => ({ atMs: ago(4 - at), count }));
    const { line, now: last } = queuePlotModel(
      view({ plot: plot({ waiting: [{ atMs: ago(9), count: 3 }, ...waiting] }) }),
      1000,
    );
    expect([...line.matchAll(/V([\d.]+)/g)].map((found) => Number(found[1]))).toEqual([
      47, 47, 70, 93, 116,
    ]);
    expect(last).toMatchObject({ y: 116, text: '0 waiting' });
  });

  it.each([
    [0, []],
    [1, ['1']],
    [3, ['1', '2']],
    [14, ['5', '10']],
    [60, ['20', '40']],
    [1000, ['500', '1000']],
  ])('S0-18 with %i waiting at most the lines behind it are %j', (peak, lines) => {
    const waiting = [{ atMs: ago(10), count: peak }];
    const { grid, line } = queuePlotModel(view({ plot: plot({ waiting }) }), 1000);
    expect(line === '').toBe(peak === 0);
    expect(grid.map(({ text }) => text)).toEqual(peak === 0 ? ['1'] : lines);
  });

  it.each([
    ['in 42 s', 42_000, 910.8],
    ['at once, clear of the line of now', 1000, 899],
    ['in 3 min', 180_000, 979],
    ['in 10 min, beyond the end: only said', 600_000, undefined],
    ['in the past: nothing', -5000, undefined],
  ])('X-02 draws the next trial %s', (_words, inMs, x) => {
    expect(queuePlotModel(view({ nextTryAtMs: now + inMs }), 1000).nextX).toBe(x);
  });

  it('keeps what was true before the range begins', () => {
    const early = plot({
      states: [{ atMs: ago(500), state: 'down' }],
      waiting: [{ atMs: ago(400), count: 4 }],
    });
    const marks = queuePlotModel(view({ plot: early }), 1000);
    expect(marks.bands).toEqual([
      { state: 'down', x: 0, width: 890, label: 'down, one probe at a time' },
    ]);
    expect(marks.line).toBe('M0 47H890');
  });

  it('moves on while nothing happens: 5 minutes later the same data lie further left', () => {
    const later = queuePlotModel(view({ nowMs: now + 5 * 60_000 }), 1000);
    expect(later.calls.map(({ x }) => x)).toEqual([148.3, 326.3, 682.3]);
    expect(later.now.text).toBe('14 waiting');
  });

  it('makes one mark of calls nearer than 4 px, and says how many', () => {
    const calls = [0, 1, 2].map((seconds) => ({
      atMs: ago(10) + seconds * 2000,
      what: 'trial' as const,
      ok: false,
    }));
    expect(queuePlotModel(view({ plot: plot({ calls }) }), 1000).calls).toEqual([
      { x: 593.3, kind: 'trial', isOk: false, count: 3 },
    ]);
  });

  it.each<[PlotRange, readonly string[]]>([
    ['30m', ['14:04', '14:08', '14:12', '14:16', '14:20', '14:24', '14:28', '14:31']],
    ['6h', ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '14:31']],
    [
      '7d',
      [
        'Thursday 00:00',
        'Friday 00:00',
        'Saturday 00:00',
        'Sunday 00:00',
        'Monday 00:00',
        '00:00',
        '14:31',
      ],
    ],
  ])('%s has ticks by the clock of the wall, none on another', (range, texts) => {
    const { ticks } = queuePlotModel(view({ range }), 1000);
    expect(ticks.slice(-texts.length).map(({ text }) => text)).toEqual(texts);
    const gaps = ticks.slice(1).map((tick, at) => tick.x - (ticks[at]?.x ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(40);
  });

  it('leaves words out where they have no room, never the mark', () => {
    const marks = queuePlotModel(view({}), 150);
    expect(marks.bands.map(({ label }) => label)).toEqual(['up', undefined, 'down']);
    expect(marks.declared).toEqual([{ x: 62.3 }]);
    expect(marks.ticks.length).toBeGreaterThan(0);
  });
});

describe('an axis that fits the outage', () => {
  it.each([
    [0.1, '30m', 4],
    [10, '30m', 11.5],
    [20, '30m', 23],
    [60, '6h', 69],
    [600, '7d', 690],
    [20_000, '7d', 10_080],
  ] as const)('%f min: asks for %s and shows %f min', (minutes, range, span) => {
    expect(fitOutage({ sinceMs: ago(minutes) }, now)).toEqual({ range, spanMs: span * 60_000 });
  });

  it('of one that is over ends a little after it, and asks for a range that reaches back to it', () => {
    expect(fitOutage({ sinceMs: ago(50), untilMs: ago(30) }, now)).toEqual({
      range: '6h',
      spanMs: 26 * 60_000,
      untilMs: ago(27),
    });
    const over = view({ ...fitOutage({ sinceMs: ago(15), untilMs: ago(5) }, now) });
    const marks = queuePlotModel(over, 1000);
    expect(marks.ahead.width).toBe(0);
    expect(marks.nextX).toBeUndefined();
    // The call of two minutes ago is later than the picture.
    expect(marks.calls).toHaveLength(1);
    expect(marks.ticks.at(-1)?.text).toBe('14:27');
    expect(momentAt(over, shareOf(over, ago(10)))).toBeCloseTo(ago(10), -2);
  });
});

describe('what was before the first request', () => {
  const young = plot({
    states: [
      { atMs: ago(30), state: 'answering' },
      { atMs: ago(20), state: 'down' },
    ],
  });

  it('has no band "up": nothing was asked', () => {
    const { bands } = queuePlotModel(view({ plot: young }), 1000);
    expect(bands.map(({ state }) => state)).toEqual(['down']);
    expect(readingAt(view({ plot: young }), ago(25))).toContain('nothing sent yet');
    expect(readingAt(view({ plot: young }), ago(15))).toContain('down, one probe at a time');
    expect(plotRows(view({ plot: young })).rows.map(({ words }) => words)).not.toContain(
      'From now on: up',
    );
  });

  it('has one where a state was recorded before', () => {
    expect(queuePlotModel(view(), 1000).bands[0]?.state).toBe('answering');
  });

  it('has none at all where nothing was ever recorded', () => {
    const never = plot({ states: [{ atMs: ago(30), state: 'answering' }] });
    expect(queuePlotModel(view({ plot: never }), 1000).bands).toEqual([]);
  });
});

describe('what the plot says without the picture', () => {
  it('S0-17 tells the count, the most, the state, the failures and the next trial', () => {
    expect(plotSentence(view({ nextTryAtMs: now + 42_000 }), 'Office')).toBe(
      'Turns waiting for Office: 14 now, at most 14. down, one probe at a time. 2 requests and probes failed. Next probe at 14:31:42.',
    );
  });

  it('reads a moment: time, state, failures near it, turns that waited', () => {
    expect(readingAt(view(), ago(14))).toBe(
      '14:17:00: down, one probe at a time, 1 failed, 1 waiting',
    );
    expect(readingAt(view(), ago(25))).toBe('14:06:00: up, 0 waiting');
  });

  it('S0-17 lists everything that is drawn, newest first, with the count at that moment', () => {
    const { rows, more } = plotRows(view());
    expect(rows.map(({ words, waiting }) => [words, waiting])).toEqual([
      ['A health check succeeded', 14],
      ['14 waiting', 14],
      ['2 waiting', 2],
      ['A probe failed', 1],
      ['From now on: down, one probe at a time', 1],
      ['marked down: 3 consecutive turns failed', 1],
      ['1 waiting', 1],
      ['From now on: degraded', 0],
      ['A request failed', 0],
    ]);
    expect(more).toBe(0);
  });

  it('shows 300 rows and counts the rest', () => {
    const calls = Array.from({ length: 400 }, (_, at) => ({
      atMs: ago(20) + at * 1000,
      what: 'call' as const,
      ok: false,
    }));
    const { rows, more } = plotRows(view({ plot: plot({ calls }) }));
    expect([rows.length, more]).toEqual([300, 105]);
  });

  it('knows the count and the state at a moment before the first change', () => {
    expect(waitingAt(plot(), ago(29))).toBe(0);
    expect(stateAt({ states: [] }, now)).toBe('answering');
  });

  it('turns a place into a moment and back', () => {
    for (const share of [0, 0.3, 0.6]) {
      expect(shareOf(view(), momentAt(view(), share))).toBeCloseTo(share, 6);
    }
    expect(momentAt(view(), 0.99)).toBe(now);
  });
});

describe('large text', () => {
  it.each([
    [1000, 1, { width: 1000, scale: 1 }],
    [1000, 2, { width: 500, scale: 2 }],
    [600, 1.25, { width: 480, scale: 1.25 }],
    // Words would lie on each other: it grows less.
    [300, 2, { width: 240, scale: 1.25 }],
    [200, 2, { width: 240, scale: 1 }],
  ])('a picture of %i px with text at %f is drawn as %j', (widthPx, wanted, picture) => {
    expect(scaledPicture(widthPx, wanted)).toEqual(picture);
  });
});
