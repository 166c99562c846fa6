/** The host of `holdfast debug orchestrator` ends when it is idle; a message may come in just then. */
import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../../electron/offline/open-data';
import { createWorld as createTerminal } from '../cli/cli-world';
import { createFakeHoldfast } from '../control/fake-holdfast';
import { composeIn, createWorld, type World } from '../../helpers/compose-world';
import { createFakeProvider } from '../../helpers/fake-world';

let data: World;
afterEach(() => data.remove());

describe('S3-34 the idle boundary', () => {
  it('S3-34 a message that is accepted between "nothing more to do" and the stop still runs, and is answered once', async () => {
    data = createWorld();
    const providers = [
      createFakeProvider({ dir: data.outside, script: () => ({ text: 'Done.' }) }),
    ];
    const accepted: number[] = [];
    let lives = 0;
    const terminal = createTerminal({
      dataDir: data.dataDir,
      fake: createFakeHoldfast(),
      offline: { openReadOnly },
      composer: {
        compose: () => {
          lives += 1;
          const { holdfast, lifecycle } = composeIn(data, { providers });
          return {
            holdfast,
            lifecycle: {
              ...lifecycle,
              stopped: lifecycle.stopped,
              start: () => lifecycle.start(),
              // It is idle, and has decided to end: two of three lives are written to right now.
              async stop(reason) {
                if (accepted.length < 2) {
                  const sent = await holdfast.call('send', { text: 'late', session: 's' }, 'test');
                  accepted.push(sent.turnId);
                }
                await lifecycle.stop(reason);
              },
            },
          };
        },
      },
    });
    const { code } = await terminal.run('orchestrator', '--json');
    expect([code, lives]).toEqual([0, 3]);
    const stopped = await openReadOnly(data.dataDir);
    const { turns } = await stopped.holdfast.call('turns.list', { limit: 10 }, 'test');
    const { events } = await stopped.holdfast.call('session.events', { session: 's' }, 'test');
    await stopped.close();
    expect(turns.map(({ id, state }) => [id, state]).toSorted()).toEqual(
      accepted.map((id) => [id, 'completed']),
    );
    expect(events.filter(({ type }) => type === 'agent.message')).toHaveLength(2);
  });
});
