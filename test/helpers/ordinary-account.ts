/** A process of root as one of an ordinary account, for programs that refuse root. */
import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;

/** In front of a command of root: in a namespace of its own, where its files are those of user 1000. */
const NAMESPACE = ['unshare', '-U', '--map-user=1000', '--map-group=1000'];

/** In front of a command, so that it is not run as root; empty where it would not be. */
export const AS_ORDINARY: readonly string[] = isRoot ? NAMESPACE : [];

/** Why that cannot be had here. */
export const NO_ORDINARY =
  !isRoot || spawnSync(NAMESPACE[0] ?? '', [...NAMESPACE.slice(1), 'true']).status === 0
    ? undefined
    : 'root cannot give up its rights on this system';

/** The same where the PostgreSQL of this computer is not installed; only root can hide it. */
export const WITHOUT_POSTGRES: readonly string[] = [
  ...['unshare', '-m', 'sh', '-c'],
  '[ ! -d /usr/lib/postgresql ] || mount -t tmpfs none /usr/lib/postgresql; exec "$@"',
  ...['sh', ...NAMESPACE],
];
