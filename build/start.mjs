// npm start [-- arguments]: gets ready what is missing, builds if the sources changed, starts the
// app. Without a display, or with --headless, it starts the same engine on plain Node.
import { asScript, ensureElectron, ensureNative } from './ensure.mjs';
import { ensureBuilt, ensureCompiledFor } from './setup/build.mjs';
import { becomeNodeEntry, howToStart, runElectron } from './setup/launch.mjs';
import { say } from './setup/machine.mjs';

const startHeadless = async (/** @type {string[]} */ args) => {
  await ensureNative();
  await ensureBuilt('app');
  const rest = args.filter((arg) => arg !== '--headless' && arg !== '--hidden');
  await becomeNodeEntry(['start', '--headless', ...rest]);
};

await asScript(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--headless')) return startHeadless(args);
  const without = howToStart(undefined);
  if (without.kind === 'headless') {
    say(without.line);
    return startHeadless(args);
  }
  const electron = await ensureElectron();
  await ensureBuilt('app');
  await ensureCompiledFor(electron.executable);
  const how = howToStart(electron.executable);
  if (how.kind !== 'window') return startHeadless(args);
  if (how.line !== undefined) say(how.line);
  await runElectron(electron.executable, how.flags, args);
});
