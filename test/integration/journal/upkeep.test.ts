/** What is old goes by itself: the whole composition, a minute after its start. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { Composition } from '../../../electron/compose/options';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeProvider, createFakeTools, resultsSoFar } from '../../helpers/fake-world';

const DAY_MS = 86_400_000;
const FIRST_MAINTENANCE_MS = 60_000;
let world: World;
let running: Composition | undefined;
let atWork: () => void = () => undefined;

beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await running?.lifecycle.stop('stop');
  world.remove();
});

async function start(aheadMs = 0): Promise<Composition> {
  const system = createSystemClock();
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) =>
      resultsSoFar(request) === 0 ? { calls: [{ tool: 'put' }] } : { text: 'done' },
    gate: async (request) => {
      if (!JSON.stringify(request).includes('"open"')) return undefined;
      atWork();
      return new Promise<never>(() => undefined);
    },
  });
  running = composeIn(world, {
    providers: [provider],
    toolHosts: [createFakeTools({ dir: world.outside })],
    clock: { ...system, nowMs: () => system.nowMs() + aheadMs },
  });
  expect(await running.lifecycle.start()).toEqual({ kind: 'started' });
  return running;
}

/** The first upkeep is a minute after the start: here at once. */
function upkeepAtOnce(): void {
  const later = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) =>
    later(run, ms === FIRST_MAINTENANCE_MS ? 0 : ms)) as typeof setTimeout);
}

const upkeepIsOver = async (): Promise<void> => {
  const audit = path.join(world.dataDir, 'audit');
  await expect
    .poll(
      () =>
        fs
          .readdirSync(audit)
          .map((name) => fs.readFileSync(path.join(audit, name), 'utf8'))
          .join(''),
      { timeout: 60_000 },
    )
    .toContain('"event":"upkeep"');
};

/** Damage that no start and no query comes by: pages of an index that is not there any more. */
function loseAnIndex(db: Database.Database): void {
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(
    "DELETE FROM sqlite_master WHERE name = (SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL)",
  );
}

it.each([
  { days: undefined, kept: { old: 1, newer: 3, open: 1 } },
  { days: 28, kept: { old: 1, newer: 1, open: 1 } },
  { days: 40, kept: { old: 3, newer: 3, open: 1 } },
])(
  'S0-+02 S4-31 with retention_days $days (30 where not set) turns closed 31 and 29 days ago keep $kept.old and $kept.newer of 3 steps, one open for 31 days all it has; damage that nothing came by is found meanwhile and told',
  async ({ days, kept }) => {
    const first = await start();
    const ids: number[] = [];
    const isOpen = new Promise<void>((resolve) => (atWork = resolve));
    for (const text of ['old', 'newer', 'open']) {
      const input = { text, agent: 'fake', session: text };
      const { turnId } = await first.holdfast.call('send', input, 'test');
      ids.push(turnId);
      if (text !== 'open') await turnIn(first, turnId, ['completed']);
    }
    await isOpen;
    const [old = 0, newer = 0, open = 0] = ids;
    await first.lifecycle.stop('stop');
    const db = new Database(path.join(world.dataDir, 'holdfast.db'));
    const back = db.prepare(
      `UPDATE turns SET ended_at = ended_at - @ms, accepted_at = accepted_at - @ms,
         started_at = started_at - @ms WHERE id = @id`,
    );
    back.run({ id: old, ms: 31 * DAY_MS });
    back.run({ id: newer, ms: 29 * DAY_MS });
    back.run({ id: open, ms: 31 * DAY_MS });
    if (days === 28) loseAnIndex(db);
    db.close();
    writeConfig(world, {
      resilience: { recovery: { mode: 'never', ...(days && { retention_days: days }) } },
    });
    upkeepAtOnce();
    const second = await start();
    const show = (turnId: number) => second.holdfast.call('turns.show', { turnId }, 'test');
    const steps = async (): Promise<Record<string, number>> => ({
      old: (await show(old)).steps.length,
      newer: (await show(newer)).steps.length,
      open: (await show(open)).steps.length,
    });
    await upkeepIsOver();
    expect(await steps()).toEqual(kept);
    expect(await show(old)).toMatchObject({ prompt: 'old', answer: 'done' });
    expect((await show(open)).turn.state).toBe('held');
    const { items } = await second.holdfast.call('inbox.list', {}, 'test');
    const told = items.filter(({ title }) => title === 'The database is damaged');
    expect(told).toHaveLength(days === 28 ? 1 : 0);
    if (days !== 28) return;
    const { checks } = await second.holdfast.call('doctor.run', { full: true }, 'test');
    expect(checks.find(({ name }) => name === 'database integrity')).toMatchObject({
      level: 'fail',
      detail: expect.stringMatching(/never used.*put the newest file of .*backups in its place/),
    });
  },
);

it('S0-+02 a start with a clock that is 13 years ahead removes nothing', async () => {
  const first = await start();
  const input = { text: 'old', agent: 'fake', session: 'old' };
  const { turnId } = await first.holdfast.call('send', input, 'test');
  await turnIn(first, turnId, ['completed']);
  await first.lifecycle.stop('stop');
  upkeepAtOnce();
  const second = await start(13 * 365 * DAY_MS);
  await upkeepIsOver();
  const { steps } = await second.holdfast.call('turns.show', { turnId }, 'test');
  expect(steps).toHaveLength(3);
});

it('S4-+05 results that an earlier process wrote for a turn that it never accepted go; those of an open turn, and of a number that may yet be given away, stay', async () => {
  const first = await start();
  const isOpen = new Promise<void>((resolve) => (atWork = resolve));
  const input = { text: 'open', agent: 'fake', session: 'open' };
  const { turnId: open } = await first.holdfast.call('send', input, 'test');
  await isOpen;
  await first.lifecycle.stop('stop');
  const db = new Database(path.join(world.dataDir, 'holdfast.db'));
  // As if more turns had been begun, none of which was accepted.
  db.prepare("INSERT OR REPLACE INTO state (key, value) VALUES ('floor_turn', ?)").run(
    String(open + 4),
  );
  db.close();
  writeConfig(world, { resilience: { recovery: { mode: 'never' } } });
  const folderOf = (turnId: number) => path.join(world.dataDir, 'blobs', `t${String(turnId)}`);
  for (const turnId of [open, open + 2, open + 4, open + 5]) {
    fs.mkdirSync(folderOf(turnId), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(folderOf(turnId), 'a'.repeat(64)), 'kept');
  }
  upkeepAtOnce();
  await start();
  await upkeepIsOver();
  const isThere = (turnId: number) => fs.existsSync(folderOf(turnId));
  expect([open, open + 2, open + 4, open + 5].map(isThere)).toEqual([true, false, false, true]);
});
