// npm run bench: test/bench/main.ts, bundled and on plain Node. It measures and checks nothing.
import { pathToFileURL } from 'node:url';
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { inProject, say } from './setup/machine.mjs';
import { provideDisplays, provideElectron } from './setup/vitest-electron.mjs';

await asScript(async () => {
  await ensureNative();
  await ensureBuilt('app');
  await ensureBuilt('bench');
  try {
    await provideElectron(process.env);
    await provideDisplays(process.env, 1);
  } catch (error) {
    say(`No Electron here, so the app is not measured: ${String(error)}`);
  }
  await import(pathToFileURL(inProject('dist', 'bench', 'main.js')).href);
});
