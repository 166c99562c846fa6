#!/usr/bin/env node
// npm run --silent holdfast -- <command>: the command line from a checkout. Only the command itself
// writes to stdout; the preparation before it writes to stderr.
import { asScript, ensureNative } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { becomeNodeEntry } from './setup/launch.mjs';

await asScript(async () => {
  await ensureNative();
  await ensureBuilt('app');
  await becomeNodeEntry(process.argv.slice(2));
});
