/**
 * What power cuts leave, in two models of a disk, and what syncs leave that fail: each image is what
 * one moment of a real life may leave of its folder. `npm run test:power` makes 1,000 and 300.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cutRun, type CutRun } from './cut-runs';
import { diskShim, shimEnv } from './disk-shim';
import { createRealm, endRealms, startLife } from './lives';
import { recoverAndJudge, snapshot } from './workload';

afterAll(endRealms);

const shim = diskShim();
const isLong = process.env['npm_lifecycle_event'] === 'test:power';
/** In each model. */
const IMAGES = Number(process.env['HOLDFAST_POWER_IMAGES'] ?? (isLong ? 1_000 : 30));
const FAILING_IMAGES = Number(process.env['HOLDFAST_POWER_FAILING'] ?? (isLong ? 300 : 30));
/** The first seed; a run that fails is repeated with its seed here. */
const FIRST_SEED = Number(process.env['HOLDFAST_POWER_SEED'] ?? 1);
const PER_RUN = 15;
const WORKERS = 2;
/** One kind of sick disk a run. */
const SICK = [
  { syncs: 60, writes: 0, errno: os.constants.errno.EIO, part: 'holdfast.db' },
  // The folder among them: SQLite does not look at what that says.
  { syncs: 60, writes: 0, errno: os.constants.errno.EIO, part: '/data' },
  { syncs: 30, writes: 10, errno: os.constants.errno.EIO, part: 'holdfast.db' },
  { syncs: 30, writes: 10, errno: os.constants.errno.ENOSPC, part: '/data' },
  { syncs: 300, writes: 0, errno: os.constants.errno.EDQUOT, part: 'holdfast.db' },
  // Most drafts are refused there: their turns go on without them.
  { syncs: 500, writes: 0, errno: os.constants.errno.EIO, part: '/data/drafts' },
] as const;

async function runAll(
  count: number,
  of: (seed: number) => Pick<CutRun, 'startsOneOf' | 'failing'>,
): Promise<void> {
  const problems: string[] = [];
  let seed = FIRST_SEED;
  let left = count;
  let made = 0;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      const images = Math.min(PER_RUN, left);
      left -= images;
      const found = await cutRun({ ...of(seed), shim: shim ?? '', images, seed: seed++ });
      made += found.images;
      problems.push(...found.problems);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  console.info(`${String(made)} images, ${String(problems.length)} problems`);
  expect(problems.join('\n')).toBe('');
}

const timeoutMs = 120_000 + (IMAGES + FAILING_IMAGES) * 5_000;

describe.skipIf(shim === undefined)('what is left', () => {
  it(
    'S4-14 S0-01 by a power cut, in both models, has everything that was said and nothing twice',
    () => runAll(IMAGES, () => ({ startsOneOf: 10 })),
    timeoutMs,
  );

  it(
    'S4-14 by a power cut after syncs that failed has everything that was said and nothing twice',
    () =>
      runAll(FAILING_IMAGES, (seed) => ({ startsOneOf: 10, failing: SICK[seed % SICK.length] })),
    timeoutMs,
  );

  it('S4-14 after a sync that failed, the WAL is written again before anything is said; killed right there, nothing is lost', async () => {
    const realm = createRealm('always', { 'resilience.recovery.max_attempts': 10 });
    const tracePath = path.join(os.tmpdir(), `${path.basename(realm.root)}.trace`);
    const failing = {
      seed: 2,
      syncs: 150,
      writes: 0,
      errno: os.constants.errno.EIO,
      part: 'holdfast.db-wal',
    };
    const calm = startLife(realm);
    await calm.ready();
    await calm.stop();
    const sick = startLife(realm, {
      env: shimEnv(shim ?? '', realm.root, tracePath, failing),
      // The first time is that of the start.
      crash: { point: 'wal.prove.after', hit: 2 },
    });
    try {
      await sick.ready().catch(() => undefined);
      for (let tag = 0; tag < 200 && realm.killedAt.length === 0; tag += 1)
        await sick.ask({
          kind: 'accept',
          text: `mail m${String(tag)}`,
          channel: 'chanB',
          peer: 'p',
        });
      expect(await sick.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual(['wal.prove.after']);
      expect(await recoverAndJudge(realm, 'always', [snapshot(realm)])).toEqual([]);
    } finally {
      fs.rmSync(tracePath, { force: true });
    }
  });
});
