/** Clients that stop reading an answer: what they do not take is no fault of its provider. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClientAnswer } from '../../../electron/adapters/gateway/client-answer';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

const IDLE_MS = 1_000;
/** More than the system takes off a client that does not read. */
const PARTS = 400;
const PART = `data: ${JSON.stringify({
  choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }],
})}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

let world: GatewayWorld;
let provider: Server;
const sockets: Socket[] = [];
beforeEach(async () => {
  world = await startGatewayWorld({ firstByteMs: 60_000, wholeMs: 60_000, idleMs: IDLE_MS });
  provider = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void send(response);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  world.rules.openUrl = `http://127.0.0.1:${String((provider.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await world.stop();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

async function send(response: ServerResponse): Promise<void> {
  for (let part = 0; part < PARTS && !response.destroyed; part += 1)
    if (!response.write(PART))
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
  response.end(END);
}

it('S0-15 a client that stops reading for three times the longest silence gets the rest, and its provider is not blamed', async () => {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [] });
  const client = connect(world.port, '127.0.0.1');
  sockets.push(client);
  client.write(
    [
      'POST /p/open/v1/chat/completions HTTP/1.1',
      `Host: 127.0.0.1:${String(world.port)}`,
      `Authorization: Bearer ${world.token}`,
      'Connection: close',
      `Content-Length: ${String(body.length)}`,
      '',
      body,
    ].join('\r\n'),
  );
  client.pause();
  await new Promise((resolve) => setTimeout(resolve, 3 * IDLE_MS));
  let bytes = 0;
  let tail = '';
  client.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-2_000);
  });
  client.resume();
  await expect.poll(() => tail, { timeout: 120_000 }).toContain('[DONE]');
  expect(bytes).toBeGreaterThan(PARTS * PART.length);
  expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success']);
});

it('S0-15 a client that reads nothing for the time that is given to it is cut off', async () => {
  const left = new Promise<void>((resolve) => {
    const server = createServer((_request, response) => {
      response.once('close', () => resolve());
      const answer = createClientAnswer(response, {
        isStream: true,
        dialect: 'openai-compatible',
        stallMs: 200,
      });
      answer.head(200, new Headers({ 'content-type': 'text/event-stream' }));
      void (async () => {
        for (let part = 0; part < PARTS; part += 1) await answer.piece(Buffer.from(PART));
      })();
    });
    server.listen(0, '127.0.0.1', () => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      sockets.push(client);
      client.on('error', () => undefined);
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      client.pause();
      client.once('close', () => server.close());
    });
  });
  await left;
});
