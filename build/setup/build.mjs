// Builds if the sources differ from those that dist was built from; prints only if it builds.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { SetupStop, inProject, projectDir, run, say, tail } from './machine.mjs';
import { sandboxSwitches } from './sandbox.mjs';

/** @typedef {'app' | 'test-hosts' | 'bench'} Target */

const common = [
  ...['electron', 'shared', 'vite.config.ts', 'build/chunks.ts'],
  ...['package.json', 'package-lock.json'],
];
const compiler = 'build/setup/compile-code.mjs';

/** The sources of each target, its entry files, and its output. */
const targets = Object.freeze({
  app: {
    sources: [...common, 'renderer', compiler],
    entries: 'electron',
    output: 'dist/electron',
  },
  'test-hosts': {
    sources: [...common, compiler, 'test/crash/hosts', 'test/helpers', 'test/story'],
    entries: 'test/crash/hosts',
    output: 'dist/test-hosts',
  },
  bench: {
    sources: [...common, 'test/bench', 'test/helpers'],
    entries: 'test/bench',
    output: 'dist/bench',
  },
});

/** @param {Target} target */
const hasEntries = (target) =>
  filesUnder(inProject(targets[target].entries)).some((file) => file.endsWith('.ts'));

/** @param {string} path @returns {string[]} */
const filesUnder = (path) => {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // A single file is its own list; a folder that does not exist is empty.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR' ? [path] : [];
  }
  return entries.flatMap((entry) => {
    const file = join(path, entry.name);
    return entry.isDirectory() ? filesUnder(file) : [file];
  });
};

/** @param {Target} target */
const stateOfSources = (target) => {
  const hash = createHash('sha256');
  for (const file of targets[target].sources
    .flatMap((path) => filesUnder(inProject(path)))
    .sort()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${relative(projectDir, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** @param {Target} target */
const stampFile = (target) => inProject('dist', `.built-${target}`);

/** @param {Target} target @param {string} state */
const isFresh = (target, state) => {
  try {
    statSync(inProject(targets[target].output));
    return readFileSync(stampFile(target), 'utf8') === state;
  } catch {
    return false; // Never built, or cleaned away.
  }
};

/** Records which Electron has compiled the code. */
const electronStamp = inProject('dist', '.compiled-electron');

const lockFile = inProject('node_modules', '.holdfast-building');

/** Waits for its turn to build. If the holder has died, its turn is over. */
const takeTurn = async () => {
  for (const deadlineMs = Date.now() + 180_000; Date.now() < deadlineMs;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    try {
      process.kill(Number(readFileSync(lockFile, 'utf8')) || process.pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
    } catch (error) {
      // ESRCH: the holder has died. ENOENT: it has just finished, and the next attempt succeeds.
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH') {
        rmSync(lockFile, { force: true });
      }
    }
  }
  throw new SetupStop(`Another build does not end; remove ${lockFile} if there is none.`);
};

/**
 * So that starts need not compile the program. Without it they are slower, not wrong.
 *
 * @param {Target} target @param {string[]} command Node or Electron, with switches
 */
const compileAhead = async (target, [program = process.execPath, ...switches]) => {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  try {
    const result = await run(program, [...switches, inProject(compiler), target, home], {
      env: { PATH: process.env['PATH'], HOME: home },
      timeoutMs: 60_000,
    });
    if (result.code === 0) return true;
    say(`Starts will take longer: compiling for ${program} failed.\n${tail(result.output)}`);
    return false;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

/**
 * Brings dist up to date.
 *
 * @param {Target} target
 * @param {{force?: boolean}} [options]
 * @throws {SetupStop} with Vite's message if the sources do not build
 */
export const ensureBuilt = async (target, { force = false } = {}) => {
  if (!hasEntries(target)) return;
  if (!force && isFresh(target, stateOfSources(target))) return;
  await takeTurn();
  try {
    // Read again, because another run may have built meanwhile, and edits during the build make it
    // outdated.
    const state = stateOfSources(target);
    if (!force && isFresh(target, state)) return;
    say(target === 'app' ? 'Building…' : `Building (${target})…`);
    /** @type {NodeJS.ProcessEnv} */
    const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' };
    delete env['VITEST'];
    const only = target === 'app' ? {} : { HOLDFAST_BUILD_ONLY: target };
    const vite = inProject('node_modules', 'vite', 'bin', 'vite.js');
    if (target === 'app') rmSync(electronStamp, { force: true });
    const result = await run(process.execPath, [vite, 'build', '--app', '--logLevel', 'warn'], {
      env: { ...env, ...only },
    });
    if (result.code !== 0) throw new SetupStop(`The build failed:\n${tail(result.output)}`);
    if (target !== 'bench') await compileAhead(target, [process.execPath]);
    mkdirSync(inProject('dist'), { recursive: true });
    writeFileSync(stampFile(target), state);
  } finally {
    rmSync(lockFile, { force: true });
  }
};

/**
 * Stores the code that this Electron compiles from the built app next to the app, if there is one.
 * An
 * Electron accepts only its own code.
 *
 * @param {string} executable
 */
export const ensureCompiledFor = async (executable) => {
  if (!existsSync(stampFile('app'))) return;
  const state = `${readFileSync(stampFile('app'), 'utf8')} ${executable}`;
  if (existsSync(electronStamp) && readFileSync(electronStamp, 'utf8') === state) return;
  const program = [executable, ...sandboxSwitches(executable)];
  if (await compileAhead('app', program)) writeFileSync(electronStamp, state);
};
