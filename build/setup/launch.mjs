// Runs what was built: the plain-Node entry inside this process, Electron as a child process.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decideDesktop, decideLogLevel, decideStart } from './decide.mjs';
import { hasDisplay } from './display.mjs';
import { inProject, isRoot, projectDir, say } from './machine.mjs';
import { sandboxWorks } from './sandbox.mjs';

/**
 * Hands this process over to `dist/node/holdfast.cjs`, as if it had been started with `args`.
 * Its output, exit code and signals are then the command's own.
 * @param {readonly string[]} args
 */
export const becomeNodeEntry = async (args) => {
  const entry = inProject('dist', 'node', 'holdfast.cjs');
  process.argv = [process.execPath, entry, ...args];
  await import(pathToFileURL(entry).href);
};

/** @param {string | undefined} executable */
export const howToStart = (executable) =>
  decideStart({
    platform: process.platform,
    isRoot: isRoot(),
    hasDisplay: hasDisplay(),
    sandboxWorks: executable === undefined || sandboxWorks(executable),
  });

/**
 * Runs the app folder in Electron until it ends and passes on signals and the exit code.
 * @param {string} executable @param {readonly string[]} flags @param {readonly string[]} args
 */
export const runElectron = (executable, flags, args) =>
  new Promise((resolve) => {
    const env = { ...process.env, ...decideDesktop(process.platform, process.env) };
    // Set in some editors' terminals; it would turn Electron into plain Node.
    delete env['ELECTRON_RUN_AS_NODE'];
    const runtime = process.env['XDG_RUNTIME_DIR'];
    const hasBusSocket = runtime !== undefined && existsSync(join(runtime, 'bus'));
    const quiet = decideLogLevel(process.platform, process.env, hasBusSocket);
    const all = [...flags, ...quiet, projectDir, ...args];
    const child = spawn(executable, all, { stdio: 'inherit', env });
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.on(signal, () => child.kill(signal));
    }
    child.on('error', (error) => {
      say(`Electron could not be started: ${error.message}`);
      process.exitCode = 1;
      resolve(undefined);
    });
    child.on('close', (code, signal) => {
      process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
      resolve(undefined);
    });
  });
