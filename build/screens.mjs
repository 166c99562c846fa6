// npm run screens: a picture of every page of the real app, in dist/screens/index.html.
import { spawn } from 'node:child_process';
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { inProject, projectDir } from './setup/machine.mjs';
import { provideDisplays, provideElectron } from './setup/vitest-electron.mjs';

// A process that ends through process.exit ends the display, too.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => process.exit(130));
}

await asScript(async () => {
  await ensureNative();
  await ensureBuilt('app');
  await ensureBuilt('test-hosts');
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, HOLDFAST_TEST_APP: projectDir };
  // The program that runs as another computer, for parts that need one.
  env['HOLDFAST_TEST_PROGRAM'] = inProject('dist', 'node', 'holdfast.cjs');
  await provideElectron(env);
  const stop = await provideDisplays(env, 1);
  const program = inProject('dist', 'story', 'screens.js');
  process.exitCode = await new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...process.argv.slice(2)], {
      env,
      stdio: 'inherit',
    });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
  stop();
});
