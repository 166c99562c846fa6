/**
 * The control socket: connects the command line and a second start to the running instance.
 * Unix socket (0600) in our directory (0700), or a named pipe on Windows; every connection must
 * present this start's token first. Security part 6; S2-39; R14.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { writeForThisRunSync } from '../disk/durable-file';
import type { Holdfast } from '../engine/api/facade';
import { asDiskRefusal } from '../engine/kernel/disk-refusal';
import { HoldfastError } from '../engine/kernel/errors';
import type { Log } from '../ports/log';
import { isPipe } from './address';
import type { Connection } from './connection';
import { createConnection } from './connection';
import { proofOf } from './proof';
import type { ControlLimits } from './protocol';
import { CONTROL_LIMITS } from './protocol';
import type { SocketPlace } from './socket-folder';
import { ensurePrivateDir, prepareSocketPlace } from './socket-folder';

interface ControlServerDeps {
  readonly socketPath: string;
  /** File for the token of this start, 0600. */
  readonly tokenPath: string;
  readonly holdfast: Holdfast;
  readonly log: Log;
  readonly version: string;
  readonly limits?: Partial<ControlLimits>;
}

interface ControlAddress {
  readonly socketPath: string;
  /** SHA-256 of the token in hex, for `agent.lock`. */
  readonly tokenHash: string;
}

export interface ControlServer {
  /**
   * Writes a new token and listens, only while holding the instance lock: removes a socket file
   * without a listener. Returns the address, because another account may have taken the requested
   * one outside the data directory. @throws HoldfastError LOCK_HELD, DATA_DIR_UNSAFE,
   * DATA_DIR_UNUSABLE
   */
  start(): Promise<ControlAddress>;
  /** Sends pending answers, ends every client, removes socket and token. Idempotent, bounded. */
  stop(): Promise<void>;
  clientCount(): number;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

function removeOwnToken(tokenPath: string, token: string): void {
  try {
    if (readFileSync(tokenPath, 'utf8') === token) rmSync(tokenPath, { force: true });
  } catch {
    // Already gone: nothing to remove.
  }
}

/**
 * Clients above the limit that are told why at the same time. More are closed without a word: each
 * open one takes a file from the rest of Holdfast.
 */
const MAX_REFUSED = 32;

/** A killed owner may still answer after its lock is free: the system closes its files one by one. */
const DYING_MS = 2_000;
const ASK_AGAIN_MS = 20;

/** True once no process listens behind the socket file; false if one still does after `waitMs`. S2-41 */
async function isAbandoned(socketPath: string, waitMs = DYING_MS): Promise<boolean> {
  const endMs = performance.now() + waitMs;
  while (await isAnswered(socketPath)) {
    if (performance.now() > endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
  return true;
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    const settle = (result: boolean): void => {
      probe.destroy();
      resolve(result);
    };
    probe.setTimeout(1_000, () => settle(true));
    probe.once('connect', () => settle(true));
    probe.once('error', (error: NodeJS.ErrnoException) => {
      settle(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The bind happens inside `listen`, so the mask is back before anything else can run.
    const before = isPipe(socketPath) ? undefined : process.umask(0o177);
    try {
      server.listen(socketPath, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      if (before !== undefined) process.umask(before);
    }
  });
}

/**
 * Identity of the file at the address; undefined if there is none. An inode number alone is soon
 * reused.
 */
function fileAt(socketPath: string): string | undefined {
  const stat = lstatSync(socketPath, { bigint: true, throwIfNoEntry: false });
  return stat && `${String(stat.ino)} ${String(stat.mtimeNs)}`;
}

/**
 * Stops listening. The system then removes the address by name, even if a newer owner's socket is
 * there: that socket is restored at once. S2-46
 */
function closeOwn(ending: Server, socketPath: string, own: string | undefined): Promise<void> {
  const kept = `${socketPath}.${String(process.pid)}.kept`;
  let isKept = false;
  try {
    if (!isPipe(socketPath) && ![undefined, own].includes(fileAt(socketPath))) {
      linkSync(socketPath, kept);
      isKept = true;
    }
  } catch {
    // A second name is impossible here: the other server will be found again at its next start.
  }
  const closed = new Promise<void>((resolve) => ending.close(() => resolve()));
  if (isKept) renameSync(kept, socketPath);
  return closed;
}

export function createControlServer(deps: ControlServerDeps): ControlServer {
  const { tokenPath, log } = deps;
  const limits: ControlLimits = { ...CONTROL_LIMITS, ...deps.limits };
  const connections = new Set<Connection>();
  let server: Server | undefined;
  let place: SocketPlace = { socketPath: deps.socketPath, leave: () => undefined };
  let ownFile: string | undefined;
  let token = '';
  let tokenDigest = sha256(randomBytes(32).toString('hex'));

  const counts = new Map<string, number>();
  /** A client in a loop must not fill the log: logging at powers of two is enough. */
  const warn: Log['warn'] = (event, facts) => {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    if ((count & (count - 1)) === 0) log.warn(event, { ...facts, count });
  };

  const accept = (socket: Socket): void => {
    const connection = createConnection({
      socket,
      holdfast: deps.holdfast,
      log: { ...log, warn },
      version: deps.version,
      limits,
      prove: (nonce) => proofOf(token, nonce, place.socketPath),
      isToken: (candidate) => timingSafeEqual(sha256(candidate), tokenDigest),
      heldBytesOfAll: () => [...connections].reduce((sum, one) => sum + one.heldBytes(), 0),
      onClosed: () => connections.delete(connection),
    });
    connections.add(connection);
    if (connections.size > limits.maxClients) {
      warn('control.too_many_clients', { clients: connections.size });
      connection.refuse(
        'RATE_LIMITED',
        `${String(limits.maxClients)} clients are already connected; this one was rejected.`,
        'End one of them, for example a running holdfast logs -f.',
      );
    }
  };

  const createBounded = (): Server => {
    const made = createServer(accept);
    made.maxConnections = limits.maxClients + MAX_REFUSED;
    made.on('drop', () => {
      warn('control.too_many_clients', { clients: connections.size });
    });
    return made;
  };

  const bind = async (socketPath: string): Promise<Server> => {
    const next = createBounded();
    try {
      await listen(next, socketPath);
      return next;
    } catch (thrown) {
      const error = thrown as NodeJS.ErrnoException;
      if (error.code !== 'EADDRINUSE' || isPipe(socketPath) || !(await isAbandoned(socketPath))) {
        throw bindError(error, socketPath);
      }
    }
    rmSync(socketPath, { force: true }); // Left by a killed owner; we hold the instance lock.
    log.info('control.stale_socket_removed', {});
    const second = createBounded();
    await listen(second, socketPath).catch((error: unknown) => {
      throw bindError(error as NodeJS.ErrnoException, socketPath);
    });
    return second;
  };

  return {
    start: async () => {
      ensurePrivateDir(dirname(tokenPath));
      place = prepareSocketPlace(deps.socketPath, tokenPath);
      const { socketPath } = place;
      token = randomBytes(32).toString('hex');
      tokenDigest = sha256(token);
      // The socket first: a live process behind it must not lose its token to us.
      server = await bind(socketPath);
      if (!isPipe(socketPath)) ownFile = fileAt(socketPath);
      server.on('error', (error) => log.error('control.server_error', { message: error.message }));
      try {
        writeForThisRunSync(tokenPath, token);
      } catch (error) {
        throw asDiskRefusal(error);
      }
      log.info('control.listening', {});
      return { socketPath, tokenHash: tokenDigest.toString('hex') };
    },
    stop: async () => {
      const ending = server;
      if (!ending) return;
      server = undefined;
      removeOwnToken(tokenPath, token);
      const closed = closeOwn(ending, place.socketPath, ownFile);
      await Promise.all([...connections].map((one) => one.close(limits.stopGraceMs)));
      await closed;
      place.leave();
    },
    clientCount: () => connections.size,
  };
}

function bindError(error: NodeJS.ErrnoException, socketPath: string): HoldfastError {
  if (error.code === 'EADDRINUSE') {
    return new HoldfastError(
      'LOCK_HELD',
      'Another process is listening on the control socket of this data directory.',
      {
        hint: 'Nothing was changed. Find it with: holdfast status; end it with: holdfast stop',
        facts: { socketPath },
        cause: error,
      },
    );
  }
  return new HoldfastError(
    'DATA_DIR_UNUSABLE',
    `The control socket cannot be created: ${error.message}`,
    {
      hint: 'Check that the data directory is writable and on a local disk.',
      facts: { socketPath },
      cause: error,
    },
  );
}
