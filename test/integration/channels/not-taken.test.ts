/** What a channel does with messages that this computer cannot take. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelDeps } from '../../../electron/adapters/channels/channel-deps';
import { createNtfy } from '../../../electron/adapters/channels/ntfy';
import { CircuitBreaker } from '../../../electron/engine/breaker/circuit-breaker';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { Intake } from '../../../electron/ports/channel';
import { createVirtualClock } from '../../helpers/virtual-clock';

const TOKEN = `a1.9.${'x'.repeat(20)}.a.1.${'0'.repeat(16)}.${'s'.repeat(43)}`;
const LATER = { kind: 'answered', note: '', isOpen: true, id: '1', isNotTaken: true };

let server: Server | undefined;
let channel: ReturnType<typeof createNtfy> | undefined;
afterEach(() => {
  channel?.stop?.();
  server?.closeAllConnections();
  server?.close();
});

/** A topic that has one answer, which comes again with each connection until it is taken. */
async function listening(answer: () => Promise<unknown>) {
  const clock = createVirtualClock(1_000);
  const requestsAt: number[] = [];
  server = createServer((_request, response) => {
    requestsAt.push(clock.monotonicMs() / 1_000);
    const said = (event: string, more: object) =>
      response.write(`${JSON.stringify({ id: event, time: 5, event, ...more })}\n`);
    said('open', {});
    said('message', { message: TOKEN });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const breaker = new CircuitBreaker('channel.phone', 'channel', {
    clock,
    policy: () => ({
      failureThreshold: 5,
      successThreshold: 2,
      initialBackoffMs: 30_000,
      maxBackoffMs: 300_000,
    }),
    timeWords: String,
    waiting: () => '',
    changed: () => undefined,
  });
  channel = createNtfy({
    name: 'phone',
    spec: {
      kind: 'ntfy',
      topic: 'out',
      reply_topic: 'back',
      server: `http://127.0.0.1:${String(port)}`,
      decide: { people: ['ann'] },
    },
    timeoutMs: 5_000,
    clock,
    breaker: () => breaker,
    secret: () => Promise.resolve(undefined),
    log: { warn: () => undefined },
    offset: { read: () => 1, write: () => Promise.resolve() },
  } as unknown as ChannelDeps<'ntfy'>);
  channel.start?.({ answer } as unknown as Intake);
  return { clock, requestsAt, breaker };
}

describe('an answer that this computer cannot take', () => {
  it.each([
    [
      'its key cannot be read',
      () => Promise.reject(new HoldfastError('DATA_DIR_UNSAFE', 'Others can read answers.key.')),
      'phone: an answer could not be taken: Others can read answers.key.',
    ],
    ['the disk is full', () => Promise.resolve(LATER), 'phone: an answer could not be taken now.'],
  ])(
    'S2-52 where %s is read again after 1, 2, 4, 8 s, and the channel says why',
    async (_what, answer, why) => {
      const { clock, requestsAt, breaker } = await listening(answer);
      for (const seconds of [0, 1, 3, 7, 15]) {
        await expect.poll(() => requestsAt.length, { timeout: 60_000 }).toBeGreaterThan(0);
        await expect.poll(() => clock.pending.sleeps, { timeout: 60_000 }).toBe(1);
        expect(requestsAt.at(-1)).toBe(seconds);
        expect(breaker.view()).toMatchObject({ failures: 1, lastError: why });
        requestsAt.length = 0;
        await clock.advance((seconds + 1) * 1_000);
      }
    },
    120_000,
  );
});
