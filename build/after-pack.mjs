// electron-builder calls this after it has assembled the app and before anything is signed.
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { flipShippedFuses } from './setup/fuses.mjs';

/** @param {import('electron-builder').AfterPackContext} context */
export default async ({ appOutDir, electronPlatformName, packager }) => {
  const { productFilename } = packager.appInfo;
  const executable = {
    darwin: join(`${productFilename}.app`, 'Contents', 'MacOS', productFilename),
    win32: `${productFilename}.exe`,
    linux:
      /** @type {{executableName?: string}} */ (/** @type {unknown} */ (packager)).executableName ??
      'holdfast',
  }[electronPlatformName];
  if (executable === undefined) throw new Error(`No fuses are known for ${electronPlatformName}.`);
  // A runtime that is given as a folder contains Electron's default app; the shipped app loads only
  // its own.
  rmSync(join(appOutDir, 'resources', 'default_app.asar'), { force: true });
  // A library is loaded, not executed.
  if (electronPlatformName === 'linux') {
    for (const name of readdirSync(appOutDir, { recursive: true, encoding: 'utf8' }))
      if (/\.(node|so(\.\d+)*)$/.test(name)) chmodSync(join(appOutDir, name), 0o644);
  }
  await flipShippedFuses(join(appOutDir, executable), electronPlatformName);
};
