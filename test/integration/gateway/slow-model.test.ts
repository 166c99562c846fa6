/** A model on this computer takes as long as it takes to its first byte, and is asked once. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upstreamTimeouts } from '../../../electron/adapters/gateway/upstream';
import { clientsOf, wholeAnswer } from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
let server: Server;
let asked: ServerResponse[];
beforeEach(async () => {
  world = await startGatewayWorld({ firstByteMs: Infinity, wholeMs: Infinity, idleMs: 200 });
  asked = [];
  server = createServer((request, response) => {
    request.resume();
    asked.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.rules.openUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  await world.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const { post } = clientsOf(() => world);
/** Five times the longest silence inside of an answer. */
const silence = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));
const first = async (): Promise<ServerResponse> => {
  await expect.poll(() => asked.length).toBe(1);
  return asked[0] as ServerResponse;
};
const CHUNK = { choices: [{ index: 0, delta: { content: 'slow' }, finish_reason: 'stop' }] };
const BODY = { model: 'm', messages: [] };
const EVENTS = { 'content-type': 'text/event-stream' };

describe('the gateway asks a server on this computer once', () => {
  it.each([
    ['before its headers', false],
    ['between its headers and its first event', true],
  ])('that is silent %s', async (_when, isHeadFirst) => {
    const answer = post('/v1/chat/completions', { ...BODY, stream: true });
    const response = await first();
    if (isHeadFirst) response.writeHead(200, EVENTS).flushHeaders();
    await silence();
    if (!isHeadFirst) response.writeHead(200, EVENTS);
    response.end(`data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`);
    expect(await (await answer).text()).toContain('slow');
    expect(asked).toHaveLength(1);
    expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success']);
  });

  it('for an answer that comes whole', async () => {
    const answer = post('/v1/chat/completions', BODY);
    const response = await first();
    await silence();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(wholeAnswer('openai-compatible', 'slow').body));
    expect(await (await answer).text()).toContain('slow');
    expect(asked).toHaveLength(1);
  });

  it('and again where its connection has ended, or it falls silent inside of its answer', async () => {
    world.rules.maxWaitMs = 0;
    const answer = post('/v1/chat/completions', { ...BODY, stream: true });
    (await first()).destroy();
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.writeHead(200, EVENTS).write(`data: ${JSON.stringify({ choices: [] })}\n\n`);
    await answer.then((one) => one.text());
    expect(asked).toHaveLength(2);
  });

  it('ends the request when its client leaves', async () => {
    const left = new AbortController();
    const answer = fetch(`${world.baseUrl('open')}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.token}` },
      body: JSON.stringify({ ...BODY, stream: true }),
      signal: left.signal,
    }).catch(() => 'left');
    const response = await first();
    const closed = new Promise((resolve) => response.once('close', resolve));
    left.abort();
    expect(await answer).toBe('left');
    await closed;
    expect(asked).toHaveLength(1);
  });

  it.each([
    [true, Infinity, Infinity],
    [false, 60_000, 600_000],
  ])(
    'on this computer %s: %d ms to the first byte, %d ms to a whole answer',
    (isLocal, firstByteMs, wholeMs) => {
      expect(upstreamTimeouts(isLocal)).toMatchObject({ firstByteMs, wholeMs });
    },
  );
});
