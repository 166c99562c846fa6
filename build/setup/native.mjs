// better-sqlite3 ships binaries for Node 22.14 and newer only. Older ones, and the stand-in
// Electron, die of SIGSEGV in them, without a message. So: try it in a child process, and compile
// it against the older, stable part of Node-API if it fails.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { decideNative } from './decide.mjs';
import { ensurePackages } from './libraries.mjs';
import {
  SetupStop,
  cacheDir,
  inProject,
  inTemporaryFolder,
  missingPrograms,
  onPath,
  outputOf,
  run,
  say,
  tail,
} from './machine.mjs';

const packageDir = inProject('node_modules', 'better-sqlite3');
const installed = join(packageDir, 'build', 'Release', 'better_sqlite3.node');
const stampFile = join(packageDir, 'build', 'holdfast-tried.json');

const packageVersion = () => {
  if (!existsSync(join(packageDir, 'package.json'))) {
    throw new SetupStop('node_modules is missing or incomplete; run npm ci first.');
  }
  return /** @type {{version: string}} */ (
    JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
  ).version;
};

/** Names what was tried: the same file in the same runtime need not be tried again. @param {string} runtime */
const identity = (runtime) => {
  const file = existsSync(installed) ? statSync(installed) : undefined;
  const stand = file ? `${file.size}:${file.mtimeMs}` : 'prebuilt';
  const program = statSync(runtime);
  return `${packageVersion()} ${stand} in ${runtime} ${program.size}:${program.mtimeMs}`;
};

/** @returns {string[]} */
const readStamp = () => {
  try {
    return /** @type {string[]} */ (JSON.parse(readFileSync(stampFile, 'utf8')));
  } catch {
    return []; // No stamp, or a torn one: the module is simply tried again.
  }
};

const trial =
  "const D=require('better-sqlite3');if(new D(':memory:').prepare('select 1 as x').get().x!==1)process.exit(1)";

/** @param {string} runtime an executable of Node or Electron */
const loadsIn = async (runtime) => {
  if (readStamp().includes(identity(runtime))) return true;
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' };
  const { code } = await run(runtime, ['-e', trial], { env, timeoutMs: 20_000 });
  if (code !== 0) return false;
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify([...readStamp().slice(-5), identity(runtime)]));
  return true;
};

const compiler = () => (process.platform === 'darwin' ? 'c++' : 'g++');

/** Cache path of a file compiled by this compiler for this system. */
const cachedFile = () => {
  const version = outputOf(compiler(), ['--version']).split('\n')[0] ?? '';
  const digest = createHash('sha256').update(version).digest('hex').slice(0, 12);
  const name = `better-sqlite3-${packageVersion()}-${process.platform}-${process.arch}-${digest}.node`;
  return join(cacheDir(), name);
};

/** The prefix whose include/node belongs to a Node, or undefined if node-gyp has to fetch headers. */
const headersPrefix = () =>
  [dirname(dirname(process.execPath)), '/usr'].find((prefix) =>
    existsSync(join(prefix, 'include', 'node', 'node_api.h')),
  );

const nodeGyp = () => {
  const require = createRequire(import.meta.url);
  try {
    return require.resolve('node-gyp/bin/node-gyp.js');
  } catch {
    const beside = join(
      dirname(dirname(process.execPath)),
      'lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
    );
    if (existsSync(beside)) return beside;
    throw new SetupStop(
      'node-gyp is missing; run npm ci again, with its development dependencies.',
    );
  }
};

/**
 * Copies through a temporary name, so that half a file is never loaded. @param {string} from @param
 * {string} to
 */
const place = (from, to) => {
  mkdirSync(dirname(to), { recursive: true });
  const temporary = `${to}.${process.pid}`;
  copyFileSync(from, temporary);
  renameSync(temporary, to);
};

/**
 * Compiles a copy of the package outside node_modules and puts the result into the cache.
 * @param {string | undefined} headers @param {string} target
 */
const compile = (headers, target) =>
  inTemporaryFolder('native', async (dir) => {
    say(
      'Compiling better-sqlite3 for this Node, once (one to five minutes, by how busy this computer is)…',
    );
    const copy = join(dir, 'better-sqlite3');
    for (const part of ['binding.gyp', 'package.json', 'deps', 'src', 'lib']) {
      cpSync(join(packageDir, part), join(copy, part), { recursive: true });
    }
    const require = createRequire(join(packageDir, 'package.json'));
    const api = dirname(require.resolve('node-addon-api/package.json'));
    cpSync(api, join(dir, 'node_modules', 'node-addon-api'), { recursive: true });
    const flags = '-UNAPI_VERSION -DNAPI_EXPERIMENTAL -DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT';
    const args = [nodeGyp(), 'rebuild', '--release', '--force_build=1', `--jobs=${cpus().length}`];
    const result = await run(
      process.execPath,
      headers === undefined ? args : [...args, `--nodedir=${headers}`],
      {
        cwd: copy,
        env: { ...process.env, CXXFLAGS: `${process.env['CXXFLAGS'] ?? ''} ${flags}`.trim() },
      },
    );
    const built = join(copy, 'build', 'Release', 'better_sqlite3.node');
    if (result.code !== 0 || !existsSync(built)) {
      throw new SetupStop(
        `better-sqlite3 could not be compiled; its last words:\n${tail(result.output)}\n` +
          (headers === undefined
            ? 'Without internet the headers of Node have to be installed (in include/node beside bin/node).'
            : 'Use Node 22.14 or newer to do without compiling.'),
      );
    }
    renameSync(built, target);
  });

/**
 * Makes sure that better-sqlite3 loads in plain Node and, where given, in an Electron.
 *
 * @param {{electron?: string}} [options] the executable of the Electron that has to load it too
 * @throws {SetupStop} with one line of advice
 */
export const ensureNative = async ({ electron } = {}) => {
  const runtimes = electron === undefined ? [process.execPath] : [process.execPath, electron];
  const loads = async () => {
    for (const runtime of runtimes) if (!(await loadsIn(runtime))) return false;
    return true;
  };
  packageVersion();
  let cachedFailed = false;
  let compiled = false;
  while (!(await loads()) && !(compiled && cachedFailed)) {
    if (
      missingPrograms([compiler()]).length > 0 &&
      process.platform === 'linux' &&
      onPath('apt-get')
    ) {
      await ensurePackages({ programs: ['g++', 'make', 'python3'] });
    }
    const target = cachedFile();
    const action = decideNative({
      loads: false,
      cached: existsSync(target) ? target : undefined,
      cachedFailed,
      platform: process.platform,
      nodeVersion: process.versions.node,
      missingTools: missingPrograms([compiler(), 'make', 'python3']),
      headers: headersPrefix(),
    });
    switch (action.kind) {
      case 'ready':
        return;
      case 'copy':
        place(action.from, installed);
        cachedFailed = !(await loads());
        break;
      case 'compile':
        rmSync(target, { force: true });
        await compile(action.headers, target);
        compiled = true;
        cachedFailed = false;
        break;
      case 'stop':
        throw new SetupStop(action.line);
    }
  }
  if (await loads()) return;
  throw new SetupStop(
    `better-sqlite3 was compiled but still does not load in ${runtimes.join(' and ')}; remove ${cacheDir()} and try again.`,
  );
};
