/** Entry of the app: the arguments decide between a command, a headless run and the app itself. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { isCliInvocation, readStartArguments } from './cli/start-arguments';
import { toHoldfastError } from './engine/kernel/errors';
import { userArguments } from './shell/launch-arguments';

// A reader that is gone (`holdfast turns list | head -1`) is no reason to die with a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const args = userArguments({
  argv: process.argv,
  isDefaultApp: process.defaultApp,
  appPath: app.getAppPath(),
});

async function startApp(): Promise<void> {
  const { dataDir, flags } = readStartArguments(args, process.env, homedir());
  const chromium = join(dataDir, 'chromium');
  mkdirSync(chromium, { recursive: true, mode: 0o700 });
  app.setPath('userData', chromium);
  const [{ createShell }, { compose }, { planComeBack }, { createStartLog }] = await Promise.all([
    import('./shell/create-shell'),
    import('./compose'),
    import('./engine/lockfile'),
    import('./shell/start-log'),
  ]);
  const version = app.getVersion();
  const log = createStartLog();
  const env = process.env;
  const shell = createShell({
    dataDir,
    flags,
    version,
    env,
    args,
    comeBackRule: planComeBack,
    log,
  });
  const { holdfast, lifecycle } = compose({
    dataDir,
    mode: 'app',
    flags,
    version,
    env,
    desktop: shell.desktop,
  });
  shell.own(lifecycle);
  // Not awaited here: `ready` waits for this module to finish, so that would wait for ever.
  void app.whenReady().then(async () => {
    try {
      const outcome = await lifecycle.start();
      if (outcome.kind === 'handed_over') app.exit(0);
      else await shell.attach(holdfast);
    } catch (error) {
      await shell.fail(error);
      // Started by the helper while somebody else has taken over: that is as it should be.
      app.exit(flags.afterCrash && toHoldfastError(error).code === 'LOCK_HELD' ? 0 : 1);
    }
  });
}

if (isCliInvocation(args)) {
  // Awaited before `ready`, so that a command needs no display.
  const { runCli } = await import('./cli/run-cli');
  process.exit(await runCli(args));
} else {
  await startApp();
}
