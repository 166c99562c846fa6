/** The checks of due tasks where a check cannot even begin. */
import { describe, expect, it, vi } from 'vitest';
import { createCheckedTasks } from '../../../electron/engine/schedule/checked-tasks';
import type { TaskRow } from '../../../electron/ports/journal/schedule';
import { createVirtualClock } from '../../helpers/virtual-clock';

const task = { id: 1, agent: 'a', check: 'command: true', state: 'active' } as unknown as TaskRow;

describe('a check whose code cannot be loaded', () => {
  it('GT-01 leaves its slot due and is tried once a minute: 11 times in 10 min, and no slot is decided', async () => {
    const clock = createVirtualClock(0);
    const warn = vi.fn();
    const decide = vi.fn(() => Promise.resolve(true));
    const checked = createCheckedTasks({
      journal: { onCommitted: () => undefined },
      clock,
      log: { warn },
      reads: { task: () => task },
      // The loop of what is due looks again after each change: the slot is still due.
      edits: {
        inTurn: (work: () => Promise<unknown>) => work(),
        changed: () => checked.begin(task, decide),
      },
      checks: () => Promise.reject(new Error('gone')),
    } as unknown as Parameters<typeof createCheckedTasks>[0]);
    checked.begin(task, decide);
    await clock.advance(0);
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);
    expect([warn.mock.calls.length, decide.mock.calls.length, checked.ids()]).toEqual([11, 0, [1]]);
    checked.stop();
    await clock.advance(60_000);
    expect([warn.mock.calls.length, clock.pending.sleeps]).toEqual([11, 0]);
  });
});
