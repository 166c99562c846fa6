/**
 * What power cuts leave of the very first start of a data folder, on disks whose syncs fail and on one
 * that is well: nothing has been accepted, so each image starts without a question.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openKernelLock } from '../../electron/adapters/instance/kernel-lock';
import { openDatabase } from '../../electron/adapters/sqlite/open-database';
import { isTemporaryName } from '../../electron/disk/temporary-names';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import { createRandom } from '../helpers/random';
import { createDisk, recordsOf, type DiskModel } from './disk-images';
import { diskShim, shimEnv, type Failing } from './disk-shim';
import { createRealm, endRealms, inEveryMode, startLife } from './lives';
import type { Realm } from './realm';

afterAll(endRealms);

const shim = diskShim();
const RUNS = process.env['npm_lifecycle_event'] === 'test:power' ? 40 : 6;
/** At each moment of a start; of so many that differ one is started as a whole. */
const DRAWS = 3;
const STARTS_ONE_OF = 30;
const FIRST_SEED = Number(process.env['HOLDFAST_POWER_SEED'] ?? 1);

/** None; those that SQLite looks at; all of them. */
const DISKS: readonly (Omit<Failing, 'seed'> | undefined)[] = [
  undefined,
  { syncs: 400, writes: 0, errno: os.constants.errno.EIO, part: '.db' },
  { syncs: 200, writes: 50, errno: os.constants.errno.ENOSPC, part: '/data' },
];

/** What is wrong with a folder in which nothing was accepted. */
async function problemsOf(realm: Realm): Promise<string[]> {
  const { dataDir } = realm;
  // A start makes it where it is not there.
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = openKernelLock(path.join(dataDir, 'lock.db'));
  try {
    if (lock.tryLock() !== 'locked') return ['the lock is not free'];
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: () => 'id',
      nowMs: 0,
      crashPoints: noCrashPoints,
    });
    const found = String(db.pragma('integrity_check', { simple: true }));
    db.close();
    return found === 'ok' ? [] : [found];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    lock.unlock();
  }
}

/** Most images differ in other files only. */
function databasesOf({ dataDir }: Realm): string {
  const hash = createHash('sha256');
  const names = fs.existsSync(dataDir) ? fs.readdirSync(dataDir).sort() : [];
  for (const name of names.filter((one) => one.includes('.db')))
    hash.update(JSON.stringify(name)).update(fs.readFileSync(path.join(dataDir, name)));
  return hash.digest('hex');
}

async function cutFirstStart(seed: number): Promise<{ problems: string[]; images: number }> {
  const random = createRandom(seed);
  const realm = createRealm('always');
  const tracePath = `${realm.root}.trace`;
  const sick = DISKS[seed % DISKS.length];
  const failing = sick === undefined ? undefined : { ...sick, seed };
  try {
    const disk = createDisk(realm.root, (relative) => /^outside(?:\/|$)/.test(relative));
    const life = startLife(realm, { env: shimEnv(shim ?? '', realm.root, tracePath, failing) });
    // A sick disk may refuse the start.
    await life.ready().catch((error: unknown) => {
      if (failing === undefined) throw error;
    });
    await life.kill();
    const records = [...recordsOf(fs.readFileSync(tracePath))];
    const problems: string[] = [];
    const judged = new Set<string>();
    for (const record of records) {
      disk.take(record, random);
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const model: DiskModel = failing === undefined && draw === 0 ? 'mild' : 'strict';
        fs.rmSync(realm.root, { recursive: true, force: true });
        disk.leave(realm.root, model, random);
        const content = databasesOf(realm);
        if (judged.has(content)) continue;
        judged.add(content);
        const found = judged.size % STARTS_ONE_OF === 0 ? await startsOn(realm) : [];
        found.push(...(await problemsOf(realm)));
        const name = `seed ${String(seed)} ${model} cut at ${String(disk.taken())} of ${String(records.length)}`;
        problems.push(...found.map((problem) => `${name}: ${problem}`));
      }
    }
    return { problems, images: judged.size };
  } finally {
    realm.remove();
    fs.rmSync(tracePath, { force: true });
  }
}

async function startsOn(realm: Realm): Promise<string[]> {
  fs.mkdirSync(realm.dataDir, { recursive: true, mode: 0o700 });
  const life = startLife(realm);
  try {
    await life.ready();
    const { decisions } = await life.call('recovery.list', {});
    return decisions.map(({ reason }) => `a question: ${reason}`);
  } catch (error) {
    return [`a start on it: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await life.kill();
  }
}

describe.skipIf(shim === undefined)('a power cut in the first start', () => {
  it(
    'S4-14 leaves no database or a whole one, also where syncs failed, and the next start asks nothing',
    async () => {
      const problems: string[] = [];
      let images = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const found = await cutFirstStart(FIRST_SEED + run);
        images += found.images;
        problems.push(...found.problems);
      }
      console.info(
        `${String(RUNS)} starts, ${String(images)} images, ${String(problems.length)} problems`,
      );
      expect(problems.join('\n')).toBe('');
    },
    120_000 + RUNS * 60_000,
  );
});

describe('killed where the first database is', () => {
  it.each(['database.make.beforeRename', 'database.make.afterRename'] as const)(
    'S4-14 put in place (%s) there is none or a whole one, and nothing is left of the other, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        expect(await life.ended).toBe('SIGKILL');
        const names = (): string[] =>
          fs.readdirSync(realm.dataDir).filter((name) => name.startsWith('holdfast.db'));
        const isPlaced = point === 'database.make.afterRename';
        expect(names().map((name) => (isTemporaryName(name) ? 'temporary' : name))).toEqual([
          isPlaced ? 'holdfast.db' : 'temporary',
        ]);
        expect(await startsOn(realm)).toEqual([]);
        expect(names().filter(isTemporaryName)).toEqual([]);
        expect(await problemsOf(realm)).toEqual([]);
      });
    },
  );
});
