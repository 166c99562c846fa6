// Debian packages: finds missing ones, and installs them if that is possible without a password.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decidePackages, packagesFor } from './decide.mjs';
import {
  SetupStop,
  isRoot,
  missingPrograms,
  onPath,
  outputOf,
  run,
  say,
  tail,
} from './machine.mjs';

/** Libraries that the linker does not find for an executable. @param {string} executable */
const missingLibraries = (executable) =>
  outputOf('ldd', [executable])
    .split('\n')
    .filter((line) => line.includes('not found'))
    .map((line) => line.trim().split(/\s/)[0] ?? '');

/** Electron opens libnotify by name at run time, so ldd does not show it. */
const hasNotifications = () => {
  const folders = [
    '/usr/lib',
    '/usr/lib64',
    '/lib64',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
  ];
  return (
    folders.some((dir) => existsSync(join(dir, 'libnotify.so.4'))) ||
    outputOf('ldconfig', ['-p']).includes('libnotify.so.4')
  );
};

/**
 * Newer Debian and Ubuntu releases call some libraries by another name (libasound2t64), and apt
 * rejects the old one if several packages provide it.
 * @param {string} name
 */
const currentName = (name) =>
  name.startsWith('lib') &&
  outputOf('apt-cache', ['show', '--no-all-versions', `${name}t64`]).includes('Package:')
    ? `${name}t64`
    : name;

/** @param {readonly string[]} packages */
const install = async (packages) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const attempt = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...packages.map(currentName)], {
      env,
    });
  say(`Installing Debian packages: ${packages.join(' ')}`);
  let result = await attempt();
  if (result.code !== 0) {
    // A fresh image knows no packages at all, an old one knows versions that are gone.
    await run('apt-get', ['update'], { env });
    result = await attempt();
  }
  if (result.code !== 0) {
    throw new SetupStop(`apt-get could not install ${packages.join(' ')}:\n${tail(result.output)}`);
  }
};

/**
 * Makes sure that programs are on PATH and that an executable finds its libraries.
 * Linux only; elsewhere there is nothing to do.
 *
 * @param {{programs?: readonly string[], executable?: string}} wanted
 * @throws {SetupStop} with the exact command to run if this cannot be done here
 */
export const ensurePackages = async ({ programs = [], executable }) => {
  if (process.platform !== 'linux') return;
  const look = () =>
    packagesFor({
      programs: missingPrograms(programs),
      libraries: executable === undefined ? [] : missingLibraries(executable),
      hasNotifications: executable === undefined || hasNotifications(),
    });
  const action = decidePackages({
    needed: look(),
    platform: process.platform,
    hasApt: onPath('apt-get') !== undefined,
    isRoot: isRoot(),
  });
  switch (action.kind) {
    case 'ready':
      return;
    case 'stop':
      throw new SetupStop(action.line);
    case 'install': {
      await install(action.packages);
      const still = look();
      if (still.length > 0)
        throw new SetupStop(`Still missing after the installation: ${still.join(' ')}`);
    }
  }
};
