// The fallback runtime comes without Electron's default app, the part that turns
// `electron [-r preload] <folder or script> …` into a running app. This is our own, for that one
// purpose. It is ESM on purpose: loaded through CommonJS, an app whose entry wrongly awaits
// `app.whenReady()` at its top level would start here and hang in every real Electron.
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const readCommandLine = (args) => {
  const preloads = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index];
    if (arg === '-r' || arg === '--require') preloads.push(args[(index += 1)]);
    else if (arg === '-v' || arg === '--version') return { kind: 'version' };
    else if (!arg.startsWith('-')) return { kind: 'run', preloads, target: resolve(arg) };
  }
  return { kind: 'usage' };
};

/** Takes name, version and entry from the folder's package.json, as Electron does. */
const adopt = (folder) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.version) app.setVersion(manifest.version);
  app.name = String(manifest.productName ?? manifest.name ?? 'Electron').trim();
  app.setDesktopName(manifest.desktopName ?? `${app.name}.desktop`);
  app.setAppPath(folder);
  return join(folder, manifest.main ?? 'index.js');
};

const start = async ({ preloads, target }) => {
  process.defaultApp = true;
  const require = createRequire(join(process.cwd(), 'preloads.js'));
  for (const preload of preloads) require(resolve(preload));
  let entry = target;
  if (statSync(target).isDirectory()) entry = adopt(target);
  else app.setAppPath(dirname(target));
  await import(pathToFileURL(entry).href);
};

const command = readCommandLine(process.argv.slice(1));
if (command.kind === 'version') {
  console.log(`v${process.versions.electron}`);
  process.exit(0);
} else if (command.kind === 'usage') {
  console.error('usage: electron <folder or script> [arguments]');
  process.exit(2);
} else {
  try {
    await start(command);
  } catch (error) {
    console.error(`The app could not be loaded: ${error?.stack ?? error}`);
    process.exit(1);
  }
}
