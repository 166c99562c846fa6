import { expect, it } from 'vitest';
import { isUpkeepDue, keptSinceMs } from '../../../electron/engine/upkeep/retention';

const HOUR = 3_600_000;
const NOW = Date.parse('2027-06-01T12:17:00Z');

it.each([
  ['at 3 in the morning, an hour after the start', 3, 1, true],
  ['by day, 9 h after the last', 12, 9, false],
  ['by day, 25 h after the last', 12, 25, false],
  ['by day, 26 h after the last: the computer slept through the night', 12, 26, true],
  ['by day, after a week of sleep', 12, 168, true],
  ['by a clock that was set back by a year', 12, -8_760, true],
] as const)('S0-+02 upkeep is looked at every hour: %s', (_when, hour, sinceHours, isDue) => {
  expect(isUpkeepDue({ lastMs: NOW - sinceHours * HOUR, nowMs: NOW, hour })).toBe(isDue);
});

const DAY = 24 * HOUR;
it.each([
  ['by a clock that has run on', [0, 1, 6, 8], 0],
  ['in the first week', [0, 3], 0],
  ['after 13 days of holidays', [0, 13], 0],
  ['after two months of them: on the first days nothing more than before', [0, 2, 62], 62],
  ['after two months of them, a week later', [0, 7, 69], 0],
  ['with a clock that leapt 13 years ahead', [0, 4_745], 4_745],
  ['six days later by it', [0, 6, 4_751], 4_751],
  ['with entries of a year to come, written before the clock was set right', [0, -365, 8], 0],
  ['with nothing written yet', [], 0],
] as const)(
  'S0-+02 what ended 30 days ago may go %s, where Holdfast ran %j days ago: counted from %i days ago',
  (_when, daysAgo, believedDaysAgo) => {
    const seenMs = daysAgo.map((days) => NOW - days * DAY);
    expect(keptSinceMs({ nowMs: NOW, days: 30, seenMs })).toBe(NOW - (30 + believedDaysAgo) * DAY);
  },
);
