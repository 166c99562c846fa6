/** The app in Electron: the arguments decide between a command, a headless run and the app itself. */
import { join } from 'node:path';
import { app } from 'electron';
import { homeFolder } from './data-dir';
import { isCliInvocation, readStartArguments, type StartArguments } from './cli/start-arguments';
import { makeMissingFolders } from './disk/missing-folders';
import { toHoldfastError } from './engine/kernel/errors';
import type { FirstIcon } from './shell/tray/first-icon';
import type { FirstPages } from './shell/windows/first-window';
import {
  leadingArguments,
  linkFromArguments,
  routeFromArguments,
  surviveClosedPipes,
  userArguments,
} from './shell/launch-arguments';
import type { StartLog } from './shell/start-log';

surviveClosedPipes();

const launch = {
  argv: process.argv,
  isDefaultApp: process.defaultApp,
  appPath: app.getAppPath(),
};
const args = userArguments(launch);
const composer = () => import('./compose/compose');

async function cliIo() {
  const { processIo } = await import('./cli/io');
  const { ownProgram } = await import('./shell/own-command');
  const { offline } = await import('./offline/offline');
  return processIo({
    version: app.getVersion(),
    composer,
    offline,
    program: ownProgram(process.execPath, process.env),
    selfArgs: leadingArguments(launch),
  });
}

/**
 * Nothing in the data directory is read or created before it is known to be ours: a link in it
 * would lead elsewhere.
 */
async function refusalToMake(folder: string, dataDir: string) {
  const { distrustOf } = await import('./data-trust');
  const distrust = distrustOf(dataDir);
  if (distrust !== undefined) return distrust;
  try {
    makeMissingFolders(folder);
    return undefined;
  } catch (error) {
    const { unusable } = await import('./adapters/instance/data-dir');
    return unusable(dataDir, error);
  }
}

async function startApp(): Promise<void> {
  const start = readStartArguments(args, process.env, homeFolder());
  const { dataDir } = start;
  if (start.reset) {
    const { resetAfterConfirmation } = await import('./cli/verbs/instance');
    await resetAfterConfirmation(await cliIo(), dataDir, start.yes);
  }
  const chromium = join(dataDir, 'chromium');
  const refusal = await refusalToMake(chromium, dataDir);
  if (refusal !== undefined) {
    const { refuseToStart } = await import('./shell/windows/dialogs');
    // Not awaited: the box waits for `ready`, and `ready` for this module.
    void refuseToStart(refusal, start.flags.hidden);
    return;
  }
  app.setPath('userData', chromium);
  const { createStartLog, prepareProcess, showFirstIcon } = await import('./shell/first');
  const { parseLockRecord: parse } = await import('./engine/instance/lock-record');
  const log = createStartLog();
  prepareProcess(log);
  // Until the shell listens, a quit ends the process on its own, but not at once: a load in
  // progress must not start anything, or it would take the lock and leave it behind.
  let isLeaving = false;
  app.once('before-quit', () => {
    isLeaving = true;
  });
  // Not awaited: `ready` waits for this module to finish.
  void app.whenReady().then(async () => {
    const { isHeld, firstIcon } = showFirstIcon({
      appPath: launch.appPath,
      env: process.env,
      dataDir,
      parse,
    });
    const { showFirstWindow } = await import('./shell/windows/first-window');
    const firstPages = showFirstWindow({
      appPath: launch.appPath,
      dataDir,
      flags: start.flags,
      route: routeFromArguments(args),
      mayBeHeld: isHeld,
      log,
    });
    await runApp(start, { log, firstIcon, firstPages }, () => isLeaving).catch(sayAndExit);
  });
}

async function runApp(
  { dataDir, flags }: StartArguments,
  begun: {
    readonly log: StartLog;
    readonly firstIcon: FirstIcon | undefined;
    readonly firstPages: FirstPages;
  },
  isLeaving: () => boolean,
): Promise<void> {
  await begun.firstPages.shown;
  const { createShell } = await import('./shell/create-shell');
  const { compose } = await composer();
  // Only this file: the whole module would load the engine before the window is shown.
  const { planRelaunch } = await import('./engine/instance/plan-relaunch');
  const { ownProgram } = await import('./shell/own-command');
  // From here to the start of the engine nothing is awaited, so no quit can come in between.
  if (isLeaving()) return;
  const self = {
    command: process.execPath,
    args: leadingArguments(launch),
    lasting: ownProgram(process.execPath, process.env),
  };
  const common = { dataDir, flags, version: app.getVersion(), env: process.env };
  const link = linkFromArguments(args);
  const shell = createShell({ ...common, ...begun, launch, args, relaunchRule: planRelaunch });
  const { lifecycle } = compose({
    ...common,
    self,
    mode: 'app',
    desktop: shell.desktop,
    ...(link === undefined ? {} : { link }),
  });
  shell.own(lifecycle);
  try {
    const outcome = await lifecycle.start();
    if (outcome.kind === 'handed_over') app.exit(0);
    else shell.attach();
  } catch (error) {
    await shell.fail(error);
    // Started by the helper although another instance has taken over: that is expected.
    app.exit(flags.afterCrash && toHoldfastError(error).code === 'LOCK_HELD' ? 0 : 1);
  }
}

function sayAndExit(error: unknown): never {
  const { message, hint = '' } = toHoldfastError(error);
  process.stderr.write(`${message}\n${hint}\n`);
  process.exit(1);
}

/** Resolves when `ready` may fire: a command has ended by then, so it needs no display. */
export async function main(): Promise<void> {
  if (!isCliInvocation(args)) {
    await startApp().catch(sayAndExit);
    return;
  }
  const { flushOutput } = await import('./cli/io');
  const { runCommand } = await import('./cli/run-command');
  process.exit(await flushOutput(await runCommand(args, await cliIo())));
}
