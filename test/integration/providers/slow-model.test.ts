/** How long a model may be silent, with a clock that is 100 times as fast. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openGuardedCall, timeoutsOf } from '../../../electron/adapters/providers/guarded-fetch';
import { patientFetch } from '../../../electron/adapters/providers/patient-fetch';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';

const TIMES = 100;
const clock = createSystemClock();
const fast = {
  ...clock,
  monotonicMs: () => clock.monotonicMs() * TIMES,
  sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs / TIMES, signal),
};
const pause = (delayMs: number): Promise<void> => clock.sleep(delayMs / TIMES);

let server: Server;
let url: string;
let asked: number;
beforeEach(async () => {
  asked = 0;
  server = createServer((request, response) => {
    request.resume();
    asked += 1;
    const [, head = 0, body = 0] = (request.url ?? '').split('/').map(Number);
    void (async () => {
      await pause(head);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      await pause(body);
      response.end('data: {}\n\n');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const call = async (path: string, isLocal: boolean) => {
  let signs = 0;
  const guarded = openGuardedCall({
    signal: new AbortController().signal,
    clock: fast,
    timeouts: timeoutsOf(isLocal),
    userAgent: 'test',
    fetch: isLocal ? patientFetch : globalThis.fetch,
    onAlive: () => (signs += 1),
  });
  try {
    const response = await guarded.fetch(`${url}${path}`, { method: 'POST', body: '{}' });
    return { text: await response.text(), signs };
  } catch {
    return { timedOut: guarded.facts().timedOut, signs };
  } finally {
    guarded.close();
  }
};

it('S2-26 a model on this computer has 75 s to its headers, and 130 s more to its first word: one request, and signs of life meanwhile', async () => {
  const { text, signs } = await call('/75000/130000', true);
  expect(text).toBe('data: {}\n\n');
  expect(signs).toBeGreaterThanOrEqual(3);
  expect(asked).toBe(1);
});

it('S2-26 a provider elsewhere is given up after 60 s without a header, or 120 s without a word', async () => {
  expect(await call('/75000/0', false)).toEqual({ timedOut: 'first_byte', signs: 0 });
  expect(await call('/0/130000', false)).toEqual({ timedOut: 'idle', signs: 0 });
});

it('S2-26 it is not asked through the fetch of Node, which ends after 5 minutes', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not this one'));
  expect((await call('/0/0', true)).text).toBe('data: {}\n\n');
});

it('T6 S2-26 a server on this computer that switches to another protocol has ended the call', async () => {
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    // It is no longer the server's to close.
    socket.resume();
  });
  const headers = { connection: 'upgrade', upgrade: 'x' };
  await expect(patientFetch(url, { method: 'POST', body: '{}', headers })).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
});
