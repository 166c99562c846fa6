/** Shared work over a real PostgreSQL on this computer, with its syncs. DW-29 */
import { randomUUID } from 'node:crypto';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import type { SharedStore } from '../../../electron/ports/shared-store';
import { composeIn, createWorld, writeConfig } from '../../helpers/compose-world';
import { createFakeProvider, createFakeTools } from '../../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { median } from './numbers';
import type { Report } from './report';

const SECTION = 'Shared work';
const COMPUTERS = 8;
const TURNS = 2_000;
const STEPS = 500;
const STARTS = 20;
const IDLE_MS = 60_000;
const LEASE_MS = 60_000;
const silent = { warn: () => undefined };

async function join(postgres: Postgres, name: string): Promise<SharedStore> {
  const address = await postgres.invite(name);
  const store = createPostgresStore({ address, timeoutMs: 10_000, seen: 0, log: silent });
  const self = { key: randomUUID(), name, life: randomUUID(), version: '1', caps: [], clockMs: 0 };
  const { machine } = await store.hello(self);
  await createStoreOwner(postgres.owner).admit(machine);
  return store;
}

const send = (store: SharedStore, more: { needs?: string[]; body?: string } = {}) =>
  store.send({
    id: randomUUID(),
    session: randomUUID(),
    priority: 1,
    dedupe: undefined,
    needs: [],
    isHere: false,
    body: 'work',
    ...more,
  });

const claim = (store: SharedStore) =>
  store.claim({ request: randomUUID(), leaseMs: LEASE_MS, maxWaitMs: LEASE_MS });

/** Claims a second of several computers at once, and how many of the turns had two owners. */
async function addClaims(report: Report, stores: readonly SharedStore[]): Promise<void> {
  const [first] = stores;
  if (first === undefined) return;
  for (let n = 0; n < TURNS; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => send(first)));
  const owned: string[] = [];
  const beganMs = performance.now();
  await Promise.all(
    stores.map(async (store) => {
      for (;;) {
        const answer = await claim(store);
        if (answer.kind === 'granted') owned.push(answer.id);
        else if (owned.length >= TURNS) return;
      }
    }),
  );
  const rate = (TURNS * 1_000) / (performance.now() - beganMs);
  report.add(SECTION, {
    name: 'claims',
    value: rate,
    unit: '/s',
    note: `${String(COMPUTERS)} computers, ${String(owned.length - new Set(owned).size)} turns with two owners`,
  });
}

/** What a step of a shared turn costs more than a local one: one append under its epoch. */
async function addSteps(report: Report, store: SharedStore): Promise<void> {
  await send(store);
  const granted = await claim(store);
  if (granted.kind !== 'granted') throw new Error('granted nothing');
  const times: number[] = [];
  const body = JSON.stringify({ k: 'end', step: 1, text: 'x'.repeat(500) });
  for (let from = 0; from < STEPS; from += 1) {
    const beganMs = performance.now();
    await store.append({
      turn: granted.id,
      epoch: granted.epoch,
      from,
      bodies: [body],
      leaseMs: LEASE_MS,
      after: 'leased',
      delayMs: 0,
      isProgress: true,
    });
    times.push(performance.now() - beganMs);
  }
  report.add(SECTION, {
    name: 'a shared step adds, median',
    value: median(times),
    unit: 'ms',
    budget: { sense: '<=', limit: 3 },
    note: `one append of 500 bytes, ${String(STEPS)} times`,
  });
}

/** The engine itself: how soon a new turn starts, and what it asks while there is nothing to do. */
async function addEngine(report: Report, postgres: Postgres): Promise<void> {
  const world = createWorld();
  writeConfig(world, { share: { name: 'desk' }, approvals: { mode: 'off' } });
  let asked = (): void => undefined;
  const app = composeIn(world, {
    toolHosts: [createFakeTools({ dir: world.outside })],
    providers: [
      createFakeProvider({
        dir: world.outside,
        script: () => {
          asked();
          return { text: 'done' };
        },
      }),
    ],
  });
  await app.lifecycle.start();
  try {
    const address = `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`;
    await app.holdfast.call('share.host', { address }, 'test');
    const other = await join(postgres, 'sender');
    const body = JSON.stringify({
      agent: 'fake',
      text: { t: 'hello' },
      origin: { databaseId: 'bench', turnId: 1 },
      sender: 'sender',
    });
    const starts: number[] = [];
    for (let n = 0; n < STARTS; n += 1) {
      const started = new Promise<void>((resolve) => (asked = resolve));
      const beganMs = performance.now();
      await send(other, { body });
      await started;
      starts.push(performance.now() - beganMs);
    }
    await other.close();
    report.add(SECTION, {
      name: 'a new turn asks its model after, median',
      value: median(starts),
      unit: 'ms',
      budget: { sense: '<=', limit: 1_000 },
      note: 'sent by another computer, told by notification',
    });
    // What follows the last turn is not idling, and an idle connection tells its calls 10 s late.
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const before = await calls(postgres);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    report.add(SECTION, {
      name: 'queries of an idle computer in 15 s',
      value: ((await calls(postgres)) - before) / (IDLE_MS / 15_000),
      unit: '',
      budget: { sense: '<=', limit: 1.5 },
      note: `over ${String(IDLE_MS / 1_000)} s`,
    });
  } finally {
    await app.lifecycle.stop('stop');
    world.remove();
  }
}

/** Calls of all computers since the server began; what the server does for itself is none. */
async function calls(postgres: Postgres): Promise<number> {
  const [row] = await postgres.sql<{ n: string }>(
    `SELECT coalesce(sum(calls), 0)::text AS n FROM pg_stat_user_functions
      WHERE schemaname = 'holdfast'
        AND has_function_privilege('holdfast_machine', funcid, 'EXECUTE') AND funcname <> 'look'`,
  );
  return Number(row?.n ?? 0);
}

export async function addSharedFigures(report: Report): Promise<void> {
  if (NO_POSTGRES !== undefined) {
    report.add(SECTION, { name: 'claims', value: undefined, unit: '/s', note: NO_POSTGRES });
    return;
  }
  const postgres = await createPostgres({ isDurable: true });
  try {
    const names = Array.from({ length: COMPUTERS }, (_, at) => `computer-${String(at + 1)}`);
    const stores = await Promise.all(names.map((name) => join(postgres, name)));
    await addClaims(report, stores);
    const [one] = stores;
    if (one !== undefined) await addSteps(report, one);
    await Promise.all(stores.map((store) => store.close()));
    await postgres.sql(
      'TRUNCATE holdfast.question, holdfast.entry, holdfast.turn, holdfast.fact, holdfast.machine',
    );
    await addEngine(report, postgres);
  } finally {
    await postgres.remove();
    endPostgres();
  }
}
