/** Nobody calls: what is outside is tried all the same, each kind by something harmless. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { guardedFetch } from '../../../electron/engine/breaker/guarded-pages';
import { createFetchTools } from '../../../electron/adapters/fetch/fetch-tools';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { BreakerView } from '../../../shared/types/outage';
import { composeIn, createWorld, writeConfig, type World } from '../../helpers/compose-world';
import { createTestRegistry, createKept } from '../../unit/breaker/book';
import { nodeServer, ODD_SERVER } from '../mcp/servers-world';
import { until } from '../../helpers/nats-server';
import { lookAt } from '../../../electron/adapters/fetch/look-at';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

let world: World;
let life: Composition | undefined;
afterEach(async () => {
  await life?.lifecycle.stop('stop');
  world.remove();
});

async function start(config: Record<string, unknown>): Promise<Composition> {
  world = createWorld();
  writeConfig(world, {
    breakers: { initial_backoff: '100ms', max_backoff: '200ms' },
    ...config,
    agents: {
      greeted: {
        executor: 'acp',
        command: process.execPath,
        args: [ACP_AGENT],
        workspace: world.workspace,
      },
      worker: { executor: 'command', command: '/bin/false', workspace: world.workspace },
      gone: {
        executor: 'command',
        command: path.join(world.root, 'gone'),
        workspace: world.workspace,
      },
    },
  });
  life = composeIn(world);
  expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
  return life;
}

const show = (on: Composition, name: string): Promise<BreakerView> =>
  on.holdfast.call('breakers.show', { name }, 'test');

it('S2-07 an MCP server, agents and channels close again without a call, a command without being run; a program that is gone stays open', async () => {
  const hooks = createServer((request, response) => {
    posts.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(404).end();
  });
  const posts: string[] = [];
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${String((hooks.address() as AddressInfo).port)}`;
  const on = await start({
    mcp: { servers: { odd: nodeServer(ODD_SERVER) } },
    channels: {
      own: {
        hook: { kind: 'webhook', url: `${origin}/secret/path` },
        bell: { kind: 'command', command: '/bin/false' },
      },
    },
  });
  await until(
    async () => (await on.holdfast.call('ext.list', {}, 'test')).servers[0]?.state === 'running',
    'the server of tools',
  );
  const names = ['mcp.odd', 'agent.greeted', 'agent.worker', 'channel.hook', 'channel.bell'];
  for (const name of [...names, 'agent.gone'])
    await on.holdfast.call('breakers.trip', { name, reason: 'to see it close' }, 'test');
  for (const name of names)
    await until(async () => (await show(on, name)).state === 'closed', `${name} closes`);
  const { turns } = await on.holdfast.call('turns.list', {}, 'test');
  expect(turns).toEqual([]);
  expect(new Set(posts)).toEqual(new Set(['GET /']));
  await until(async () => (await show(on, 'agent.gone')).counters.failed > 1, 'it is looked for');
  expect((await show(on, 'agent.gone')).lastError).toContain('was not found, or cannot be run');
  hooks.close();
});

it('S2-07 a host that is back is found by a look at its first page; one in trouble of its own stays open', async () => {
  world = createWorld();
  let status = 503;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(status).end('page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const options = { allowLoopback: true, version: 'test' };
  const book = createTestRegistry(createSystemClock(), createKept());
  const pages = guardedFetch(createFetchTools(options), book, (url, signal) =>
    lookAt(url, options, signal),
  );
  const { signal } = new AbortController();
  expect(pages.check(place)).toBeUndefined();
  await pages.host.call({
    tool: 'web_fetch',
    args: { url: `http://${place}/deep/page?secret=1` },
    signal,
    idempotencyKey: 'k',
    turnId: 1,
    workspace: world.workspace,
  } as never);
  const check = pages.check(place);
  await expect(check?.(signal)).rejects.toThrow('Status 503');
  status = 404;
  expect(await check?.(signal)).toBe('ok');
  server.close();
  server.closeAllConnections();
  await expect(check?.(signal)).rejects.toThrow();
  // Only its first page, nothing of what the agent asked for.
  expect(asked).toEqual(['GET /deep/page?secret=1', 'GET /', 'GET /']);
});
