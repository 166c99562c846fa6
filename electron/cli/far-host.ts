/**
 * `--host box`: the command runs on another computer, with the Holdfast there, through the system's `ssh`
 * with its settings, keys and agent. Nothing listens on a network, and the far side owns everything: what
 * ends here changes nothing there. HO-01, HO-03
 */
import { spawn } from 'node:child_process';
import { isSecretName } from '../../shared/secret-names';
import { HoldfastError } from '../engine/kernel/errors';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';

/** Where a host is. */
export interface FarAddress {
  /** `user@box`, as ssh takes it. */
  readonly destination: string;
  readonly port?: number;
}

const ADDRESS =
  /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]{0,63})@)?([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:]{2,45}\])(?::(\d{1,5}))?\/?$/;

/** `ssh://user@box:2222`; undefined for anything else, so that no part of it is an option of ssh. */
export function parseAddress(text: string): FarAddress | undefined {
  const [, user, host = '', port] = ADDRESS.exec(text) ?? [];
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return {
    destination: user === undefined ? bare : `${user}@${bare}`,
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/** One word of a POSIX shell, whatever is in it. */
const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shells of ssh commands do not read the profile: global npm packages are often only there. */
const PLACES = '"$PATH:$HOME/.local/bin:$HOME/.npm-global/bin:/usr/local/bin:/opt/homebrew/bin"';

/** What ssh is called with. Pure. */
export function sshArguments(
  { destination, port }: FarAddress,
  args: readonly string[],
  { isTerminal }: { readonly isTerminal: boolean },
): readonly string[] {
  const command = ['exec', 'holdfast', ...args.map(word)].join(' ');
  return [
    isTerminal ? '-t' : '-T',
    // Whoever is asked for a password has to be there.
    ...(isTerminal ? [] : ['-o', 'BatchMode=yes']),
    ...['-o', 'ClearAllForwardings=yes', '-o', 'ForwardAgent=no', '-o', 'ForwardX11=no'],
    ...['-o', 'ConnectTimeout=15', '-o', 'ServerAliveInterval=15'],
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    destination,
    `PATH=${PLACES}; ${command}`,
  ];
}

/** Keys of providers stay here, whatever `SendEnv` of a person's ssh settings says. */
export const sshEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !isSecretName(name) && !name.startsWith('HOLDFAST_')),
  );

/** What `--host` names, and the arguments without it. */
export function splitHost(argv: readonly string[]): {
  readonly host?: string;
  readonly rest: readonly string[];
} {
  const end = argv.indexOf('--');
  // There it is the host of a mail server.
  if (/^channels? (add|edit|set)$/.test(argv.slice(0, 2).join(' '))) return { rest: argv };
  const at = argv.findIndex((one) => one === '--host' || one.startsWith('--host='));
  if (at < 0 || (end >= 0 && at > end)) return { rest: argv };
  const given = argv[at] ?? '';
  const isJoined = given.startsWith('--host=');
  return {
    host: isJoined ? given.slice('--host='.length) : (argv[at + 1] ?? ''),
    rest: [...argv.slice(0, at), ...argv.slice(at + (isJoined ? 1 : 2))],
  };
}

/** How ssh ends when it was ssh that failed, and a shell that has no such program. */
const SSH_FAILED = 255;
const NO_PROGRAM = 127;

export const unreachable = (host: string, why: string): HoldfastError =>
  new HoldfastError('HOST_UNREACHABLE', `${host} could not be reached${why}.`, {
    hint: `Try it yourself: ssh ${host}`,
    retryable: true,
  });

const notInstalled = (host: string): HoldfastError =>
  new HoldfastError('HOST_UNREACHABLE', `${host} has no Holdfast on its PATH.`, {
    hint: 'Install it there, or put it where commands over ssh look.',
  });

/** Runs one command there, with this terminal. @throws HOST_UNREACHABLE */
export async function runFar(
  io: CliIo,
  host: string,
  address: FarAddress,
  args: readonly string[],
): Promise<ExitCode> {
  const isTerminal = io.stdin.isTTY === true && io.stdout.isTTY;
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn('ssh', [...sshArguments(address, args, { isTerminal })], {
      env: sshEnvironment(io.env),
      stdio: 'inherit',
    });
    child.on('error', () => {
      reject(
        new HoldfastError('HOST_UNREACHABLE', 'There is no ssh on this computer.', {
          hint: 'Install the OpenSSH client.',
        }),
      );
    });
    child.on('close', (ended) => resolve(ended ?? SSH_FAILED));
  });
  if (code === SSH_FAILED) throw unreachable(host, '');
  if (code === NO_PROGRAM) throw notInstalled(host);
  return Object.values(EXIT).find((one) => one === code) ?? EXIT.failed;
}

/** Asks one thing there. @throws HOST_UNREACHABLE */
export async function askFar(
  io: CliIo,
  host: string,
  address: FarAddress,
  args: readonly string[],
  timeoutMs: number,
): Promise<unknown> {
  const { code, text } = await new Promise<{ code: number; text: string }>((resolve) => {
    const child = spawn('ssh', [...sshArguments(address, args, { isTerminal: false })], {
      env: sshEnvironment(io.env),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
    });
    let told = '';
    child.stdout.on(
      'data',
      (part: Buffer) => (told = (told + part.toString('utf8')).slice(0, 1e6)),
    );
    child.on('error', () => resolve({ code: SSH_FAILED, text: '' }));
    child.on('close', (ended) => resolve({ code: ended ?? SSH_FAILED, text: told }));
  });
  if (code === NO_PROGRAM) throw notInstalled(host);
  if (code === SSH_FAILED) throw unreachable(host, '');
  try {
    return JSON.parse(text);
  } catch {
    throw unreachable(host, ': its answer is none of Holdfast');
  }
}
