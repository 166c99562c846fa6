import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServersWorld, type ServersWorld } from './servers-world';

interface Refusal {
  readonly status: number;
  readonly body: string;
}

const rpcError = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

/** A server with sessions in memory, as most are; `forget` is its restart. */
async function withSessions(refusal: Refusal) {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen = { ran: 0, opened: 0, refusesArguments: false, forgetsAlways: false };
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const mcp = new McpServer({ name: 'forgetful', version: '1' });
    mcp.registerTool('pay', { description: 'pays once' }, () => {
      seen.ran += 1;
      return { content: [{ type: 'text', text: `paid ${String(seen.ran)}` }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    seen.opened += 1;
    return transport;
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const id = request.headers['mcp-session-id'];
      const isCall = JSON.stringify(body ?? '').includes('"tools/call"');
      if (isCall && seen.forgetsAlways) sessions.clear();
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (id !== undefined && known === undefined) {
        response.writeHead(refusal.status, { 'content-type': 'application/json' });
        response.end(refusal.body);
        return;
      }
      if (isCall && seen.refusesArguments) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(rpcError(-32602, 'Invalid params: amount is missing'));
        return;
      }
      await (known ?? (await open())).handleRequest(request, response, body);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    url: `http://127.0.0.1:${String(port)}/mcp`,
    forget: () => {
      sessions.clear();
    },
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function running(refusal: Refusal): Promise<{
  readonly made: ServersWorld;
  readonly server: Awaited<ReturnType<typeof withSessions>>;
}> {
  const server = await withSessions(refusal);
  ends.push(server.end);
  const made = createServersWorld({ bank: { url: server.url } });
  ends.push(() => made.end());
  made.servers.startAll();
  await made.until('bank', 'running');
  expect(await made.call('bank', 'pay')).toMatchObject({ kind: 'result', content: 'paid 1' });
  return { made, server };
}

const FORGOTTEN: Refusal = {
  status: 400,
  body: rpcError(-32000, 'Bad Request: No valid session ID provided'),
};

describe('an HTTP server that forgot our session', () => {
  it.each<readonly [string, Refusal]>([
    ['400, no valid session', FORGOTTEN],
    ['400, not initialized', { status: 400, body: rpcError(-32000, 'Server not initialized') }],
    ['404, by the protocol', { status: 404, body: rpcError(-32001, 'Session not found') }],
    ['404 without a word', { status: 404, body: '' }],
    ['410', { status: 410, body: 'gone' }],
    ['401 of a session', { status: 401, body: 'Unauthorized: Session not found' }],
    ['422', { status: 422, body: 'Unexpected message, expect initialize request' }],
  ])('S2-19 makes the call in a new session, once: %s', async (_title, refusal) => {
    const { made, server } = await running(refusal);
    server.forget();
    expect(await made.call('bank', 'pay')).toMatchObject({ kind: 'result', content: 'paid 2' });
    expect(server.seen).toMatchObject({ ran: 2, opened: 2 });
    expect(made.need('bank').state().kind).toBe('running');
    // No failure of a server that is well: no breaker, no restart that counts.
    expect(made.breakers.list().filter((one) => one.state !== 'closed')).toEqual([]);
    expect(made.attempts.size).toBe(0);
  });

  it('S2-19 opens one new session for 5 calls at once, and each runs once', async () => {
    const { made, server } = await running(FORGOTTEN);
    server.forget();
    const all = await Promise.all(Array.from({ length: 5 }, () => made.call('bank', 'pay')));
    expect(all.map(({ kind }) => kind)).toEqual(Array(5).fill('result'));
    expect(server.seen).toMatchObject({ ran: 6, opened: 2 });
  });

  it('S2-19 keeps its session where the 400 is about the arguments', async () => {
    const { made, server } = await running(FORGOTTEN);
    server.seen.refusesArguments = true;
    expect(await made.call('bank', 'pay')).toMatchObject({ kind: 'failed' });
    expect(server.seen.ran).toBe(1);
  });

  it('S2-19 tries a new session once and then says what the server says', async () => {
    const { made, server } = await running(FORGOTTEN);
    server.seen.forgetsAlways = true;
    expect(await made.call('bank', 'pay')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('HTTP status 400') as string,
      isRetryable: true,
    });
    expect(server.seen.ran).toBe(1);
    expect(server.seen.opened).toBeLessThanOrEqual(3);
  });
});
