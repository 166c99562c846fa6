// @vitest-environment happy-dom
/** A turn that waits in the shared queue says on its own page what it waits for, and what to do. DW-21 */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { VerbOutput } from '../../shared/contract';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { createSeed } from '../helpers/fake-seed';
import { show } from './render';
import type { Shown } from './render';

const WHY = 'No computer offers label gpu.';
const WAITING: VerbOutput<'machines.list'>['waiting'] = [
  { id: 'a', session: 'other', waitsMs: 5, why: 'It is for desk-2 alone.', needs: [], turnId: 1 },
  { id: 'b', session: 'night', waitsMs: 5, why: WHY, needs: ['label:gpu'], turnId: 7 },
];

function open(waiting: typeof WAITING, isShared = true): Shown {
  window.location.hash = '#/turns/7';
  return show(
    <RecoveryWindow />,
    (seed) => {
      if (isShared) seed.status = { ...seed.status, shared: { state: 'connected', held: 0 } };
    },
    (fake) => {
      const turn = createSeed(Date.now()).turns.find(({ id }) => id === 7);
      if (turn === undefined) throw new Error('no turn 7');
      fake.answer('machines.list', () => ({ machines: [], waiting: [...waiting] }));
      fake.answer('turns.show', () => ({
        turn: { ...turn, state: 'waiting', reason: 'Waits in the shared queue.' },
        prompt: 'Train it',
        isPromptTruncated: false,
        steps: [],
        stops: [],
      }));
    },
  );
}

afterEach(() => {
  cleanup();
  window.location.hash = '';
});

describe('a turn that waits in the shared queue', () => {
  it('DW-21 says what it waits for, of its own and of no other turn', async () => {
    open(WAITING);
    expect(await screen.findByText(WHY)).toBeTruthy();
    expect(screen.queryByText('It is for desk-2 alone.')).toBeNull();
  });

  it('DW-21 says nothing more where the store has it no longer, and asks nothing where no work is shared', async () => {
    open([]);
    await screen.findByText(/Waits in the shared queue\./);
    expect(screen.queryByText(WHY)).toBeNull();
    cleanup();
    const { fake } = open(WAITING, false);
    await screen.findByText(/Waits in the shared queue\./);
    expect(fake.callsOf('machines.list')).toEqual([]);
  });
});
