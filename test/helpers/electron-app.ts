/**
 * The real app in the real Electron, for tests: its own data directory, settings folder, message
 * bus and temp folder each, everything ended and removed at the end.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron } from 'playwright-core';
import type { ElectronApplication, Page } from 'playwright-core';
import { processesOf } from './app-processes';
import { startFakeDesktop } from './fake-desktop';
import type { FakeDesktop, FakeDesktopOptions } from './fake-desktop';
import { describeHangingLaunch } from './hanging-launch';

const projectDir =
  process.env['HOLDFAST_TEST_APP'] ?? fileURLToPath(new URL('../../', import.meta.url));

/** Preloaded: windows open only after the driver has attached, so it loses none. */
const driverFirst = ['-r', join(projectDir, 'test/helpers/driver-first.cjs')];

const executable = (): string => {
  const path = process.env['HOLDFAST_TEST_ELECTRON'];
  if (path === undefined) {
    throw new Error('No Electron for the tests: run them with npm test or npm run test:e2e.');
  }
  return path;
};
const flags = (): string[] =>
  (process.env['HOLDFAST_TEST_ELECTRON_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');

/**
 * A start takes 2 s, and on a machine that does ten other things a minute: what is slow is not wrong,
 * and who is in a hurry has a limit of their own.
 */
const LAUNCH_LIMIT_MS = 150_000;

/** Before the limit, as the driver ends the app at it: then nobody could be asked any more. */
const DESCRIBE_AFTER_MS = LAUNCH_LIMIT_MS - 15_000;

/** A launch that fails by its limit says what each process of the app was doing. */
async function orDescribed<T>(marks: readonly string[], launch: () => Promise<T>): Promise<T> {
  let described: Promise<string> | undefined;
  const timer = setTimeout(() => {
    described = describeHangingLaunch(marks);
  }, DESCRIBE_AFTER_MS);
  try {
    return await launch();
  } catch (error) {
    if (described === undefined) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`${words}\nAfter ${DESCRIBE_AFTER_MS} ms:\n${await described}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

interface Launch {
  readonly args?: readonly string[];
  /** Switches for Electron itself, before the folder of the app. */
  readonly switches?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Put in front of Electron. */
  readonly within?: readonly string[];
}

export interface TestHome {
  readonly dir: string;
  readonly dataDir: string;
  readonly configHome: string;
  readonly desktop: FakeDesktop;
  /** Starts the app under Playwright; resolves when it can be asked. */
  launch(options?: Launch): Promise<ElectronApplication>;
  /** Starts the app without Playwright, as a person or the system does. */
  start(options?: Launch): ChildProcess;
  /** Runs one command of the app to its end. */
  run(
    args: readonly string[],
    options?: { readonly display?: boolean },
  ): Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  writeConfig(settings: object): void;
  /** The pid in `agent.lock`; undefined where nobody holds D. */
  holderPid(): number | undefined;
  end(): Promise<void>;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Waits until `check` holds; for files and processes, which tell nobody when they change. */
export async function until(
  check: () => boolean,
  what: string,
  timeoutMs = 120_000,
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!check()) {
    if (Date.now() > deadlineMs) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function createTestHome(
  options: Omit<FakeDesktopOptions, 'dir'> = {},
): Promise<TestHome> {
  const dir = mkdtempSync(join(tmpdir(), 'hf-'));
  const [dataDir, configHome, temp, run] = ['data', 'config', 'tmp', 'run'].map((name) => {
    const path = join(dir, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }) as [string, string, string, string];
  const desktop = await startFakeDesktop({ dir: run, ...options });
  const marks = [dataDir, `XDG_CONFIG_HOME=${configHome}`];
  const children: ChildProcess[] = [];

  const environment = (extra: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const kept = ['PATH', 'HOME', 'LANG', 'DISPLAY', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH'];
    const base = Object.fromEntries(
      kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ) as Record<string, string>;
    return {
      ...base,
      TMPDIR: temp,
      XDG_CONFIG_HOME: configHome,
      XDG_RUNTIME_DIR: run,
      HOLDFAST_HOME: dataDir,
      HOLDFAST_NO_RELAUNCH: '1',
      ...desktop.env,
      ...extra,
    };
  };
  const appArgs = ({ args = [], switches = [] }: Launch): string[] => [
    ...flags(),
    ...switches,
    projectDir,
    '--data-dir',
    dataDir,
    ...args,
  ];
  /** The driver puts its own switches first: a script takes them all. */
  const program = (within: readonly string[] = []): string => {
    if (within.length === 0) return executable();
    const script = join(dir, `electron-${within.length}.sh`);
    const words = [...within, executable()].map((word) => `'${word}'`).join(' ');
    writeFileSync(script, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o700 });
    return script;
  };
  const watch = (child: ChildProcess): ChildProcess => {
    children.push(child);
    return child;
  };

  return {
    dir,
    dataDir,
    configHome,
    desktop,
    async launch(launch = {}) {
      const app = await orDescribed(marks, () =>
        _electron.launch({
          executablePath: program(launch.within),
          args: appArgs({ ...launch, switches: [...driverFirst, ...(launch.switches ?? [])] }),
          env: environment(launch.env),
          timeout: LAUNCH_LIMIT_MS,
          // Playwright would pretend a light system otherwise.
          colorScheme: null,
        }),
      );
      // Kept here: Playwright forgets the process when it has ended.
      watch(app.process());
      askTwice(app);
      return app;
    },
    start(launch = {}) {
      return watch(
        spawn(executable(), appArgs(launch), {
          env: environment(launch.env),
          stdio: ['ignore', 'ignore', 'ignore'],
        }),
      );
    },
    async run(args, { display = true } = {}) {
      const env = environment();
      if (!display) delete env['DISPLAY'];
      const child = watch(
        spawn(executable(), [...flags(), projectDir, ...args, '--data-dir', dataDir], {
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
      let stdout = '';
      let stderr = '';
      child.stdout?.on('data', (data: Buffer) => (stdout += data.toString('utf8')));
      child.stderr?.on('data', (data: Buffer) => (stderr += data.toString('utf8')));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    },
    writeConfig(settings) {
      writeFileSync(join(dataDir, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
    },
    holderPid() {
      try {
        const record = JSON.parse(readFileSync(join(dataDir, 'agent.lock'), 'utf8')) as {
          pid?: number;
        };
        return record.pid;
      } catch {
        return undefined; // Nobody holds D.
      }
    },
    async end() {
      for (const child of children) {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      }
      // What the come-back helper has started is nobody's child here; it names our own folder.
      for (let round = 0; round < 20; round += 1) {
        const left = processesOf(marks);
        if (left.length === 0) break;
        for (const pid of left) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await desktop.stop();
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The page of a window by its file name; waits for it. */
export async function pageOf(
  app: ElectronApplication,
  file: 'index.html' | 'settings.html' | 'quick.html',
): Promise<Page> {
  const fits = (page: Page): boolean => page.url().includes(`/${file}`);
  const found = app.windows().find(fits);
  const page = found ?? (await app.waitForEvent('window', { predicate: fits, timeout: 60_000 }));
  page.setDefaultTimeout(120_000);
  await page.waitForLoadState('load');
  // The frame stands long before the engine runs; this is answered when it does.
  await page.evaluate(() => window.holdfast?.call['app.info']({}));
  return page;
}

/** The inspector keeps no hold on an answer: where a collection took it, it is asked for once more. */
function askTwice(app: ElectronApplication): void {
  const ask = app.evaluate.bind(app) as (...asked: unknown[]) => Promise<unknown>;
  const askAgain = async (...asked: unknown[]): Promise<unknown> => {
    try {
      return await ask(...asked);
    } catch (error) {
      if (!String(error).includes('garbage collected')) throw error;
      return ask(...asked);
    }
  };
  Object.assign(app, { evaluate: askAgain });
}

/** How many of our windows are visible now. */
export const visibleWindows = (app: ElectronApplication): Promise<number> =>
  app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows().filter((one) => one.isVisible()).length,
  );

/** Kills a process outright, and returns when it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await gone;
}
