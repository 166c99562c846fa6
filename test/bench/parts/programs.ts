/** Starts the measured programs, plain, under strace with a slow disk, or to count syncs. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const loadProgram = fileURLToPath(new URL('./load.js', import.meta.url));
/** What an fsync costs on a laptop disk. */
const SLOW_SYNC_US = 2_000;

export type Disk = 'native' | 'slow';

export const hasStrace = (): boolean =>
  process.platform === 'linux' && spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;

const SYNCS = 'trace=fsync,fdatasync';
const slowly = [
  'strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', SYNCS,
  '-e', `inject=fsync,fdatasync:delay_enter=${String(SLOW_SYNC_US)}`,
]; // prettier-ignore

/** A folder for one program, removed when `use` is done. */
export async function inFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  try {
    return await use(dir);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function start(command: readonly string[]): ChildProcess {
  const [file = process.execPath, ...args] = command;
  return spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Runs a workload to its end and returns what it says. */
async function runLoad<T>(
  workload: string,
  options: Readonly<Record<string, unknown>>,
  prefix: readonly string[] = [],
): Promise<T> {
  const child = start([
    ...prefix,
    process.execPath,
    loadProgram,
    workload,
    JSON.stringify(options),
  ]);
  let output = '';
  child.stdout?.on('data', (data: Buffer) => (output += data.toString('utf8')));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const line = output.trim().split('\n').at(-1);
  if (code !== 0 || line === undefined || line === '')
    throw new Error(`The workload ${workload} ended with ${String(code)}.`);
  return JSON.parse(line) as T;
}

/** The same with every sync delayed, or as the disk is. */
export const runOn = <T>(
  disk: Disk,
  workload: string,
  options: Readonly<Record<string, unknown>>,
): Promise<T> => runLoad<T>(workload, options, disk === 'slow' ? slowly : []);

/** Runs a workload and counts its syncs. */
export async function countSyncs(
  workload: string,
  options: Readonly<Record<string, unknown>> & { readonly dir: string },
): Promise<number> {
  const report = path.join(options.dir, 'strace.txt');
  await runLoad(workload, options, [
    'strace',
    '-f',
    '--seccomp-bpf',
    '-c',
    '-o',
    report,
    '-e',
    SYNCS,
  ]);
  const rows = fs.readFileSync(report, 'utf8').split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => /^(?:fsync|fdatasync)$/.test(fields.at(-1) ?? ''))
    .reduce((sum, fields) => sum + Number(fields[3]), 0);
}

interface Watched {
  readonly child: ChildProcess;
  /** Milliseconds from the start of the process to the first line on its stdout. */
  readonly firstLineMs: number;
  /** Ends it with SIGKILL and resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves with its whole output when it has ended by itself. */
  ended(): Promise<string>;
}

/** Starts a program and waits for the first line that it says, or for `sign` where one is given. */
export async function startAndWait(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  sign?: Promise<unknown>,
): Promise<Watched> {
  const [file = process.execPath, ...args] = command;
  const startMs = performance.now();
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  let problem = '';
  child.stderr.on('data', (data: Buffer) => (problem += data.toString('utf8')));
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  const firstLineMs = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      reject(new Error(`${args.join(' ')} ended before it was ready. ${problem.slice(-500)}`));
    });
    sign?.then(() => {
      resolve(performance.now() - startMs);
    }, reject);
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString('utf8');
      if (sign === undefined && output.includes('\n')) resolve(performance.now() - startMs);
    });
  });
  return {
    child,
    firstLineMs,
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async ended() {
      await closed;
      return output;
    },
  };
}

/** The command line of a workload. */
export const loadCommand = (
  workload: string,
  options: Readonly<Record<string, unknown>>,
): readonly string[] => [process.execPath, loadProgram, workload, JSON.stringify(options)];

/** Resident memory in MB; Linux only, NaN elsewhere. */
export function residentMb(pid: number | undefined): number {
  return statusKb(`/proc/${String(pid)}/status`, /^VmRSS:\s+(\d+) kB/m) / 1024;
}

/** Proportional memory of one process in MB. */
export function proportionalMb(pid: number): number {
  return statusKb(`/proc/${String(pid)}/smaps_rollup`, /^Pss:\s+(\d+) kB/m) / 1024;
}

function statusKb(file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN; // not Linux, or the process has gone
  }
}
