import { connect, createServer, isIP } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { AddressRefused, checkedLookup, notPublic } from '../fetch/checked-address';
import { isAllowedAddress } from '../fetch/public-address';
import { inertLine } from '../tools/tool-host';
import { isListedHost } from './listed-host';

/** A browser's only access to the network. */
export interface SocksGate {
  readonly port: number;
  /**
   * Failed connections since the last call, by host, with the reason; at most 50. Clears the list.
   */
  takeTroubles(): ReadonlyMap<string, string>;
  close(): void;
}

const HANDSHAKE_MS = 10_000;
const CONNECT_MS = 20_000;
const MAX_CONNECTIONS = 256;
const MAX_TROUBLES = 50;
/** The longest request: a name of 255 characters. */
const MAX_REQUEST_BYTES = 600;

const REPLY = { done: 0, failed: 1, refused: 2, unreachable: 4, unsupported: 7 } as const;

/**
 * A SOCKS proxy on a free port of 127.0.0.1 for all of a browser's connections: pages, redirects,
 * everything they load, sockets of scripts. It resolves names itself and connects to exactly the
 * address that was checked: this computer and private networks are unreachable unless `localHosts`
 * lists them. It only passes bytes; nothing is read, and TLS stays end to end.
 */
export async function openSocksGate(localHosts: () => readonly string[]): Promise<SocksGate> {
  const troubles = new Map<string, string>();
  const open = new Set<Socket>();
  const note = (host: string, reason: string): void => {
    if (troubles.size < MAX_TROUBLES || troubles.has(host)) troubles.set(host, inertLine(reason));
  };
  const server = createServer({ noDelay: true }, (client) => {
    open.add(client);
    client.on('error', () => undefined); // Reported by its end.
    client.on('close', () => open.delete(client));
    serve(client, localHosts, note);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    // Also later: a connection that cannot be accepted must not end the process.
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    takeTroubles() {
      const taken = new Map(troubles);
      troubles.clear();
      return taken;
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function serve(
  client: Socket,
  localHosts: () => readonly string[],
  note: (host: string, reason: string) => void,
): void {
  client.setTimeout(HANDSHAKE_MS, () => client.destroy());
  let isGreeted = false;
  let read = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk]);
    if (read.length > MAX_REQUEST_BYTES) return void client.destroy();
    if (!isGreeted) {
      const methods = read[1];
      if (methods === undefined || read.length < 2 + methods) return;
      if (read[0] !== 5) return void client.destroy();
      isGreeted = true;
      read = read.subarray(2 + methods);
      client.write(Buffer.from([5, 0]));
    }
    const target = targetOf(read);
    if (target === 'more') return;
    client.off('data', onData);
    client.pause();
    if (target === 'bad') return answer(client, REPLY.unsupported);
    client.unshift(read.subarray(target.bytes));
    join(client, target, localHosts(), note);
  };
  client.on('data', onData);
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly bytes: number;
}

/** Reads a CONNECT request; the only supported command. */
function targetOf(read: Buffer): Target | 'more' | 'bad' {
  if (read.length < 5) return 'more';
  if (read[0] !== 5 || read[1] !== 1) return 'bad';
  const kind = read[3];
  const from = kind === 3 ? 5 : 4;
  const length = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? (read[4] ?? 0) : 0;
  if (length === 0) return 'bad';
  const end = from + length;
  if (read.length < end + 2) return 'more';
  const raw = read.subarray(from, end);
  const host =
    kind === 3
      ? raw.toString('latin1')
      : kind === 1
        ? raw.join('.')
        : Array.from({ length: 8 }, (_, index) => raw.readUInt16BE(index * 2).toString(16)).join(
            ':',
          );
  return { host, port: read.readUInt16BE(end), bytes: end + 2 };
}

function join(
  client: Socket,
  { host, port }: Target,
  localHosts: readonly string[],
  note: (host: string, reason: string) => void,
): void {
  const isListed = isListedHost(localHosts, host, port);
  const isAllowed = (address: string): boolean =>
    isListed || isAllowedAddress(address, { allowLoopback: false });
  if (isIP(host) !== 0 && !isAllowed(host)) {
    note(host, notPublic(host));
    return answer(client, REPLY.refused);
  }
  const remote = connect({ host, port, noDelay: true, lookup: checkedLookup(isAllowed) });
  remote.setTimeout(CONNECT_MS, () => remote.destroy(new Error('no answer')));
  client.on('close', () => remote.destroy());
  let isJoined = false;
  remote.on('error', (error: NodeJS.ErrnoException) => {
    if (isJoined) return void client.destroy();
    const isRefused = error instanceof AddressRefused;
    note(host, isRefused ? error.message : `${host}: ${reasonOf(error)}`);
    answer(client, isRefused ? REPLY.refused : REPLY.unreachable);
  });
  remote.on('connect', () => {
    isJoined = true;
    remote.setTimeout(0);
    client.setTimeout(0);
    answer(client, REPLY.done);
    client.pipe(remote);
    remote.pipe(client);
  });
  remote.on('close', () => isJoined && client.end());
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOTFOUND':
      return 'the name was not found';
    case 'EAI_AGAIN':
      return 'the name could not be looked up; is this computer online?';
    case 'ECONNREFUSED':
      return 'nothing is listening on this port';
    default:
      return error.message || (error.code ?? 'no connection');
  }
}

function answer(client: Socket, reply: number): void {
  const bytes = Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (reply === REPLY.done) client.write(bytes);
  else client.end(bytes);
}
