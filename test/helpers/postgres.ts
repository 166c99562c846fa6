import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createStoreOwner } from '../../electron/adapters/shared-store/owner';
import type { StoreAddress } from '../../electron/adapters/shared-store/postgres-store';
import { freePort } from './nats-server';

/** Where Debian and others put the programs of the newest version that is installed. */
function programs(): string | undefined {
  const found = ['/usr/lib/postgresql', '/usr/local/pgsql']
    .flatMap((root) =>
      fs.existsSync(root)
        ? [
            path.join(root, 'bin'),
            ...fs.readdirSync(root).map((name) => path.join(root, name, 'bin')),
          ]
        : [],
    )
    .filter(
      (dir) => fs.existsSync(path.join(dir, 'postgres')) && fs.existsSync(path.join(dir, 'initdb')),
    );
  return found.toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true })).at(-1);
}

/** PostgreSQL refuses root: the account of the package, where that is who runs the tests. */
function account(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:') || one.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

const BIN = programs();

/** One of its programs, such as `pg_dump`. */
export const postgresProgram = (name: string): string => path.join(BIN ?? '', name);

/** Why tests with a real PostgreSQL are left out, where they are. */
export const NO_POSTGRES = BIN === undefined ? 'PostgreSQL is not installed' : undefined;

const running = new Set<ChildProcess>();

/** Ends what a failed test has left. */
export function endPostgres(): void {
  for (const child of running) child.kill('SIGQUIT');
  running.clear();
}

/** A real PostgreSQL on one port with one folder, over as many lives as a test wants. */
export interface Postgres {
  readonly port: number;
  readonly dir: string;
  /** As the owner of everything. */
  readonly owner: pg.ClientConfig;
  start(): Promise<void>;
  /** SIGKILL to all of its processes; resolves when it is gone. */
  kill(): Promise<void>;
  /** As its owner, for what no machine may do. */
  sql<T extends pg.QueryResultRow>(text: string, args?: readonly unknown[]): Promise<T[]>;
  /** A computer that was invited; it has to say hello, and to be admitted. */
  invite(name: string): Promise<StoreAddress>;
  remove(): Promise<void>;
}

/** A key and its certificate, signed by itself, for one address. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

function speakTls(
  data: string,
  { key, cert }: Certificate,
  who: ReturnType<typeof account>,
): readonly string[] {
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', cert],
  ] as const) {
    const file = path.join(data, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    if (who !== undefined) fs.chownSync(file, who.uid, who.gid);
  }
  return ['-c', 'ssl=on'];
}

/** With a certificate it speaks TLS, and listens on 127.0.0.2 too, which is no loopback for Holdfast. */
export async function createPostgres({
  certificate,
  isDurable = false,
}: {
  readonly certificate?: Certificate | undefined;
  /** Syncs and counts, for measurements: what the tests kill are processes, and the system keeps what they wrote. */
  readonly isDurable?: boolean;
} = {}): Promise<Postgres> {
  const bin = BIN ?? '';
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-pg-'));
  const who = account();
  if (who !== undefined) fs.chownSync(dir, who.uid, who.gid);
  const data = path.join(dir, 'data');
  const made = spawnSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'owner', '--auth=trust', '--no-sync', '-E', 'UTF8', '--no-locale'],
    { cwd: dir, ...who, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  fs.appendFileSync(path.join(data, 'pg_hba.conf'), 'host all all 127.0.0.0/8 trust\n');
  const tls = certificate === undefined ? [] : speakTls(data, certificate, who);
  let child: ChildProcess | undefined;
  const owner = { host: '127.0.0.1', port, database: 'postgres', user: 'owner' };
  const startOnce = async (): Promise<void> => {
    const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1,127.0.0.2', '-k', dir, ...tls];
    args.push(...(isDurable ? ['-c', 'track_functions=pl'] : ['-F']));
    const own = spawn(path.join(bin, 'postgres'), args, {
      cwd: dir,
      ...who,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = own;
    running.add(own);
    own.once('exit', () => running.delete(own));
    await new Promise<void>((resolve, reject) => {
      let said = '';
      own.stderr.on('data', (text: Buffer) => {
        said += text.toString();
        if (said.includes('ready to accept connections')) resolve();
      });
      own.once('exit', (code) => {
        reject(new Error(`postgres ended with ${String(code)}: ${said.slice(-2000)}`));
      });
    });
  };
  const postgres: Postgres = {
    port,
    dir,
    owner,
    async start() {
      // What a killed postmaster has left takes a moment to notice.
      for (let tries = 0; ; tries += 1) {
        try {
          await startOnce();
          return;
        } catch (error) {
          if (tries === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
    },
    async kill() {
      const own = child;
      if (own === undefined || own.exitCode !== null) return;
      child = undefined;
      const gone = new Promise((resolve) => own.once('exit', resolve));
      // One that outlives it for a moment would still answer.
      const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(own.pid)], {
        encoding: 'utf8',
      });
      own.kill('SIGKILL');
      for (const pid of stdout
        .split('\n')
        .map(Number)
        .filter((one) => one > 0)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // it was faster
        }
      }
      await gone;
    },
    async sql<T extends pg.QueryResultRow>(text: string, args: readonly unknown[] = []) {
      const client = new pg.Client(owner);
      await client.connect();
      try {
        return (await client.query<T>(text, [...args])).rows;
      } finally {
        await client.end();
      }
    },
    async invite(name) {
      const role = await createStoreOwner(owner).invite(name, 60_000);
      return { host: '127.0.0.1', port, database: 'postgres', isLoopback: true, ...role };
    },
    async remove() {
      const own = child;
      if (own !== undefined && own.exitCode === null) {
        const gone = new Promise((resolve) => own.once('exit', resolve));
        own.kill('SIGQUIT');
        await gone;
      }
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
  await postgres.start();
  await createStoreOwner(owner).open();
  return postgres;
}
