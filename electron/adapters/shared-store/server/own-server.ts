/**
 * Our own PostgreSQL in the data directory: created, started and stopped here. It runs only after a
 * request.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import dns from 'node:dns/promises';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { writeDurablySync } from '../../../disk/durable-file';
import { makeFolderSync, moveAsideSync, syncFolderSync } from '../../../disk/durable-folder';
import type { CrashPoints } from '../../../engine/kernel/crash-points';
import { readIfThereSync } from '../../files/read-state';
import { plainEnvironment } from '../../../../shared/plain-environment';
import type { Clock } from '../../../ports/clock';
import type { Log } from '../../../ports/log';
import type { StoreServer } from '../../../ports/shared-store';
import { createSystemProcessTable } from '../../instance/process-table';
import { createCertificate } from './certificate';
import {
  fetchedPrograms,
  fetchPrograms,
  FETCHED_MAJOR,
  packageFor,
  type ProgramsPackage,
} from './fetch-programs';
import { installedPrograms, programIn, type PostgresPrograms } from './find-programs';
import {
  asRoot,
  FIRST_PORT,
  noPrograms,
  notHere,
  OLDEST_MAJOR,
  OWNER,
  ownerAddress,
  PORTS_TRIED,
  portTaken,
  readListen,
  serverAdmits,
  serverError,
  serverSettings,
  type ServerFile,
} from './server-plan';

const run = promisify(execFile);

export interface OwnServerDeps {
  readonly dataDir: string;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly crashPoints: CrashPoints;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The PostgreSQL that holds the shared store on this computer. */
export interface OwnServer extends Pick<StoreServer, 'make' | 'outlook'> {
  /** Its stored facts; undefined if this computer has no server. */
  file(): ServerFile | undefined;
  /** Resolves when it runs; a server that outlived its Holdfast is adopted. @throws SHARE_SERVER */
  ensure(): Promise<void>;
  /** Stops it gracefully; a slow shutdown continues in the background. */
  stop(waitMs: number): Promise<void>;
}

/**
 * Relative to the folder `share`, in which all programs are started, so their shells see no other
 * path.
 */
const CLUSTER = 'store/cluster';
const START_SECONDS = 60;
const LOG_BYTES = 1_000_000;

export function createOwnServer(deps: OwnServerDeps): OwnServer {
  /** On Windows there are no user IDs. */
  const isRoot = process.getuid?.() === 0;
  const fetchable = packageFor(process.platform, process.arch);
  const processes = createSystemProcessTable();
  const share = path.join(deps.dataDir, 'share');
  const store = path.join(share, 'store');
  const cluster = path.join(share, CLUSTER);
  const logFile = path.join(store, 'server.log');
  // No settings of another PostgreSQL, and a fixed language.
  const env = {
    ...plainEnvironment(deps.ownEnvironment, ['HOME', 'USERPROFILE', 'TZ']),
    LC_ALL: 'C',
  };
  let starting: Promise<void> | undefined;

  /** It gets its name only with complete content. @throws RESULT_UNREADABLE */
  const file = (): ServerFile | undefined => {
    const text = readIfThereSync(path.join(store, 'server.json'));
    return text === undefined ? undefined : (JSON.parse(text) as ServerFile);
  };

  const failed = (said: string, port: number, cause?: unknown) =>
    serverError({ said, port, folder: store }, cause);

  /** Every program runs in the folder `share`. @throws SHARE_SERVER */
  const program = async (
    { dir }: PostgresPrograms,
    name: 'initdb' | 'pg_ctl',
    args: readonly string[],
    port: number,
    logged: () => string = () => '',
  ): Promise<void> => {
    try {
      await run(programIn(dir, name), [...args], { cwd: share, env });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw failed(`${logged()}\n${stdout}\n${stderr}`, port, error);
    }
  };

  const fetchableFor = (major: number | undefined): ProgramsPackage | undefined =>
    major === undefined || major === FETCHED_MAJOR ? fetchable : undefined;

  /**
   * The newest programs; an existing store needs its own version. `toFetch`: called if a download
   * is allowed and needed.
   */
  const programs = async (major?: number, toFetch?: () => void): Promise<PostgresPrograms> => {
    if (isRoot) throw asRoot();
    const found = await installedPrograms(deps.ownEnvironment, fetchedPrograms(share));
    const [best] = found
      .filter((one) => (major === undefined ? one.major >= OLDEST_MAJOR : one.major === major))
      .toSorted((a, b) => b.major - a.major);
    if (best !== undefined) return best;
    const wanted = fetchableFor(major);
    if (wanted === undefined || toFetch === undefined)
      throw noPrograms(
        found.map((one) => one.major),
        major,
        wanted !== undefined,
      );
    toFetch();
    makeFolderSync(share, deps.dataDir);
    await fetchPrograms({ share, env: deps.ownEnvironment, wanted, crashPoints: deps.crashPoints });
    deps.log.info('share.server.fetched', { name: wanted.name });
    return programs(major);
  };
  const ownMajor = (): number =>
    Number(fs.readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim());
  const ownPrograms = (toFetch?: () => void): Promise<PostgresPrograms> =>
    programs(ownMajor(), toFetch);

  const initialize = async (made: ServerFile, chosen: PostgresPrograms): Promise<void> => {
    const fresh = path.join(share, 'store.new');
    fs.rmSync(fresh, { recursive: true, force: true }); // Left by a killed start.
    makeFolderSync(fresh, deps.dataDir);
    const secret = path.join(fresh, 'password');
    writeDurablySync(secret, `${made.password}\n`);
    await program(
      chosen,
      'initdb',
      [
        ...['-D', 'store.new/cluster', '-U', OWNER, '-E', 'UTF8', '--no-locale'],
        ...['-A', 'scram-sha-256', '--pwfile', 'store.new/password'],
      ],
      made.port,
    );
    fs.rmSync(secret);
    writeDurablySync(path.join(fresh, 'server.json'), JSON.stringify(made));
    deps.crashPoints.hit('share.server.made');
    moveAsideSync(fresh, store);
    syncFolderSync(share);
    deps.crashPoints.hit('share.server.named');
  };

  /** PostgreSQL's settings, generated from the one file. */
  const writeSettings = (known: ServerFile): void => {
    const write = (name: string, text: string): void => {
      writeDurablySync(path.join(cluster, name), text);
    };
    if (known.outside !== undefined) {
      write('server.key', known.outside.key);
      write('server.crt', known.outside.cert);
    }
    write('pg_hba.conf', serverAdmits(known));
    write('postgresql.auto.conf', serverSettings(known));
  };

  /** True if our postmaster is running. A process that has reused its PID does not count. */
  const isRunning = async (): Promise<boolean> => {
    const pidFile = path.join(cluster, 'postmaster.pid');
    const pid = fs.existsSync(pidFile) ? Number.parseInt(fs.readFileSync(pidFile, 'utf8'), 10) : 0;
    if (!(pid > 0)) return false;
    const facts = await processes.read(pid);
    if (facts.kind === 'dead' || facts.kind === 'zombie') return false;
    if (facts.kind === 'unavailable' || facts.commandLine === null) return true;
    if (facts.commandLine.includes('postgres') && facts.commandLine.includes(CLUSTER)) return true;
    deps.log.info('share.server.stale', { pid });
    fs.rmSync(pidFile); // PostgreSQL itself judges only by the PID, and would not start.
    return false;
  };

  const startNow = async (): Promise<void> => {
    if (isRoot) throw asRoot();
    const known = file();
    if (known === undefined || (await isRunning())) return;
    const chosen = await ownPrograms();
    if (!(await isFree('127.0.0.1', known.port))) throw portTaken(known.port);
    try {
      writeSettings(known);
      if (fs.existsSync(logFile) && fs.statSync(logFile).size > LOG_BYTES)
        moveAsideSync(logFile, `${logFile}.old`);
    } catch (error) {
      throw failed(String(error), known.port, error);
    }
    const from = fs.existsSync(logFile) ? fs.statSync(logFile).size : 0;
    const logged = (): string =>
      fs.existsSync(logFile) ? fs.readFileSync(logFile).subarray(from).toString('utf8') : '';
    await program(
      chosen,
      'pg_ctl',
      ['start', '-D', CLUSTER, '-w', '-t', String(START_SECONDS), '-l', 'store/server.log'],
      known.port,
      logged,
    );
    deps.log.info('share.server.started', { port: known.port, major: chosen.major });
  };

  const ensure = (): Promise<void> => {
    starting ??= startNow().finally(() => {
      starting = undefined;
    });
    return starting;
  };

  const stop = async (waitMs: number): Promise<void> => {
    await starting?.catch(() => undefined); // The caller that requested it gets the error.
    if (file() === undefined || !(await isRunning())) return;
    const seconds = String(Math.max(1, Math.floor(waitMs / 1_000)));
    const args = ['stop', '-D', CLUSTER, '-m', 'fast', '-w', '-t', seconds];
    try {
      await program(await ownPrograms(), 'pg_ctl', args, 0);
    } catch (error) {
      deps.log.warn('share.server.stop', { error });
    }
  };

  const planned = async (listen: string | undefined, before: ServerFile | undefined) => {
    const wanted = listen === undefined ? undefined : readListen(listen);
    if (wanted !== undefined) await assertOurs(wanted.host);
    const isSame = wanted?.host === before?.outside?.host;
    const outside =
      wanted === undefined
        ? undefined
        : isSame && before?.outside !== undefined
          ? before.outside // Existing invitations stay valid.
          : { host: wanted.host, ...createCertificate(wanted.host, deps.clock.nowMs()) };
    return {
      port: wanted?.port ?? before?.port ?? (await freePort()),
      password: before?.password ?? randomBytes(24).toString('base64url'),
      ...(outside === undefined ? {} : { outside }),
    };
  };

  return {
    file,
    async make(listen, mayFetch, tell) {
      const before = file();
      const toFetch = mayFetch ? () => tell('fetching') : undefined;
      const chosen =
        before === undefined ? await programs(undefined, toFetch) : await ownPrograms(toFetch);
      const made = await planned(listen, before);
      try {
        if (before === undefined) {
          tell('creating');
          await initialize(made, chosen);
        } else {
          await stop(START_SECONDS * 1_000);
          writeDurablySync(path.join(store, 'server.json'), JSON.stringify(made));
        }
      } catch (error) {
        fs.rmSync(path.join(share, 'store.new'), { recursive: true, force: true });
        throw (error as { code?: unknown }).code === 'SHARE_SERVER'
          ? error
          : failed(String(error), made.port, error);
      }
      tell('starting');
      await ensure();
      return ownerAddress(made);
    },
    async outlook() {
      const hasStore = file() !== undefined;
      const wanted = hasStore ? ownMajor() : undefined;
      try {
        return { hasStore, major: (await programs(wanted)).major };
      } catch (error) {
        const { message, hint = '' } = error as Error & { readonly hint?: string };
        const canFetch = !isRoot && fetchableFor(wanted) !== undefined;
        const refusal = { message: message.slice(0, 500), hint: hint.slice(0, 500) };
        return { hasStore, refusal, ...(canFetch ? { fetchable: FETCHED_MAJOR } : {}) };
      }
    },
    ensure,
    stop,
  };
}

/** Whether a server can listen there now. */
const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') reject(notHere(host));
      else resolve(false);
    });
    probe.listen({ host, port, exclusive: true }, () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });

/** @throws SHARE_SERVER if the name does not lead to this computer */
async function assertOurs(host: string): Promise<void> {
  const found = await dns.lookup(host).catch(() => undefined);
  if (found === undefined) throw notHere(host);
  await isFree(found.address, 0);
}

async function freePort(): Promise<number> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS_TRIED; port += 1)
    if (await isFree('127.0.0.1', port)) return port;
  throw portTaken(FIRST_PORT);
}
