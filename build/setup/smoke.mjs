// Does the packaged app run? As a command without any display, and as an app that gets ready.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDisplay } from './display.mjs';
import { SetupStop, run, say, tail } from './machine.mjs';
import { sandboxSwitches } from './sandbox.mjs';

/** @param {string} dir @returns {NodeJS.ProcessEnv} */
const environment = (dir) => {
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    HOLDFAST_HOME: dir,
    HOLDFAST_NO_RELAUNCH: '1',
    XDG_CONFIG_HOME: join(dir, 'config'),
  };
  delete env['DISPLAY'];
  delete env['WAYLAND_DISPLAY'];
  return env;
};

/** @param {string} executable @param {string[]} flags @param {string[]} args @param {NodeJS.ProcessEnv} env */
const command = async (executable, flags, args, env) => {
  const { code, output } = await run(executable, [...flags, ...args], { env, timeoutMs: 30_000 });
  if (code !== 0) {
    throw new SetupStop(
      `The packaged app failed at "${args.join(' ')}" without a display (${code ?? 'killed'}):\n${tail(output)}`,
    );
  }
  return output;
};

/** The app has written its phase once it is ready. @param {string} dir */
const phase = (dir) => {
  try {
    return /** @type {{phase?: string}} */ (
      JSON.parse(readFileSync(join(dir, 'agent.lock'), 'utf8'))
    ).phase;
  } catch {
    return undefined; // Not written yet.
  }
};

/** @param {import('node:child_process').ChildProcess} child @param {number} limitMs */
const ended = (child, limitMs) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(true);
    const timer = setTimeout(() => resolve(false), limitMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/** @param {string} executable @param {string[]} flags @param {string} dir @param {NodeJS.ProcessEnv} env */
const startAndStop = async (executable, flags, dir, env) => {
  const startedMs = Date.now();
  const child = spawn(executable, [...flags, '--hidden', '--data-dir', dir], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ data) => (output += data.toString('utf8')));
  }
  try {
    while (phase(dir) !== 'running') {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (isOver || Date.now() - startedMs > 30_000) {
        throw new SetupStop(
          `The packaged app ${isOver ? 'ended' : 'was not ready after 30 s'}:\n${tail(output)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const readyMs = Date.now() - startedMs;
    child.kill('SIGTERM');
    if (!(await ended(child, 15_000)))
      throw new SetupStop('The packaged app did not stop within 15 s of SIGTERM.');
    if (child.exitCode !== 0) {
      throw new SetupStop(
        `The packaged app stopped with ${child.exitCode ?? child.signalCode}:\n${tail(output)}`,
      );
    }
    return readyMs;
  } finally {
    child.kill('SIGKILL');
  }
};

/**
 * @param {string} executable @param {string} version
 * @throws {SetupStop} with the app's last output
 */
export const smokeTest = async (executable, version) => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-smoke-'));
  const flags = sandboxSwitches(executable);
  const env = environment(dir);
  try {
    const told = await command(executable, flags, ['--version'], env);
    if (!told.includes(version))
      throw new SetupStop(`--version says ${told.trim()}, not ${version}.`);
    const display = process.platform === 'linux' ? await startDisplay() : undefined;
    try {
      const shown = display ? { ...env, DISPLAY: display.display } : { ...process.env, ...env };
      const readyMs = await startAndStop(executable, flags, dir, shown);
      say(`The packaged app was ready after ${readyMs} ms and stopped cleanly.`);
    } finally {
      display?.stop();
    }
    // The app has left its data behind; the command reads it while nothing runs.
    await command(executable, flags, ['doctor', '--data-dir', dir], env);
    say('The packaged command line works without a display (--version, doctor).');
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
};
