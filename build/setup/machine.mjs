// What the set-up needs from the machine: folders, programs on PATH, child processes, one way to
// print.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** @param {...string} parts */
export const inProject = (...parts) => join(projectDir, ...parts);

/** The user can act on the message: it is printed alone, without a stack. */
export class SetupStop extends Error {}

/** One line for something slow. On stderr, so that a command's own output stays clean. @param {string} line */
export const say = (line) => {
  process.stderr.write(`${line}\n`);
};

/** Compiled and downloaded things outlive node_modules here. */
export const cacheDir = () => {
  const chosen = process.env['HOLDFAST_BUILD_CACHE'];
  if (chosen) return chosen;
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast-build');
};

/**
 * Runs `work` in a new folder inside the cache and removes the folder afterward. Whatever is to
 * stay is renamed out of it: a rename on one file system is all or nothing, so runs at the same
 * time can only replace each other's finished results by equal ones.
 *
 * @template T
 * @param {string} name
 * @param {(dir: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export const inTemporaryFolder = async (name, work) => {
  mkdirSync(cacheDir(), { recursive: true });
  const dir = mkdtempSync(join(cacheDir(), `.${name}-`));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** The first match on PATH. @param {string} program @returns {string | undefined} */
export const onPath = (program) => {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    if (!dir) continue;
    const path = join(dir, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here: the next folder may have it.
    }
  }
  return undefined;
};

/** @param {readonly string[]} programs @returns {string[]} */
export const missingPrograms = (programs) => programs.filter((name) => onPath(name) === undefined);

export const isRoot = () => process.getuid?.() === 0;

/**
 * @typedef {object} RunResult
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {string} output   the last 20 kB of stdout and stderr together
 */

/**
 * Runs a program to its end without a shell and returns the tail of its output.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, niceness?: number}} [options]
 * @returns {Promise<RunResult>}
 */
export const run = (
  program,
  args,
  { cwd = projectDir, env = process.env, timeoutMs = 0, niceness = 0 } = {},
) =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    // It may have ended already, or the system may not support it: then it runs at normal priority.
    if (niceness > 0 && child.pid !== undefined) {
      try {
        setPriority(child.pid, niceness);
      } catch {}
    }
    let output = '';
    const keep = (/** @type {Buffer} */ data) => {
      output = (output + data.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 127, signal: null, output: error.message }));
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });

/** @param {string} program @param {readonly string[]} args @returns {string} */
export const outputOf = (program, args) =>
  spawnSync(program, args, { encoding: 'utf8', timeout: 20_000 }).stdout ?? '';

/**
 * All that a program prints, however long. @param {string} program @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env] @returns {string} @throws {SetupStop}
 */
export const wholeOutputOf = (program, args, env = process.env) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: projectDir,
    encoding: 'utf8',
    env,
    maxBuffer: 256e6,
  });
  if (status !== 0)
    throw new SetupStop(`${program} ${args[0] ?? ''} failed:\n${tail(stderr ?? '')}`);
  return stdout;
};

/** The last lines of a program's output without its stack, for one readable error. @param {string} output */
export const tail = (output) =>
  output
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .slice(-16)
    .join('\n');
