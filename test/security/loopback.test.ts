/** H1..H6 over a real server on 127.0.0.1 and raw bytes. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openGuardedServer, sendText } from '../../electron/adapters/loopback/guarded-server';
import {
  READ_ONLY_LIMITS,
  readOnlyServer,
} from '../../electron/adapters/loopback/read-only-server';
import type { LoopbackServer } from '../../electron/ports/loopback';
import { rawRequest, requestText } from '../helpers/raw-http';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

let answered = 0;
async function serve(limits = READ_ONLY_LIMITS, port = 0): Promise<LoopbackServer> {
  answered = 0;
  const server = await readOnlyServer(limits)({
    port,
    answer: ({ path }) => {
      answered += 1;
      return { status: path === '/here' ? 200 : 404, body: `${path}\n` };
    },
  });
  stops.push(() => server.stop());
  return server;
}
const ask = (
  port: number,
  given: {
    method?: string;
    target?: string;
    host?: string;
    more?: readonly (readonly [string, string])[];
  } = {},
) =>
  rawRequest(
    port,
    requestText(given.method ?? 'GET', given.target ?? '/here', [
      ['Host', given.host ?? `127.0.0.1:${String(port)}`],
      ...(given.more ?? []),
    ]),
  );

describe('a server on 127.0.0.1', () => {
  it('H1 answers to its own three names with its port', async () => {
    const { port } = await serve();
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])
      expect((await ask(port, { host: `${name}:${String(port)}` })).status).toBe(200);
  });

  it.each([
    ['evil.example'],
    ['evil.example:PORT'],
    ['127.0.0.1.evil.example:PORT'],
    ['127.0.0.1:PORT@evil.example'],
    ['127.0.0.1'],
    ['127.0.0.1:1'],
    ['localhost.:PORT'],
    ['[::ffff:127.0.0.1]:PORT'],
    ['0.0.0.0:PORT'],
    [' '],
  ])('H1 refuses the host %j and asks nobody', async (host) => {
    const { port } = await serve();
    const { status } = await ask(port, { host: host.replace('PORT', String(port)) });
    expect([400, 403]).toContain(status);
    expect(answered).toBe(0);
  });

  it('H1 refuses a request without a host', async () => {
    const { port } = await serve();
    expect((await rawRequest(port, 'GET /here HTTP/1.1\r\n\r\n')).status).toBe(400);
    expect((await rawRequest(port, 'GET /here HTTP/1.0\r\n\r\n')).status).toBe(400);
    expect(answered).toBe(0);
  });

  it('H2 refuses two hosts, also where the first is right, and an address as the path', async () => {
    const { port } = await serve();
    const own = `127.0.0.1:${String(port)}`;
    expect((await ask(port, { more: [['Host', 'evil.example']] })).status).toBe(400);
    expect((await ask(port, { more: [['hOST', own]] })).status).toBe(400);
    for (const target of [`http://${own}/here`, 'http://evil.example/here', '//evil.example/here'])
      expect((await ask(port, { target })).status).toBe(400);
    expect(answered).toBe(0);
  });

  it.each([
    ['Origin', 'https://evil.example'],
    ['Origin', 'null'],
    ['Origin', 'http://127.0.0.1:8080'],
    ['Sec-Fetch-Site', 'cross-site'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['sec-fetch-site', 'same-site'],
  ])('H3 refuses a web page: %s: %s', async (name, value) => {
    const { port } = await serve();
    expect((await ask(port, { more: [[name, value]] })).status).toBe(403);
    expect(answered).toBe(0);
  });

  it('H3 answers a person who types the address: Sec-Fetch-Site: none', async () => {
    const { port } = await serve();
    expect((await ask(port, { more: [['Sec-Fetch-Site', 'none']] })).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'])(
    'H5 refuses %s with 405',
    async (method) => {
      const { port } = await serve();
      const answer = await ask(port, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('GET');
      expect(answered).toBe(0);
    },
  );

  it('H5 every answer is plain text, never stored, guessed at, kept or shared', async () => {
    const { port } = await serve();
    for (const given of [{}, { target: '/none' }, { method: 'POST' }, { host: 'evil.example' }]) {
      const { headers } = await ask(port, given);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        connection: 'close',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('H6 does not become a web socket', async () => {
    const { port } = await serve();
    const answer = await ask(port, {
      more: [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['Sec-WebSocket-Version', '13'],
      ],
    });
    expect(answer.status).toBe(400);
    expect(answered).toBe(0);
  });

  it('H6 refuses headers above 8 KB', async () => {
    const { port } = await serve();
    const answer = await ask(port, { more: [['X-Long', 'x'.repeat(9_000)]] });
    expect(answer.status).toBe(431);
    expect(answered).toBe(0);
  });

  it('H6 ends a connection whose headers do not come, and one whose body does not end', async () => {
    const { port } = await serve({ ...READ_ONLY_LIMITS, headersMs: 50, bodyMs: 50, answerMs: 50 });
    expect((await rawRequest(port, 'GET /here HTTP/1.1\r\nHost: 127')).status).toBe(0);
    // The answer does not wait for the body; what does not come to an end is cut.
    const answer = await ask(port, { more: [['Content-Length', '1000']] });
    expect([0, 200]).toContain(answer.status);
  });

  it('H6 a request without a body has as long for its answer as one with a body that has come', async () => {
    const server = await openGuardedServer({
      port: 0,
      methods: ['GET', 'POST'],
      limits: { headersMs: 60_000, bodyMs: 50, headerBytes: 8 * 1024, connections: 4 },
      handle: (_request, response) => {
        setTimeout(() => sendText(response, 200, 'late'), 500);
      },
    });
    stops.push(() => server.stop());
    expect((await ask(server.port)).body).toBe('late');
    // One whose body does not come is still ended.
    const more = [['Content-Length', '2']] as const;
    expect((await ask(server.port, { method: 'POST', more })).status).toBe(0);
  });

  it('H6 the limits are those of the checklist: headers in 2 s, a request in 3 s, 32 clients', () => {
    expect(READ_ONLY_LIMITS).toMatchObject({
      headersMs: 2_000,
      headerBytes: 8_192,
      connections: 32,
    });
    expect(READ_ONLY_LIMITS.headersMs + READ_ONLY_LIMITS.bodyMs).toBe(3_000);
  });

  it('H6 turns away a client beyond the cap, and takes the next when one has left', async () => {
    const { port } = await serve({ ...READ_ONLY_LIMITS, connections: 1 });
    const first = connect(port, '127.0.0.1');
    await new Promise((resolve) => first.once('connect', resolve));
    // Accepted by the kernel in order: the second is looked at after the first.
    expect((await ask(port)).status).toBe(0);
    first.destroy();
    await expect.poll(async () => (await ask(port)).status).toBe(200);
  });

  it('H6 of 20,000 requests that 1 client sends without waiting for an answer no more than 1 is looked at, and the next client is answered', async () => {
    const { port } = await serve();
    const host = `127.0.0.1:${String(port)}`;
    await rawRequest(port, requestText('GET', '/here', [['Host', host]]).repeat(20_000));
    expect(answered).toBeLessThanOrEqual(1);
    expect((await ask(port)).status).toBe(200);
  });

  it('R25 H6 a connection that the system cannot accept, such as with too many open files, ends neither the process nor the server', async () => {
    const { port } = await serve();
    let server: Server | undefined;
    const take = (message: unknown): void => {
      server = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', take);
    await ask(port);
    unsubscribe('http.server.request.start', take);
    const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    expect(server?.emit('error', error)).toBe(true);
    expect((await ask(port)).status).toBe(200);
  });

  it('R25 takes the next free port where the asked one is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => other.close(() => resolve())));
    const taken = (other.address() as AddressInfo).port;
    const { port } = await serve(READ_ONLY_LIMITS, taken);
    expect(port).not.toBe(taken);
    expect((await ask(port)).status).toBe(200);
  });

  it('listens on 127.0.0.1 alone, and on nothing once it has stopped', async () => {
    const { port, stop } = await serve();
    const reach = (host: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(port, host, () => {
          socket.destroy();
          resolve('connected');
        });
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      });
    expect(await reach('127.0.0.2')).toBe('ECONNREFUSED');
    await stop();
    expect(await reach('127.0.0.1')).toBe('ECONNREFUSED');
  });
});
