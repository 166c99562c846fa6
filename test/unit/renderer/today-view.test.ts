import { expect, it } from 'vitest';
import { todayCounts, todayText } from '../../../renderer/settings/today-view';
import type { InboxItem, TurnSummary } from '../../../shared/types';

const NOW_MS = new Date(2026, 10, 26, 14, 31).getTime();
const HOUR = 3_600_000;
const turn = (id: number, reused: number, hoursAgo: number): TurnSummary =>
  ({ id, reused, acceptedAtMs: NOW_MS - hoursAgo * HOUR }) as TurnSummary;
const asks = (turnId: number, hoursAgo: number): InboxItem =>
  ({ kind: 'replay_decision', turnId, createdAtMs: NOW_MS - hoursAgo * HOUR }) as InboxItem;

it.each([
  ['none', [], [], 'No turn was interrupted today.'],
  ['yesterday', [turn(1, 3, 20)], [asks(2, 20)], 'No turn was interrupted today.'],
  [
    'a turn that resumed',
    [turn(1, 3, 1), turn(2, 0, 1)],
    [],
    'Today: 1 turn was interrupted. 1 of 1 resumed automatically, 0 asked you.',
  ],
  [
    'one that asked and then went on counts as asked',
    [turn(1, 3, 1), turn(2, 5, 1), turn(3, 1, 2)],
    [asks(2, 1), asks(2, 2), asks(4, 1)],
    'Today: 4 turns were interrupted. 2 of 4 resumed automatically, 2 asked you.',
  ],
])('S0-36 counts what became of interrupted turns: %s', (_words, turns, items, text) => {
  expect(todayText(todayCounts(turns, items, NOW_MS))).toBe(text);
});
