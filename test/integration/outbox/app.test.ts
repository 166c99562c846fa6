/** Events of the whole application: started, without a broker, with one that is off, on a full disk. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openForDecision, openReadOnly } from '../../../electron/offline/open-data';
import { resetData } from '../../../electron/offline/reset-data';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput } from '../../../shared/contract';
import { composeIn, createWorld, turnIn, type World } from '../../helpers/compose-world';
import { createFakeProvider } from '../../helpers/fake-world';
import { createNats, endNats, freePort, NO_NATS, until } from '../../helpers/nats-server';
import { mountSmallDisk } from '../../helpers/small-disk';

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  endNats();
});

function world(config: Record<string, unknown> = {}): World {
  const made = createWorld(config);
  cleanUps.push(() => made.remove());
  return made;
}

async function start(where: World): Promise<Composition> {
  const app = composeIn(where, {
    providers: [createFakeProvider({ dir: where.outside, script: () => ({ text: 'Done.' }) })],
  });
  cleanUps.push(() => app.lifecycle.stop('stop'));
  expect(await app.lifecycle.start()).toEqual({ kind: 'started' });
  return app;
}

const offline = async (): Promise<string> => `nats://127.0.0.1:${String(await freePort())}`;
const publish = (app: Composition, id: string, fill = '') =>
  app.holdfast.call(
    'events.publish',
    { topic: 'holdfast.test', payload: JSON.stringify({ id, fill }), id },
    'test',
  );
const queue = (app: Composition) => app.holdfast.call('queue.status', {}, 'test');

async function auditLines(where: World): Promise<{ event: string; facts?: { topic?: string } }[]> {
  const dir = path.join(where.dataDir, 'audit');
  return fs
    .readdirSync(dir)
    .flatMap((name) => fs.readFileSync(path.join(dir, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string });
}

describe('without a broker', () => {
  it('S2-33 S2-37 events go to the audit at once: nothing waits, also not those of a turn', async () => {
    const where = world();
    const app = await start(where);
    expect(await publish(app, 'a')).toEqual({ id: 'a', state: 'local', isDuplicate: false });
    const { turnId } = await app.holdfast.call('send', { text: 'hello', agent: 'fake' }, 'cli');
    await turnIn(app, turnId, ['completed']);
    expect(await queue(app)).toMatchObject({ broker: 'local', depth: 0, deadLetters: 0 });
    expect(app.holdfast.status().delivery).toEqual({
      broker: 'local',
      depth: 0,
      deadLetters: 0,
      shed: 0,
    });
    await app.lifecycle.stop('stop');
    const topics = (await auditLines(where)).flatMap((line) =>
      line.event === 'event' ? [line.facts?.topic] : [],
    );
    expect(topics).toEqual([
      'holdfast.started',
      'holdfast.test',
      'holdfast.turn.accepted',
      'holdfast.turn.completed',
    ]);
  });

  it('S2-33 refuses 5 MB with both sizes, 1 KB where limits.max_payload says so, and what is no JSON', async () => {
    const app = await start(world());
    await expect(publish(app, 'big', 'x'.repeat(5 * 1024 * 1024))).rejects.toMatchObject({
      code: 'EVENT_TOO_LARGE',
      message: expect.stringMatching(
        /^The event has 52\d+ bytes; the maximum is 4194304\.$/,
      ) as string,
    });
    await expect(
      app.holdfast.call('events.publish', { topic: 'a', payload: 'plain' }, 'test'),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await app.holdfast.call('config.set', { key: 'limits.max_payload', value: 1_000 }, 'test');
    await expect(publish(app, 'large', 'x'.repeat(1_000))).rejects.toMatchObject({
      code: 'EVENT_TOO_LARGE',
      message: expect.stringMatching(/ the maximum is 1000\.$/) as string,
    });
  });
});

describe('with a broker that is off', () => {
  it('the tray is the crossed posts while it is down, and says that the queue is nearly full above 80 of 100, not at 80', async () => {
    const app = await start(
      world({ nats: { url: await offline() }, limits: { max_pending: 100 } }),
    );
    const trayAt = async (depth: number): Promise<boolean | undefined> => {
      for (let at = (await queue(app)).depth; at < depth; at += 1)
        await publish(app, `event-${String(at)}`);
      return app.holdfast.status().delivery?.isNearlyFull;
    };
    await until(
      () => Promise.resolve(app.holdfast.status().delivery?.broker === 'down'),
      'a broker that is known to be down',
    );
    expect(app.holdfast.status().tray).toBe('outage');
    expect([await trayAt(80), await trayAt(81)]).toEqual([undefined, true]);
  });

  it('S2-03 S2-31 the application starts; a turn and its events share a commit; all arrive when it is there', async () => {
    const holder = world();
    const nats = await createNats(holder.root);
    const where = world({ nats: { url: nats.url } });
    const app = await start(where);
    const { turnId } = await app.holdfast.call('send', { text: 'hello', agent: 'fake' }, 'cli');
    await turnIn(app, turnId, ['completed']);
    expect(await queue(app)).toMatchObject({ depth: 3, server: nats.url });
    if (NO_NATS !== undefined) return;
    cleanUps.push(() => nats.kill());
    await nats.start();
    await until(async () => (await queue(app)).depth === 0, 'an empty queue');
    const stored = await nats.stored();
    expect(stored.map((one) => one.topic)).toEqual([
      'holdfast.started',
      'holdfast.turn.accepted',
      'holdfast.turn.completed',
    ]);
    expect(new Set(stored.map((one) => one.id)).size).toBe(3);
    expect(JSON.parse(stored[2]?.payload ?? '')).toMatchObject({ turnId, state: 'completed' });
    expect(stored[1]?.payload).not.toContain('hello');
  });

  it('S2-37 S2-38 S2-+02 R27 cap 100 and 150 events: the newest 100 wait, 50 are dead letters, counted, one notice, replayable, and purged by topic, age and id', async () => {
    const app = await start(
      world({ nats: { url: await offline() }, limits: { max_pending: 100 } }),
    );
    // The event of the start itself is the first to go.
    await Promise.all(Array.from({ length: 150 }, (_, n) => publish(app, `e${String(n)}`)));
    expect(await queue(app)).toMatchObject({
      depth: 100,
      deadLetters: 51,
      fill: 1,
      slowdownMs: 500,
      shed: { total: 51, summarised: 0, kept: 51 },
    });
    const { letters, total, hasMore } = await app.holdfast.call('dlq.list', { limit: 50 }, 'test');
    expect([letters.length, total, hasMore]).toEqual([50, 51, true]);
    expect(letters.map((letter) => letter.id).toReversed()).toEqual(
      Array.from({ length: 50 }, (_, n) => `e${String(n)}`),
    );
    const { items } = await app.holdfast.call('inbox.list', {}, 'test');
    expect(items.map((item) => item.title)).toEqual([
      'Events were dropped: the event queue is full',
    ]);
    expect(app.holdfast.status().delivery).toMatchObject({ shed: 51 });
    await expect(app.holdfast.call('dlq.replay', { id: 'e3' }, 'test')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
    });
    expect(await app.holdfast.call('dlq.purge', { topic: 'holdfast.started' }, 'test')).toEqual({
      purged: 1,
    });
    await expect(app.holdfast.call('dlq.purge', {}, 'test')).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    const purge = async (what: VerbInput<'dlq.purge'>): Promise<number> =>
      (await app.holdfast.call('dlq.purge', what, 'test')).purged;
    expect([
      await purge({ olderThanMs: 3_600_000 }),
      await purge({ id: 'e3' }),
      await purge({ topic: 'holdfast.test', olderThanMs: 0 }),
    ]).toEqual([0, 1, 49]);
  });

  it('S2-36 S2-51 while stopped the queue can be read, also where the broker was taken out of the settings, letters go back into it and wait for the start; a reset keeps both', async () => {
    const where = world({ nats: { url: await offline() }, limits: { max_pending: 4 } });
    const app = await start(where);
    for (let n = 0; n < 5; n += 1) await publish(app, `e${String(n)}`);
    const before = await queue(app);
    expect(before).toMatchObject({ depth: 4, deadLetters: 2 });
    await app.lifecycle.stop('stop');
    const reading = await openReadOnly(where.dataDir);
    expect(await reading.holdfast.call('queue.status', {}, 'cli')).toMatchObject({
      depth: 4,
      deadLetters: 2,
    });
    await reading.close();
    const configure = (config: unknown): void =>
      fs.writeFileSync(path.join(where.dataDir, 'config.json'), JSON.stringify(config), {
        mode: 0o600,
      });
    // Nobody to send them to any more: they stay, and it is said.
    configure({});
    const stranded = await openReadOnly(where.dataDir);
    expect(await stranded.holdfast.call('queue.status', {}, 'cli')).toMatchObject({
      broker: 'local',
      depth: 4,
      problem: '4 events are queued, but no event broker is configured. Set nats.url to send them.',
    });
    await stranded.close();
    configure({ nats: { url: await offline() } });
    const deciding = await openForDecision(where.dataDir);
    expect(await deciding.holdfast.call('dlq.replay', { id: 'e0' }, 'cli')).toEqual({
      replayed: 1,
    });
    await expect(
      deciding.holdfast.call('dlq.replay', { id: 'nobody' }, 'cli'),
    ).rejects.toMatchObject({ code: 'LETTER_UNKNOWN' });
    await deciding.close();
    await resetData(where.dataDir);
    const after = await openReadOnly(where.dataDir);
    expect(await after.holdfast.call('queue.status', {}, 'cli')).toMatchObject({
      depth: 5,
      deadLetters: 1,
    });
    await after.close();
  });
});

describe('on a full disk', () => {
  it('S2-38 R17 a small queue sheds in the open until the disk is full, then each event is refused with DISK_FULL: what was accepted waits or is a dead letter, /live answers, and it goes on when there is space', async (context) => {
    const where = world();
    fs.chmodSync(where.dataDir, 0o700);
    const disk = mountSmallDisk(where.dataDir, 6_144);
    if (disk.kind === 'refused') {
      context.skip(`no tmpfs here: ${disk.problem}`);
      return;
    }
    cleanUps.push(disk.unmount);
    fs.chmodSync(where.dataDir, 0o700);
    fs.writeFileSync(
      path.join(where.dataDir, 'config.json'),
      JSON.stringify({
        nats: { url: await offline() },
        limits: { max_pending: 20 },
        observability: { health_port: 0, metrics_port: 0 },
      }),
      { mode: 0o600 },
    );
    const app = await start(where);
    await until(
      () => Promise.resolve(app.holdfast.status().ports?.metrics !== undefined),
      'the port of the metrics',
    );
    const { health, metrics } = app.holdfast.status().ports ?? {};
    const accepted: string[] = [];
    const refused: string[] = [];
    const send = (id: string, fill = ''): Promise<unknown> =>
      publish(app, id, fill).then(
        () => accepted.push(id),
        (error: unknown) => refused.push((error as { code?: string }).code ?? ''),
      );
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(`small${String(n)}`)));
    expect((await queue(app)).shed.total).toBe(11); // with the event of the start
    for (let n = 0; n < 150; n += 5)
      await Promise.all(
        [0, 1, 2, 3, 4].map((more) => send(`big${String(n + more)}`, 'x'.repeat(100_000))),
      );
    expect(new Set(refused)).toEqual(new Set(['DISK_FULL']));
    expect(accepted.length + refused.length).toBe(180);
    const full = await queue(app);
    // The event of the start was accepted too; what the disk refused was published nowhere.
    const published = accepted.length + 1;
    expect(full).toMatchObject({ depth: 20, published, refused: refused.length });
    expect(full.depth + full.deadLetters).toBe(accepted.length + 1);
    expect(full.shed).toEqual({ total: full.deadLetters, summarised: 0, kept: full.deadLetters });
    const { items } = await app.holdfast.call('inbox.list', {}, 'test');
    expect(items.map((item) => item.title)).toEqual([
      'Events were dropped: the event queue is full',
    ]);
    expect(app.holdfast.status()).toMatchObject({
      phase: 'running',
      journal: { refusal: { code: 'DISK_FULL' } },
    });
    expect((await fetch(`http://127.0.0.1:${String(health)}/live`)).status).toBe(200);
    const told = await (await fetch(`http://127.0.0.1:${String(metrics)}/metrics`)).text();
    expect(told).toContain(`holdfast_queue_published_total ${String(published)}`);
    expect(told).toContain(`holdfast_events_refused_total ${String(refused.length)}`);
    expect(told).toContain(`holdfast_events_shed_total ${String(full.shed.total)}`);
    execFileSync('mount', ['-o', 'remount,size=64m', where.dataDir]);
    expect(await publish(app, 'late')).toMatchObject({ state: 'queued' });
    expect(app.holdfast.status().journal.refusal).toBeUndefined();
    // Its place is that of the oldest, which is a dead letter now.
    expect(await queue(app)).toMatchObject({ depth: 20, deadLetters: full.deadLetters + 1 });
  });
});
