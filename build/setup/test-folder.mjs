// Where everything temporary of a run of the tests goes. Each test makes data directories that are synced to disk
// at every step: in memory, a world of one costs half the processor time and a quarter of the wait. A kill loses
// nothing of either; what a power cut loses is recorded and replayed by a library of the crash suite.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
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
 * A folder in memory if one has space, otherwise the system's. An explicitly named one is used as
 * is.
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

const PREFIX = 'holdfast-test-';
/** In the folder of each run: the process that deletes it at its end. */
const OWNER = 'owner.pid';

/** @param {string} file */
const isGone = (file) => {
  const pid = Number(readFileSync(file, 'utf8'));
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // A process of another user also exists.
    return pid > 0 && /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
};

/**
 * A new folder for one run. First deletes what killed runs have left next to it: in memory it would
 * stay
 * until the computer restarts.
 *
 * @param {string} parent
 */
export const makeRunFolder = (parent) => {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      if (isGone(join(parent, name, OWNER)))
        rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // Not of this version, or of another account.
    }
  }
  const dir = mkdtempSync(join(parent, PREFIX));
  writeFileSync(join(dir, OWNER), String(process.pid));
  return dir;
};
