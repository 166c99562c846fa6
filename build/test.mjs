// npm test: gets the machine ready, checks types and lint, builds, runs every suite, and ends with
// one line `N passed, N failed`. A few red files of the suites that wait for real processes are run once
// more at the end, alone (setup/second-try.mjs). Everything temporary goes into one folder that is deleted: a
// killed Electron leaves its socket's folder behind, and the crash tests kill many.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { failedChecks } from './setup/checks.mjs';
import { ensurePackages } from './setup/libraries.mjs';
import { findPromtool } from './setup/promtool.mjs';
import { SetupStop, cacheDir, inProject, projectDir, say } from './setup/machine.mjs';
import { filesToTryAgain, withSecondTry } from './setup/second-try.mjs';
import { makeRunFolder, testFolder } from './setup/test-folder.mjs';
import { skippedLines, tally } from './setup/tally.mjs';
import { provideElectron } from './setup/vitest-electron.mjs';

const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');

/** No test may reach the user's own data, settings, autostart entries or provider keys. @param {string} dir */
const isolatedEnv = (dir) => {
  const entries = Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY'));
  const env = /** @type {NodeJS.ProcessEnv} */ (Object.fromEntries(entries));
  for (const name of ['home', 'config']) mkdirSync(join(dir, name), { mode: 0o700 });
  // Tests that act as another account must reach files that this account may then not read.
  mkdirSync(join(dir, 'tmp'));
  for (const path of [dir, join(dir, 'tmp')]) chmodSync(path, 0o711);
  return Object.assign(env, {
    TMPDIR: join(dir, 'tmp'),
    HOLDFAST_HOME: join(dir, 'home'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    HOLDFAST_BUILD_CACHE: cacheDir(),
    HOLDFAST_NO_RELAUNCH: '1',
  });
};

/**
 * The broker for the event tests and the browser for the browser-tool tests. Their tests are
 * skipped, with a note, if one cannot be installed.
 */
const ensureOutsidePrograms = async () => {
  for (const [program, elsewhere] of /** @type {const} */ ([
    // Debian keeps it where the PATH of ordinary users does not look.
    ['nats-server', ['/usr/sbin/nats-server']],
    [
      'chromium',
      ['/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome'],
    ],
  ])) {
    if (elsewhere.some((path) => existsSync(path))) continue;
    try {
      await ensurePackages({ programs: [program] });
    } catch (error) {
      if (!(error instanceof SetupStop)) throw error;
      say(error.message);
    }
  }
};

/**
 * Runs vitest and reads its report: none if it died before it could write one, and then
 * its exit code shows it.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} dir where the report goes
 * @returns {Promise<{exitCode: number, report: import('./setup/tally.mjs').Report | undefined,
 * strayErrors: number}>}
 */
const runVitest = async (args, env, dir) => {
  const files = { report: join(dir, 'report.json'), strayErrors: join(dir, 'stray-errors') };
  for (const file of Object.values(files)) rmSync(file, { force: true });
  const reporters = [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${files.report}`,
    `--reporter=${inProject('build', 'setup', 'vitest-stray-errors.mjs')}`,
  ];
  const exitCode = await new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
      cwd: projectDir,
      env: { ...env, HOLDFAST_TEST_STRAY_ERRORS: files.strayErrors },
      stdio: 'inherit',
    });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
  const [report, strayErrors] = [readJson(files.report), readJson(files.strayErrors)];
  return { exitCode, report, strayErrors: strayErrors ?? 1 };
};

/** @param {string} file */
const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => process.exit(130));
}

await asScript(async () => {
  const dir = makeRunFolder(testFolder(process));
  process.on('exit', () => {
    try {
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      say(`Not deleted, because something still writes there: ${dir}`);
    }
  });
  const args = process.argv.slice(2);
  let failedSteps = 0;
  let report;
  let exitCode = 1;
  try {
    await ensureNative();
    const env = isolatedEnv(dir);
    await ensureOutsidePrograms();
    const promtool = findPromtool();
    await ensureBuilt('app');
    await ensureBuilt('test-hosts');
    await provideElectron(env);
    const program = await promtool;
    if (program !== undefined) env['PATH'] = [env['PATH'], dirname(program)].join(delimiter);
    // In parallel with the tests, while these wait for processes.
    const checks = failedChecks({ niceness: 10 });
    const first = await runVitest(args, env, dir);
    failedSteps += (await checks).length;
    ({ report, exitCode } = first);
    // A developer who names tests wants to see them fail.
    const isTriedAgain = args.length === 0 && process.env['HOLDFAST_TEST_NO_SECOND_TRY'] !== '1';
    const files = isTriedAgain
      ? filesToTryAgain(report, { ...first, failedSteps }, projectDir)
      : [];
    if (report !== undefined && files.length > 0) {
      say(`\nRed beside the others, run once more alone: ${files.join(', ')}`);
      const second = await runVitest([...files, '--no-file-parallelism'], env, dir);
      const both = withSecondTry(report, second.report, files, projectDir);
      ({ report } = both);
      exitCode = second.exitCode;
      for (const name of both.onlyAlone) process.stdout.write(`passed only alone: ${name}\n`);
    }
  } catch (error) {
    if (!(error instanceof SetupStop)) throw error;
    say(error.message);
  }
  const result = tally(report, exitCode, failedSteps);
  for (const line of skippedLines(report)) say(line);
  if (result.skipped > 0) say(`${result.skipped} skipped`);
  process.stdout.write(`${result.line}\n`);
  process.exitCode = result.ok ? 0 : 1;
});
