// Where everything temporary of a run of the tests goes. Each test makes data directories that are synced to disk
// at every step: in memory, a world of one costs half the processor time and a quarter of the wait. A kill loses
// nothing of either; what a power cut loses is recorded and replayed by a library of the crash suite.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Type of the file system, as statfs(2) has it. */
const TMPFS = 0x01021994;
/** What a run takes at most is below a quarter of it. */
const LEAST_BYTES = 4 * 1024 ** 3;

/** Programs can be started from it: containers often forbid that. @param {string} folder */
const runsPrograms = (folder) => {
  const dir = mkdtempSync(join(folder, 'holdfast-try-'));
  try {
    const program = join(dir, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o700);
    return spawnSync(program).status === 0;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/**
 * A folder in memory where there is one with room, else that of the system. Whoever names one gets it.
 *
 * @param {{env: NodeJS.ProcessEnv, platform: string}} given
 */
export const testFolder = ({ env, platform }) => {
  if (env['TMPDIR'] !== undefined || platform !== 'linux') return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    const hasRoom = bavail * bsize >= LEAST_BYTES && freemem() >= 2 * LEAST_BYTES;
    return type === TMPFS && hasRoom && runsPrograms(MEMORY) ? MEMORY : tmpdir();
  } catch {
    return tmpdir(); // it is not there, or not ours
  }
};
