import { describe, expect, it } from 'vitest';
import { countDemo } from '../../../electron/cli/demo';
import { countNight } from '../../../electron/cli/demo-night';
import type { VerbOutput } from '../../../shared/contract';
import { stepOf, turnOf } from './samples';

type Shown = VerbOutput<'turns.show'>;

const shown = (
  id: number,
  over: Partial<Shown> = {},
  state: Shown['turn']['state'] = 'completed',
): Shown => ({
  turn: turnOf({ id, state, reused: 3 }),
  prompt: 'p',
  isPromptTruncated: false,
  answer: 'done',
  steps: [
    stepOf({ turnId: id, index: 1, purity: 'llm', tool: 'model' }),
    stepOf({
      turnId: id,
      index: 2,
      purity: 'side_effect',
      tool: 'write_file',
      args: '{"path":"notes.md"}',
    }),
  ],
  stops: [],
  ...over,
});

describe('what the demo claims', () => {
  it('S0-01 two answered turns with one write each: 0 lost, 0 repeated', () => {
    expect(
      countDemo({
        accepted: [1, 2],
        ended: [shown(1), shown(2, { steps: [] })],
        isFileUntouched: true,
      }),
    ).toEqual({
      accepted: 2,
      lost: 0,
      repeated: 0,
      reused: 6,
      writes: 1,
    });
  });

  it.each([
    ['a turn that is not in the journal', [shown(1)], 1],
    ['a turn that failed', [shown(1), shown(2, {}, 'failed')], 1],
    ['a turn without an answer', [shown(1), { ...shown(2), answer: '' }], 1],
    ['nothing at all', [], 2],
  ])('S0-01 %s counts as lost', (_name, ended, lost) => {
    expect(countDemo({ accepted: [1, 2], ended, isFileUntouched: true }).lost).toBe(lost);
  });

  it('S0-10 the same effect with the same input twice counts as repeated, and so does a file that changed', () => {
    const twice = shown(1);
    const again = {
      ...twice,
      steps: [
        ...twice.steps,
        stepOf({
          index: 3,
          purity: 'side_effect',
          tool: 'write_file',
          args: '{"path":"notes.md"}',
        }),
      ],
    };
    expect(countDemo({ accepted: [1], ended: [again], isFileUntouched: true }).repeated).toBe(1);
    expect(countDemo({ accepted: [1], ended: [twice], isFileUntouched: false }).repeated).toBe(1);
    const world = {
      ...twice,
      steps: [
        ...twice.steps,
        stepOf({ index: 4, purity: 'world', tool: 'read_file' }),
        stepOf({ index: 5, purity: 'world', tool: 'read_file' }),
      ],
    };
    expect(countDemo({ accepted: [1], ended: [world], isFileUntouched: true }).repeated).toBe(0);
  });
});

describe('what the night claims', () => {
  const turn = (id: number, state: Shown['turn']['state'] = 'completed') => turnOf({ id, state });
  it.each([
    ['all completed', [turn(1), turn(2)], ['a', 'b'], 0, 0],
    ['one that failed', [turn(1), turn(2, 'failed')], ['a'], 1, 0],
    ['one that still waits', [turn(1), turn(2, 'waiting')], ['a'], 1, 0],
    ['one that the journal does not know', [turn(1)], ['a', 'b'], 1, 0],
    ['work that was done twice', [turn(1), turn(2)], ['a', 'b', 'a'], 0, 1],
  ] as const)('LM-06 %s', (_name, turns, work, lost, repeated) => {
    expect(countNight({ accepted: [1, 2], turns, work, kills: 3, digests: 1 })).toEqual({
      accepted: 2,
      lost,
      repeated,
      kills: 3,
      digests: 1,
    });
  });
});
