import { describe, expect, it } from 'vitest';
import {
  judgeLeft,
  leftFacts,
  leftNotice,
  leftState,
  LEFT_OUTCOMES,
  planLeft,
} from '../../../electron/engine/recovery/left-notices';
import type { InboxRow } from '../../../electron/ports/journal/inbox';
import type { LeftProcess } from '../../../electron/ports/left-processes';

const processOf = (extra: Partial<LeftProcess> = {}): LeftProcess => ({
  pid: 100,
  processGroup: 100,
  startTicks: '77',
  startedAtMs: 1_000,
  bootId: 'boot-1',
  runId: 'run-1',
  turnId: 7,
  step: 2,
  command: 'sleep 60',
  processes: 1,
  ...extra,
});

const rowOf = (id: number, process?: LeftProcess, extra: Partial<InboxRow> = {}): InboxRow => ({
  id,
  item: 'problem',
  turnId: 7,
  sessionId: undefined,
  title: 'A command of turn 7 still runs after the restart',
  detail: '',
  facts: process === undefined ? undefined : leftFacts(process),
  createdAtMs: 1,
  settledAtMs: undefined,
  outcome: undefined,
  toldOn: undefined,
  attemptedOn: undefined,
  ...extra,
});

describe('F3 what a start says of commands that an earlier one left', () => {
  it.each<[string, InboxRow[], LeftProcess[], number[], number[], number]>([
    ['a new one is told of', [], [processOf()], [], [], 1],
    ['a known one is watched on', [rowOf(1, processOf())], [processOf()], [], [1], 0],
    ['one that is gone loses its notice', [rowOf(1, processOf())], [], [1], [], 0],
    [
      'a number that was given away again is another one',
      [rowOf(1, processOf())],
      [processOf({ startTicks: '78' })],
      [1],
      [],
      1,
    ],
    [
      'so is one of another boot',
      [rowOf(1, processOf())],
      [processOf({ bootId: 'b' })],
      [1],
      [],
      1,
    ],
    ['so is one of another run', [rowOf(1, processOf())], [processOf({ runId: 'r' })], [1], [], 1],
    [
      'one that a person let run is not told of again',
      [rowOf(1, processOf(), { settledAtMs: 2, outcome: LEFT_OUTCOMES.leftRunning })],
      [processOf()],
      [],
      [],
      0,
    ],
    [
      'a notice of an earlier version goes, its process is told of anew',
      [rowOf(1)],
      [processOf()],
      [1],
      [],
      1,
    ],
    [
      'other problems are left alone',
      [rowOf(1, undefined, { title: 'The disk is full' })],
      [],
      [],
      [],
      0,
    ],
  ])('%s', (_title, rows, found, gone, living, fresh) => {
    const judged = judgeLeft(rows, found);
    expect(judged.gone).toEqual(gone);
    expect(judged.living.map(({ row }) => row.id)).toEqual(living);
    expect(judged.fresh).toHaveLength(fresh);
  });

  it('reads back exactly the process that it wrote, also without a turn', () => {
    for (const process of [processOf(), processOf({ turnId: undefined, step: undefined })])
      expect(leftNotice(rowOf(1, process))?.process).toEqual(process);
  });

  it.each([
    [true, undefined, 'running'],
    [false, LEFT_OUTCOMES.ended, 'ended'],
    [false, LEFT_OUTCOMES.endedByYou, 'ended_by_you'],
    [false, LEFT_OUTCOMES.endedUnseen, 'ended_unseen'],
    [false, LEFT_OUTCOMES.leftRunning, 'ended_unseen'],
    [false, undefined, 'ended_unseen'],
  ] as const)('alive %s, settled %s: %s', (isAlive, outcome, state) => {
    expect(leftState({ row: rowOf(1, processOf(), { outcome }) }, isAlive)).toBe(state);
  });
});

describe('F3 what a start does with a process that an earlier one left', () => {
  const step = { ...processOf(), server: undefined, browserOf: undefined };
  const alone = { settlesItself: false, goesOn: false };
  it.each([
    ['a command whose turn waits for a person is told of', step, alone, 'tell'],
    ['one whose step runs again is ended', step, { ...alone, goesOn: true }, 'end'],
    ['a server is ended', { ...step, server: 'files' }, alone, 'end'],
    ['a browser is ended', { ...step, browserOf: 3 }, alone, 'end'],
    [
      'what its own run settles is left alone, even where that goes on',
      step,
      { settlesItself: true, goesOn: true },
      'leave',
    ],
  ] as const)('%s', (_name, orphan, turn, plan) => {
    expect(planLeft(orphan, turn)).toBe(plan);
  });
});
