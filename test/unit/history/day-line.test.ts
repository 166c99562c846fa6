import { describe, expect, it } from 'vitest';
import { stretchesOf, windowStartMs } from '../../../electron/engine/history/day-line';
import type { StartSpan } from '../../../electron/ports/history';

const HOUR = 3_600_000;
const start = (
  hour: number,
  reason: string,
  rest: { readonly downSince?: number; readonly stopped?: number } = {},
): StartSpan => ({
  startedAtMs: hour * HOUR,
  reason,
  downSinceMs: rest.downSince === undefined ? undefined : rest.downSince * HOUR,
  stoppedAtMs: rest.stopped === undefined ? undefined : rest.stopped * HOUR,
});
const sleep = (from: number, to?: number) => [
  { kind: 'suspend' as const, atMs: from * HOUR },
  ...(to === undefined ? [] : [{ kind: 'resume' as const, atMs: to * HOUR }]),
];
const range = { fromMs: 100 * HOUR, toMs: 124 * HOUR, aliveUntilMs: 124 * HOUR };
const shown = (...given: Parameters<typeof stretchesOf>) => {
  const { stretches, stops } = stretchesOf(...given);
  return {
    line: stretches.map(
      (one) => `${one.kind} ${String(one.fromMs / HOUR)}-${String(one.toMs / HOUR)}`,
    ),
    stops: stops.map((one) => `${one.reason} ${String(one.atMs / HOUR)}`),
  };
};

describe('S0-30 when the engine ran', () => {
  it.each([
    [
      'says nothing before the first known start',
      [start(110, 'first_start')],
      [],
      ['running 110-124'],
      [],
    ],
    [
      'runs through from a start before the window',
      [start(2, 'first_start')],
      [],
      ['running 100-124'],
      [],
    ],
    ['knows nothing without a start', [], [], [], []],
    [
      'stands still between an ordered stop and the next start',
      [start(2, 'first_start', { stopped: 105 }), start(106, 'clean', { downSince: 105 })],
      [],
      ['running 100-105', 'stopped 105-106', 'running 106-124'],
      [],
    ],
    [
      'marks an end that nobody asked for',
      [start(2, 'first_start'), start(106, 'power_loss', { downSince: 105 })],
      [],
      ['running 100-105', 'stopped 105-106', 'running 106-124'],
      ['power_loss 105'],
    ],
    [
      'does not mark a takeover',
      [start(2, 'first_start'), start(106, 'takeover', { downSince: 105 })],
      [],
      ['running 100-105', 'stopped 105-106', 'running 106-124'],
      [],
    ],
    [
      'marks a stop at the left end where it died before the window and came back in it',
      [start(2, 'first_start'), start(103, 'crash', { downSince: 90 })],
      [],
      ['stopped 100-103', 'running 103-124'],
      ['crash 100'],
    ],
    [
      'cuts a sleep of the computer out of the run',
      [start(2, 'first_start')],
      sleep(110, 117),
      ['running 100-110', 'asleep 110-117', 'running 117-124'],
      [],
    ],
    [
      'lets a sleep without a wake last until the run is known to have ended',
      [start(2, 'first_start'), start(120, 'power_loss', { downSince: 118 })],
      sleep(110),
      ['running 100-110', 'asleep 110-118', 'stopped 118-120', 'running 120-124'],
      ['power_loss 118'],
    ],
    [
      'does not guess that a sleep without a wake lasts until now',
      [start(2, 'first_start')],
      sleep(110),
      ['running 100-124'],
      [],
    ],
    [
      'does not guess a sleep from a wake alone',
      [start(2, 'first_start')],
      [{ kind: 'resume' as const, atMs: 110 * HOUR }],
      ['running 100-124'],
      [],
    ],
  ] as const)('%s', (_name, starts, power, line, stops) => {
    expect(shown(starts, power, range)).toEqual({ line, stops });
  });

  it('ends the newest run with its last sign of life while nothing runs', () => {
    const stopped = { ...range, aliveUntilMs: 120 * HOUR };
    expect(shown([start(2, 'first_start')], [], stopped).line).toEqual([
      'running 100-120',
      'stopped 120-124',
    ]);
  });
});

describe('the window of 24 hours', () => {
  const now = Date.UTC(2026, 2, 24, 14, 31, 7);
  it.each([
    ['UTC', 0, Date.UTC(2026, 2, 23, 14, 30)],
    ['Kathmandu, 5 h 45 min east', -345, Date.UTC(2026, 2, 23, 14, 25)],
    ['Newfoundland, 3 h 30 min west', 210, Date.UTC(2026, 2, 23, 14, 30)],
  ])('begins on a full ten minutes of the clock in %s', (_zone, offset, expected) => {
    expect(windowStartMs(now, offset)).toBe(expected);
  });
});
