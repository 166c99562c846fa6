// npm run build: everything that the app needs, always from scratch.
// node build/build.mjs test-hosts | bench: the programs of the crash tests, or the measurements.
import { asScript, ensureNative, SetupStop } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';

const target = process.argv[2] ?? 'app';

await asScript(async () => {
  if (target !== 'app' && target !== 'test-hosts' && target !== 'bench') {
    throw new SetupStop('usage: node build/build.mjs [app | test-hosts | bench]');
  }
  // A build that cannot start on this machine would be useless.
  await ensureNative();
  await ensureBuilt(target, { force: true });
});
