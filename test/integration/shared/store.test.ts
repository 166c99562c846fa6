import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, describe } from 'vitest';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import type { SharedStore, EntryBatch, NewSharedTurn } from '../../../electron/ports/shared-store';
import { createCutProxy, type CutProxy } from '../../helpers/cut-proxy';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { isLeftOut } from '../../helpers/skips';
import { SLACK } from '../../helpers/slack';

const LEASE_MS = 60_000;
const MAX_WAIT_MS = 600_000;

let postgres: Postgres;
let open: SharedStore[] = [];

interface Machine {
  readonly store: SharedStore;
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly address: Parameters<typeof createPostgresStore>[0]['address'];
}

const silent = { warn: () => undefined };

function connect(address: Machine['address'], timeoutMs = 2_000): SharedStore {
  const store = createPostgresStore({ address, timeoutMs, seen: 0, log: silent });
  open.push(store);
  return store;
}

const self = (
  name: string,
  key: string,
  more: Partial<{ caps: string[]; clockMs: number }> = {},
) => ({
  key,
  name,
  life: randomUUID(),
  version: '1',
  caps: [],
  clockMs: Date.now(),
  ...more,
});

async function join(
  name: string,
  more: { caps?: string[]; port?: number; timeoutMs?: number; clockMs?: number } = {},
): Promise<Machine> {
  const invited = await postgres.invite(name);
  const address = { ...invited, port: more.port ?? invited.port };
  const key = randomUUID();
  const store = connect(address, more.timeoutMs);
  const { machine } = await store.hello(self(name, key, more));
  await createStoreOwner(postgres.owner).admit(machine);
  return { store, id: machine, name, key, address };
}

const turn = (more: Partial<NewSharedTurn> = {}): NewSharedTurn => ({
  id: randomUUID(),
  session: randomUUID(),
  priority: 1,
  dedupe: undefined,
  needs: [],
  isHere: false,
  body: 'do it',
  ...more,
});

const claim = (
  store: SharedStore,
  more: { leaseMs?: number; maxWaitMs?: number; request?: string } = {},
) => store.claim({ request: randomUUID(), leaseMs: LEASE_MS, maxWaitMs: MAX_WAIT_MS, ...more });

async function granted(...args: Parameters<typeof claim>) {
  const answer = await claim(...args);
  if (answer.kind !== 'granted') throw new Error(`granted nothing: ${JSON.stringify(answer)}`);
  return answer;
}

const batch = (more: Pick<EntryBatch, 'turn' | 'epoch'> & Partial<EntryBatch>): EntryBatch => ({
  from: 0,
  bodies: ['{}'],
  leaseMs: LEASE_MS,
  after: 'leased',
  delayMs: 0,
  isProgress: false,
  ...more,
});

/** As if that time had passed for the store. */
const runOut = (id: string) =>
  postgres.sql(
    "UPDATE holdfast.turn SET lease_until = clock_timestamp() - interval '1 s' WHERE id = $1",
    [id],
  );

describe.skipIf(isLeftOut('shared work', NO_POSTGRES))('the shared store', () => {
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.remove();
    endPostgres();
  });
  beforeEach(async () => {
    await postgres.sql(
      'TRUNCATE holdfast.question, holdfast.entry, holdfast.turn, holdfast.fact, holdfast.machine',
    );
    await postgres.sql("UPDATE holdfast.store SET halted = ''");
  });
  afterEach(async () => {
    await Promise.all(open.map((store) => store.close().catch(() => undefined)));
    open = [];
  });

  it('DW-01 a sent turn is in the store when send returns, and outlives the death of the store', async () => {
    const { store } = await join('desk');
    const sent = turn();
    await store.send(sent);
    await postgres.kill();
    await postgres.start();
    expect(await postgres.sql('SELECT id, body FROM holdfast.turn')).toEqual([
      { id: sent.id, body: 'do it' },
    ]);
    expect((await granted(store)).id).toBe(sent.id);
  });

  it('DW-02 of 4 computers that ask at once for 40 turns each turn has one owner', async () => {
    const machines = await Promise.all(['a', 'b', 'c', 'd'].map((name) => join(name)));
    const ids = new Set<string>();
    for (let n = 0; n < 40; n += 1) ids.add((await machines[0]!.store.send(turn())).id);
    const owners: string[] = [];
    await Promise.all(
      machines.map(async ({ store }) => {
        for (;;) {
          const answer = await claim(store);
          if (answer.kind === 'granted') owners.push(answer.id);
          else if (
            (await postgres.sql("SELECT 1 FROM holdfast.turn WHERE state = 'queued'")).length === 0
          )
            return;
        }
      }),
    );
    expect(owners.toSorted()).toEqual([...ids].toSorted());
  });

  it('DW-02 a claim whose answer is lost is found again by its request: same owner, epoch 1, within 1 s', async () => {
    const proxy: CutProxy = await createCutProxy(postgres);
    const { store } = await join('a', { port: proxy.port });
    const other = await join('b');
    const { id } = await store.send(turn());
    await store.send(turn());
    const request = randomUUID();
    const dropped = proxy.dropAnswerTo('hf_claim');
    const lost = claim(store, { request });
    await dropped;
    const startedMs = performance.now();
    await expect(lost).rejects.toMatchObject({ code: 'SHARE_UNREACHABLE', retryable: true });
    const again = await granted(store, { request });
    expect([again.id, again.epoch]).toEqual([id, 1]);
    expect(performance.now() - startedMs).toBeLessThan(1_000 * SLACK);
    expect((await granted(other.store)).id).not.toBe(id);
    await proxy.close();
  });

  it('DW-03 priority first, then age; what has waited for max_wait goes before newer work of any priority', async () => {
    const { store } = await join('a');
    const low = turn({ priority: 2 });
    const normal = turn();
    const high = turn({ priority: 0 });
    for (const one of [low, normal, high]) await store.send(one);
    expect((await granted(store)).id).toBe(high.id);
    await postgres.sql(
      "UPDATE holdfast.turn SET created_at = created_at - interval '1 h' WHERE id = $1",
      [low.id],
    );
    await store.send(turn({ priority: 0 }));
    expect((await granted(store, { maxWaitMs: 1_800_000 })).id).toBe(low.id);
  });

  it('DW-03 turns of a session run one after the other and in order, on whatever computer', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const first = turn({ session: 's' });
    const second = turn({ session: 's', priority: 0 });
    await a.store.send(first);
    await b.store.send(second);
    const own = await granted(a.store);
    expect(own.id).toBe(first.id);
    expect(await claim(b.store)).toEqual({ kind: 'none' });
    await a.store.append(batch({ turn: own.id, epoch: 1, after: 'done' }));
    expect((await granted(b.store)).id).toBe(second.id);
  });

  it('DW-04 DW-05 a lease ends by the clock of the store alone: computers may be 3 h off in both directions', async () => {
    const behind = await join('behind', { clockMs: Date.now() - 10_800_000 });
    const ahead = await join('ahead', { clockMs: Date.now() + 10_800_000 });
    const { id } = await behind.store.send(turn());
    await granted(behind.store);
    expect(await claim(ahead.store)).toEqual({ kind: 'none' });
    expect((await behind.store.renew([{ id, epoch: 1 }], LEASE_MS)).kept).toEqual([id]);
    await runOut(id);
    const taken = await granted(ahead.store);
    expect(taken).toMatchObject({ id, epoch: 2, lives: 1, took: 'behind' });
    const offsets = (await behind.store.machines()).map(({ name, clockOffsetMs }) => [
      name,
      Math.round(clockOffsetMs / 3_600_000),
    ]);
    expect(offsets).toEqual([
      ['ahead', 3],
      ['behind', -3],
    ]);
  });

  it('DW-04 a renewal has a connection of its own: claims that hang do not delay it', async () => {
    const { store } = await join('a', { timeoutMs: 5_000 });
    const { id } = await store.send(turn());
    await granted(store);
    const blocker = new pg.Client(postgres.owner);
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE holdfast.text');
    const hanging = Array.from({ length: 8 }, () => store.putText('0', '0').catch(() => undefined));
    expect((await store.renew([{ id, epoch: 1 }], LEASE_MS)).kept).toEqual([id]);
    await blocker.query('ROLLBACK');
    await blocker.end();
    await Promise.all(hanging);
  });

  it('DW-06 after a takeover the store refuses every write of the old owner', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const { id } = await a.store.send(turn());
    await granted(a.store);
    await a.store.append(batch({ turn: id, epoch: 1, bodies: ['{"n":1}'] }));
    await runOut(id);
    expect((await granted(b.store)).entries).toBe(1);
    const fenced = { kind: 'fenced', epoch: 2, state: 'leased', owner: 'b' };
    for (const after of ['leased', 'queued', 'done'] as const)
      expect(await a.store.append(batch({ turn: id, epoch: 1, from: 1, after }))).toEqual(fenced);
    // Nor with the epoch of the new owner, which it may have read.
    expect(await a.store.append(batch({ turn: id, epoch: 2, from: 1 }))).toEqual(fenced);
    expect((await a.store.renew([{ id, epoch: 1 }], LEASE_MS)).kept).toEqual([]);
    expect((await b.store.entries(id, 0)).map(({ body }) => body)).toEqual(['{"n":1}']);
  });

  it('DW-06 the same append again is accepted once, and one out of order is refused', async () => {
    const { store } = await join('a');
    const { id } = await store.send(turn());
    await granted(store);
    const two = batch({ turn: id, epoch: 1, bodies: ['1', '2'] });
    expect(await store.append(two)).toMatchObject({ kind: 'appended' });
    expect(await store.append(two)).toMatchObject({ kind: 'appended' });
    expect(await store.append(batch({ turn: id, epoch: 1, from: 5 }))).toEqual({
      kind: 'gap',
      entries: 2,
    });
    const end = batch({ turn: id, epoch: 1, from: 2, bodies: ['3'], after: 'done' });
    expect(await store.append(end)).toMatchObject({ kind: 'appended' });
    expect(await store.append(end)).toMatchObject({ kind: 'appended' });
    expect((await store.entries(id, 0)).map(({ body }) => body)).toEqual(['1', '2', '3']);
  });

  it('DW-09 a newer start of the same computer takes its own turns at once, and the old one is told', async () => {
    const a = await join('a');
    const { id } = await a.store.send(turn());
    await granted(a.store);
    const newer = connect(a.address);
    await newer.hello(self('a', a.key));
    expect(await granted(newer)).toMatchObject({ id, epoch: 2, took: 'a' });
    expect(await claim(a.store)).toEqual({ kind: 'refused', why: 'superseded' });
  });

  it('DW-14 owners keep their leases over a death of the store', async () => {
    const { store } = await join('a');
    const { id } = await store.send(turn());
    await granted(store);
    await postgres.kill();
    await expect(store.append(batch({ turn: id, epoch: 1 }))).rejects.toMatchObject({
      code: 'SHARE_UNREACHABLE',
    });
    await postgres.start();
    expect((await store.renew([{ id, epoch: 1 }], LEASE_MS)).kept).toEqual([id]);
    expect(await store.append(batch({ turn: id, epoch: 1 }))).toMatchObject({ kind: 'appended' });
  });

  it('DW-15 a store that went back in time grants nothing to anybody until a person accepts the loss', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const { id } = await a.store.send(turn());
    const [before] = await postgres.sql<{ v: string }>('SELECT last_value AS v FROM holdfast.mark');
    await granted(a.store);
    // Yesterday's dump: the turn is queued again, and the numbers are those of yesterday.
    await postgres.sql(
      "UPDATE holdfast.turn SET state = 'queued', epoch = 0, owner = NULL, life = NULL",
    );
    await postgres.sql(`SELECT setval('holdfast.mark', ${String(before?.v)})`);
    const halted = { kind: 'refused', why: 'halted' };
    expect(await claim(a.store)).toEqual(halted);
    expect(await claim(b.store)).toEqual(halted);
    await createStoreOwner(postgres.owner).acceptLoss();
    expect(await claim(b.store)).toEqual({ kind: 'refused', why: 'incarnation' });
    const newer = connect(b.address);
    await newer.hello(self('b', b.key));
    // No token of before is granted again.
    expect(await granted(newer)).toMatchObject({ id, epoch: 1_000_001 });
  });

  it('DW-16 a computer that stops gives unstarted work back at once and is granted nothing more', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const { id } = await a.store.send(turn());
    await a.store.send(turn());
    await granted(a.store);
    await a.store.drain();
    await a.store.append(batch({ turn: id, epoch: 1, bodies: [], after: 'queued' }));
    expect(await claim(a.store)).toEqual({ kind: 'none' });
    expect(await granted(b.store)).toMatchObject({ id, epoch: 2, lives: 0, took: '' });
  });

  it('DW-21 DW-22 what nobody can take names the unmet need; work for a computer that is gone can be released', async () => {
    const [a, b] = [await join('a', { caps: ['label:gpu'] }), await join('b')];
    await b.store.send(turn({ needs: ['label:gpu'], session: 'gpu' }));
    await b.store.send(turn({ needs: ['label:xcode'], session: 'mac' }));
    const pinned = await b.store.send(turn({ isHere: true, session: 'pinned' }));
    expect((await granted(a.store)).session).toBe('gpu');
    expect(await claim(a.store)).toEqual({ kind: 'none' });
    const waiting = await a.store.waiting(10);
    expect(waiting.map(({ session, unmet, place }) => [session, unmet, place])).toEqual([
      ['mac', ['label:xcode'], ''],
      ['pinned', [], 'b'],
    ]);
    expect((await a.store.look([pinned.id])).turns).toMatchObject([
      { state: 'queued', waits: 'place' },
    ]);
    expect(await a.store.release(pinned.id)).toBe(true);
    expect((await granted(a.store)).id).toBe(pinned.id);
  });

  it('DW-29 a lease that ran out, or a wait, is a reason to look again only for a computer that may have the turn', async () => {
    const gpu = { caps: ['label:gpu'] };
    const [a, b, c] = [await join('a', gpu), await join('b', gpu), await join('c')];
    const { id } = await a.store.send(turn({ needs: gpu.caps }));
    const seen = async ({ store }: Machine) => {
      const { hasWork, nextLeaseMs } = await store.look([], 0);
      return { hasWork, hasLease: nextLeaseMs !== undefined && nextLeaseMs > 0, nextLeaseMs };
    };
    const nothing = { hasWork: false, hasLease: false, nextLeaseMs: undefined };
    expect(await seen(b)).toMatchObject({ hasWork: true, hasLease: false });
    expect(await seen(c)).toEqual(nothing);
    await granted(a.store);
    expect(await seen(b)).toMatchObject({ hasWork: false, hasLease: true });
    expect(await seen(c)).toEqual(nothing);
    await runOut(id);
    // It is there to be had, which is no time to wait for.
    expect(await seen(b)).toEqual({ ...nothing, hasWork: true });
    expect(await seen(c)).toEqual(nothing);
  });

  it('DW-24 the same message or schedule slot is one turn, whoever sends it, also after it is over', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const sent = await Promise.all(
      [a, b, a, b].map(({ store }) => store.send(turn({ dedupe: 'task:7:2026-11-26T09:00' }))),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent.filter(({ isNew }) => isNew)).toHaveLength(1);
    const own = await granted(a.store);
    await a.store.append(batch({ turn: own.id, epoch: 1, after: 'done' }));
    const late = await b.store.send(turn({ dedupe: 'task:7:2026-11-26T09:00' }));
    expect(late).toMatchObject({ id: own.id, isNew: false });
  });

  it('DW-26 a newer schema is refused untouched', async () => {
    await postgres.sql('UPDATE holdfast.store SET version = 99');
    await expect(createStoreOwner(postgres.owner).open()).rejects.toMatchObject({
      code: 'SHARE_VERSION',
    });
    expect(await postgres.sql('SELECT version FROM holdfast.store')).toEqual([{ version: 99 }]);
    await postgres.sql('UPDATE holdfast.store SET version = 1, oldest_client = 99');
    const invited = await postgres.invite('old');
    await expect(connect(invited).hello(self('old', randomUUID()))).rejects.toMatchObject({
      code: 'SHARE_VERSION',
    });
    await postgres.sql('UPDATE holdfast.store SET oldest_client = 1');
  });

  it('DW-27 a computer may only call functions: every statement on a table is refused', async () => {
    const { address } = await join('a');
    const client = new pg.Client({ ...address, user: address.role });
    await client.connect();
    for (const statement of [
      'SELECT * FROM holdfast.turn',
      'UPDATE holdfast.turn SET epoch = epoch + 1',
      'INSERT INTO holdfast.text VALUES (1, 1)',
      'DELETE FROM holdfast.entry',
      'TRUNCATE holdfast.machine',
      "SELECT nextval('holdfast.mark')",
      "SELECT holdfast.invite('x', 'x', 1)",
      'SELECT holdfast.admit(gen_random_uuid())',
      'SELECT holdfast.revoke(gen_random_uuid())',
      'SELECT holdfast.accept_loss()',
      'CREATE TABLE holdfast.mine (id int)',
    ])
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    await client.end();
  });

  it('DW-27 an invitation is for one data directory, ends by itself, and grants nothing before a person admits it', async () => {
    const invited = await postgres.invite('late');
    const store = connect(invited);
    await expect(store.send(turn())).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
    expect((await store.hello(self('late', randomUUID()))).state).toBe('asking');
    await expect(claim(store)).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
    await expect(connect(invited).hello(self('thief', randomUUID()))).rejects.toMatchObject({
      code: 'SHARE_REFUSED',
    });
    const old = await postgres.invite('old');
    await postgres.sql(
      'UPDATE holdfast.machine SET invited_until = clock_timestamp() WHERE role = $1',
      [old.role],
    );
    await expect(connect(old).hello(self('old', randomUUID()))).rejects.toMatchObject({
      message: expect.stringContaining('expired') as unknown,
    });
  });

  it('DW-27 a computer reads nothing of a turn that it may not run', async () => {
    const [a, b] = [await join('a', { caps: ['label:a'] }), await join('b')];
    const { id } = await a.store.send(turn({ needs: ['label:a'] }));
    await granted(a.store);
    await a.store.append(batch({ turn: id, epoch: 1, bodies: ['"secret"'] }));
    await expect(b.store.entries(id, 0)).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
    expect(await a.store.entries(id, 0)).toHaveLength(1);
  });

  it('DW-22 DW-27 a later turn of a session that says nothing of where it runs goes only to a computer that may have the earlier ones, and says why it waits; another one neither claims it, takes it over, nor reads it', async () => {
    const [a, gpu, c] = [
      await join('a'),
      await join('gpu', { caps: ['label:gpu'] }),
      await join('c'),
    ];
    const over = async ({ store }: Machine): Promise<string> => {
      const { id, epoch, entries } = await granted(store);
      await store.append(batch({ turn: id, epoch, from: entries, after: 'done' }));
      return id;
    };
    const first = await gpu.store.send(turn({ needs: ['label:gpu'], session: 'work' }));
    expect(await over(gpu)).toBe(first.id);
    const later = await a.store.send(turn({ session: 'work' }));
    for (const { store } of [a, c]) {
      expect(await store.look([later.id])).toMatchObject({
        hasWork: false,
        turns: [{ waits: 'needs' }],
      });
      expect(await claim(store)).toEqual({ kind: 'none' });
    }
    expect(await a.store.waiting(10)).toMatchObject([
      { needs: [], unmet: [], earlierNeeds: ['label:gpu'], strangers: ['a', 'c'] },
    ]);
    // Sending a turn to a session of others shows nothing of it.
    expect(await a.store.earlier(later.id, 20)).toEqual([]);
    await expect(c.store.entries(later.id, 0)).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
    expect(await granted(gpu.store)).toMatchObject({ id: later.id, epoch: 1 });
    expect((await gpu.store.earlier(later.id, 20)).map(({ id }) => id)).toEqual([first.id]);
    await runOut(later.id);
    expect(await claim(c.store)).toEqual({ kind: 'none' });
    expect(await c.store.look([])).toMatchObject({ hasWork: false, nextLeaseMs: undefined });
    // Whoever has sent or run all of the earlier ones may go on, whatever it offers.
    await c.store.send(turn({ isHere: true, session: 'own' }));
    await over(c);
    const own = await c.store.send(turn({ session: 'own' }));
    expect(await claim(a.store)).toEqual({ kind: 'none' });
    expect(await granted(c.store)).toMatchObject({ id: own.id });
  });

  it('DW-27 a revoked computer is out at once, and what it had goes to the others', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const { id } = await a.store.send(turn());
    await granted(a.store);
    expect(await createStoreOwner(postgres.owner).revoke(a.id)).toBe(true);
    await expect(a.store.append(batch({ turn: id, epoch: 1 }))).rejects.toMatchObject({
      code: expect.stringMatching(/^SHARE_(REFUSED|UNREACHABLE)$/) as unknown,
    });
    expect(await granted(b.store)).toMatchObject({ id, epoch: 2 });
  });
});
