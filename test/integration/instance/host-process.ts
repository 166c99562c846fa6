import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { HostConfig } from './lock-host';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../../..');

/** A bundled host; `file` is its path and the marker in its command line. */
export interface HostBundle {
  readonly file: string;
  remove(): void;
}

/** Bundles the host under node_modules, so that its import of better-sqlite3 resolves. */
export async function buildHost(): Promise<HostBundle> {
  const cache = path.join(root, 'node_modules', '.cache');
  fs.mkdirSync(cache, { recursive: true });
  const outDir = fs.mkdtempSync(path.join(cache, 'lock-host-'));
  fs.chmodSync(outDir, 0o755);
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      ssr: path.join(here, 'lock-host.ts'),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'lock-host.mjs' } },
    },
  });
  return {
    file: path.join(outDir, 'lock-host.mjs'),
    remove: () => {
      fs.rmSync(outDir, { recursive: true, force: true });
    },
  };
}

/** One line that a host said. */
interface HostEvent {
  readonly event: string;
  readonly pid: number;
  readonly atMs: number;
  readonly [fact: string]: unknown;
}

/** A running host process. */
interface Host {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly events: readonly HostEvent[];
  /** The first event with one of these names that was not waited for before. */
  next(names: readonly string[], timeoutMs?: number): Promise<HostEvent>;
  send(command: string): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly atMs: number;
  }>;
}

/** Starts hosts and ends every one of them that still runs, by its own pid. */
export function createHostYard(bundle: () => HostBundle) {
  const hosts: Host[] = [];
  const directories: string[] = [];

  const tempDir = (): string => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-lock-'));
    directories.push(directory);
    return path.join(directory, 'D');
  };

  const start = (config: HostConfig, identity: { uid?: number; gid?: number } = {}): Host => {
    const child = spawn(process.execPath, [bundle().file, JSON.stringify(config)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      ...identity,
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('the host did not start');
    const events: HostEvent[] = [];
    const taken = new Set<HostEvent>();
    const wakers = new Set<() => void>();
    readline
      .createInterface({ input: child.stdout as NodeJS.ReadableStream })
      .on('line', (line) => {
        events.push(JSON.parse(line) as HostEvent);
        for (const wake of wakers) wake();
      });
    const ended: Host['ended'] = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        resolve({ code, signal, atMs: Date.now() });
      });
    });
    const host: Host = {
      child,
      pid,
      events,
      ended,
      send: (command) => child.stdin?.write(`${command}\n`),
      next: (names, timeoutMs = 120_000) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = events.find((event) => names.includes(event.event) && !taken.has(event));
            if (found === undefined) return;
            taken.add(found);
            wakers.delete(look);
            clearTimeout(timer);
            resolve(found);
          };
          const timer = setTimeout(() => {
            wakers.delete(look);
            const said = events.map((event) => event.event).join(', ');
            reject(new Error(`host ${pid} never said ${names.join(' or ')}; it said: ${said}`));
          }, timeoutMs);
          wakers.add(look);
          look();
        }),
    };
    hosts.push(host);
    return host;
  };

  const close = async (): Promise<void> => {
    for (const { child } of hosts) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGCONT');
        child.kill('SIGKILL');
      }
    }
    await Promise.all(hosts.map((host) => host.ended));
    hosts.length = 0;
    for (const directory of directories) fs.rmSync(directory, { recursive: true, force: true });
    directories.length = 0;
  };

  return { start, tempDir, close };
}

/** `agent.lock` of a data directory as an object; null when there is none. */
export function readAgentLock(dataDir: string): Record<string, unknown> | null {
  try {
    const text = fs.readFileSync(path.join(dataDir, 'agent.lock'), 'utf8');
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
