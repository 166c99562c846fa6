/**
 * Lives that begin in a fork of a process that has loaded a program (crash/hosts/forked-lives.ts): most of
 * the processor time of tests that start processes was for reading and compiling the same files a thousand
 * times. What is killed is a process as any other. Needs Linux and `cc`; elsewhere each life is a program of its
 * own, as with `HOLDFAST_CRASH_FRESH=1` and in `npm run test:kill`.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { PassThrough } from 'node:stream';
import type { LifeOrder } from '../crash/hosts/forked-lives';
import type { LifeProcess } from './life-process';

const SOURCE = path.resolve('test/crash/shim/fork-life.c');
/** A life that was killed before it connected says nothing more; others are heard within this time. */
const LAST_WORDS_MS = 2_000;
/** The longest name of a socket, with its end. */
const MAX_SOCKET_PATH = 107;

interface End {
  readonly code: number;
  readonly signal: number;
}

interface ReadyProcess {
  begin(options: string, env: Readonly<Record<string, string>>): LifeProcess;
}

/** `npm run test:kill` alone takes its time. */
const isFresh =
  process.env['HOLDFAST_CRASH_FRESH'] === '1' || process.env['npm_lifecycle_event'] === 'test:kill';

/**
 * A fork has one thread: V8 may ask none of the others for anything. The marking of the whole heap asks
 * one even so, and the signal to it never returns; a life has no need of it with this much room. Nor is it
 * long enough that code optimized in it pays.
 */
const ALONE = [
  '--single-threaded',
  '--no-memory-reducer',
  '--initial-old-space-size=2048',
  '--no-opt',
];

/** Undefined where it cannot be made, or is not wanted. */
function forkAddon(): string | undefined {
  if (process.platform !== 'linux' || isFresh) return undefined;
  const target = path.resolve('dist/test-hosts/fork-life.node');
  const madeMs = fs.statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (madeMs > fs.statSync(SOURCE).mtimeMs) return target;
  const made = `${target}.${String(process.pid)}`;
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', made, SOURCE, '-lpthread'], {
      stdio: 'ignore',
    });
  } catch {
    return undefined; // No compiler.
  }
  fs.renameSync(made, target);
  return target;
}

/** Loads a program in a process of its own; undefined where no life can be forked from it. */
async function loadProgram(
  host: string,
  args: readonly string[],
): Promise<ReadyProcess | undefined> {
  const addon = forkAddon();
  if (addon === undefined) return undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-ready-'));
  const home = path.join(folder, 'home');
  fs.mkdirSync(home, { mode: 0o700 });
  const child = spawn(process.execPath, [...ALONE, host, addon, home, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TMPDIR: folder,
      HOLDFAST_NO_RELAUNCH: '1',
      NO_COLOR: '1',
    },
  });
  process.on('exit', () => {
    child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const pids = new Map<number, (pid: number) => void>();
  const ends = createEnds();
  const isLoaded = await new Promise<boolean>((resolve) => {
    for (const event of ['exit', 'error'])
      child.on(event, () => {
        resolve(false);
      });
    readline.createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Partial<End> & { id?: number; pid?: number };
      if ('isLoaded' in line) resolve(true);
      if (line.pid === undefined) return;
      if (line.id !== undefined) pids.get(line.id)?.(line.pid);
      else ends.told(line.pid, { code: line.code ?? 0, signal: line.signal ?? 0 });
    });
  });
  if (!isLoaded || path.join(folder, '99999').length >= MAX_SOCKET_PATH) {
    child.kill('SIGKILL');
    return undefined;
  }
  letGo(child);
  let nextId = 1;
  return {
    begin(options, env) {
      const id = nextId++;
      const socketPath = path.join(folder, String(id));
      const errorsPath = path.join(folder, `${String(id)}.err`);
      const order: LifeOrder = { id, socketPath, errorsPath, options, env };
      const known = new Promise<number>((resolve) => pids.set(id, resolve));
      const ended = known.then(ends.of);
      return forkedLife(order, { known, ended, send: (line) => void child.stdin.write(line) });
    },
  };
}

/** The end of a process can be told before its number is. */
function createEnds(): { of(pid: number): Promise<End>; told(pid: number, end: End): void } {
  const early = new Map<number, End>();
  const waiting = new Map<number, (end: End) => void>();
  return {
    of(pid) {
      const end = early.get(pid);
      early.delete(pid);
      if (end !== undefined) return Promise.resolve(end);
      return new Promise((resolve) => waiting.set(pid, resolve));
    },
    told(pid, end) {
      const tell = waiting.get(pid);
      waiting.delete(pid);
      if (tell === undefined) early.set(pid, end);
      else tell(end);
    },
  };
}

/** It may not keep its parent: it ends when the parent does. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as net.Socket).unref();
}

interface Forked {
  readonly known: Promise<number>;
  readonly ended: Promise<End>;
  send(line: string): void;
}

function forkedLife(order: LifeOrder, { known, ended, send }: Forked): LifeProcess {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let pid = 0;
  let isKilled = false;
  let hasEnded = false;
  const early: NodeJS.Signals[] = [];
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): void => {
    isKilled = true;
    if (hasEnded) return;
    if (pid === 0) {
      early.push(signal);
      return;
    }
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, and this is still to be told.
    }
  };
  void known.then((it) => {
    pid = it;
    early.forEach(kill);
  });
  let connected = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined); // killed while a command was on its way
    // The first byte says which of the two it is.
    socket.once('readable', () => {
      const name = String(socket.read(1) as Buffer | null);
      if (name === 'i') stdin.pipe(socket);
      else {
        // A reader that goes away is seen by who writes.
        stdout.once('close', () => socket.destroy());
        socket.pipe(stdout);
      }
    });
    connected += 1;
    if (connected === 2) server.close();
  });
  server.listen(order.socketPath, () => {
    send(`${JSON.stringify(order)}\n`);
  });
  const isRead = new Promise((resolve) => stdout.once('close', resolve));
  const end = async (): Promise<string> => {
    const { code, signal } = await ended;
    hasEnded = true;
    const late = setTimeout(() => {
      server.close();
      if (connected < 2) stdout.end();
    }, LAST_WORDS_MS);
    await isRead;
    clearTimeout(late);
    if (signal === 0) return String(code);
    const named = Object.entries(os.constants.signals).find(([, number]) => number === signal);
    return named?.[0] ?? String(signal);
  };
  return {
    pid: () => pid,
    stdin,
    stdout,
    errors: () =>
      fs.existsSync(order.errorsPath) ? fs.readFileSync(order.errorsPath, 'utf8') : '',
    kill,
    isKilled: () => isKilled,
    ended: end(),
  };
}

/** By the host and its arguments. */
const loading = new Map<string, Promise<ReadyProcess | undefined>>();

/**
 * A life forked from the loaded program of this worker, which all of its files share.
 *
 * @param host the built program that becomes the lives, and what it needs to know
 * @param otherwise starts the life as a program of its own
 */
export function readyLife(
  [host, ...args]: readonly [string, ...string[]],
  options: string,
  env: Readonly<Record<string, string>>,
  otherwise: () => LifeProcess,
): LifeProcess {
  const key = [host, ...args].join(' ');
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let life: LifeProcess | undefined;
  const early: (NodeJS.Signals | undefined)[] = [];
  const isRead = new Promise((resolve) => stdout.once('close', resolve));
  const begin = async (): Promise<string> => {
    const ready = loading.get(key) ?? loadProgram(host, args);
    loading.set(key, ready);
    life = (await ready)?.begin(options, env) ?? otherwise();
    for (const signal of early) life.kill(signal);
    life.stdin.on('error', () => undefined); // killed while a command was on its way
    stdin.pipe(life.stdin);
    const from = life.stdout;
    stdout.once('close', () => from.destroy());
    from.pipe(stdout);
    const end = await life.ended;
    await isRead;
    return end;
  };
  return {
    pid: () => life?.pid() ?? 0,
    stdin,
    stdout,
    errors: () => life?.errors() ?? '',
    kill(signal) {
      if (life === undefined) early.push(signal);
      else life.kill(signal);
    },
    isKilled: () => life?.isKilled() ?? early.length > 0,
    ended: begin(),
  };
}
