import { expect, it } from 'vitest';
import { isUpkeepDue } from '../../../electron/engine/journal/retention';

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
