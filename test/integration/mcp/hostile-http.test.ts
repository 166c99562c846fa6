/** What a server that is reached by its address must not be able to make of us. */
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createServersWorld, type ServersWorld } from './servers-world';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A server that ends each of its streams with this, and answers no call. `hold`: nor what answers it. */
async function serverOfStreams(last: string, hold?: () => void) {
  const seen = { streams: 0 };
  const server = createServer((request, response) => {
    void (async () => {
      const text = await bodyOf(request);
      const message = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      const { id, method } = message;
      if (request.method === 'GET' || method === 'tools/call') {
        seen.streams += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(last);
        return;
      }
      const protocolVersion = (message['params'] as Record<string, unknown> | undefined)?.[
        'protocolVersion'
      ];
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        },
        'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
      };
      const result = typeof method === 'string' ? results[method] : undefined;
      if (method === undefined && hold !== undefined) {
        hold();
        return;
      }
      if (id === undefined || result === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp` };
}

it.each([
  ['0 ms', 'retry: 0\n\n'],
  ['more ms than a timer holds', 'retry: 99999999999\n\n'],
  ['0 ms, with an event to resume from', 'id: 1\nretry: 0\ndata:\n\n'],
])(
  'T6 S2-19 a server that ends its streams and asks to be asked again after %s is asked at most once a second',
  async (_what, last) => {
    const { seen, url } = await serverOfStreams(last);
    const world: ServersWorld = createServersWorld({ evil: { url } });
    ends.push(() => world.end());
    world.need('evil').start();
    await world.until('evil', 'running');
    const stop = new AbortController();
    const calls = [1, 2, 3].map(() => world.call('evil', 'pay', {}, stop.signal));
    const startMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    stop.abort();
    await Promise.all(calls);
    const seconds = (performance.now() - startMs) / 1_000;
    // The first of it, and the three calls.
    expect(seen.streams).toBeLessThanOrEqual(Math.ceil(seconds) + 4);
    expect(seen.streams).toBeGreaterThanOrEqual(4);
  },
);

it('T6 S2-19 a server that asks 5,000 things and takes none of the answers is ended at 256, before it has used up our connections', async () => {
  let held = 0;
  const pings = Array.from(
    { length: 5_000 },
    (_, id) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`,
  ).join('');
  const { url } = await serverOfStreams(pings, () => (held += 1));
  const world: ServersWorld = createServersWorld({ evil: { url } });
  ends.push(() => world.end());
  world.need('evil').start();
  const state = await world.until('evil', 'restarting');
  expect(state).toMatchObject({ reason: 'It left more than 256 requests without an answer.' });
  expect(held).toBeLessThanOrEqual(256);
});
