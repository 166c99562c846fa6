/** `holdfast restart|open|reset` and `holdfast data path|remove` */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse, resolve } from 'node:path';
import type { Command } from 'commander';
import { isDataDir } from '../../data-dir';
import { distrustOf } from '../../data-trust';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { does, needsRunning, optional, yesOption } from '../command';
import { holderRecord } from '../holder';
import { confirm } from '../input';
import { interruptible } from '../interruptible';
import {
  connectRunning,
  hasNoData,
  notRunning,
  reachAgain,
  startLine,
  unknownHolder,
} from '../reach';
import { inertLine } from '../render';
import { owner, resetAfterConfirmation, resetText, runningEngine, untilGone } from './instance';
import { table } from '../../../shared/table';

const RESTART_MS = 60_000;

/** True in the app with its windows, false on plain Node. */
const hasWindows = (): boolean => process.versions['electron'] !== undefined;

/** Starts this program again on the same data, detached. */
function startDetached(run: Run, args: readonly string[]): void {
  const { command, args: leading } = run.io.self;
  const child = spawn(command, [...leading, ...args, '--data-dir', run.dataDir], {
    detached: true,
    stdio: 'ignore',
    env: { ...run.io.env },
  });
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined)
    throw new HoldfastError('INTERNAL', 'Holdfast could not be started.', {
      hint: 'Everything is saved. Start it again the same way.',
    });
}

/**
 * True if the instance runs another program file: starting ours would start a different program.
 */
function isOfOtherProgram(dataDir: string): boolean {
  const exe = holderRecord(dataDir)?.exe;
  if (exe === undefined) return false;
  try {
    return realpathSync(exe) !== realpathSync(process.execPath);
  } catch {
    return exe !== process.execPath; // replaced by an update meanwhile
  }
}

async function restarted(run: Run): Promise<Reply> {
  const client = await runningEngine(run);
  const unknown = unknownHolder(run.dataDir);
  if (unknown !== undefined || isOfOtherProgram(run.dataDir)) {
    client.close();
    if (unknown !== undefined) throw unknown;
    throw new HoldfastError(
      'LOCK_HELD',
      'Holdfast was started by another program, such as the app with its windows. Nothing was changed.',
      { hint: 'Quit it with "holdfast stop", then start it again the same way.' },
    );
  }
  const instance = owner(run.dataDir);
  await interruptible(
    run,
    () =>
      `Holdfast stops and does not restart automatically. Start it with: ${startLine(run.dataDir)}`,
    async () => {
      await client.call('instance.stop', { reason: 'stop' }, RESTART_MS);
      await client.closed;
      await untilGone(run, instance);
    },
  );
  startDetached(run, hasWindows() ? ['start', '--hidden'] : ['start', '--headless']);
  const engine = await reachAgain(run.dataDir, run.io, {
    timeoutMs: RESTART_MS,
    isWanted: () => true,
  });
  if (engine === undefined)
    throw notRunning(
      run.dataDir,
      'Holdfast has stopped and did not start again. Everything is saved.',
    );
  const { pid } = await engine.call('status.get', {});
  await engine.close();
  return {
    value: { restarted: true, pid: pid ?? null },
    text: `Holdfast was restarted${pid === undefined ? '' : ` (process ${String(pid)})`}.`,
  };
}

/** Older names of pages, as links use them. */
const PAGES = table<string>({ inbox: 'decisions' });

/** `holdfast://open/session/3` for `session 3`; the app ignores what is not exactly a page. */
export function linkOf(page: string, id: string): string | undefined {
  if (page === '') return undefined;
  const place = PAGES[page] ?? page;
  if (/^[a-z]+$/.test(place) && /^\d{0,15}$/.test(id))
    return `holdfast://open/${place}${id === '' ? '' : `/${id}`}`;
  throw invalidInput(
    `"${page.slice(0, 40)}" is not a page.`,
    'Use home, inbox, sessions, session ID, turns, turn ID, schedule, task ID, outages, events or agents.',
  );
}

async function opened(run: Run, page: string, id: string): Promise<Reply> {
  const link = linkOf(page, id);
  const running = await connectRunning(run.dataDir, run.io);
  if (running.kind === 'connected') {
    try {
      await running.client.call('instance.focus', link === undefined ? {} : { link });
    } finally {
      running.client.close();
    }
    return { value: { opened: true }, text: 'The window is open.' };
  }
  if (running.kind === 'refused') throw running.error;
  if (!hasWindows())
    throw new HoldfastError('NOT_RUNNING', 'Holdfast is not running. Nothing was opened.', {
      hint: 'Open the app (from a checkout: npm start).',
    });
  startDetached(run, link === undefined ? [] : [link]);
  return { value: { opened: true }, text: 'Holdfast is starting.' };
}

/**
 * For commands that work on the files themselves. `unchanged` is text such as `Nothing was
 * exported.` @throws LOCK_HELD
 */
async function needStopped(run: Run, unchanged: string): Promise<void> {
  const running = await connectRunning(run.dataDir, run.io);
  if (running.kind === 'absent') return;
  if (running.kind === 'connected') running.client.close();
  if (running.kind === 'refused') throw running.error;
  throw new HoldfastError(
    'LOCK_HELD',
    `Holdfast is running on this data directory. ${unchanged} It keeps running.`,
    { hint: 'Stop it first: holdfast stop' },
  );
}

/** Deletes the directory with everything in it. @throws HoldfastError where that could be wrong */
async function removed(run: Run): Promise<Reply> {
  const { dataDir } = run;
  const onWait = (): void =>
    run.io.stderr.write(
      'Another command is using this data directory. Waiting up to 1 min for it to finish.\n',
    );
  // Also deletes what a killed removal has left.
  if (!existsSync(dataDir)) {
    await run.io.offline.removeData(dataDir, onWait);
    return {
      value: { removed: false, path: dataDir },
      text: `${inertLine(dataDir)} does not exist.`,
    };
  }
  await needStopped(run, 'Nothing was deleted.');
  const distrust = distrustOf(dataDir);
  if (distrust !== undefined) throw distrust;
  // A link may point to a folder that contains more than the data.
  const whole = realpathSync(dataDir);
  const places = [parse(whole).root, homedir(), run.io.home, process.cwd()];
  const isPlace = places.some((place) => existsSync(place) && realpathSync(place) === whole);
  if (isPlace || !isDataDir(dataDir))
    throw new HoldfastError(
      'DATA_DIR_UNUSABLE',
      `${inertLine(dataDir)} is not a Holdfast data directory. Nothing was deleted.`,
      { hint: 'Specify it with --data-dir.' },
    );
  await confirm(
    run.io,
    optional<boolean>(run, 'yes') === true,
    `This permanently deletes ${inertLine(whole)}: turns, sessions, schedules, settings, stored keys,\n` +
      'backups, logs, and a shared store that this computer serves. Files in your workspaces stay.',
    {
      message: 'Not confirmed. Nothing was deleted.',
      hint: 'To delete without a question: holdfast data remove --yes',
    },
  );
  await run.io.offline.removeData(dataDir, onWait);
  return {
    value: { removed: true, path: dataDir },
    text: `${inertLine(dataDir)} is deleted. Hooks of Claude Code stay until you run: holdfast hooks remove claude`,
  };
}

const noStream = (how: 'read' | 'write', end: string): HoldfastError =>
  invalidInput(
    `An archive is a file: "-" cannot be ${how === 'read' ? 'read' : 'written'}. ${end}`,
    'Specify a file, such as holdfast.tar.gz.',
  );

/** `data export` and `data import`. UP-04 */
function addArchive(data: Command, program: Program): void {
  does(
    program,
    data
      .command('export')
      .description('Pack the data directory into one file, while Holdfast is stopped')
      .argument('<file>', 'File to write, such as holdfast.tar.gz')
      .option('--with-keys', 'Include stored keys and tokens, unencrypted'),
    async (run, name) => {
      if (name === '-') throw noStream('write', 'Nothing was exported.');
      const file = resolve(name);
      if (hasNoData(run.dataDir))
        throw new HoldfastError(
          'DATABASE_MISSING',
          `No Holdfast data was found in ${inertLine(run.dataDir)} yet. Nothing was exported.`,
        );
      if (name === '' || existsSync(file))
        throw invalidInput(
          `${name === '' ? 'The name of the file is empty.' : `${inertLine(name)} already exists.`} Nothing was exported.`,
          'Choose another file.',
        );
      await needStopped(run, 'Nothing was exported.');
      const withKeys = optional<boolean>(run, 'withKeys') === true;
      await run.io.offline.exportData(run.dataDir, file, withKeys);
      const keys = withKeys ? 'with its keys' : 'without its keys';
      return {
        value: { file, withKeys },
        text: `Exported to ${inertLine(file)}, ${keys}. It contains every prompt, answer and result, with any secrets typed into them: keep it private.`,
      };
    },
  );
  does(
    program,
    data
      .command('import')
      .description('Unpack an export into a data directory that does not exist yet')
      .argument('<file>', 'File written by "data export"'),
    async (run, name) => {
      if (name === '-') throw noStream('read', 'Nothing was imported.');
      await needStopped(run, 'Nothing was imported.');
      await run.io.offline.importData(run.dataDir, resolve(name));
      return {
        value: { path: run.dataDir },
        text: `Imported to ${inertLine(run.dataDir)}. Enter the keys that were not exported.`,
      };
    },
  );
}

/** `restart`, `open`, `reset`, `data`. */
export function addLifecycle(root: Command, program: Program): void {
  does(
    program,
    needsRunning(
      root.command('restart').description('Stop Holdfast gracefully and start it again'),
    ),
    restarted,
  );
  does(
    program,
    needsRunning(
      root
        .command('open')
        .description('Bring the window to the front')
        .argument('[page]', 'Page, such as inbox, sessions or turn (default: the current one)')
        .argument('[id]', 'ID on that page'),
    ),
    opened,
  );
  does(
    program,
    root
      .command('reset')
      .description('End every unfinished turn and delete in-progress work, after a backup')
      .addOption(yesOption()),
    async (run) => {
      await needStopped(run, 'Nothing was reset.');
      const isConfirmed = optional<boolean>(run, 'yes') === true;
      const { backupPath } = await resetAfterConfirmation(run.io, run.dataDir, isConfirmed);
      return {
        value: { reset: true, backupPath: backupPath ?? null },
        text: resetText(backupPath),
      };
    },
  );
  const data = root.command('data').description('Show or delete the data directory');
  does(program, data.command('path').description('Show the path of the data directory'), (run) =>
    Promise.resolve({ value: { path: run.dataDir }, text: inertLine(run.dataDir) }),
  );
  addArchive(data, program);
  does(
    program,
    data
      .command('remove')
      .description('Permanently delete the data directory, to uninstall Holdfast')
      .addOption(yesOption()),
    removed,
  );
}
