import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import type { SharedStore } from '../../../electron/ports/shared-store';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { isLeftOut } from '../../helpers/skips';

const LEASE_MS = 60_000;

/** How many rows of turns calls of the store read; how long they take is for `npm run bench`. */
describe.skipIf(isLeftOut('the cost of shared work', NO_POSTGRES))('a long queue', () => {
  let postgres: Postgres;
  let desk: SharedStore;
  const life = randomUUID();
  const ids = { desk: '', other: '' };
  let role = '';

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
    for (const name of ['desk', 'other'] as const) {
      const address = await postgres.invite(name);
      const store = createPostgresStore({
        address,
        timeoutMs: 10_000,
        seen: 0,
        log: { warn: () => undefined },
      });
      const self = { key: randomUUID(), name, version: '1', caps: [], clockMs: 0 };
      const hello = await store.hello({ ...self, life: name === 'desk' ? life : randomUUID() });
      await createStoreOwner(postgres.owner).admit(hello.machine);
      ids[name] = hello.machine;
      if (name === 'desk') {
        desk = store;
        role = address.role;
      } else await store.close();
    }
  });
  afterEach(async () => {
    await desk.close();
  });

  /** Rows of turns that one call of the desk reads; what it changed is undone. */
  async function rowsReadBy(call: string, args: readonly unknown[]): Promise<number> {
    const client = new pg.Client(postgres.owner);
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL SESSION AUTHORIZATION "${role}"`);
      await client.query(`SELECT holdfast.${call}`, [...args]);
      const { rows } = await client.query<{ n: string }>(
        "SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_xact_user_tables WHERE relname = 'turn'",
      );
      return Number(rows[0]?.n);
    } finally {
      await client.end();
    }
  }

  async function cost(): Promise<{ claim: number; look: number }> {
    // The store does so by itself within a minute.
    await postgres.sql('VACUUM ANALYZE holdfast.turn');
    const [{ incarnation } = { incarnation: '' }] = await postgres.sql<{ incarnation: string }>(
      'SELECT incarnation FROM holdfast.store',
    );
    const who = [life, incarnation, 0];
    return {
      claim: await rowsReadBy('claim($1, $4, $2, $3, 60000, 60000)', [...who, randomUUID()]),
      look: await rowsReadBy("look($1, $2, $3, '{}')", who),
    };
  }

  /** Waiting turns of as many sessions, each behind turns that are over. */
  const fill = (sessions: number, overEach: number, needs: string): Promise<unknown> =>
    postgres.sql(
      `INSERT INTO holdfast.turn (id, session, priority, sender, body, state, ended_at, needs)
         SELECT gen_random_uuid(), 's' || g % $2, 1, $1, 'x',
           CASE WHEN g < $2 * $3 THEN 'done' ELSE 'queued' END,
           CASE WHEN g < $2 * $3 THEN now() END, CASE WHEN g < $2 THEN $4::text[] ELSE '{}' END
         FROM generate_series(0, $2 * ($3 + 1) - 1) g`,
      [ids.other, sessions, overEach, needs],
    );

  it('DW-29 a claim and a look read the same rows of 3,000 waiting turns with 30,000 that are over as of 3 with 30', async () => {
    await fill(3, 10, '{}');
    const few = await cost();
    await fill(3_000, 10, '{}');
    const many = await cost();
    expect(many.claim).toBeLessThanOrEqual(few.claim + 10);
    expect(many.look).toBeLessThanOrEqual(few.look + 10);
    const granted = await desk.claim({
      request: randomUUID(),
      leaseMs: LEASE_MS,
      maxWaitMs: LEASE_MS,
    });
    expect(granted).toMatchObject({ kind: 'granted' });
  });

  it('DW-28 a list of waiting turns reads the last refusal of each computer and nothing of the 1,000 entries of 8 KB each', async () => {
    const id = randomUUID();
    await postgres.sql(
      "INSERT INTO holdfast.turn (id, session, priority, sender, body, state) VALUES ($1, 's', 1, $2, 'x', 'queued')",
      [id, ids.desk],
    );
    const refused = (why: string): string => JSON.stringify({ k: 'refused', why });
    const long = refused('x'.repeat(20_000));
    await postgres.sql(
      `INSERT INTO holdfast.entry (turn, life, epoch, n, machine, body)
         SELECT $1::uuid, $1::uuid, 1, n, machine, body FROM (
           SELECT g, $2::uuid, repeat('y', 8000) FROM generate_series(1, 1000) g
           UNION ALL VALUES (1001, $2::uuid, $4::text), (1002, $2, $5), (1003, $3::uuid, $6)
         ) e (n, machine, body)`,
      [id, ids.other, ids.desk, refused('earlier'), refused('no such folder'), long],
    );
    const found = await desk.refusals(id);
    expect(found.map(({ machine, body }) => [machine, body.length])).toEqual([
      ['other', refused('no such folder').length],
      ['desk', 8_000],
    ]);
    await postgres.sql(
      "INSERT INTO holdfast.entry (turn, life, epoch, n, machine, body) VALUES ($1, $1, 2, 1004, $2, '{}')",
      [id, ids.other],
    );
    expect((await desk.refusals(id)).map(({ machine }) => machine)).toEqual(['desk']);
  });

  it('DW-22 DW-29 behind 1,000 turns whose conversation it may not have, a computer finds its own, and reads of each no more than its session', async () => {
    await fill(1_000, 10, '{agent:elsewhere}');
    await desk.send({
      id: randomUUID(),
      session: 'mine',
      priority: 1,
      dedupe: undefined,
      needs: [],
      isHere: false,
      body: 'work',
    });
    const { claim, look } = await cost();
    // The turn itself, the first of its session that is open, and up to ten that are over.
    expect(claim).toBeLessThan(1_000 * 15);
    expect(look).toBeLessThan(1_000 * 15);
    const granted = await desk.claim({
      request: randomUUID(),
      leaseMs: LEASE_MS,
      maxWaitMs: LEASE_MS,
    });
    expect(granted).toMatchObject({ kind: 'granted', session: 'mine' });
  });
});
