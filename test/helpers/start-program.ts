/** Runs of the built command line, each a process: forked from one that has loaded it, where that can be. */
import { EventEmitter } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { builtProgram } from './built-program';
import { spawnLife, type LifeProcess } from './life-process';
import { readyLife } from './ready-process';

/** What the tests use of a `ChildProcess`. */
export interface ProgramProcess {
  /** 0 until it is known, which is before it has said anything. */
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  kill(signal?: NodeJS.Signals): void;
  /** `close`: it has ended, and all it said has been read. */
  once(event: 'exit' | 'close', listener: (code: number | null) => void): void;
  /** What it has said of errors so far. */
  errors(): string;
}

const HOST = path.resolve('dist/test-hosts/program-ready.cjs');

/** Starts `holdfast` with these arguments and nothing else in its environment than `env`. */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ProgramProcess {
  const entry = builtProgram();
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const ownProgram = (): LifeProcess => spawnLife(process.execPath, [entry, ...args], given);
  // What Node reads at its start has to be there at its start.
  const life =
    given['NODE_OPTIONS'] === undefined
      ? readyLife([HOST, entry], JSON.stringify(args), given, ownProgram)
      : ownProgram();
  const events = new EventEmitter();
  let end: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  void life.ended.then((said) => {
    end = said.startsWith('SIG')
      ? { code: null, signal: said as NodeJS.Signals }
      : { code: Number(said), signal: null };
    events.emit('exit', end.code);
    events.emit('close', end.code);
  });
  return {
    get pid() {
      return life.pid();
    },
    get exitCode() {
      return end?.code ?? null;
    },
    get signalCode() {
      return end?.signal ?? null;
    },
    stdin: life.stdin,
    stdout: life.stdout,
    kill(signal = 'SIGTERM') {
      life.kill(signal);
    },
    once: (event, listener) => void events.once(event, listener),
    errors: life.errors,
  };
}
