// npm run bench: test/bench/main.ts, bundled and on plain Node. It measures and asserts nothing.
import { pathToFileURL } from 'node:url';
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { inProject } from './setup/machine.mjs';

await asScript(async () => {
  await ensureNative();
  await ensureBuilt('app');
  await ensureBuilt('bench');
  await import(pathToFileURL(inProject('dist', 'bench', 'main.js')).href);
});
