/** What goes on from a copy that was put back, while the original has gone on, too. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backup, openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { exportData, unpackData } from '../../../electron/offline/data-archive';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  linesOf,
  promptOf,
  resultsSoFar,
} from '../../helpers/fake-world';

let world: World;
beforeEach(() => {
  world = createWorld();
  writeConfig(world, {});
});
afterEach(() => world.remove());

/** One life that gets a message, if any, and stops when nothing runs: all keys and ids that went out so far. */
async function live(dataDir: string, text?: string) {
  const tools = createFakeTools({ dir: world.outside });
  const channel = createFakeChannel({ dir: world.outside, name: 'phone' });
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) =>
      resultsSoFar(request) === 0
        ? { calls: [{ tool: 'charge', args: { what: promptOf(request) } }] }
        : { text: 'done' },
  });
  const app = composeIn(
    { ...world, dataDir },
    { providers: [provider], toolHosts: [tools], channels: [channel] },
  );
  await app.lifecycle.start();
  if (text !== undefined) {
    const message = { text, peer: 'anna', newAgent: 'fake' };
    const { turnId } = await channel.intake().accept(message);
    await turnIn(app, turnId, [...QUIET]);
    await expect
      .poll(() => linesOf(channel.log).filter((line) => line.includes(`:turn:${String(turnId)}`)))
      .not.toEqual([]);
  }
  await app.lifecycle.stop('stop');
  const lines = (log: string) =>
    linesOf(log).map((line) => JSON.parse(line) as Record<string, string>);
  return {
    keys: lines(tools.log).map(({ key }) => key),
    ids: lines(channel.log).flatMap(({ deliveryId: id = '' }) =>
      id.includes(':turn:') ? [id] : [],
    ),
  };
}

const CHARGED = ['rent of October', 'rent of November', 'rent of December'] as const;

describe('a backup of the database that was put back', () => {
  it('S4-23 S4-03 gives its next turn another key than the one that the original has used since', async () => {
    const [october, november, december] = CHARGED;
    await live(world.dataDir, october);
    const options = {
      dataDir: world.dataDir,
      isReadOnly: false,
      newId: randomUUID,
      nowMs: Date.now(),
      crashPoints: noCrashPoints,
    } as const;
    const db = await openDatabase(options);
    const saved = await backup(db, options, 'before');
    db.close();
    await live(world.dataDir, november);
    for (const end of ['', '-wal', '-shm'])
      fs.rmSync(path.join(world.dataDir, `holdfast.db${end}`), { force: true });
    fs.copyFileSync(saved, path.join(world.dataDir, 'holdfast.db'));
    const { keys, ids } = await live(world.dataDir, december);
    expect([keys.length, new Set(keys).size, new Set(ids).size]).toEqual([3, 3, 3]);
    // It is a database like any other from then on.
    const { keys: same } = await live(world.dataDir);
    expect(same).toEqual(keys);
    const again = await openDatabase({ ...options, isReadOnly: true });
    expect(again.prepare("SELECT count(*) FROM state WHERE key = 'is_copy'").pluck().get()).toBe(0);
    again.close();
  });
});

describe('data that were imported', () => {
  it('S4-23 S1-11 give no number of theirs a key or an id that the original has used since; what was there keeps its own', async () => {
    const [first, second] = [1, 2].map((n) => path.join(world.root, `backup-${String(n)}.tar.gz`));
    const back = path.join(world.root, 'back');
    const again = path.join(world.root, 'again');
    await live(world.dataDir, 'rent of October');
    await exportData(world.dataDir, first ?? '', false);
    await live(world.dataDir, 'rent of November');
    await unpackData(back, first ?? '');
    await live(back, 'rent of December');
    // A copy of the copy has a name of its own, too.
    await exportData(back, second ?? '', false);
    await live(back, 'rent of January');
    await unpackData(again, second ?? '');
    const { keys, ids } = await live(again, 'rent of February');
    expect([keys.length, new Set(keys).size]).toEqual([5, 5]);
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
    const app = composeIn({ ...world, dataDir: again }, {});
    await app.lifecycle.start();
    const shown = async (turnId: number) =>
      (await app.holdfast.call('turns.show', { turnId }, 'test')).steps.flatMap((step) =>
        step.idempotencyKey === undefined ? [] : [step.idempotencyKey],
      );
    const origin = (key = '') => key.split('-').slice(0, -2).join('-');
    // Of October, December and February: the keys with which they were made.
    expect([await shown(1), await shown(2), await shown(3)]).toEqual([
      [keys[0]],
      [keys[2]],
      [keys[4]],
    ]);
    expect(new Set([0, 2, 4].map((at) => origin(keys[at]))).size).toBe(3);
    await app.lifecycle.stop('stop');
  });
});
