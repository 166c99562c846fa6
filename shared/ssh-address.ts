/**
 * Addresses of other computers with Holdfast, and how the system's `ssh` is called for them. Pure.
 * HO-01, HO-03
 */
import { quoted } from './shell-quoted';

/** Address of a host. */
export interface FarAddress {
  /** `user@box`, in ssh's form. */
  readonly destination: string;
  readonly port?: number;
}

const ADDRESS =
  /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]{0,63})@)?([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:]{2,45}\])(?::(\d{1,5}))?\/?$/;

/**
 * Parses `ssh://user@box:2222`; undefined for anything else, so that no part of it becomes an ssh
 * option.
 */
export function parseAddress(text: string): FarAddress | undefined {
  const [, user, host = '', port] = ADDRESS.exec(text) ?? [];
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return {
    destination: user === undefined ? bare : `${user}@${bare}`,
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/**
 * Shells of ssh commands do not read the profile, and global npm packages are often only on its
 * PATH.
 */
const PLACES = '"$PATH:$HOME/.local/bin:$HOME/.npm-global/bin:/usr/local/bin:/opt/homebrew/bin"';

/**
 * Arguments of ssh to run `holdfast` there with `args`. Nothing of this computer is forwarded.
 * Pure. HO-03
 */
export function sshArguments(
  { destination, port }: FarAddress,
  args: readonly string[],
  { isTerminal }: { readonly isTerminal: boolean },
): readonly string[] {
  const command = ['exec', 'holdfast', ...args.map(quoted)].join(' ');
  return [
    isTerminal ? '-t' : '-T',
    // Anyone who is asked for a password must be present. A connection shared with other commands
    // would outlive this one, with its pipes.
    ...(isTerminal ? [] : ['-o', 'BatchMode=yes']),
    ...['-o', 'ControlMaster=no'],
    ...['-o', 'ClearAllForwardings=yes', '-o', 'ForwardAgent=no', '-o', 'ForwardX11=no'],
    ...['-o', 'ConnectTimeout=15', '-o', 'ServerAliveInterval=15'],
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    destination,
    `PATH=${PLACES}; ${command}`,
  ];
}
