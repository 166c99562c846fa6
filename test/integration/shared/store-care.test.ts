import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import { CLIENT_VERSION } from '../../../electron/adapters/shared-store/open-schema';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import {
  invitationOf,
  ownerOf,
  readInvitation,
} from '../../../electron/adapters/shared-store/invitation';
import type { SharedStore } from '../../../electron/ports/shared-store';
import type { ToolCall, ToolOutcome } from '../../../electron/ports/tool-call';
import type { ToolSpec } from '../../../electron/ports/tools';
import type { ApprovalView } from '../../../shared/types';
import { createWorld, type World } from '../../helpers/compose-world';
import { createFakeTools, FAKE_SPECS, resultsSoFar } from '../../helpers/fake-world';
import {
  createPostgres,
  endPostgres,
  NO_POSTGRES,
  postgresProgram,
  type Certificate,
  type Postgres,
} from '../../helpers/postgres';
import { createComputers, type Computer } from '../../helpers/shared-computers';
import { isLeftOut } from '../../helpers/skips';

/** Empty where the text does not have it. */
const around = (text: string, what: string): string => {
  const at = text.indexOf(what);
  return at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 100);
};
const LONG = { timeout: 120_000 };
const silent = { warn: () => undefined };
const DAY_MS = 86_400_000;
const sha256 = "encode(sha256(convert_to($1, 'UTF8')), 'hex')";

/** Signed by itself; undefined where there is no openssl. */
function certificate(): Certificate | undefined {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-tls-'));
  const made = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-days', '2', '-subj', '/CN=store', '-addext', 'subjectAltName=IP:127.0.0.2'],
      ...['-keyout', 'key', '-out', 'cert'],
    ],
    { cwd: dir, encoding: 'utf8' },
  );
  const read = (name: string): string => fs.readFileSync(path.join(dir, name), 'utf8');
  const pair = made.status === 0 ? { key: read('key'), cert: read('cert') } : undefined;
  fs.rmSync(dir, { recursive: true });
  return pair;
}

const ours = certificate();
const theirs = certificate();

const fact = (key: string, forMs: number) => ({ kind: 'limit', key, body: '{}', forMs });

describe.skipIf(isLeftOut('the care of the shared store', NO_POSTGRES))('the shared store', () => {
  let postgres: Postgres;
  let machine: SharedStore;

  beforeAll(async () => {
    postgres = await createPostgres({ certificate: ours });
    machine = await joined(await postgres.invite('desk'));
  }, 60_000);
  afterAll(async () => {
    await machine?.close();
    await postgres?.remove();
    endPostgres();
  });

  const self = () => ({
    key: randomUUID(),
    name: 'desk',
    life: randomUUID(),
    version: '1',
    caps: [],
    clockMs: 0,
  });

  async function joined(address: Parameters<typeof createPostgresStore>[0]['address']) {
    const store = createPostgresStore({ address, timeoutMs: 5_000, seen: 0, log: silent });
    const { machine: id } = await store.hello(self());
    await createStoreOwner(postgres.owner).admit(id);
    return store;
  }

  async function ended(dedupe: string, daysAgo: number): Promise<string> {
    const id = randomUUID();
    const text = `what ${dedupe} says`;
    const [{ hash } = { hash: '' }] = await postgres.sql<{ hash: string }>(
      `SELECT ${sha256} AS hash`,
      [text],
    );
    await machine.putText(hash, text);
    await machine.send({
      id,
      session: 'daily',
      priority: 1,
      dedupe,
      needs: [],
      isHere: false,
      body: JSON.stringify({ request: dedupe }),
    });
    const granted = await machine.claim({
      request: randomUUID(),
      leaseMs: 60_000,
      maxWaitMs: 60_000,
    });
    if (granted.kind !== 'granted') throw new Error('granted nothing');
    await machine.append({
      turn: id,
      epoch: granted.epoch,
      from: 0,
      bodies: [`{"k":"start","h":"${hash}"}`, '{"k":"close"}'],
      leaseMs: 60_000,
      after: 'done',
      delayMs: 0,
      isProgress: false,
    });
    await postgres.sql(
      `UPDATE holdfast.turn SET created_at = created_at - $2 * interval '1 day',
         ended_at = ended_at - $2 * interval '1 day' WHERE id = $1`,
      [id, daysAgo],
    );
    await postgres.sql(
      "UPDATE holdfast.text SET used_at = used_at - $2 * interval '1 day' WHERE hash = $1",
      [hash, daysAgo],
    );
    return id;
  }

  it('DW-24 takes steps and texts of turns that ended long ago, and still knows the message and the end of each', async () => {
    const old = await ended('old', 40);
    const young = await ended('young', 3);
    // Not even a computer that asks for less takes what ended today.
    const today = await ended('today', 0);
    expect(await machine.prune(30 * DAY_MS)).toBe(true);
    const left = async (id: string) => (await machine.entries(id, 0)).map(({ body }) => body);
    expect(await left(old)).toEqual(['{"k":"close"}']);
    expect(await left(young)).toHaveLength(2);
    expect(await postgres.sql('SELECT body FROM holdfast.text ORDER BY body')).toEqual([
      { body: 'what today says' },
      { body: 'what young says' },
    ]);
    await machine.prune(0);
    expect([(await left(young)).length, (await left(today)).length]).toEqual([1, 2]);
    const again = await machine.send({
      id: randomUUID(),
      session: 'daily',
      priority: 1,
      dedupe: 'old',
      needs: [],
      isHere: false,
      body: 'again',
    });
    expect(again).toMatchObject({ id: old, isNew: false });
    // The conversation of the session begins with what is still there.
    expect((await machine.earlier(today, 20)).map(({ id }) => id)).toEqual([]);
    await machine.send({
      id: randomUUID(),
      session: 'daily',
      priority: 1,
      dedupe: undefined,
      needs: [],
      isHere: false,
      body: 'next',
    });
    const next = await machine.claim({ request: randomUUID(), leaseMs: 60_000, maxWaitMs: 1 });
    if (next.kind !== 'granted') throw new Error('granted nothing');
    expect((await machine.earlier(next.id, 20)).map(({ id }) => id)).toEqual([today]);
  });

  it('DW-01 DW-14 of 8 computers that write and send while the store is killed twice, every accepted entry and turn is there once, in order, and every lease is kept', async () => {
    await postgres.sql(
      'TRUNCATE holdfast.question, holdfast.entry, holdfast.turn, holdfast.fact, holdfast.machine',
    );
    const [entries, sends] = [40, 30];
    const names = Array.from({ length: 8 }, (_, at) => `writer-${String(at)}`);
    const stores: SharedStore[] = [];
    for (const name of names) stores.push(await joined(await postgres.invite(name)));
    const turnOf = (session: string, needs: string[] = []) => ({
      id: randomUUID(),
      session,
      priority: 1 as const,
      dedupe: undefined,
      needs,
      isHere: false,
      body: session,
    });
    let refused = 0;
    /** The same call again has the same effect. */
    const surely = async <T>(call: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await call();
        } catch (error) {
          expect(error).toMatchObject({ code: 'SHARE_UNREACHABLE' });
          refused += 1;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    let written = 0;
    const sent: string[] = [];
    const working = stores.map(async (store, at) => {
      const own = turnOf(`own-${String(at)}`);
      await surely(() => store.send(own));
      const claimed = () =>
        surely(() => store.claim({ request: own.id, leaseMs: 60_000, maxWaitMs: 60_000 }));
      let granted = await claimed();
      // What others are being granted in this moment is passed over, and there is one for each.
      while (granted.kind === 'none') granted = await claimed();
      if (granted.kind !== 'granted') throw new Error('granted nothing');
      for (let from = 0; from < entries; from += 1) {
        const answer = await surely(() =>
          store.append({
            turn: granted.id,
            epoch: granted.epoch,
            from,
            bodies: [String(from)],
            leaseMs: 60_000,
            after: 'leased',
            delayMs: 0,
            isProgress: false,
          }),
        );
        expect(answer.kind).toBe('appended');
        written += 1;
        if (from >= sends) continue;
        // Nobody can take it: it only has to be there.
        const more = turnOf(`more-${String(at)}-${String(from)}`, ['label:nobody']);
        sent.push((await surely(() => store.send(more))).id);
      }
      const held = { id: granted.id, epoch: granted.epoch };
      expect(await surely(() => store.renew([held], 60_000))).toEqual({ kept: [granted.id] });
    });
    for (const share of [0.25, 0.6]) {
      await expect
        .poll(() => written, { timeout: 120_000, interval: 5 })
        .toBeGreaterThan(8 * entries * share);
      await postgres.kill();
      await postgres.start();
    }
    await Promise.all(working);
    await Promise.all(stores.map((store) => store.close()));
    expect(refused).toBeGreaterThan(0);
    const kept = await postgres.sql<{ bodies: string }>(
      "SELECT string_agg(body, ',' ORDER BY n) AS bodies FROM holdfast.entry GROUP BY turn, epoch",
    );
    const all = Array.from({ length: entries }, (_, n) => String(n)).join(',');
    expect(kept).toEqual(names.map(() => ({ bodies: all })));
    const there = await postgres.sql<{ id: string }>(
      "SELECT id FROM holdfast.turn WHERE session LIKE 'more-%' ORDER BY id",
    );
    expect(there.map(({ id }) => id)).toEqual(sent.toSorted((a, b) => a.localeCompare(b)));
    expect(sent).toHaveLength(8 * sends);
  });

  it('DW-25 DW-05 what a computer tells reaches each other one once and in order, with the time that is left by the clock of the store; the last word counts, and a new life takes back what it does not repeat', async () => {
    const desk = await joined(await postgres.invite('desk'));
    const other = await joined(await postgres.invite('other'));
    try {
      expect(await desk.putFacts([fact('a', 60_000), fact('b', 60_000)], false)).toBe(true);
      const first = await other.look([], 0);
      expect(first.facts.map(({ key, name }) => [key, name])).toEqual([
        ['a', 'desk'],
        ['b', 'desk'],
      ]);
      expect(first.facts[0]?.leftMs).toBeGreaterThan(50_000);
      expect((await other.look([], first.factsUpTo)).facts).toEqual([]);
      // Nobody hears its own words.
      expect((await desk.look([], 0)).facts).toEqual([]);
      await desk.putFacts([{ ...fact('a', 0), body: 'over' }], false);
      const second = await other.look([], first.factsUpTo);
      expect(second.facts).toMatchObject([{ key: 'a', body: 'over', leftMs: 0 }]);
      await desk.putFacts([fact('c', 60_000)], true);
      const third = await other.look([], second.factsUpTo);
      expect(third.facts.map(({ key, leftMs }) => [key, leftMs > 0])).toEqual([
        ['b', false],
        ['c', true],
      ]);
    } finally {
      await Promise.all([desk.close(), other.close()]);
    }
  });

  it('DW-26 the schema of the version before is brought forward by its owner while computers of both versions work', async () => {
    await postgres.sql('CREATE DATABASE earlier');
    const owner = { ...postgres.owner, database: 'earlier' };
    const client = new pg.Client(owner);
    await client.connect();
    const schema = 'electron/adapters/shared-store/schema';
    await client.query(fs.readFileSync(`${schema}/0001_queue.sql`, 'utf8'));
    const grants = fs.readFileSync(`${schema}/grants.sql`, 'utf8');
    await client.query(
      grants.replace(/,\n {2}holdfast\.(pass|prune|put_facts|look_facts|ask|answer)\(.*\)/g, ''),
    );
    const invited = await createStoreOwner(owner).invite('desk', 60_000);
    const store = createPostgresStore({
      address: {
        host: '127.0.0.1',
        port: postgres.port,
        database: 'earlier',
        isLoopback: true,
        ...invited,
      },
      timeoutMs: 5_000,
      seen: 0,
      log: silent,
    });
    const { machine: id } = await store.hello(self());
    await createStoreOwner(owner).admit(id);
    const send = (body: string) =>
      store.send({
        id: randomUUID(),
        session: body,
        priority: 1,
        dedupe: undefined,
        needs: [],
        isHere: false,
        body,
      });
    // This version works with the store of before; only what is new there is refused.
    await send('before');
    await expect(store.prune(DAY_MS)).rejects.toMatchObject({ code: 'SHARE_VERSION' });
    expect(await store.look([], 0)).toMatchObject({ hasWork: true, facts: [] });
    expect(await store.putFacts([fact('x', 60_000)], false)).toBe(false);
    expect(await store.pass({ turn: randomUUID(), epoch: 1, forMs: 1 })).toBe(false);
    await createStoreOwner(owner).upgrade();
    expect(await store.prune(DAY_MS)).toBe(true);
    // Whether the store knows facts now is asked again every few looks.
    await expect
      .poll(async () => {
        await store.look([], 0);
        return store.putFacts([fact('x', 60_000)], false);
      })
      .toBe(true);
    await send('after');
    expect((await client.query('SELECT version FROM holdfast.store')).rows).toEqual([
      { version: CLIENT_VERSION },
    ]);
    // A computer of the version before says so, and is let in.
    const old = new pg.Client({ ...owner, user: invited.role, password: invited.password });
    await old.connect();
    const key = (await client.query<{ key: string }>('SELECT key FROM holdfast.machine')).rows[0];
    const hello = await old.query<{ state: string }>(
      "SELECT holdfast.hello($1, 'desk', gen_random_uuid(), '0', 1, 1, '{}', 0)->>'state' AS state",
      [key?.key],
    );
    expect(hello.rows).toEqual([{ state: 'admitted' }]);
    await Promise.all([old.end(), client.end(), store.close()]);
  });

  it.skipIf(ours === undefined)(
    'DW-27 over a network it is reached only by TLS with a certificate that was checked, by its owner and by each computer',
    async () => {
      if (ours === undefined || theirs === undefined) throw new Error('no certificates');
      const address = (ca?: string): string =>
        `postgres://owner@127.0.0.2:${String(postgres.port)}/postgres` +
        (ca === undefined ? '' : `?ca=${encodeURIComponent(ca)}`);
      expect((await ownerOf(address(ours.cert)).machines()).length).toBeGreaterThan(0);
      for (const wrong of [theirs.cert, undefined])
        await expect(ownerOf(address(wrong)).machines()).rejects.toMatchObject({
          code: 'SHARE_UNREACHABLE',
          message: expect.stringMatching(/certificate/i) as unknown,
        });
      // The invitation carries what the server has to prove.
      const role = await ownerOf(address(ours.cert)).invite('far', 60_000);
      const { secret } = readInvitation(invitationOf(address(ours.cert), role, 'elsewhere'));
      const read = JSON.parse(secret) as { role: string; password: string; ca: string };
      const storeWith = (ca: string): SharedStore =>
        createPostgresStore({
          address: {
            host: '127.0.0.2',
            port: postgres.port,
            database: 'postgres',
            isLoopback: false,
            ...read,
            ca,
          },
          timeoutMs: 5_000,
          seen: 0,
          log: silent,
        });
      const [right, wrong] = [storeWith(read.ca), storeWith(theirs.cert)];
      await expect(wrong.hello(self())).rejects.toMatchObject({ code: 'SHARE_UNREACHABLE' });
      expect((await right.hello(self())).state).toBe('asking');
      await Promise.all([right.close(), wrong.close()]);
    },
  );
});

describe.skipIf(isLeftOut('what travels', NO_POSTGRES))('what travels to the shared store', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.remove();
    endPostgres();
  });

  it('DW-27 a server that speaks no TLS gets nothing from another computer', async () => {
    const address = `postgres://owner@127.0.0.2:${String(postgres.port)}/postgres`;
    await expect(ownerOf(address).machines()).rejects.toMatchObject({
      code: 'SHARE_UNREACHABLE',
      message: expect.stringMatching(/SSL/) as unknown,
    });
  });

  it('DW-18 a dump of it holds the conversation, and no key, no password and no path of the computer, wherever one stood', async () => {
    const computers = createComputers(postgres);
    const worlds = [createWorld(), createWorld()] as const;
    const [here, there] = worlds;
    try {
      // In the folder of the agent, in the home folder, in the data directory and on a private disk.
      const planted = (what: string, { workspace, outside, dataDir, root } = here): string =>
        `${what} ${workspace}/a.ts, ${outside}/.notes "${dataDir}/config.json" ${root}/disk/b ${workspace}`;
      const agentOf = (world: World) => ({
        ...{ provider: 'fake', model: 'fake-1', workspace: world.workspace },
        instructions: planted('told to keep', world),
      });
      const outcome = ({ tool, args }: ToolCall): ToolOutcome | undefined => {
        if (tool === 'look')
          return { kind: 'result', content: `${planted('seen')}\n`.repeat(500), isError: false };
        const n = (args as { readonly n?: number }).n ?? 0;
        if (n === 1) return { kind: 'result', content: planted('charged in'), isError: false };
        if (n === 2) return { kind: 'failed', message: planted('no room in'), isRetryable: true };
        return { kind: 'unknown', message: planted('cut off in') };
      };
      const specsOf = (world: World): readonly ToolSpec[] => [
        {
          ...{ ...FAKE_SPECS[1]!, description: planted('charges below', world) },
          hint: () => planted('hinted at', world),
          risk: () => ({ isRisky: true, reason: planted('may touch', world), covers: '' }),
        },
        FAKE_SPECS.find(({ name }) => name === 'look')!,
      ];
      const start = (name: string, world: World) => {
        const privateFolders = [path.join(world.root, 'disk')];
        const share = { name, lease: '3s', labels: [name], private_folders: privateFolders };
        const config = { share, agents: { fake: agentOf(world) }, approvals: { mode: 'risky' } };
        return computers.start(
          {
            ...{ name, config },
            script: (request) => {
              const args = (n: number) => ({ n, at: planted('put'), [planted('key')]: [n] });
              if (request.messages.filter(({ role }) => role === 'user').length > 1)
                return { text: JSON.stringify(request.messages) };
              return (
                [
                  { calls: [{ tool: 'look' }] },
                  ...[1, 2, 3].map((n) => ({ calls: [{ tool: 'charge', args: args(n) }] })),
                ][resultsSoFar(request)] ?? { text: planted('all is in') }
              );
            },
            extra: () => ({
              toolHosts: [createFakeTools({ dir: world.outside, specs: specsOf(world), outcome })],
            }),
          },
          world,
        );
      };
      const desk = await start('desk-1', here);
      const call = desk.app.holdfast.call;
      const secret = 'sk-ant-planted-0123456789abcdef';
      await call('provider.set', { name: 'paid', provider: { kind: 'anthropic' } }, 'test');
      await call('provider.setKey', { name: 'paid', key: secret }, 'test');
      const turnId = await desk.send(planted('charge what is in'), { session: 'orders' });
      const requests = async () => (await call('approvals.list', {}, 'test')).requests;
      for (const n of [1, 2, 3]) {
        await expect
          .poll(async () => (await requests())[0]?.args, LONG)
          .toContain(`"n": ${String(n)}`);
        const [{ requestId, requestHash, hint, reason }] = (await requests()) as [ApprovalView];
        expect(hint + reason).toMatch(/hinted at .*may touch /s);
        const rows = () =>
          postgres.sql<{ n: string }>('SELECT count(*) AS n FROM holdfast.question');
        await expect.poll(async () => Number((await rows())[0]?.n), LONG).toBeGreaterThanOrEqual(n);
        await call('approvals.allow', { requestId, requestHash }, 'test');
      }
      const done = async () => {
        const [row] = await postgres.sql<{ state: string }>('SELECT state FROM holdfast.turn');
        return [row?.state, (await desk.turn(turnId)).state];
      };
      await expect.poll(done, LONG).toEqual(['done', 'completed']);
      const dump = (): string => {
        const dumped = spawnSync(
          postgresProgram('pg_dump'),
          ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'owner', '--inserts', 'postgres'],
          { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
        );
        expect(dumped.status).toBe(0);
        return dumped.stdout;
      };
      const told = dump();
      for (const what of [
        ...['told to keep', 'charge what is in', 'put', 'key', 'seen', 'charged in', 'no room in'],
        ...['cut off in', 'hinted at', 'may touch', 'charges below', 'all is in'],
      ])
        expect(told, what).toContain(`${what} {{holdfast:workspace}}/a.ts`);
      const passwords = await postgres.sql<{ password: string }>(
        "SELECT rolpassword AS password FROM pg_authid WHERE rolcanlogin AND rolname LIKE 'holdfast\\_m\\_%'",
      );
      const password = passwords[0]?.password ?? '';
      expect(password).toMatch(/^SCRAM-SHA-256/);
      // Everything of this computer is below its root, and the root is nowhere.
      for (const kept of [secret, password, here.root, os.homedir() + path.sep])
        expect(around(told, kept)).toBe('');

      // Another computer reads the same with its own folders, and its answer comes back with ours.
      const other = await start('desk-2', there);
      const next = await desk.send('again', { session: 'orders', needs: ['label:desk-2'] });
      await expect.poll(async () => (await desk.turn(next)).state, LONG).toBe('completed');
      const show = async ({ app }: Computer, of: number) =>
        (await app.holdfast.call('turns.show', { turnId: of }, 'test')).answer;
      const itsTurn = (await other.turnOf('orders'))?.id ?? 0;
      expect(await show(other, itsTurn)).toContain(
        planted('charge what is in', there).slice(0, 40),
      );
      expect(await show(other, itsTurn)).not.toContain(here.root);
      expect(await show(desk, next)).toContain(`charge what is in ${here.workspace}/a.ts`);
      expect(await show(desk, next)).not.toContain(there.root);
      for (const kept of [here.root, there.root]) expect(around(dump(), kept)).toBe('');
    } finally {
      await computers.end();
      for (const world of worlds) world.remove();
    }
  });
});
