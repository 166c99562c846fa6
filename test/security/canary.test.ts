/** R2 over the whole engine: a key goes in at every door and comes out at none. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
import { createSite } from '../integration/rows/site';

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
      said.push(await holdfast.call('agents.show', { name: 'one' }, 'test'));
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

describe('R2 a process that ends by its own error', () => {
  it('R2 with an error that quotes a key and the address of a broker with its password: no file, no metric and no answer holds them', async () => {
    const site = await createSite();
    const password = 'canary-of-nats-5ca1ab1e';
    // A file of the person's own names the broker: that is where its password is, and nowhere else.
    const url = `nats://user:${password}@127.0.0.1:1`;
    const found = (): string[] =>
      [CANARY, password].flatMap((secret) =>
        spawnSync('grep', ['-rl', secret, site.dataDir], { encoding: 'utf8' })
          .stdout.split('\n')
          .filter((file) => file !== '' && path.basename(file) !== 'config.json'),
      );
    const throws = path.join(site.workspace, 'throws.cjs');
    fs.writeFileSync(
      throws,
      `process.on('SIGUSR2', () => { throw new Error('bad ' + process.env.CANARY_KEY + ' at ${url}'); });`,
    );
    const env = { NODE_OPTIONS: `--require ${throws}`, CANARY_KEY: CANARY };
    try {
      const fp = { kind: 'openai-compatible', base_url: site.fp.baseUrl('openai-compatible') };
      site.configure({
        providers: { fp: { ...fp, api_key_env: 'CANARY_KEY' } },
        nats: { url },
      });
      site.fp.setScript(() => ({ status: 401, error: { message: `bad key ${CANARY}` } }));
      const host = site.launch(['start', '--headless'], '', env);
      await vi.waitUntil(() => host.out().includes('\n'), { timeout: 30_000 });
      await site.turnIn(await site.send('hello'), 'waiting', 'parked');
      const said: unknown[] = [];
      for (const args of [
        ['status'],
        ['doctor'],
        ['logs'],
        ['provider', 'list'],
        ['queue', 'status'],
      ])
        said.push(await site.hf(...args, '--json'));
      const { ports } = await site.json<{ ports: { metrics: number } }>('status');
      const metrics = await fetch(`http://127.0.0.1:${String(ports.metrics)}/metrics`);
      said.push(await metrics.text());
      expect(metrics.status).toBe(200);
      host.child.kill('SIGUSR2');
      expect((await host.ended).code).toBe(70);
      said.push(host.out(), host.err());
      const note = fs.readFileSync(path.join(site.dataDir, 'run', 'crash.json'), 'utf8');
      expect(note).toContain('bad [redacted] at nats://');
      expect(found()).toEqual([]);
      // The next start knows the key no more when it reads what is left.
      await site.start();
      for (const args of [['status'], ['doctor'], ['logs'], ['events', 'list']])
        said.push(await site.hf(...args, '--json'));
      expect(found()).toEqual([]);
      expect(JSON.stringify(said)).not.toContain(CANARY);
      expect(JSON.stringify(said)).not.toContain(password);
    } finally {
      await site.remove();
    }
  });
});
