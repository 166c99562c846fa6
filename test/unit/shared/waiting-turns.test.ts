import { describe, expect, it } from 'vitest';
import { isNewRefusal, planRefusals } from '../../../electron/engine/sharing/waiting-turns';
import type { WireEntry } from '../../../electron/engine/sharing/wire';

const refused = (why: string): WireEntry => ({ k: 'refused', why });
const ran: WireEntry = { k: 'attempt', attempt: 1, framedAtMs: 0, frame: 'a'.repeat(64) };

describe('what waits, and who could not take it', () => {
  it.each<
    [string, readonly (readonly [string, WireEntry])[], readonly (readonly [string, string])[]]
  >([
    ['nobody has tried', [], []],
    ['one has', [['desk-2', refused('no commit')]], [['desk-2', 'no commit']]],
    [
      'two have, one of them twice: its last word counts',
      [
        ['desk-2', refused('no commit')],
        ['desk-3', refused('no repository')],
        ['desk-2', refused('a merge')],
      ],
      [
        ['desk-2', 'a merge'],
        ['desk-3', 'no repository'],
      ],
    ],
    [
      'one has run it since',
      [
        ['desk-2', refused('no commit')],
        ['desk-3', refused('no repository')],
        ['desk-2', ran],
      ],
      [['desk-3', 'no repository']],
    ],
  ])('DW-20 DW-28 %s', (_what, entries, told) => {
    const answer = planRefusals(
      entries.map(([, wire]) => wire),
      entries.map(([by]) => by),
    );
    expect(answer.map(({ machine, why }) => [machine, why])).toEqual(told);
  });

  it.each<[string, readonly (readonly [string, WireEntry])[], boolean]>([
    ['nobody has said anything', [], true],
    ['another computer has said it', [['desk-3', refused('no commit')]], true],
    ['it has said it', [['desk-2', refused('no commit')]], false],
    [
      'it has said something else since',
      [
        ['desk-2', refused('no commit')],
        ['desk-2', refused('a merge')],
      ],
      true,
    ],
    [
      'it has run the turn since, and cannot again',
      [
        ['desk-2', refused('no commit')],
        ['desk-2', ran],
      ],
      true,
    ],
    [
      'another computer has run the turn since',
      [
        ['desk-2', refused('no commit')],
        ['desk-3', ran],
      ],
      false,
    ],
  ])(
    'DW-20 DW-28 a refusal is recorded once, and again where the list would not say it: %s',
    (_what, entries, isNew) => {
      const wires = entries.map(([, wire]) => wire);
      const by = entries.map(([name]) => name);
      expect(isNewRefusal(wires, by, { machine: 'desk-2', why: 'no commit' })).toBe(isNew);
    },
  );

  it('DW-20 DW-28 a refusal that is longer than its record is the same one', () => {
    const why = 'x'.repeat(600);
    const wires = [refused(why.slice(0, 500))];
    expect(isNewRefusal(wires, ['desk-2'], { machine: 'desk-2', why })).toBe(false);
  });
});
