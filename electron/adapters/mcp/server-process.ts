import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { hasEnded, hasMembers, signalGroup, signalLeader } from '../shell/process-group';
import { isTrueWithin } from '../shell/true-within';

/** A running server program with everything that it has started. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Descriptors 3 and up, as many as requested. */
  readonly extra: readonly Duplex[];
  /** Resolves with how the program ended, one sentence. */
  readonly ended: Promise<string>;
  /** The last part of its standard error; untrusted, may be empty. */
  lastWords(): string;
  /**
   * Closes its input, waits, SIGTERM, SIGKILL; resolves when its group is empty. `graceMs` is the
   * time for the program to exit on its own.
   */
  end(graceMs: number): Promise<void>;
  /** SIGKILL to the whole group, at once. */
  kill(): void;
}

interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Additional pipes beyond the standard three; default: none. */
  readonly extraPipes?: number;
  /** One line of standard error; limited in length and number. */
  readonly onErrorLine: (line: string) => void;
}

const TERM_GRACE_MS = 1_000;
const TAIL_CHARS = 2_000;
const LINE_CHARS = 500;
const LINES_PER_WINDOW = 100;
const LINE_WINDOW_MS = 60_000;

/** Groups that may still have members. Ended when this process exits, however quickly it does. */
const groups = new Set<number>();
let isGuarded = false;

function guardExit(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL');
  });
}

/**
 * Starts a server in its own session and process group: a Ctrl+C in our terminal does not reach it,
 * and everything it starts is ended with it. Its standard error is never ours. @throws if the
 * program cannot be started.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  guardExit();
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd,
    env: options.env,
    shell: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...Array<'pipe'>(options.extraPipes ?? 0).fill('pipe')],
    windowsHide: true,
  });
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  // Before using its pipes, which may not exist; it cannot end earlier.
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const extra = child.stdio.slice(3) as unknown as Duplex[];
  const ended = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => {
      resolve(
        signal === null ? `It ended with exit code ${String(code)}.` : `It was ended by ${signal}.`,
      );
    });
  });
  let groupGone: Promise<void> | undefined;
  child.on('exit', () => {
    // The program's child processes must not outlive it; its group ID stays taken while any of them
    // lives.
    if (pid !== undefined) groupGone = sweep(pid, groupGone);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr, ...extra]) {
    stream.on('error', () => undefined); // The program's end reports it.
  }
  const tail = readErrors(child, options.onErrorLine);
  if (pid === undefined) throw new Error('it has no process ID');

  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    extra,
    ended,
    lastWords: () => tail(),
    async end(graceMs) {
      child.stdin.end();
      if (!(await isTrueWithin(graceMs, () => hasEnded(child)))) signalLeader(child, 'SIGTERM');
      if (!(await isTrueWithin(TERM_GRACE_MS, () => hasEnded(child))))
        signalLeader(child, 'SIGKILL');
      await ended;
      await groupGone;
    },
    kill() {
      signalLeader(child, 'SIGKILL');
    },
  };
}

/** Ends the rest of a group whose leader has ended. Never signaled again once seen empty. */
async function sweep(group: number, before: Promise<void> | undefined): Promise<void> {
  await before;
  if (hasMembers(group) && signalGroup(group, 'SIGTERM')) {
    const isGone = (): boolean => !hasMembers(group);
    if (!(await isTrueWithin(TERM_GRACE_MS, isGone))) {
      signalGroup(group, 'SIGKILL');
      await isTrueWithin(TERM_GRACE_MS, isGone);
    }
  }
  groups.delete(group);
}

/**
 * Reads standard error until the end, because a full pipe would stop the server. Returns its last
 * part.
 */
function readErrors(child: ChildProcess, onLine: (line: string) => void): () => string {
  let tail = '';
  let open = '';
  let windowFromMs = Number.NEGATIVE_INFINITY;
  let lines = 0;
  const say = (line: string): void => {
    const nowMs = performance.now();
    if (nowMs - windowFromMs >= LINE_WINDOW_MS) {
      windowFromMs = nowMs;
      lines = 0;
    }
    lines += 1;
    if (lines <= LINES_PER_WINDOW) onLine(line.slice(0, LINE_CHARS));
    else if (lines === LINES_PER_WINDOW + 1) onLine('(more lines than are stored)');
  };
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-TAIL_CHARS);
    const parts = (open + chunk).split('\n');
    open = (parts.pop() ?? '').slice(-TAIL_CHARS);
    for (const line of parts) if (line.trim() !== '') say(line.trimEnd());
  });
  return () => tail.trim();
}
