/** Several servers, and a login that is corrected while events wait. Real servers throughout. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { composeIn, createWorld } from '../../helpers/compose-world';
import {
  createNats,
  endNats,
  freePort,
  NO_NATS,
  until,
  type NatsServer,
} from '../../helpers/nats-server';
import { tempDir } from '../../helpers/delivery-world';
import { isLeftOut } from '../../helpers/skips';

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

async function start(config: Record<string, unknown>): Promise<Composition> {
  const where = createWorld(config);
  cleanUps.push(() => where.remove());
  const app = composeIn(where, {});
  cleanUps.push(() => app.lifecycle.stop('stop'));
  await app.lifecycle.start();
  return app;
}

const queue = (app: Composition) => app.holdfast.call('queue.status', {}, 'test');
const publish = (app: Composition, id: string) =>
  app.holdfast.call('events.publish', { topic: 'holdfast.test', payload: '{}', id }, 'test');

/** Three servers that know each other and keep streams together; so many of them are up. */
async function cluster(count = 3): Promise<readonly NatsServer[]> {
  const dir = folder();
  const routes = await Promise.all([freePort(), freePort(), freePort()]);
  const servers = await Promise.all(
    routes.map((route, index) => {
      const own = path.join(dir, `s${String(index)}`);
      fs.mkdirSync(own);
      const others = routes.map((port) => `nats://127.0.0.1:${String(port)}`).join(',');
      const args = ['--server_name', `s${String(index)}`, '--cluster_name', 'c'];
      args.push('--cluster', `nats://127.0.0.1:${String(route)}`, '--routes', others);
      return createNats(own, { args });
    }),
  );
  cleanUps.push(async () => {
    for (const server of servers) await server.kill();
  });
  await Promise.all(servers.slice(0, count).map((server) => server.start()));
  return servers;
}

describe.skipIf(isLeftOut('a cluster of brokers', NO_NATS))('a cluster of 3 servers', () => {
  it('S2-32 goes on with a server that the cluster announced when the one of the address stays away', async () => {
    const [first, second] = await cluster();
    const app = await start({ 'nats.url': first!.url, 'nats.replicas': 3 });
    await until(async () => (await queue(app)).broker === 'connected', 'the connection');
    await publish(app, 'before');
    await until(async () => (await queue(app)).depth === 0, 'an empty queue');
    await first!.kill();
    await publish(app, 'after');
    await until(async () => {
      const { broker, depth } = await queue(app);
      return broker === 'connected' && depth === 0;
    }, 'an empty queue by way of another server');
    expect((await queue(app)).server).not.toBe(first!.url);
    // The cluster chooses a new leader for a moment, and answers nobody then.
    const ours = async (): Promise<string[]> =>
      (await second!.stored().catch(() => []))
        .map(({ id }) => id)
        .filter((id) => id === 'before' || id === 'after');
    let seen: string[] = [];
    await until(async () => (seen = await ours()).length > 0, 'an answer of the second server');
    expect(seen).toEqual(['before', 'after']);
  });

  it('S2-32 says that 2 of 3 servers are too few for 3 copies, and connects when the third is up', async () => {
    const [first, , third] = await cluster(2);
    const app = await start({ 'nats.url': first!.url, 'nats.replicas': 3 });
    await publish(app, 'early');
    await until(async () => /3 copies/.test((await queue(app)).problem ?? ''), 'the problem');
    expect((await queue(app)).broker).toBe('down');
    await third!.start();
    await until(async () => (await queue(app)).depth === 0, 'an empty queue');
    expect(await queue(app)).toMatchObject({ broker: 'connected' });
    expect(await first!.replicas()).toBe(3);
  });

  it('S2-32 takes the second of two addresses, and keeps as many copies as the setting says', async () => {
    const [first] = await cluster();
    const dead = `nats://127.0.0.1:${String(await freePort())}`;
    const app = await start({ 'nats.url': `${dead}, ${first!.url}`, 'nats.replicas': 3 });
    await until(async () => (await queue(app)).broker === 'connected', 'the connection');
    expect((await queue(app)).server).toBe(first!.url);
    expect(await first!.replicas()).toBe(3);
  });

  it('S2-32 raises the copies of a stream that has fewer, and never lowers them', async () => {
    const [first] = await cluster();
    for (const [replicas, expected] of [
      [1, 1],
      [3, 3],
      [1, 3],
    ]) {
      const app = await start({ 'nats.url': first!.url, 'nats.replicas': replicas });
      await until(async () => (await queue(app)).broker === 'connected', 'the connection');
      expect(await first!.replicas()).toBe(expected);
      await app.lifecycle.stop('stop');
    }
  });
});

describe.skipIf(NO_NATS !== undefined)('a login that is corrected', () => {
  it.each([
    ['a wrong password', 'u:bad'],
    ['no file', undefined],
    ['a broken .creds text', '-----BEGIN NATS USER JWT-----\nabc\n'],
  ])('S2-03 S2-33 with %s 6 events wait, and go out when the file is right', async (_how, text) => {
    const dir = folder();
    const nats = await createNats(dir, { args: ['--user', 'u', '--pass', 'good'] });
    cleanUps.push(() => nats.kill());
    await nats.start();
    const file = path.join(dir, 'login');
    if (text !== undefined) fs.writeFileSync(file, text, { mode: 0o600 });
    const app = await start({ 'nats.url': nats.url, 'nats.credentials_file': file });
    for (let n = 0; n < 6; n += 1) await publish(app, `e${String(n)}`);
    await until(async () => (await queue(app)).problem !== undefined, 'the refusal');
    // As an editor saves: a new file in the place of the old one.
    fs.writeFileSync(`${file}.new`, 'u:good', { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
    await until(async () => (await queue(app)).depth === 0, 'an empty queue');
    expect(await queue(app)).toMatchObject({ broker: 'connected', deadLetters: 0 });
  });

  it('S2-03 a login that lets us in and forbids the topic is replaced while connected', async () => {
    const dir = folder();
    const config = path.join(dir, 'nats.conf');
    fs.writeFileSync(
      config,
      `authorization { users = [
        { user: admin, password: all }
        { user: guest, password: some, permissions: { publish: { deny: "other.>" } } }
      ] }`,
    );
    const nats = await createNats(dir, { args: ['-c', config] });
    cleanUps.push(() => nats.kill());
    await nats.start();
    const file = path.join(dir, 'login');
    fs.writeFileSync(file, 'guest:some', { mode: 0o600 });
    const app = await start({
      'nats.url': nats.url,
      'nats.credentials_file': file,
      'nats.subjects': ['holdfast.>', 'other.>'],
    });
    await until(async () => (await queue(app)).broker === 'connected', 'the connection');
    await app.holdfast.call('events.publish', { topic: 'other.a', payload: '{}' }, 'test');
    fs.writeFileSync(file, 'admin:all');
    await until(async () => (await queue(app)).depth === 0, 'an empty queue');
    expect(await queue(app)).toMatchObject({ broker: 'connected', deadLetters: 0 });
  });
});
