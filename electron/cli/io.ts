/** Everything external that a command uses, so that tests can replace it. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { homeFolder } from '../data-dir';
import type { ComposeOptions, Composition } from '../compose/options';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { Holdfast } from '../engine/api/facade';
import type { HolderRecord } from './holder';

/** A facade over the data directory of an instance that does not run. */
export interface OpenedData {
  readonly holdfast: Holdfast;
  close(): void | Promise<void>;
}

/** The environment of a program that a command starts, without secrets. */
export type ProgramEnvironment = Readonly<Record<string, string>>;

/** The composition root; loaded only if an engine is started. */
export interface Composer {
  compose(options: ComposeOptions): Composition | Promise<Composition>;
}

/** What commands do without a running engine. */
export interface Offline {
  /** `silent`: the holder of the data that does not respond, if there is one. */
  openReadOnly(dataDir: string, silent?: Partial<HolderRecord>): Promise<OpenedData>;
  openForDecision(dataDir: string): Promise<OpenedData>;
  trySchedule(
    input: VerbInput<'schedule.parse'>,
    nowMs: number,
  ): Promise<VerbOutput<'schedule.parse'>>;
  tryGuard(
    command: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<VerbOutput<'guard.check'>>;
  /** Deletes the work in progress after a backup; audit and settings stay. S4-30. */
  resetData(dataDir: string): Promise<ResetReport>;
  /** Deletes the data directory; false if there is none. `onWait`: another command holds it. */
  removeData(dataDir: string, onWait: () => void): Promise<boolean>;
  /** Packs the data directory of a stopped Holdfast into a file. */
  exportData(dataDir: string, file: string, withKeys: boolean): Promise<void>;
  /** Unpacks such a file if there is no data yet. */
  importData(dataDir: string, file: string): Promise<void>;
  /** The environment of a program that a command starts, without what the settings call secret. */
  programEnvironment(dataDir: string, own: CliIo['env']): Promise<ProgramEnvironment>;
  /** Runs the helper of an update to its end. */
  applyUpdate(options: {
    readonly dataDir: string;
    readonly env: CliIo['env'];
  }): Promise<'installed' | 'rolled_back' | 'nothing'>;
}

/** The result of a reset. */
interface ResetReport {
  /** The backup's path; absent if there was nothing to back up. */
  readonly backupPath?: string | undefined;
}

/** An output stream for text. */
interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Characters per line; 0 if unknown. */
  readonly columns: number;
}

export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Readable & {
    readonly isTTY?: boolean;
    setRawMode?: (on: boolean) => unknown;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly version: string;
  readonly nowMs: () => number;
  readonly composer: () => Promise<Composer>;
  readonly offline: Offline;
  /** How to start this program again: command and leading arguments. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  /** Calls the listener with each signal that asks the process to end, including later ones. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** 32 random bytes in hex, for a key that is created here and shown once. */
  readonly newToken: () => string;
  /** Ends the process at once: the answer to a second signal. */
  readonly exitNow: (code: number) => void;
}

/** Why output is lost although its reader still reads, such as a full disk. */
let lostOutput: NodeJS.ErrnoException | undefined;

function output(stream: NodeJS.WriteStream): Output {
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY,
    columns: stream.columns ?? 0,
  };
}

/** The real process. */
export function processIo(options: {
  readonly version: string;
  readonly composer: () => Promise<Composer>;
  readonly offline: Offline;
  /** The program's file, if it differs from the running executable. */
  readonly program?: string;
  readonly selfArgs: readonly string[];
}): CliIo {
  /** Listeners for the end of the process. */
  const asked = new Set<(signal: NodeJS.Signals) => void>();
  let isReaderGone = false;
  // A reader that closes early (`| head`) wants no more output; the command still runs to its end
  // and its exit code. A command without an end stops cleanly, as if its terminal had closed.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') lostOutput ??= error;
      else if (!isReaderGone) {
        isReaderGone = true;
        for (const tell of asked) tell('SIGPIPE');
      }
    });
  }
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    // Created on first use, because most commands and every start do not read it.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    home: homeFolder(),
    version: options.version,
    nowMs: () => Date.now(),
    composer: options.composer,
    offline: options.offline,
    self: { command: options.program ?? process.execPath, args: options.selfArgs },
    onSignal: (listener) => {
      const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
      for (const signal of signals) process.on(signal, listener);
      asked.add(listener);
      return () => {
        asked.delete(listener);
        for (const signal of signals) process.removeListener(signal, listener);
      };
    },
    newToken: () => randomBytes(32).toString('hex'),
    exitNow: (code) => process.exit(code),
  };
}

const flushed = async (): Promise<void> => {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
    ),
  );
};

/**
 * Waits until the output has left the process. Returns the exit code: a command that succeeded but
 * whose output was lost has failed.
 */
export async function flushOutput(exitCode: number): Promise<number> {
  await flushed();
  if (lostOutput === undefined) return exitCode;
  process.stderr.write(
    `The output could not be written: ${lostOutput.message}\nThe command itself was carried out: if it changes something, do not repeat it. Make room or write somewhere else, and look at the result with a command that only shows it, such as: holdfast turns list\n`,
  );
  await flushed();
  return exitCode === 0 ? 1 : exitCode;
}
