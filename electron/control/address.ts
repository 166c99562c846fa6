/**
 * Location of a data directory's control socket. Security part 6, S2-39.
 * A unix socket address holds 108 bytes and Node 20 silently truncates a longer one, so two long
 * paths could share a name. Above 103 bytes a short hashed name is used instead.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** Maximum socket path in bytes that every supported platform accepts. */
export const MAX_SOCKET_PATH_BYTES = 103;

/** True for the name of a Windows pipe, which is not a file. */
export const isPipe = (address: string): boolean => address.startsWith('\\\\.\\pipe\\');

type Env = Readonly<Record<string, string | undefined>>;

/** The directory as the kernel knows it, so that a symlink and its target give the same socket. */
function realOr(dataDir: string): string {
  try {
    return realpathSync(dataDir);
  } catch {
    return dataDir; // Does not exist yet: use the name as given.
  }
}

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 24);

/** Path of the control socket of `dataDir`, or the name of its pipe on Windows. */
export function controlSocketPath(dataDir: string, env: Env, platform: string): string {
  if (platform === 'win32') {
    const user = `${env['USERDOMAIN'] ?? ''}\\${env['USERNAME'] ?? ''}`;
    return `\\\\.\\pipe\\holdfast-${shortHash(`${user}|${win32.resolve(dataDir).toLowerCase()}`)}`;
  }
  const real = realOr(dataDir);
  const natural = posix.join(real, 'run', 'control.sock');
  if (Buffer.byteLength(natural) <= MAX_SOCKET_PATH_BYTES) return natural;
  const runtimeDir = env['XDG_RUNTIME_DIR'];
  const uid = process.getuid?.() ?? 0;
  const folders = [
    ...(runtimeDir?.startsWith('/') === true ? [posix.join(runtimeDir, 'holdfast')] : []),
    `/tmp/holdfast-${String(uid)}`,
  ];
  const names = folders.map((folder) => posix.join(folder, `${shortHash(real)}.sock`));
  return names.find((name) => Buffer.byteLength(name) <= MAX_SOCKET_PATH_BYTES) ?? natural;
}

/** Path of the file (0600) that holds the token of the running instance. */
export function controlTokenPath(dataDir: string, platform: string): string {
  return (platform === 'win32' ? win32 : posix).join(dataDir, 'run', 'control.token');
}
