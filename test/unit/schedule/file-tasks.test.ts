/** Tasks of config.json: what has to happen so that they are as the file says. */
import { describe, expect, it } from 'vitest';
import { planFileTasks } from '../../../electron/engine/schedule/file-tasks';
import type { TaskRow } from '../../../electron/ports/journal/schedule';

const row = (more: Partial<TaskRow> = {}): TaskRow =>
  ({
    id: 4,
    name: 'tidy',
    prompt: 'Tidy up',
    schedule: 'daily at 09:00',
    zone: 'UTC',
    catchup: 'default',
    agent: 'coder',
    channel: 'window',
    peer: '',
    state: 'active',
    ...more,
  }) as TaskRow;
const made = (...rows: readonly TaskRow[]) => rows.map((task) => ({ key: 'config:tidy:0', task }));
const entry = { schedule: 'daily at 09:00', prompt: 'Tidy up' };

describe('GT-04 the tasks of config.json', () => {
  it.each([
    ['adds one that is new', { tidy: entry }, [], [{ kind: 'add', key: 'config:tidy:0' }]],
    ['leaves one that is as the file says', { tidy: entry }, made(row()), []],
    ['leaves one that a person has paused', { tidy: entry }, made(row({ state: 'paused' })), []],
    ['leaves a one-time task that has run', { tidy: entry }, made(row({ state: 'completed' })), []],
    [
      'changes only what differs',
      { tidy: { ...entry, prompt: 'Tidy more', catchup: 'never' as const } },
      made(row()),
      [{ kind: 'update', taskId: 4, wish: { prompt: 'Tidy more', catchup: 'never' } }],
    ],
    [
      'sets a completed one again when its schedule changes',
      { tidy: { ...entry, schedule: 'in 1h' } },
      made(row({ state: 'completed' })),
      [{ kind: 'update', taskId: 4, wish: { schedule: 'in 1h' } }],
    ],
    [
      'takes away a check and a channel that differs',
      { tidy: { ...entry, channel: 'phone', peer: '7' } },
      made(row({ check: 'git: ~/a main' })),
      [{ kind: 'update', taskId: 4, wish: { check: '', channel: 'phone', peer: '7' } }],
    ],
    [
      'makes another one for another agent, and cancels the first',
      { tidy: { ...entry, agent: 'writer' } },
      made(row()),
      [
        { kind: 'cancel', taskId: 4 },
        { kind: 'add', key: 'config:tidy:4' },
      ],
    ],
    [
      'goes on there after a kill between both',
      { tidy: { ...entry, agent: 'writer' } },
      made(row({ state: 'cancelled' })),
      [{ kind: 'add', key: 'config:tidy:4' }],
    ],
    ['cancels one that is no longer there', {}, made(row()), [{ kind: 'cancel', taskId: 4 }]],
    ['does so once', {}, made(row({ state: 'cancelled' })), []],
    [
      'adds it again when its entry is back',
      { tidy: entry },
      made(row({ state: 'cancelled' })),
      [{ kind: 'add', key: 'config:tidy:4' }],
    ],
    [
      'looks at the newest of a name',
      { tidy: entry },
      made(row({ id: 9 }), row({ state: 'cancelled' })),
      [],
    ],
  ])('%s', (_what, wanted, before, steps) => {
    const planned = planFileTasks(wanted, before);
    expect(planned).toMatchObject(steps);
    expect(planned).toHaveLength(steps.length);
  });
});
