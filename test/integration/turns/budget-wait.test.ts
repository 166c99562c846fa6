/** Turns that wait for what another one has set aside of a budget. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../../electron/ports/provider';
import { composeIn, ENDED, QUIET, turnIn, writeConfig } from '../../helpers/compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  promptOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld();
beforeEach(() => {
  const caps = { daily: { scope: 'all', per: 'day', usd: 5 } };
  writeConfig(world, { budgets: { caps, timezone: 'UTC' } });
});

const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

/** A request that is stopped ends, as one to a real provider does. */
const endsWhenStopped = (provider: Provider): Provider => ({
  ...provider,
  stream: (request, how) =>
    Promise.race([
      provider.stream(request, how),
      new Promise<Awaited<ReturnType<Provider['stream']>>>((resolve) => {
        const failure = {
          kind: 'aborted',
          message: 'Stopped.',
          hint: '',
          isRetryable: true,
        } as const;
        how.signal.addEventListener('abort', () => resolve({ kind: 'failure', failure }));
      }),
    ]),
});

/** One tool that charges, and a model that is asked by `work` and, for as long as the gate is shut, by `slow`. */
async function start(isSlow: boolean) {
  const tool = gate();
  const slow = gate();
  const tools = createFakeTools({
    dir: world.outside,
    gate: async (at) => {
      if (isSlow && at === 'after') await tool.opened;
    },
  });
  const provider = createFakeProvider({
    dir: world.outside,
    gate: async (request) => {
      if (isSlow && promptOf(request) === 'slow') await slow.opened;
      return undefined;
    },
    script: (request) =>
      promptOf(request) === 'work' && resultsSoFar(request) === 0
        ? { calls: [{ tool: 'charge', args: { usd: 5 } }] }
        : { text: 'done' },
  });
  const app = composeIn(world, { providers: [endsWhenStopped(provider)], toolHosts: [tools] });
  running.push(app);
  await app.lifecycle.start();
  const send = async (text: string, session: string) =>
    (await app.holdfast.call('send', { text, session, agent: 'fake' }, 'test')).turnId;
  return {
    app,
    send,
    tool,
    slow,
    charges: () => linesOf(tools.log),
    asked: () => linesOf(provider.log),
  };
}

/** Its charge is done, and the rest of the budget is set aside for the request of another turn. */
async function untilWaiting() {
  const life = await start(true);
  const turnId = await life.send('work', 'b');
  await expect.poll(() => life.charges().length).toBe(1);
  await life.send('slow', 'a');
  await expect.poll(() => life.asked().length).toBe(2);
  life.tool.open();
  return { ...life, turnId };
}

function steps(turnId: number): unknown[] {
  const db = new Database(path.join(world.dataDir, 'holdfast.db'), { readonly: true });
  try {
    return db
      .prepare('SELECT state FROM steps WHERE turn_id = ? ORDER BY step')
      .pluck()
      .all(turnId);
  } finally {
    db.close();
  }
}
const COMPLETED = 1;

describe('a turn with a finished tool call that waits for a budget', () => {
  it('S0-03 BU-04 has its outcome on disk for as long as it waits', async () => {
    const life = await untilWaiting();
    await expect.poll(() => steps(life.turnId)).toEqual([COMPLETED, COMPLETED]);
    expect(life.asked()).toHaveLength(2);
    life.slow.open();
    const end = await turnIn(life.app, life.turnId, [...ENDED]);
    expect([end.state, life.charges().length]).toEqual(['completed', 1]);
  });

  it('S0-03 BU-04 stopped in order meanwhile it goes on at the next start without a second charge', async () => {
    const life = await untilWaiting();
    await expect.poll(() => steps(life.turnId)).toEqual([COMPLETED, COMPLETED]);
    await life.app.lifecycle.stop('stop');
    running.length = 0;
    const next = await start(false);
    const end = await turnIn(next.app, life.turnId, [...QUIET]);
    expect([end.state, next.charges().length]).toEqual(['completed', 1]);
  });

  it('S0-03 BU-04 is canceled at once, and the other turn goes on', async () => {
    const life = await untilWaiting();
    await expect.poll(() => steps(life.turnId)).toEqual([COMPLETED, COMPLETED]);
    await life.app.holdfast.call('turns.cancel', { turnId: life.turnId }, 'test');
    expect((await turnIn(life.app, life.turnId, [...ENDED])).state).toBe('cancelled');
    expect(life.asked()).toHaveLength(2);
    life.slow.open();
  });
});
