/**
 * Entry of the app: the arguments decide between a command, a headless run and the app itself.
 *
 * Our own modules are all loaded with `import()`: what this file imported statically would become
 * part of its chunk, other chunks would import it from here, and wait for this file for ever.
 */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';

// A reader that is gone (`npm start | head`) is no reason to die with a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const [
  { isCliInvocation, readStartArguments },
  { toHoldfastError },
  { leadingArguments, userArguments },
] = await Promise.all([
  import('./cli/start-arguments'),
  import('./engine/kernel/errors'),
  import('./shell/launch-arguments'),
]);

const launch = {
  argv: process.argv,
  isDefaultApp: process.defaultApp,
  appPath: app.getAppPath(),
};
const args = userArguments(launch);
const composer = () => import('./compose');

async function cliIo() {
  const { processIo } = await import('./cli');
  return processIo({ version: app.getVersion(), composer, selfArgs: leadingArguments(launch) });
}

async function startApp(): Promise<void> {
  const start = readStartArguments(args, process.env, homedir());
  const { dataDir, flags } = start;
  if (start.reset) {
    const { resetAfterConfirmation } = await import('./cli');
    await resetAfterConfirmation(await cliIo(), dataDir, start.yes);
  }
  const chromium = join(dataDir, 'chromium');
  mkdirSync(chromium, { recursive: true, mode: 0o700 });
  app.setPath('userData', chromium);
  const [{ createShell }, { compose }, { planComeBack }, { createStartLog }] = await Promise.all([
    import('./shell/create-shell'),
    composer(),
    import('./engine/lockfile'),
    import('./shell/start-log'),
  ]);
  const common = { dataDir, flags, version: app.getVersion(), env: process.env };
  const log = createStartLog();
  const shell = createShell({ ...common, launch, args, comeBackRule: planComeBack, log });
  const { holdfast, lifecycle } = compose({
    ...common,
    mode: 'app',
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
  const { flushOutput, runCli } = await import('./cli');
  const exitCode = await runCli(args, await cliIo());
  await flushOutput();
  process.exit(exitCode);
}
try {
  await startApp();
} catch (error) {
  const { message, hint = '' } = toHoldfastError(error);
  process.stderr.write(`${message}\n${hint}\n`);
  process.exit(1);
}
