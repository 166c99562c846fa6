import { describe, expect, it } from 'vitest';
import {
  actedTurn,
  hasMissed,
  isFromElsewhere,
  isTakenOver,
  ownAgentOf,
} from '../../../electron/engine/turns/acting-agent';
import { continuePrompt } from '../../../electron/engine/executors/acp/plan';
import type { Fallback } from '../../../electron/ports/journal/outage';
import type { TurnRow } from '../../../electron/ports/journal/rows';

const to = (agent: string, afterStep: number): Fallback => ({
  provider: 'acp',
  model: '',
  agent,
  instead: { provider: 'acp', model: '', agent: 'main' },
  cause: 'limit',
  sinceMs: 0,
  afterStep,
  by: 'auto',
});
const turn = (fallbacks?: readonly Fallback[]): TurnRow =>
  ({ id: 1, agent: 'main', ...(fallbacks === undefined ? {} : { fallbacks }) }) as TurnRow;
const prompted = (step: number) => ({ step, purity: 'llm' });

describe('FB-03 the agent that drives a turn', () => {
  it('is its own, or the last that took over; the session stays with its own', () => {
    expect(actedTurn(turn())).toEqual(turn());
    const acted = actedTurn(turn([to('other', 2), to('third', 4)]));
    expect(acted).toMatchObject({ agent: 'third', ownAgent: 'main' });
    expect(ownAgentOf(acted)).toBe('main');
    expect(ownAgentOf(turn())).toBe('main');
  });

  it.each<[string, TurnRow, readonly { step: number; purity: string }[], boolean]>([
    ['its own turn', turn(), [prompted(1)], false],
    ['a turn of another', turn([to('other', 3)]), [prompted(1), { step: 3, purity: 'pure' }], true],
    [
      'one that it has had before a crash',
      turn([to('other', 3)]),
      [prompted(1), prompted(4)],
      false,
    ],
    ['one that a third took from it', turn([to('other', 3), to('third', 5)]), [prompted(4)], true],
  ])('%s: has it been taken over from another? %#', (_name, row, steps, isOther) => {
    expect(isTakenOver(actedTurn(row), steps)).toBe(isOther);
  });

  it.each<[string, TurnRow, TurnRow | undefined, boolean]>([
    ['the first turn', turn(), undefined, false],
    ['after its own', turn(), turn(), false],
    ['after that of another', turn(), turn([to('other', 1)]), true],
    ['another after its own', actedTurn(turn([to('other', 1)])), turn([to('other', 1)]), false],
    ['another after the first', actedTurn(turn([to('other', 1)])), turn(), true],
  ])('FB-04 %s: has its conversation missed a turn? %#', (_name, row, before, isMissed) => {
    expect(hasMissed(row, before)).toBe(isMissed);
  });

  it('is told that another one worked on it, and not that it was interrupted itself', () => {
    const facts = {
      messages: [{ role: 'user' as const, text: 'go' }],
      knowsPast: true,
      calls: [],
      orphans: undefined,
    };
    expect(continuePrompt({ ...facts, isOther: true })).toContain('Another agent worked on');
    expect(continuePrompt(facts)).toContain('You were interrupted');
  });
});

describe('DW-19 a turn that another computer had', () => {
  const here = (atStep: number) => ({ atMs: 0, to: 'here', machine: 'desk-2', atStep }) as const;
  const there = { atMs: 0, to: 'there', machine: 'desk-2', atStep: 9 } as const;
  it.each([
    ['never moved', [], [prompted(1)], false],
    ['taken, and not prompted here since', [here(5)], [prompted(1)], true],
    ['taken, and prompted here since', [here(5)], [prompted(1), prompted(5)], false],
    ['taken a second time', [here(5), there, here(9)], [prompted(1), prompted(5)], true],
    ['given away, and not yet back', [here(5), there], [prompted(5)], false],
  ])('%s: was it driven elsewhere since? %#', (_name, moves, steps, isElsewhere) => {
    expect(isFromElsewhere(moves, steps)).toBe(isElsewhere);
  });

  it.each([
    ['this computer', { epoch: 2, machine: '' }, false],
    ['another one', { epoch: 2, machine: 'desk-2' }, true],
    ['one that this never had it from', { epoch: 0, machine: '' }, true],
  ])(
    'the turn before ended on %s: has the conversation here missed it?',
    (_name, row, isMissed) => {
      expect(hasMissed(turn(), turn(), row)).toBe(isMissed);
    },
  );

  it('is told to its agent as work of another computer, whose files may be missing', () => {
    const messages = [{ role: 'user' as const, text: 'go' }];
    const facts = { messages, knowsPast: false, calls: [], orphans: undefined };
    const told = continuePrompt({ ...facts, isOther: true, isElsewhere: true });
    expect(told).toMatch(/by another computer.*may be missing here/);
    expect(told).not.toContain('in this folder until');
  });
});
