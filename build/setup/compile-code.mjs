// node compile-code.mjs <empty folder>: compiles the program for plain Node ahead of its starts, for
// the Node that runs this. The program starts here, idle, with its data in that folder, so that what
// is kept is the code that a start really runs; of the other files, what loading them takes.
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inProject } from './machine.mjs';

/** @typedef {import('node:vm').Script} Script */

const home = /** @type {string} */ (process.argv[2]);
const folder = inProject('dist', 'node');
const chunks = join(folder, 'chunks');
/** @type {typeof import('../../electron/compiled-code.js')} */
const { compiledPath, runProgram, scriptOf, sealed } = createRequire(import.meta.url)(
  join(folder, 'compiled-code.cjs'),
);

/** @param {string} file @param {Script} script */
const keep = (file, script) => {
  const path = compiledPath(file);
  writeFileSync(`${path}.new`, sealed(script.createCachedData()), { flush: true });
  renameSync(`${path}.new`, path);
};

/** @type {Map<string, Script>} */
const started = new Map();

// The first line that the program writes says that it is ready.
process.stdout.write = () => {
  for (const [file, script] of started) keep(file, script);
  for (const name of readdirSync(chunks).filter((name) => name.endsWith('.cjs'))) {
    const file = join(chunks, name);
    if (!started.has(file)) keep(file, scriptOf(file));
  }
  process.exit(0);
};

process.argv = [
  process.execPath,
  join(folder, 'holdfast.cjs'),
  ...['start', '--headless', '--data-dir', join(home, 'data')],
  // Any free ports: the usual ones may be somebody's.
  ...['--set', 'observability.health_port=0', '--set', 'observability.metrics_port=0'],
];
runProgram(join(folder, 'node-program.cjs'), (file, script) => started.set(file, script));
