// @vitest-environment happy-dom
/** How often a page asks again while much happens: a window that asks too often is refused. */
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { show } from './render';

afterEach(() => {
  cleanup();
  window.location.hash = '';
});

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a page while a turn takes many short steps', () => {
  it('Home asks less often than a window may, however many events come, and shows the last state', async () => {
    window.location.hash = '#/';
    const { fake } = show(<RecoveryWindow />);
    await screen.findByRole('heading', { level: 1 });
    await waitFor(() => expect(fake.callsOf('turns.list').length).toBeGreaterThan(2));
    await wait(500);
    const turn = fake.seed.turns.find(({ state }) => state === 'running');
    if (turn === undefined) throw new Error('Nothing runs.');
    const before = fake.calls.length;
    const startedMs = performance.now();
    // As often as the engine tells a window of one event.
    for (let tenths = 0; tenths < 30; tenths += 1) {
      await act(async () => {
        const { id: turnId, state, sessionId } = turn;
        fake.emit('turn.changed', { turnId, state, sessionId });
        fake.emit('session.changed', { sessionId, seq: tenths });
        await wait(100);
      });
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    expect((fake.calls.length - before) / seconds).toBeLessThan(30);
    const at = fake.seed.turns.indexOf(turn);
    fake.seed.turns[at] = { ...turn, steps: 777 };
    act(() => {
      fake.emit('turn.changed', { turnId: turn.id, state: turn.state, sessionId: turn.sessionId });
    });
    expect(await screen.findByText('step 777')).toBeTruthy();
  });
});
