import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../shared/types';
import { familyOf, phaseCells, runStory } from '../../../renderer/runs/run-phases-view';

const run = (over: Partial<RunView>): RunView => ({
  id: 4,
  turnId: 7,
  turnState: 'running',
  agent: 'mender',
  sessionKey: 's',
  attempt: 1,
  depth: 0,
  isOrphan: false,
  skill: 'compare-offers',
  version: 'a',
  state: 'running',
  reason: '',
  phase: 'compare',
  visit: 1,
  visits: { gather: 1, compare: 1 },
  history: [{ phase: 'gather', visit: 1, next: 'compare', leftAtMs: 2000 }],
  input: '',
  isTruncated: false,
  startedAtMs: 1000,
  ageMs: 0,
  ...over,
});
const cellsOf = (one: RunView) => phaseCells(one, undefined, undefined, 10_000);

describe('the phases of a run', () => {
  it.each([
    [
      'failed inside a phase',
      run({ state: 'failed', endedAtMs: 5000 }),
      'Run failed in phase compare, after 1 completed phase.',
      ['done', 'ended'],
    ],
    [
      'discarded before a phase',
      run({ state: 'discarded', phase: '', visit: 0, history: [] }),
      'Run discarded before its first phase.',
      [],
    ],
    [
      'completed',
      run({
        state: 'completed',
        endedAtMs: 42_000,
        history: [
          { phase: 'gather', visit: 1, next: 'compare', leftAtMs: 2000 },
          { phase: 'compare', visit: 1, leftAtMs: 42_000 },
        ],
      }),
      'All 2 phases completed in 41 s.',
      ['done', 'done'],
    ],
    [
      'completed, without phases',
      run({
        state: 'completed',
        phase: 'main',
        endedAtMs: 4000,
        history: [{ phase: 'main', visit: 1, leftAtMs: 4000 }],
      }),
      'Completed in 3 s.',
      ['done'],
    ],
    [
      'not begun',
      run({ phase: '', visit: 0, history: [], visits: {} }),
      'No phase has started yet.',
      [],
    ],
  ])('S4-05 says of a run that is %s what became of it', (_title, one, sentence, states) => {
    const cells = cellsOf(one);
    expect(runStory(one, cells)).toBe(sentence);
    expect(cells.map((cell) => cell.state)).toEqual(states);
  });

  it('S4-05 gives the end of a failed run the mark of a failure, and of a discarded one not', () => {
    expect(cellsOf(run({ state: 'failed' })).at(-1)).toMatchObject({
      tone: 'outage',
      mark: 'cross',
      text: 'failed',
    });
    expect(cellsOf(run({ state: 'discarded' })).at(-1)).toMatchObject({
      tone: 'muted',
      mark: 'stop',
    });
  });

  it('S4-+06 counts the runs that a run started, and theirs, and no others', () => {
    const runs = [
      run({ id: 9, parentRunId: 6 }),
      run({ id: 6, parentRunId: 4 }),
      run({ id: 5 }),
      run({ id: 8, parentRunId: 5 }),
    ];
    expect([...familyOf(run({}), runs)]).toEqual([4, 6, 9]);
  });
});
