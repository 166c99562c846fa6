// npm run demo: shows one crash, without keys and without a display.
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { becomeNodeEntry } from './setup/launch.mjs';

await asScript(async () => {
  await ensureNative();
  await ensureBuilt('app');
  await becomeNodeEntry(['demo', ...process.argv.slice(2)]);
});
