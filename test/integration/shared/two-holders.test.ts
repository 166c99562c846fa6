/**
 * That the check of the kills and of the chaos can fail: the same run with the rule of leases, and with a store
 * that grants a turn which another computer has, and takes what both write.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import type { SharedStore } from '../../../electron/ports/shared-store';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { queueProblems } from '../../helpers/queue-evidence';
import { isLeftOut } from '../../helpers/skips';

const LEASE_MS = 60_000;

let postgres: Postgres;
const open: SharedStore[] = [];

async function join(name: string): Promise<SharedStore> {
  const address = await postgres.invite(name);
  const log = { warn: () => undefined };
  const store = createPostgresStore({ address, timeoutMs: 5_000, seen: 0, log });
  open.push(store);
  const key = randomUUID();
  const life = randomUUID();
  const self = { key, name, life, version: '1', caps: [], clockMs: Date.now() };
  const { machine } = await store.hello(self);
  await createStoreOwner(postgres.owner).admit(machine);
  return store;
}

/** Takes a rule out of a function of the store. */
async function without(name: string, rule: RegExp, instead: string): Promise<void> {
  const [found] = await postgres.sql<{ text: string }>(
    `SELECT pg_get_functiondef('holdfast.${name}'::regproc) AS text`,
  );
  const text = found?.text ?? '';
  expect(text).toMatch(rule);
  await postgres.sql(text.replace(rule, instead));
}

const START = { k: 'start', step: 1, attempt: 1, tool: 'charge', purity: 'side_effect' };
const END = { k: 'end', step: 1, end: { state: 'completed' } };
const CLOSE = { k: 'close', state: 'completed', reason: '' };
const EFFECT = JSON.stringify({ tool: 'charge', key: 'hf-db-1-1' });

/** One computer is in the middle of a turn when another one asks for work; both end what they have. */
async function twoAsk(one: SharedStore, other: SharedStore): Promise<readonly string[]> {
  await postgres.sql('TRUNCATE holdfast.question, holdfast.entry, holdfast.turn');
  const { id } = await one.send({
    id: randomUUID(),
    session: 'work',
    priority: 1,
    dedupe: undefined,
    needs: [],
    isHere: false,
    body: JSON.stringify({ origin: { databaseId: 'db', turnId: 1 } }),
  });
  const claim = (store: SharedStore) =>
    store.claim({ request: randomUUID(), leaseMs: LEASE_MS, maxWaitMs: 600_000 });
  const effects: string[] = [];
  /** False: refused, and nothing may begin. */
  const write = async (store: SharedStore, epoch: number, entry: object): Promise<boolean> => {
    const { kind } = await store.append({
      turn: id,
      epoch,
      from: (await store.entries(id, 0)).length,
      bodies: [JSON.stringify(entry)],
      leaseMs: LEASE_MS,
      after: entry === CLOSE ? 'done' : 'leased',
      delayMs: 0,
      isProgress: false,
    });
    return kind === 'appended';
  };
  const step = async (store: SharedStore, epoch: number): Promise<void> => {
    if (!(await write(store, epoch, START))) return;
    effects.push(EFFECT);
    await write(store, epoch, END);
  };
  const first = await claim(one);
  if (first.kind !== 'granted') throw new Error('nobody has it');
  await step(one, first.epoch);
  const second = await claim(other);
  if (second.kind === 'granted') await step(other, second.epoch);
  await write(one, first.epoch, CLOSE);
  if (second.kind === 'granted') await write(other, second.epoch, CLOSE);
  return queueProblems(postgres, new Set(['work']), effects);
}

describe.skipIf(isLeftOut('shared work', NO_POSTGRES))('a turn with two holders', () => {
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(open.map((store) => store.close()));
    await postgres?.remove();
    endPostgres();
  });

  it('DW-01 DW-02 DW-06 DW-31 is found by the check of the kills and the chaos: nothing where the rules stand, the repeat where a leased turn is granted again, and both ends and the writes out of epoch where nobody is fenced', async () => {
    const [one, other] = [await join('one'), await join('other')];
    expect(await twoAsk(one, other)).toEqual([]);
    await without('grantable', /p_turn\.lease_until < p_now/, 'true');
    expect(await twoAsk(one, other)).toEqual(['again: work, step 1']);
    await without('append', /IF t\.epoch <> p_epoch[^]*?THEN/, 'IF false THEN');
    await without('append', / OR t\.state <> 'leased' THEN/, ' THEN');
    expect(await twoAsk(one, other)).toEqual([
      '2 ends: work',
      'out of epoch: work, entry 5',
      'again: work, step 1',
    ]);
    await postgres.sql('TRUNCATE holdfast.question, holdfast.entry, holdfast.turn');
    expect(await queueProblems(postgres, new Set(['work']))).toEqual(['lost: work']);
  });
});
