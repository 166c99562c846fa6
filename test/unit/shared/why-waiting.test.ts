import { describe, expect, it } from 'vitest';
import type { WaitingTurn } from '../../../electron/engine/sharing/waiting-turns';
import { whyWaiting } from '../../../electron/engine/sharing/why-waiting';
import type { MachineRow } from '../../../electron/ports/shared-store';

const turn = (id: string, more: Partial<WaitingTurn> = {}): WaitingTurn => ({
  id,
  session: 'night',
  priority: 1,
  needs: [],
  waitsMs: 1_000,
  place: '',
  unmet: [],
  isBehind: false,
  refusals: [],
  ...more,
});
const machine = (
  name: string,
  contactAgoMs: number | undefined,
  state: MachineRow['state'] = 'admitted',
) => ({ name, state, contactAgoMs });

const UP = machine('old-desk', 4_000);
const SILENT = machine('old-desk', 600_000);
const PINNED = turn('first', { place: 'old-desk', waitsMs: 9_000 });
const BEHIND = turn('second', { isBehind: true });
const OF_OLD_DESK = turn('second', { earlierPlaces: ['old-desk'], strangers: ['desk-1'] });

describe('why a shared turn waits', () => {
  it.each<
    [string, WaitingTurn, readonly WaitingTurn[], readonly ReturnType<typeof machine>[], string]
  >([
    ['the computer that it is for is up', PINNED, [PINNED], [UP], 'Only old-desk may run it.'],
    [
      'the computer that it is for is gone',
      PINNED,
      [PINNED],
      [SILENT],
      'Only old-desk may run it. old-desk has had no contact for 10 min: start Holdfast there, or let any computer run it with "holdfast share release first".',
    ],
    [
      'the computer that it is for was revoked',
      PINNED,
      [PINNED],
      [machine('old-desk', 4_000, 'revoked')],
      'Only old-desk may run it. old-desk no longer shares work: let any computer run it with "holdfast share release first".',
    ],
    [
      'an earlier turn is pinned to a computer that is up',
      BEHIND,
      [PINNED, BEHIND],
      [UP],
      'Only old-desk may run an earlier turn of its session.',
    ],
    [
      'an earlier turn is pinned to a computer that is gone',
      BEHIND,
      [PINNED, BEHIND],
      [SILENT],
      'Only old-desk may run an earlier turn of its session. old-desk has had no contact for 10 min: start Holdfast there, or let any computer run the earlier turn with "holdfast share release first".',
    ],
    [
      'another computer of that name is up',
      BEHIND,
      [PINNED, BEHIND],
      [SILENT, UP],
      'Only old-desk may run an earlier turn of its session.',
    ],
    [
      'a later turn is pinned, not an earlier one',
      BEHIND,
      [BEHIND, turn('third', { place: 'old-desk', waitsMs: 10 })],
      [SILENT],
      'An earlier turn of its session has not ended.',
    ],
    [
      'a pinned turn of another session is no reason',
      BEHIND,
      [turn('other', { session: 'day', place: 'old-desk', waitsMs: 9_000 }), BEHIND],
      [SILENT],
      'An earlier turn of its session has not ended.',
    ],
    [
      'an earlier turn that has ended was for a computer that is up',
      OF_OLD_DESK,
      [OF_OLD_DESK],
      [UP],
      'It waits for a free computer. The earlier turns of its session are only for old-desk.',
    ],
    [
      'an earlier turn that has ended was for a computer that is gone',
      OF_OLD_DESK,
      [OF_OLD_DESK],
      [SILENT],
      'It waits for a free computer. The earlier turns of its session are only for old-desk. old-desk has had no contact for 10 min: start Holdfast there, or send it in another session.',
    ],
    [
      'nobody offers what it needs',
      turn('second', { unmet: ['label:gpu'] }),
      [],
      [],
      'No computer offers label gpu.',
    ],
  ])('DW-21 DW-28 %s', (_what, one, waiting, machines, said) => {
    expect(whyWaiting(one, waiting, machines)).toBe(said);
  });
});
