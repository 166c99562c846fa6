// node compile-code.mjs app | test-hosts <empty folder>, electron compile-code.mjs app <empty folder>:
// compiles a program before its first start, for the Node or Electron that runs this. The program
// runs here, with its data in that folder, so that exactly the code of a real start is stored; of the
// other files, the code that loading them needs.
import fs, { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { inProject } from './machine.mjs';

/** @typedef {import('node:vm').Script} Script */

const isInElectron = process.versions['electron'] !== undefined;
// Switches of Electron may come first.
const [target, home = ''] = process.argv.slice(
  process.argv.findIndex((one) => one.endsWith('compile-code.mjs')) + 1,
);
const programOf = isInElectron ? 'electron' : 'node';
const folder = inProject('dist', target === 'app' ? programOf : 'test-hosts');
const chunks = join(folder, 'chunks');
/** @type {typeof import('../../electron/compiled-code.js')} */
const { compiledPath, runProgram, scriptOf, sealed } = createRequire(import.meta.url)(
  join(isInElectron ? inProject('dist', 'node') : folder, 'compiled-code.cjs'),
);

/** @param {string} file @param {Script} script */
const keep = (file, script) => {
  const path = compiledPath(file);
  writeFileSync(`${path}.new`, sealed(script.createCachedData()), { flush: true });
  renameSync(`${path}.new`, path);
};

/** @type {Map<string, Script>} */
const started = new Map();

const keepAll = () => {
  for (const [file, script] of started) keep(file, script);
  for (const name of readdirSync(chunks).filter((name) => name.endsWith('.cjs'))) {
    const file = join(chunks, name);
    if (!started.has(file)) keep(file, scriptOf(file));
  }
  process.exit(0);
};

/** @param {string} name */
const runHere = (name) =>
  runProgram(join(folder, name), (file, script) => started.set(file, script));

const runApp = () => {
  // The first line of output means that the program is ready.
  process.stdout.write = () => keepAll();
  process.argv = [
    process.execPath,
    ...(isInElectron ? [] : [join(folder, 'holdfast.cjs')]),
    ...['start', '--headless', '--data-dir', join(home, 'data')],
    // Any free ports: the usual ones may be in use.
    ...['--set', 'observability.health_port=0', '--set', 'observability.metrics_port=0'],
  ];
  if (!isInElectron) return runHere('node-program.cjs');
  const program = /** @type {typeof import('../../electron/main-program.js')} */ (
    runHere('main-program.cjs')
  );
  return program.main();
};

/** One run of the crash tests: a turn with two calls, and its end. */
const runHost = () => {
  const dataDir = join(home, 'data');
  const outside = join(home, 'outside');
  for (const dir of [dataDir, outside]) mkdirSync(dir, { mode: 0o700 });
  const agents = { fake: { provider: 'fake', model: 'fake-1', workspace: outside } };
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ agents }), { mode: 0o600 });
  const commands = new PassThrough();
  Object.defineProperty(process, 'stdin', { value: commands });
  /** Replies, by the line that the program sends. @type {Record<string, object>} */
  const next = {
    isReady: { id: 1, kind: 'accept', channel: 'cli', peer: 'main', text: 'lookmail a' },
    acked: { id: 2, kind: 'quiet' },
    isQuiet: { id: 3, kind: 'stop' },
  };
  const writeSync = fs.writeSync;
  fs.writeSync = (/** @type {any[]} */ ...args) => {
    if (args[0] !== 1) return writeSync(.../** @type {[any, any]} */ (args));
    const line = JSON.parse(String(args[1]));
    if (line.isStopped === true) setImmediate(keepAll);
    const said = Object.entries(next).find(([name]) => name in line);
    if (said !== undefined) commands.write(`${JSON.stringify(said[1])}\n`);
    return String(args[1]).length;
  };
  const options = { dataDir, outside, host: 'fake', missingTools: [] };
  process.argv = [process.execPath, join(folder, 'engine-host.cjs'), JSON.stringify(options)];
  runHere('engine-life.cjs');
};

// Electron initializes its display only after this.
if (target === 'app') await runApp();
else runHost();
