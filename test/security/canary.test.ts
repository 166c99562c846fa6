/** R2 over the whole engine: a key goes in at every door and comes out at none. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../helpers/compose-world';
import { startFakeProvider } from '../helpers/fake-provider';
import { SECRET_FORMS } from '../helpers/secret-forms';
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
      await vi.waitUntil(() => host.out().includes('\n'), { timeout: 120_000 });
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

describe('R2 a key that comes back in another form', () => {
  /** What the sinks take in one piece: a log entry is a line. */
  const forms = Object.entries(SECRET_FORMS)
    .map(([name, form]) => [name, form(CANARY)] as const)
    .filter(([, form]) => !form.includes('\n'));

  /** A refusal takes a turn each; the log takes all of them. */
  const QUOTED = forms.filter((_one, index) => index % 4 === 0);

  /** Every form, and every half of the key, that is in a text. */
  function foundIn(text: string): string[] {
    const lower = text.toLowerCase();
    const middle = Math.floor(CANARY.length / 2);
    const halves = [CANARY.slice(0, middle), CANARY.slice(middle)].map(
      (half) => ['half', half] as const,
    );
    return [...forms, ...halves]
      .filter(([, form]) => lower.includes(form.toLowerCase()))
      .map(([name]) => name);
  }

  it('R2 from a provider, an MCP server and a command agent is in no form in a file of D, an answer or the environment of a child', async () => {
    let asked = 0;
    const provider = await startFakeProvider({
      // A refusal each time, quoting one form after the other.
      script: () => ({
        status: 400,
        error: { message: `bad key ${QUOTED[asked++ % QUOTED.length]?.[1] ?? ''} at 12:00` },
      }),
    });
    const forth = path.join(world.outside, 'forms.txt');
    fs.writeFileSync(forth, forms.map(([, form]) => form).join('\n'));
    const dump = (name: string): string => `env >> '${path.join(world.outside, `${name}.env`)}'`;
    const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script] });
    try {
      writeConfig(world, {
        log: { level: 'debug' },
        providers: {
          p: {
            kind: 'openai-compatible',
            base_url: provider.baseUrl('openai-compatible'),
            api_key_env: 'CANARYWORD',
          },
        },
        mcp: { servers: { says: sh(`${dump('mcp')}; cat '${forth}' >&2; exit 1`) } },
        agents: {
          own: { provider: 'p', model: 'm', workspace: world.workspace },
          line: {
            executor: 'command',
            ...sh(`${dump('line')}; cat '${forth}' >&2; exit 1`),
            workspace: world.workspace,
          },
        },
      });
      app = composeIn(world, {
        env: {
          PATH: process.env['PATH'],
          HOME: world.outside,
          CANARYWORD: CANARY,
          ...Object.fromEntries(forms.map(([, form], index) => [`COPY_${String(index)}`, form])),
        },
      });
      await app.lifecycle.start();
      const { holdfast } = app;
      const said: unknown[] = [];
      for (const [index, agent] of [...QUOTED.map(() => 'own'), 'line'].entries()) {
        const { turnId } = await holdfast.call(
          'send',
          { text: 'hello', agent, session: `s${String(index)}` },
          'test',
        );
        await turnIn(app, turnId, [...QUIET]);
        said.push(await holdfast.call('turns.show', { turnId, withTexts: true }, 'test'));
      }
      for (const verb of [
        'doctor.run',
        'ext.list',
        'provider.status',
        'recovery.list',
        'status.get',
        'breakers.list',
        'logs.tail',
      ] as const)
        said.push(await holdfast.call(verb, {}, 'test'));
      expect(asked).toBeGreaterThanOrEqual(3);
      await app.lifecycle.stop('stop');
      app = undefined;
      expect(foundIn(JSON.stringify(said))).toEqual([]);
      const files = fs.readdirSync(world.dataDir, { recursive: true, encoding: 'utf8' });
      const leaks = files
        .map((name) => path.join(world.dataDir, name))
        .filter((file) => fs.statSync(file).isFile())
        .flatMap((file) =>
          foundIn(fs.readFileSync(file, 'latin1')).map((form) => `${path.basename(file)}: ${form}`),
        );
      expect(leaks).toEqual([]);
      for (const name of ['mcp', 'line'])
        expect([
          name,
          foundIn(fs.readFileSync(path.join(world.outside, `${name}.env`), 'utf8')),
        ]).toEqual([name, []]);
      // They were there to be hidden.
      const log = fs.readFileSync(path.join(world.dataDir, 'logs', 'holdfast.log'), 'utf8');
      expect(log.split('[redacted]').length).toBeGreaterThan(forms.length);
    } finally {
      await provider.stop();
    }
  });
});
