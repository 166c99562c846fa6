/** R2 over the whole engine: a key goes in at every door and comes out at none. */
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../electron/compose-options';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../helpers/compose-world';
import { startFakeProvider } from '../helpers/fake-provider';

const CANARY = 'sk-canary-4f1d9a77c0ffee0123456789abcdef';

let world: World;
let app: Composition | undefined;
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await app?.lifecycle.stop('stop');
  app = undefined;
  world.remove();
});

describe('R2 a provider key', () => {
  it('R2 given by hand and by environment is in no file of D after a refused turn', async () => {
    const provider = await startFakeProvider({
      script: () => ({ status: 401, error: { message: `bad key ${CANARY}` } }),
    });
    try {
      writeConfig(world, {
        providers: {
          byhand: { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') },
          byenv: {
            kind: 'anthropic',
            base_url: provider.baseUrl('anthropic'),
            api_key_env: 'CANARY_KEY',
          },
        },
        agents: {
          one: { provider: 'byhand', model: 'm', workspace: world.workspace },
          two: { provider: 'byenv', model: 'm', workspace: world.workspace },
        },
      });
      app = composeIn(world, {
        env: { PATH: process.env['PATH'], HOME: world.outside, CANARY_KEY: CANARY },
      });
      await app.lifecycle.start();
      const { holdfast } = app;
      const view = await holdfast.call('provider.setKey', { name: 'byhand', key: CANARY }, 'test');
      expect(view.key).toMatchObject({ present: true, storage: 'session-only' });
      const said: unknown[] = [view];
      for (const agent of ['one', 'two']) {
        const { turnId } = await holdfast.call('send', { text: 'hello', agent }, 'test');
        expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'waiting' });
        said.push(await holdfast.call('turns.show', { turnId, withTexts: true }, 'test'));
      }
      expect(provider.calls().length).toBeGreaterThanOrEqual(2);
      for (const verb of [
        'doctor.run',
        'provider.list',
        'agents.list',
        'config.list',
        'recovery.list',
        'status.get',
        'provider.status',
        'outage.queue',
        'breakers.list',
        'logs.tail',
      ] as const) {
        said.push(await holdfast.call(verb, {}, 'test'));
      }
      expect(JSON.stringify(said)).not.toContain(CANARY);
      await app.lifecycle.stop('stop');
      app = undefined;
      // grep exits with 1 where it finds nothing.
      const found = spawnSync('grep', ['-rl', CANARY, world.dataDir], { encoding: 'utf8' });
      expect({ status: found.status, files: found.stdout }).toEqual({ status: 1, files: '' });
    } finally {
      await provider.stop();
    }
  });
});
