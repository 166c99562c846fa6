// Whether Chromium can use its sandbox here, for everything that starts Electron from a checkout: as root,
// and where an ordinary account gets no user namespaces, it ends at once with a line about its helper.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRoot } from './machine.mjs';

/** @param {string} file */
const reads = (file) => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // Kernels without this switch do not restrict it.
  }
};

/** The helper that comes with Electron works if root owns it and it has the setuid bit. @param {string} executable */
const hasHelper = (executable) => {
  try {
    const { uid, mode } = statSync(join(dirname(executable), 'chrome-sandbox'));
    return uid === 0 && (mode & 0o4000) !== 0;
  } catch {
    return false;
  }
};

/**
 * Asked of the kernel, as containers forbid it in ways of their own; and read, because a profile of AppArmor
 * may allow it to the program that asks alone. Without that program it counts as allowed.
 */
const hasNamespaces = () =>
  reads('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') !== '1' &&
  [0, null].includes(spawnSync('unshare', ['--map-root-user', 'true'], { stdio: 'ignore' }).status);

/** @param {string} executable */
export const sandboxWorks = (executable) =>
  process.platform !== 'linux' || hasHelper(executable) || hasNamespaces();

/** What an Electron at `executable` needs as its first arguments here. @param {string} executable */
export const sandboxSwitches = (executable) =>
  process.platform === 'linux' && (isRoot() || !sandboxWorks(executable)) ? ['--no-sandbox'] : [];
