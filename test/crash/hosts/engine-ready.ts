/**
 * A process that has loaded the engine and lived through one life, and is then the start of others: each
 * is a process of its own, forked from it, that begins with new data where the engine would begin it.
 * What a life costs most is to read and to compile what it runs. Reads one order per line.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { scriptOf } from '../../../electron/compiled-code';
import { warmUp } from './warm-up';

interface Forker {
  fork(socketPath: string, errorsPath: string): number;
  exit(code: number): never;
}

/** One life to begin. */
export interface LifeOrder {
  readonly id: number;
  readonly socketPath: string;
  readonly errorsPath: string;
  readonly options: string;
  readonly env: Readonly<Record<string, string>>;
}

const LIFE = path.join(import.meta.dirname, 'engine-life.cjs');
const [addon = '', home = ''] = process.argv.slice(2);
const native: { exports: unknown } = { exports: {} };
process.dlopen(native, addon);
const { fork, exit } = native.exports as Forker;

type ModuleFunction = (...args: unknown[]) => void;
const modules = new Map<string, { exports: unknown }>();
const fromNode = createRequire(LIFE);

/** As the product loads its files (electron/compiled-code.ts), but what is loaded can be forgotten. */
function load(file: string): unknown {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} as unknown };
  modules.set(file, module);
  const dirname = path.dirname(file);
  (scriptOf(file).runInThisContext() as ModuleFunction)(
    module.exports,
    (id: string) => (id.startsWith('.') ? load(path.join(dirname, id)) : fromNode(id)),
    module,
    file,
    dirname,
  );
  return module.exports;
}

function beginLife(options: string): void {
  modules.delete(LIFE);
  process.argv = [process.execPath, LIFE, options];
  load(LIFE);
}

/** Each process makes identities of its own: what Node holds in advance of them is used up. */
function forgetRandomness(): void {
  for (let count = 0; count < 128; count += 1) randomUUID();
}

/** Lines of standard input, without an event loop that a fork would share. */
function* orders(): Generator<LifeOrder> {
  const buffer = Buffer.alloc(65_536);
  let rest = '';
  for (;;) {
    const read = fs.readSync(0, buffer);
    if (read === 0) exit(0);
    const lines = (rest + buffer.toString('utf8', 0, read)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as LifeOrder;
  }
}

/** What Node knows of the process since its start, and an end that waits for no thread. */
function becomeProcess(): void {
  Object.defineProperty(process, 'pid', { value: Number(fs.readlinkSync('/proc/self')) });
  const emit = process.emit.bind(process) as (name: string, ...args: unknown[]) => boolean;
  Object.assign(process, {
    reallyExit: exit,
    emit: (name: string, ...args: unknown[]): boolean => {
      const isHeard = emit(name, ...args);
      if (name === 'exit') exit(Number(process.exitCode ?? args[0] ?? 0));
      return isHeard;
    },
  });
}

function becomeLives(): void {
  fs.writeSync(1, `${JSON.stringify({ isLoaded: true })}\n`);
  for (const order of orders()) {
    const pid = fork(order.socketPath, order.errorsPath);
    if (pid !== 0) {
      fs.writeSync(1, `${JSON.stringify({ id: order.id, pid })}\n`);
      continue;
    }
    becomeProcess();
    for (const name of Object.keys(process.env)) if (!(name in order.env)) delete process.env[name];
    Object.assign(process.env, order.env);
    forgetRandomness();
    beginLife(order.options);
    return;
  }
}

/** Takes away what the life that has ended has left on this process. */
function keepListeners(): () => void {
  const before = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (before.get(name)?.includes(listener) !== true)
          process.removeListener(name, listener as () => void);
  };
}

const stdin = Object.getOwnPropertyDescriptor(process, 'stdin');
const commands = new PassThrough();
Object.defineProperty(process, 'stdin', { value: commands, configurable: true });
const writeSync = fs.writeSync;
const restoreListeners = keepListeners();
warmUp(
  home,
  beginLife,
  (line) => commands.write(`${JSON.stringify(line)}\n`),
  () => {
    fs.writeSync = writeSync;
    if (stdin !== undefined) Object.defineProperty(process, 'stdin', stdin);
    restoreListeners();
    // What the life does behind its end is over by then: a fork would do it, too.
    setTimeout(becomeLives, 100);
  },
);
