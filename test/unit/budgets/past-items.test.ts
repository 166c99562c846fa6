import { describe, expect, it } from 'vitest';
import { createPastItems } from '../../../electron/engine/budgets/past-items';
import type { InboxRow } from '../../../electron/ports/journal/inbox';

const item = (id: number, facts: InboxRow['facts']): InboxRow => ({ id, facts }) as InboxRow;
const DAY = 86_400_000;
const span = (nowMs: number) => ({
  startMs: nowMs - (nowMs % DAY),
  endMs: nowMs - (nowMs % DAY) + DAY,
});

describe('items about spent budgets', () => {
  it('BU-02 are withdrawn in a new period, others stay, and nothing is read before a period ends', () => {
    let reads = 0;
    let items = [
      item(1, { budget: 'daily', level: 'spent', fromMs: 0 }),
      item(2, { taskId: 3 }),
      item(3, { budget: 'gone', level: 'nearly', fromMs: 0 }),
    ];
    const past = createPastItems({
      inbox: () => {
        reads += 1;
        return items;
      },
    });
    const look = (nowMs: number) =>
      past
        .entries(nowMs, (budget) => (budget === 'daily' ? span(nowMs) : undefined))
        .map((entry) => (entry.kind === 'inbox.settled' ? entry.inboxId : 0));
    expect([look(1), look(DAY - 1), reads]).toEqual([[], [], 1]);
    expect([look(DAY), reads]).toEqual([[1], 2]);
    items = [item(4, { budget: 'daily', level: 'nearly', fromMs: DAY })];
    past.told();
    expect([look(DAY + 1), look(2 * DAY), reads]).toEqual([[], [4], 4]);
  });
});
