#!/usr/bin/env node
// node build/ensure.mjs native | electron | display … Makes this machine able to build, run and
// test the checkout. Prints one line per slow step and nothing if all is ready. `electron --print`
// prints the path of the executable on stdout.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureElectron as ensureRuntime } from './setup/electron.mjs';
import { ensurePackages } from './setup/libraries.mjs';
import { SetupStop } from './setup/machine.mjs';
import { ensureNative } from './setup/native.mjs';

export { SetupStop, ensureNative, ensurePackages };
export { hasDisplay, startDisplay } from './setup/display.mjs';

/**
 * Electron with everything that it needs to start: its libraries, and better-sqlite3 in both it
 * and plain Node.
 */
export const ensureElectron = async () => {
  const electron = await ensureRuntime();
  await ensurePackages({ executable: electron.executable });
  await ensureNative({ electron: electron.executable });
  return electron;
};

/** What tests with windows need: their own virtual display and message bus. */
export const ensureDisplay = () => ensurePackages({ programs: ['Xvfb', 'dbus-daemon'] });

/** Runs a script's main function; a message for people ends it without a stack. @param {() => Promise<unknown>} main */
export const asScript = async (main) => {
  try {
    await main();
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof SetupStop || isWrongOption(error))
      process.stderr.write(`${error.message}\n`);
    else throw error;
  } finally {
    // The cleanup of electron-builder calls process.exit(0) after everything else.
    const { exitCode } = process;
    if (exitCode !== undefined) process.once('exit', () => (process.exitCode = exitCode));
  }
};

/** An option that the script does not have. @param {unknown} error @returns {error is Error} */
const isWrongOption = (error) =>
  error instanceof Error &&
  String(/** @type {{code?: unknown}} */ (error).code).startsWith('ERR_PARSE_ARGS_');

const steps = /** @type {Record<string, () => Promise<unknown>>} */ ({
  native: () => ensureNative(),
  electron: ensureElectron,
  display: ensureDisplay,
});

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await asScript(async () => {
    const names = process.argv.slice(2).filter((name) => name !== '--print');
    for (const name of names.length > 0 ? names : Object.keys(steps)) {
      const step = steps[name];
      if (step === undefined)
        throw new SetupStop(`usage: node build/ensure.mjs [${Object.keys(steps).join('] [')}]`);
      const result = await step();
      if (name === 'electron' && process.argv.includes('--print')) {
        process.stdout.write(`${/** @type {{executable: string}} */ (result).executable}\n`);
      }
    }
  });
}
