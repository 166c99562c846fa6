/** The process of one life, and what every way to start one gives. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface LifeProcess {
  /** 0 until it is known. */
  pid(): number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What it has said of errors so far. */
  errors(): string;
  /** SIGKILL if no other is named. */
  kill(signal?: NodeJS.Signals): void;
  isKilled(): boolean;
  /** The exit when all output has been read: `SIGKILL`, or the code as text. */
  readonly ended: Promise<string>;
}

/** A program of its own, loaded from its files. */
export function spawnLife(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): LifeProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  return {
    pid: () => child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    errors: () => errors,
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    isKilled: () => child.killed,
    ended: endOf(child),
  };
}

/** `close` comes when all output has been read: no acknowledgement is missed. */
const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
