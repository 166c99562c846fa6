import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { timerMs } from '../../../shared/durations';
import { readInSlices } from '../../read-in-slices';
import type { Environment } from './child-environment';
import { decideEnd, isSuspect, type CommandEnd } from './command-end';
import { createOutputBuffer } from './output-buffer';
import { endGroup, hasEnded } from './process-group';

interface CommandOptions {
  /** Program and arguments; never a shell string. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly capBytes: number;
  readonly signal: AbortSignal;
  /** Aborted when this process is asked to stop. */
  readonly stopping?: AbortSignal | undefined;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Written to standard input, which is then closed; absent: no input. */
  readonly input?: string;
  /**
   * Called with every chunk of output as it arrives. Long work yields after each part of it: the
   * program waits if it writes faster than its output is read.
   */
  readonly onChunk?: (from: 'stdout' | 'stderr', chunk: Buffer) => Iterable<void>;
  /** `onChunk` has thrown, so the program is ended. */
  readonly onBroken?: (error: unknown) => void;
}

const GRACE_MS = 2_000;
/** Whatever ends a service or a container ends its processes within this time, one by one. */
const SUSPECT_MS = 1_000;
/** Wait for output that is still in the pipes when the program has ended. */
const DRAIN_MS = 250;

/**
 * Runs a program in its own process group and session. Timeout and abort end that group only:
 * SIGTERM, then SIGKILL. Never throws. Security T3.
 */
export function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const [program, ...args] = options.argv;
  const output = createOutputBuffer(options.capBytes);

  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: options.cwd,
        env: options.env,
        shell: false,
        detached: true,
        stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        windowsHide: true,
      });
    } catch (thrown) {
      // A NUL in an argument, or more arguments than the system accepts.
      resolve({
        kind: 'not_started',
        reason: thrown instanceof Error ? thrown.message : String(thrown),
      });
      return;
    }
    let endedBy: 'timeout' | 'abort' | undefined;
    let groupGone: Promise<void> | undefined;
    let isSettled = false;
    const endNow = (by: 'timeout' | 'abort'): void => {
      if (endedBy !== undefined || child.pid === undefined || hasEnded(child)) return;
      endedBy = by;
      groupGone = endGroup(child, options.graceMs ?? GRACE_MS);
    };
    const timer = setTimeout(() => endNow('timeout'), timerMs(options.timeoutMs));
    const onAbort = (): void => endNow('abort');
    options.signal.addEventListener('abort', onAbort, { once: true });
    const settle = (result: CommandEnd): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      resolve(result);
    };

    // A program that ends without reading its input is not an error of the writer.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input);
    const read = (['stdout', 'stderr'] as const).map(async (from) => {
      const stream = child[from];
      if (stream === null || child.pid === undefined) return; // It may have no pipes.
      stream.on('error', () => undefined);
      await new Promise<void>((onEnd) => {
        const take = function* (chunk: Buffer): Iterable<void> {
          // A program left in the background may still print after the end; its output is read and
          // dropped.
          if (isSettled) return;
          output.append(chunk);
          if (options.onChunk !== undefined) yield* options.onChunk(from, chunk);
        };
        const onError = (error: unknown): void => {
          options.onBroken?.(error);
          endNow('abort');
        };
        readInSlices(stream, take, { onError, onEnd });
      });
    });
    child.on('error', (error) => {
      if (child.pid === undefined) settle({ kind: 'not_started', reason: error.message });
    });
    let isClosed = false;
    const closed = new Promise<void>((closedNow) => {
      child.on('close', () => {
        isClosed = true;
        // Output from before the end is processed first.
        void Promise.all(read).then(() => closedNow());
      });
    });
    child.on('exit', (code, signal) => {
      void (async () => {
        clearTimeout(timer);
        if (groupGone !== undefined) await groupGone;
        await Promise.race([closed, delay(DRAIN_MS)]);
        if (isClosed) await closed;
        const facts = { code, signal, endedBy };
        if (isSuspect(facts)) await undisturbed(SUSPECT_MS, [options.signal, options.stopping]);
        const end = decideEnd({
          ...facts,
          isAborted: options.signal.aborted,
          isStopping: options.stopping?.aborted === true,
        });
        if (end.kind === 'killed') {
          settle({ ...end, output: output.text() });
          return;
        }
        if (!isClosed) {
          for (const stream of [child.stdout, child.stderr]) {
            (stream as unknown as { unref?: () => void } | null)?.unref?.();
          }
        }
        settle({ ...end, output: output.text(), leftRunning: !isClosed });
      })();
    });
    if (options.signal.aborted) onAbort();
  });
}

/** Resolves after the time, or with the first of the signals. */
async function undisturbed(
  forMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const known = signals.filter((signal) => signal !== undefined);
  if (known.some((signal) => signal.aborted)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const signal of known) signal.removeEventListener('abort', done);
      resolve();
    };
    // On a slow computer the time may be over before a signal that has already arrived is read: the
    // signal takes precedence.
    const timer = setTimeout(() => setImmediate(done), forMs);
    for (const signal of known) signal.addEventListener('abort', done, { once: true });
  });
}
