/** What a person says of a circuit, and what they take out of the settings, counts while Holdfast is stopped, too. */
import { afterEach, expect, it } from 'vitest';
import { openForDecision } from '../../../electron/offline/open-data';
import type { BreakerView } from '../../../shared/types/outage';
import { writeConfig } from '../../helpers/compose-world';
import { createWorkWorld, type WorkWorld } from '../work/work-world';

let site: WorkWorld;
afterEach(() => site.end());

const PROVIDER = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9' };
const name = 'provider.fp';

/** One verb while nothing runs, with the lock of the instance held. */
async function stopped(verb: 'breakers.trip' | 'breakers.reset'): Promise<BreakerView> {
  const opened = await openForDecision(site.world.dataDir);
  try {
    return await opened.holdfast.call(verb, { name }, 'cli');
  } finally {
    await opened.close();
  }
}

it('S2-21 S2-22 a circuit that is opened or closed while Holdfast is stopped is so at its next start, and the audit says who did it', async () => {
  site = createWorkWorld();
  writeConfig(site.world, {
    providers: { fp: PROVIDER },
    breakers: { initial_backoff: '1h', max_backoff: '1h' },
  });
  const state = async (): Promise<string> => {
    const life = await site.start();
    const view = await life.holdfast.call('breakers.show', { name }, 'test');
    // While it runs, nobody else can: the running one is asked.
    await expect(openForDecision(site.world.dataDir)).rejects.toThrow('is already running on');
    await life.lifecycle.stop('stop');
    return view.state;
  };
  expect(await state()).toBe('closed');
  expect((await stopped('breakers.trip')).state).toBe('open');
  expect(await state()).toBe('open');
  expect((await stopped('breakers.reset')).state).toBe('closed');
  expect(await state()).toBe('closed');
  const moves = site.audit().filter((line) => line.event === 'breaker_moved');
  expect(moves.map(({ facts }) => facts)).toEqual([
    expect.objectContaining({ to: 'open', cause: 'opened manually (cli)' }),
    expect.objectContaining({ to: 'closed', cause: 'closed by hand (cli)' }),
  ]);
});

it('S2-+04 an open circuit of a provider, server, agent or channel that left the settings while Holdfast was stopped is gone, and closed if that comes back', async () => {
  site = createWorkWorld();
  const fake = { provider: 'fake', model: 'fake-1', workspace: site.world.workspace };
  const stays = { agents: { fake }, breakers: { initial_backoff: '1h', max_backoff: '1h' } };
  const whole = {
    ...stays,
    providers: { fp: PROVIDER },
    agents: {
      fake,
      prog: { executor: 'command', command: 'true', workspace: site.world.workspace },
    },
    mcp: { servers: { tools: { command: 'true' } } },
    channels: { own: { team: { kind: 'webhook', url: 'http://127.0.0.1:9/' } } },
  };
  const names = ['agent.prog', 'channel.team', 'mcp.tools', 'provider.fp'];
  const open = async (life: Awaited<ReturnType<typeof site.start>>) => {
    const { breakers } = await life.holdfast.call('breakers.list', {}, 'test');
    return breakers.flatMap((one) => (one.state === 'closed' ? [] : [one.name]));
  };
  writeConfig(site.world, whole);
  const first = await site.start();
  for (const one of names) await first.holdfast.call('breakers.trip', { name: one }, 'test');
  expect((await open(first)).toSorted()).toEqual(names);
  await first.lifecycle.stop('stop');
  const again = await site.start();
  expect((await open(again)).toSorted()).toEqual(names);
  await again.lifecycle.stop('stop');
  writeConfig(site.world, stays);
  const without = await site.start();
  expect(without.holdfast.status().outside).toBeUndefined();
  expect(await open(without)).toEqual([]);
  await without.lifecycle.stop('stop');
  writeConfig(site.world, whole);
  expect(await open(await site.start())).toEqual([]);
});
