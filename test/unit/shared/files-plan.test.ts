import { describe, expect, it } from 'vitest';
import { planFiles } from '../../../electron/engine/sharing/turn-files';
import type { WireEntry } from '../../../electron/engine/sharing/wire';
import type { FilesMove } from '../../../electron/ports/moved-files';

const SENT: FilesMove = { base: 'b', tree: 'sent', prefix: '', pieces: [] };
const now = (tree: string): WireEntry => ({
  k: 'files',
  files: { base: 'b', tree, prefix: '', pieces: [] },
});
const start = (step: number, hasEffects = true): WireEntry => ({
  ...{ k: 'start', step, attempt: 1, tool: 'files.write_file', purity: 'side_effect' },
  ...{ key: '', hint: '', hasEffects, isWorkspaceRead: false, isIdempotent: false },
});
const end = (step: number): WireEntry => ({
  k: 'end',
  step,
  end: { state: 'completed', content: { t: '' }, isError: false },
});
const no: WireEntry = { k: 'files', why: 'It is too large.' };
const NOT_SENT = 'That computer was gone before it sent them.';

describe('the files that a granted turn goes on in', () => {
  it.each<[string, WireEntry[], string, string, boolean, string | undefined]>([
    // What the store has, who wrote each (d: this computer), the files, of another one, what is left there.
    ['nothing has begun', [], '', 'sent', false, undefined],
    ['only reads', [start(1, false), end(1)], 'aa', 'sent', false, undefined],
    ['one was sent behind its end', [start(1), end(1), now('t1')], 'aaa', 't1', true, undefined],
    ['its end was sent alone', [start(1), end(1)], 'aa', 'sent', true, NOT_SENT],
    ['begun, outcome unknown', [start(1)], 'a', 'sent', true, undefined],
    ['a second one begun', [start(1), end(1), now('t1'), start(2)], 'aaaa', 't1', true, undefined],
    [
      'a second one ended alone',
      [start(1), end(1), now('t1'), start(2), end(2)],
      'aaaaa',
      't1',
      true,
      NOT_SENT,
    ],
    [
      'refused',
      [start(1), end(1), now('t1'), start(2), end(2), no],
      'aaaaaa',
      't1',
      true,
      'It is too large.',
    ],
    ['refused, then small again', [start(1), end(1), no, now('t2')], 'aaaa', 't2', true, undefined],
    ['all of it here', [start(1), end(1)], 'dd', 'sent', false, undefined],
    [
      'there, then here',
      [start(1), end(1), now('t1'), start(2), end(2)],
      'aaadd',
      't1',
      false,
      undefined,
    ],
    [
      'here, then there',
      [start(1), end(1), now('t1'), start(2), end(2), now('t2')],
      'dddaaa',
      't2',
      true,
      undefined,
    ],
  ])('DW-20 %s', (_name, wires, by, tree, isElsewhere, why) => {
    const plan = planFiles(SENT, wires, by.split(''), 'd');
    expect([plan.move.tree, plan.isElsewhere, plan.left]).toEqual([
      tree,
      isElsewhere,
      why === undefined ? undefined : { machine: 'a', why },
    ]);
  });
});
