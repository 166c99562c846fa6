import type { Readable } from 'node:stream';

/**
 * Time of one slice; microtasks that it queues run before the loop continues and are not included.
 */
const SLICE_MS = 5;
const SLICE_STEPS = 64;

/** A stream that is read in slices. */
export interface Slices {
  /** Continues after `mayRead` was false. */
  resume(): void;
  /** Drops all further input. */
  stop(): void;
}

/**
 * Processes a stream in slices of 5 ms or 64 steps, with a turn of the event loop between them; the
 * stream waits in between. However fast the other side writes, timers, windows and other
 * connections are served.
 *
 * @param steps processes one chunk; yields after each message.
 * @param options.mayRead false while the caller wants no more input.
 * @param options.onError `steps` has thrown: nothing more is read. Rethrown from here it would be
 * unhandled and end the whole process. Called at most once, before `onEnd`.
 * @param options.onEnd the stream has ended and all of it is processed. Called once.
 */
export function readInSlices(
  stream: Readable,
  steps: (chunk: Buffer) => Iterable<void>,
  options: {
    readonly mayRead?: () => boolean;
    readonly onError: (error: unknown) => void;
    readonly onEnd?: () => void;
  },
): Slices {
  let chunks: Buffer[] = [];
  let current: Iterator<void> | undefined;
  let isWorking = false;
  let isOver = false;
  let isStopped = false;

  /** False if there is nothing left to do. */
  const step = (): boolean => {
    if (current === undefined) {
      const chunk = chunks.shift();
      if (chunk === undefined) return false;
      current = steps(chunk)[Symbol.iterator]();
    }
    if (current.next().done === true) current = undefined;
    return true;
  };
  const drop = (): void => {
    isStopped = true;
    chunks = [];
    current = undefined;
    stream.removeListener('data', onData);
    // A program that finds its pipe full would wait forever.
    stream.resume();
  };
  const settle = (): void => {
    if (isOver) options.onEnd?.();
    else if (stream.isPaused() && options.mayRead?.() !== false) stream.resume();
  };
  const work = (): void => {
    try {
      workOn();
    } catch (error) {
      drop();
      options.onError(error);
      options.onEnd?.();
    }
  };
  const workOn = (): void => {
    const untilMs = performance.now() + SLICE_MS;
    for (let done = 0; !isStopped; done += 1) {
      if (done >= SLICE_STEPS || performance.now() > untilMs) {
        stream.pause();
        setImmediate(work);
        return;
      }
      if (!step()) break;
    }
    isWorking = false;
    if (!isStopped) settle();
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    if (isWorking) return;
    isWorking = true;
    work();
  };
  const onOver = (): void => {
    if (isOver || isStopped) return;
    isOver = true;
    if (!isWorking) settle();
  };
  stream.on('data', onData);
  for (const event of ['end', 'close', 'error'] as const) stream.once(event, onOver);
  return {
    resume() {
      if (!isWorking && !isStopped) stream.resume();
    },
    stop: drop,
  };
}

/** Lets all other pending work run. */
export const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does work in steps, with a turn of the event loop in between; returns its result. */
export async function inTurns<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await oneTurn();
  }
}
