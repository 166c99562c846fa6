/** The room over a real database and a real nats-server that is killed and started again. */
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createNatsBroker } from '../../../electron/adapters/nats/nats-broker';
import { readNatsCredential } from '../../../electron/adapters/nats/nats-credential';
import type { Broker } from '../../../electron/ports/broker';
import {
  dead,
  queued,
  startDelivery,
  tempDir,
  type DeliveryLife,
} from '../../helpers/delivery-world';
import {
  createNats,
  endNats,
  freePort,
  NO_NATS,
  until,
  type NatsServer,
} from '../../helpers/nats-server';
import { SLACK } from '../../helpers/slack';
import { isLeftOut } from '../../helpers/skips';

const clock = createSystemClock();
const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  endNats();
});

function folder(): string {
  const { dir, remove } = tempDir('nats');
  cleanUps.push(remove);
  return dir;
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };

function brokerAt(url: string, more: Partial<Parameters<typeof createNatsBroker>[0]> = {}): Broker {
  return createNatsBroker({
    url,
    stream: 'HOLDFAST',
    subjects: ['holdfast.>', 'test.>'],
    replicas: 1,
    credential: () => Promise.resolve(undefined),
    onCredentialChange: () => () => undefined,
    clock,
    random: () => 0,
    log: { ...quiet, error: () => undefined },
    ...more,
  });
}

async function lifeAt(
  url: string,
  options: { readonly dataDir?: string; readonly broker?: Broker } = {},
): Promise<DeliveryLife & { readonly broker: Broker }> {
  const broker = options.broker ?? brokerAt(url);
  const life = await startDelivery({ dataDir: options.dataDir ?? folder(), broker, clock });
  cleanUps.push(async () => {
    await life.delivery.stop();
    await life.journal.close();
    life.db.close();
  });
  life.delivery.start();
  return { ...life, broker };
}

async function server(options: Parameters<typeof createNats>[1] = {}): Promise<NatsServer> {
  const nats = await createNats(folder(), options);
  cleanUps.push(() => nats.kill());
  return nats;
}

const isConnected = (life: { readonly broker: Broker }) => (): boolean =>
  life.broker.health().state === 'connected';
const publish = (life: DeliveryLife, id: string, topic = 'test.a') =>
  life.delivery.publish({ topic, payload: JSON.stringify({ id }), id });

describe.skipIf(isLeftOut('events and a real broker', NO_NATS))(
  'events and a real nats-server',
  () => {
    it('S2-32 S2-31 healthy: 100 events on 2 topics are confirmed with no row on disk, in order; the stream is made', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          publish(life, `e${String(n)}`, `test.${String(n % 2)}`),
        ),
      );
      expect(new Set(results.map((one) => one.kind === 'accepted' && one.state))).toEqual(
        new Set(['confirmed']),
      );
      expect(life.delivery.status()).toMatchObject({
        depth: 0,
        delivered: 100,
        broker: 'connected',
      });
      const stored = await nats.stored();
      for (const topic of ['test.0', 'test.1']) {
        const numbers = stored
          .filter((one) => one.topic === topic)
          .map((one) => Number(one.id.slice(1)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(numbers).toHaveLength(50);
      }
    });

    it('S2-31 R12 the same id twice is one event at the broker, and its producer is told', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      expect(await publish(life, 'once')).toMatchObject({ state: 'confirmed', isDuplicate: false });
      expect(await publish(life, 'once')).toMatchObject({ state: 'confirmed', isDuplicate: true });
      expect((await nats.stored()).map((one) => one.id)).toEqual(['once']);
    });

    it('S2-34 S2-33 S2-31 5000 events of one topic while the broker is off: all on disk, then at the broker in strictly increasing order, depth 0, also with a SIGKILL of the broker in the middle', async () => {
      const nats = await server();
      const life = await lifeAt(nats.url);
      await Promise.all(Array.from({ length: 4_999 }, (_, n) => publish(life, `e${String(n)}`)));
      expect(await publish(life, 'e4999')).toMatchObject({ state: 'queued', isDuplicate: false });
      expect(await publish(life, 'e7')).toMatchObject({ state: 'queued', isDuplicate: true });
      expect(life.delivery.status()).toMatchObject({ depth: 5_000, deadLetters: 0 });
      await nats.start();
      await until(() => life.delivery.status().depth <= 4_000, 'a part of the drain');
      await nats.kill();
      expect(life.delivery.status().depth).toBeGreaterThan(0);
      await nats.start();
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect(dead(life)).toEqual([]);
      const numbers = (await nats.stored()).map((one) => Number(one.id.slice(1)));
      expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    });

    it('S2-17 S2-34 a killed broker: the breaker trips, events go to disk within 20 ms each, and come before new ones when it is back', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      await publish(life, 'e0');
      await nats.kill();
      await until(() => life.broker.health().state === 'down', 'the loss');
      expect(life.breaker.said.at(-1)).toMatch(/^trip The connection to nats:\/\/127\.0\.0\.1/);
      expect(await publish(life, 'e1')).toMatchObject({ state: 'queued' });
      const tookMs: number[] = [];
      for (let n = 2; n <= 22; n += 1) {
        const beganMs = performance.now();
        expect(await publish(life, `e${String(n)}`)).toMatchObject({ state: 'queued' });
        tookMs.push(performance.now() - beganMs);
      }
      // The median: a machine that does something else meanwhile is not what is measured.
      expect(tookMs.toSorted((a, b) => a - b)[10]).toBeLessThan(20 * SLACK);
      await nats.start();
      await until(isConnected(life), 'the way back');
      expect(life.breaker.said).toContain('reset');
      await publish(life, 'e23');
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect((await nats.stored()).map((one) => one.id)).toEqual(
        Array.from({ length: 24 }, (_, n) => `e${String(n)}`),
      );
    });

    it('S2-17 S2-06 a breaker that is open while the broker is well: events go to disk at once, the broker sees none, and a reset sends them', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      life.breaker.trip('by hand');
      for (const id of ['a', 'b'])
        expect(await publish(life, id)).toMatchObject({ state: 'queued' });
      expect(life.queue.next(0, 9).map((one) => [one.id, one.attempts])).toEqual([
        ['a', 0],
        ['b', 0],
      ]);
      expect(await nats.stored()).toEqual([]);
      life.breaker.reset('by hand');
      await publish(life, 'c');
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect((await nats.stored()).map((one) => one.id)).toEqual(['a', 'b', 'c']);
    });

    it('S2-34 S2-35 the broker refuses the 50th of 99 for its size: nothing overtakes it while it is tried 3 times, then the rest follows', async () => {
      const nats = await server();
      await nats.start();
      const connection = await nats.connect();
      const { jetstreamManager } = await import('@nats-io/jetstream');
      const { streams } = await jetstreamManager(connection);
      await streams.add({ name: 'HOLDFAST', subjects: ['test.>'], max_msg_size: 1_000 });
      await connection.close();
      await nats.kill();
      const life = await lifeAt(nats.url);
      const fill = 'x'.repeat(2_000);
      for (let n = 0; n < 99; n += 1) {
        const id = `e${String(n)}`;
        const payload = JSON.stringify(n === 49 ? fill : id);
        await life.delivery.publish({ topic: 'test.a', payload, id });
      }
      await nats.start();
      const attempts = (): number | undefined => life.queue.next(0, 1)[0]?.attempts;
      await until(() => attempts() === 2, 'the second refusal');
      expect(await nats.stored()).toHaveLength(49);
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect(life.delivery.letters({ limit: 9 }).letters).toMatchObject([
        { id: 'e49', reason: 'refused', attempts: 3 },
      ]);
      const numbers = (await nats.stored()).map((one) => Number(one.id.slice(1)));
      expect(numbers).toEqual(Array.from({ length: 99 }, (_, n) => n).filter((n) => n !== 49));
    });

    it('S2-34 R26 another client publishes into the same stream while 1000 drain: all arrive once, in order, and none counts as refused', async () => {
      const nats = await server();
      await nats.start();
      const first = await lifeAt(nats.url); // makes the stream
      await until(isConnected(first), 'the connection');
      const life = await lifeAt(nats.url, { broker: brokerAt(nats.url) });
      await nats.kill();
      await until(() => !isConnected(life)(), 'the loss');
      await Promise.all(Array.from({ length: 1_000 }, (_, n) => publish(life, `e${String(n)}`)));
      await nats.start();
      const connection = await nats.connect();
      while (life.delivery.status().depth > 0) {
        connection.publish('test.other', '{}');
        await new Promise(setImmediate);
      }
      await connection.close();
      const stored = await nats.stored();
      const numbers = stored
        .filter((one) => one.topic === 'test.a')
        .map((one) => Number(one.id.slice(1)));
      expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
      expect(stored.length).toBeGreaterThan(1_000);
      expect(dead(life)).toEqual([]);
    });

    it('S2-51 20 events on disk are there after an orderly stop, and go out at the next start', async () => {
      const nats = await server();
      const dataDir = folder();
      const first = await lifeAt(nats.url, { dataDir });
      for (let n = 0; n < 20; n += 1) await publish(first, `e${String(n)}`);
      await first.delivery.stop();
      await first.journal.close();
      await nats.start();
      const second = await lifeAt(nats.url, { dataDir });
      expect(second.delivery.status().depth).toBe(20);
      await until(() => second.delivery.status().depth === 0, 'an empty queue');
      expect(await nats.stored()).toHaveLength(20);
    });

    it('S2-33 an event above what the server takes is refused with both sizes; from the disk it is a dead letter at once', async () => {
      const nats = await server();
      const life = await lifeAt(nats.url);
      const large = JSON.stringify('x'.repeat(2_000_000));
      await life.delivery.publish({ topic: 'test.a', payload: large, id: 'large' });
      const five = JSON.stringify('x'.repeat(5_000_000));
      expect(await life.delivery.publish({ topic: 'test.a', payload: five })).toMatchObject({
        kind: 'refused',
        code: 'EVENT_TOO_LARGE',
        message: 'The event has 5000002 bytes; the maximum is 4194304.',
      });
      await nats.start();
      await until(() => dead(life).length === 1, 'the dead letter');
      expect(life.delivery.letters({ limit: 1 }).letters[0]).toMatchObject({
        id: 'large',
        reason: 'too_large',
        attempts: 1,
      });
      expect(await life.delivery.publish({ topic: 'test.a', payload: large })).toMatchObject({
        kind: 'refused',
        code: 'EVENT_TOO_LARGE',
      });
    });

    it('S2-35 a damaged row is a dead letter at once, and what stands behind it goes out', async () => {
      const nats = await server();
      const life = await lifeAt(nats.url);
      for (const id of ['a', 'b', 'c']) await publish(life, id);
      life.db.prepare("UPDATE event_queue SET payload = x'ff00' WHERE id = 'a'").run();
      life.db.prepare("UPDATE event_queue SET payload = '{broken' WHERE id = 'b'").run();
      await nats.start();
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect(dead(life)).toEqual(['a', 'b']);
      expect(
        life.delivery.letters({ limit: 9 }).letters.map((one) => [one.reason, one.attempts]),
      ).toEqual([
        ['unreadable', 0],
        ['unreadable', 0],
      ]);
      expect((await nats.stored()).map((one) => one.id)).toEqual(['c']);
    });

    it('S2-35 S2-36 a topic that no stream takes: a dead letter after 3 attempts with each of them; replayed, it begins anew', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      expect(await publish(life, 'lost', 'nowhere.a')).toMatchObject({ state: 'queued' });
      expect(await publish(life, 'fine')).toMatchObject({ state: 'confirmed' });
      await until(() => dead(life).length === 1, 'the dead letter');
      expect(queued(life)).toEqual([]);
      const [letter] = life.delivery.letters({ limit: 1 }).letters;
      expect(letter).toMatchObject({
        id: 'lost',
        topic: 'nowhere.a',
        reason: 'refused',
        attempts: 3,
        detail: 'No stream of the event broker accepts the topic nowhere.a.',
        payloadStart: '{"id":"lost"}',
      });
      expect(letter?.history).toHaveLength(3);
      expect(await life.delivery.replay({ id: 'lost' })).toBe(1);
      await until(() => dead(life).length === 1, 'the dead letter again');
      expect(life.delivery.letters({ limit: 1 }).letters[0]?.attempts).toBe(3);
      await expect(life.delivery.replay({ id: 'unknown' })).rejects.toMatchObject({
        code: 'LETTER_UNKNOWN',
      });
    });

    it('S2-36 replayed while the broker is away, a letter waits without an attempt, no purge takes it, and it is sent when the broker is back', async () => {
      const nats = await server();
      const life = await lifeAt(nats.url);
      for (const id of ['mended', 'old']) await publish(life, id);
      life.db.prepare("UPDATE event_queue SET payload = '{broken'").run();
      await nats.start();
      await until(() => dead(life).length === 2, 'the dead letters');
      await nats.kill();
      await until(() => life.broker.health().state !== 'connected', 'the loss');
      expect(await life.delivery.replay({ id: 'mended' })).toBe(1);
      // A second replay finds nothing any more, and doubles nothing.
      await expect(life.delivery.replay({ id: 'mended' })).rejects.toMatchObject({
        code: 'LETTER_UNKNOWN',
      });
      expect(await life.delivery.purge({})).toBe(1);
      life.db.prepare('UPDATE event_queue SET payload = ?').run('{"id":"mended"}');
      expect([dead(life), life.queue.next(0, 9).map((one) => [one.id, one.attempts])]).toEqual([
        [],
        [['mended', 0]],
      ]);
      await nats.start();
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect((await nats.stored()).map((one) => one.id)).toEqual(['mended']);
    });

    it('S2-34 S2-36 purged while 300 events drain, dead letters go and every event arrives once, in order', async () => {
      const nats = await server();
      const life = await lifeAt(nats.url);
      await publish(life, 'broken');
      life.db.prepare("UPDATE event_queue SET payload = '{broken' WHERE id = 'broken'").run();
      const ids = Array.from({ length: 300 }, (_, index) => `e${String(index)}`);
      for (const id of ids) await publish(life, id);
      await nats.start();
      await until(() => dead(life).length === 1, 'the dead letter');
      expect(await life.delivery.purge({})).toBe(1);
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect((await nats.stored()).map((one) => one.id)).toEqual(ids);
      expect(dead(life)).toEqual([]);
    });

    it('S2-03 a server without JetStream is said in words and asked once; nothing is lost and no attempt counts', async () => {
      const nats = await server({ hasJetStream: false });
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(() => life.broker.health().problem !== undefined, 'the problem');
      expect(life.delivery.status()).toMatchObject({
        broker: 'down',
        problem: expect.stringContaining('without JetStream') as string,
      });
      await publish(life, 'a');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(life.queue.next(0, 9).map((one) => [one.id, one.attempts])).toEqual([['a', 0]]);
      const connection = await nats.connect();
      // The server numbers its connections: ours was the first, this is the second.
      expect(connection.info?.client_id).toBeLessThanOrEqual(6);
      await connection.close();
    });

    it('S2-03 a stream that is deleted while it runs is made again, and the event is not refused', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url);
      await until(isConnected(life), 'the connection');
      const { jetstreamManager } = await import('@nats-io/jetstream');
      const connection = await nats.connect();
      await (await jetstreamManager(connection)).streams.delete('HOLDFAST');
      await connection.close();
      expect(await publish(life, 'a')).toMatchObject({ kind: 'accepted' });
      await until(() => life.delivery.status().depth === 0, 'an empty queue');
      expect((await nats.stored()).map((one) => one.id)).toEqual(['a']);
      expect(dead(life)).toEqual([]);
    });

    it('S2-03 a token opens the server; a wrong one is said without it', async () => {
      const nats = await server({ args: ['--auth', 'very-secret-token'] });
      await nats.start();
      const learned: string[] = [];
      const credential = (value: string) => () =>
        readNatsCredential({
          envName: 'NATS_KEY',
          file: '',
          env: { NATS_KEY: value },
          learnSecret: (secret) => learned.push(secret),
        });
      const right = await lifeAt('', {
        broker: brokerAt(nats.url, { credential: credential('very-secret-token') }),
      });
      await until(isConnected(right), 'the connection');
      expect(learned).toEqual(['very-secret-token']);
      const wrong = await lifeAt('', {
        broker: brokerAt(nats.url, { credential: credential('wrong-secret') }),
      });
      await until(() => wrong.broker.health().problem !== undefined, 'the refusal');
      expect(wrong.broker.health().problem).toMatch(/^No connection to .*[Aa]uthorization/);
      expect(wrong.broker.health().problem).not.toContain('secret');
    });

    it('S2-03 tls:// to a server without TLS is refused: nothing is sent in the clear', async () => {
      const nats = await server();
      await nats.start();
      const life = await lifeAt(nats.url.replace('nats:', 'tls:'));
      await until(() => life.broker.health().problem !== undefined, 'the refusal');
      expect(life.broker.health()).toMatchObject({
        state: 'down',
        problem: expect.stringContaining('tls') as string,
      });
    });
  },
);

/** Speaks the protocol; `answer` says what an event gets. */
async function fakeServer(answer: (reply: string) => string | undefined): Promise<number> {
  const port = await freePort();
  const sockets = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'x', version: '2.9.10', proto: 1, headers: true, max_payload: 1_048_576, client_id: 1 })}\r\n`,
    );
    let sid = '1';
    let text = '';
    const reply = (to: string, body: string): void => {
      socket.write(`MSG ${to} ${sid} ${String(Buffer.byteLength(body))}\r\n${body}\r\n`);
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        const words = line.split(' ');
        if (words[0] === 'PING') socket.write('PONG\r\n');
        else if (words[0] === 'SUB') sid = words.at(-1) ?? '1';
        else if (words[0] === 'PUB' && words[1]?.startsWith('$JS.API.') === true)
          reply(words[2] ?? '', '{"type":"x","config":{"name":"HOLDFAST"},"state":{}}');
        else if (words[0] === 'HPUB') {
          const body = answer(words[2] ?? '');
          if (body !== undefined) reply(words[2] ?? '', body);
        }
      }
    });
  });
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return port;
}

describe('events and a server that misbehaves', () => {
  it('S2-27 S2-35 a broker that takes connections and refuses each publish: a dead letter after exactly 3 attempts', async () => {
    let asked = 0;
    const port = await fakeServer(() => {
      asked += 1;
      return '{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}';
    });
    const life = await lifeAt(`nats://127.0.0.1:${String(port)}`);
    await until(isConnected(life), 'the connection');
    await publish(life, 'a');
    await until(() => dead(life).length === 1, 'the dead letter');
    expect(asked).toBe(3);
    expect(life.delivery.letters({ limit: 1 }).letters[0]).toMatchObject({
      reason: 'refused',
      attempts: 3,
      detail: 'The event broker rejected it: maximum messages exceeded.',
    });
  });

  it('S2-17 R26 a broker that takes events and never answers: they are on disk with 0 attempts', async () => {
    const port = await fakeServer(() => undefined);
    const life = await lifeAt(`nats://127.0.0.1:${String(port)}`);
    await until(isConnected(life), 'the connection');
    expect(await publish(life, 'a')).toMatchObject({ kind: 'accepted', state: 'queued' });
    expect(life.breaker.said).toContain('failure');
    expect(life.queue.next(0, 9).map((one) => one.attempts)).toEqual([0]);
  });

  it('S2-03 a port that takes connections and says nothing: the start does not wait, events are on disk', async () => {
    const port = await freePort();
    const sockets: net.Socket[] = [];
    const listener = net.createServer((socket) =>
      sockets.push(socket.on('error', () => undefined)),
    );
    await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
    cleanUps.push(() => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    });
    const life = await lifeAt(`nats://127.0.0.1:${String(port)}`);
    expect(life.broker.health().state).toBe('connecting');
    expect(await publish(life, 'a')).toMatchObject({ state: 'queued' });
  });
});
