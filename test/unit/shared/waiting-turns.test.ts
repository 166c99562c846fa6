import { describe, expect, it } from 'vitest';
import { planRefusals } from '../../../electron/engine/sharing/waiting-turns';
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
});
