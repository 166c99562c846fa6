/**
 * What a process needs that has loaded a program and is then the start of others: each is a process of
 * its own, forked from it, that begins where the program would begin. What a short life costs most is to
 * read and to compile what it runs. The process reads one order per line and writes one line per life.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { scriptOf } from '../../../electron/compiled-code';

interface Forker {
  fork(socketPath: string, errorsPath: string): number;
  exit(code: number): never;
}

/** One life to begin. */
export interface LifeOrder {
  readonly id: number;
  readonly socketPath: string;
  readonly errorsPath: string;
  /** What the host of the lives makes of it is its own affair. */
  readonly options: string;
  readonly env: Readonly<Record<string, string>>;
}

type ModuleFunction = (...args: unknown[]) => void;

/**
 * Runs the built program `entry`, as the product loads its files (electron/compiled-code.ts), but as often
 * as it is called: what the entry requires is loaded once.
 */
export function createRunner(entry: string): () => void {
  const modules = new Map<string, { exports: unknown }>();
  const fromNode = createRequire(entry);
  const load = (file: string): unknown => {
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
  };
  return () => {
    modules.delete(entry);
    load(entry);
  };
}

/** Gives back the standard streams as Node makes them, and takes away what was left on the process. */
export function keepProcess(): () => void {
  const streams = (['stdin', 'stdout', 'stderr'] as const).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  const before = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    for (const [name, descriptor] of streams)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (before.get(name)?.includes(listener) !== true)
          process.removeListener(name, listener as () => void);
  };
}

/** Each process makes identities of its own: what Node holds in advance of them is used up. */
function forgetRandomness(): void {
  for (let count = 0; count < 128; count += 1) randomUUID();
}

/** Lines of standard input, without an event loop that a fork would share. */
function* orders(exit: Forker['exit']): Generator<LifeOrder> {
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
function becomeProcess(exit: Forker['exit']): void {
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

/** From here on this process is only the start of others; `begin` is called in each of them. */
export function becomeLives(addon: string, begin: (options: string) => void): void {
  const native: { exports: unknown } = { exports: {} };
  process.dlopen(native, addon);
  const { fork, exit } = native.exports as Forker;
  fs.writeSync(1, `${JSON.stringify({ isLoaded: true })}\n`);
  for (const order of orders(exit)) {
    const pid = fork(order.socketPath, order.errorsPath);
    if (pid !== 0) {
      fs.writeSync(1, `${JSON.stringify({ id: order.id, pid })}\n`);
      continue;
    }
    becomeProcess(exit);
    for (const name of Object.keys(process.env)) if (!(name in order.env)) delete process.env[name];
    Object.assign(process.env, order.env);
    forgetRandomness();
    begin(order.options);
    return;
  }
}
