import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import { readInSlices } from '../../read-in-slices';

/** How much output an agent may send before it counts as broken. */
export interface StreamLimits {
  /** Maximum size of one message. */
  readonly messageBytes: number;
  /** Maximum size of all its output. */
  readonly totalBytes: number;
  /** Lines that are not messages: banners and stray prints are common, a flood of them is not. */
  readonly strayLines: number;
}

export const STREAM_LIMITS: StreamLimits = {
  messageBytes: 8 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  strayLines: 200,
};

const NEWLINE = 0x0a;

/**
 * Protocol messages over a child's pipes. Anything else is counted and dropped; above a limit
 * `onBroken` is called once with one sentence and reading ends.
 */
export function guardedStream(
  pipes: { readonly stdin: Writable; readonly stdout: Readable },
  limits: StreamLimits,
  onBroken: (why: string) => void,
): Stream & {
  /** Resolves when all input has been processed and the stream has ended. */
  readonly drained: Promise<void>;
} {
  let drain = (): void => undefined;
  const drained = new Promise<void>((resolve) => {
    drain = resolve;
  });
  let isBroken = false;
  let isClosed = false;
  let totalBytes = 0;
  let strayLines = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const meter = createJsonMeter(MAX_VALUES);

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const close = (): void => {
        if (isClosed) return;
        isClosed = true;
        controller.close();
      };
      const broken = (why: string): void => {
        if (isBroken) return;
        isBroken = true;
        pending = [];
        pipes.stdout.destroy();
        onBroken(why);
        close();
      };
      const line = (bytes: Buffer): void => {
        const text = bytes.toString('utf8').trim();
        if (text === '') return;
        const message = messageOf(text);
        if (message !== undefined) {
          controller.enqueue(message);
          return;
        }
        strayLines += 1;
        if (strayLines > limits.strayLines)
          broken(`It printed more than ${String(limits.strayLines)} lines that are not messages.`);
      };
      const isTooMany = (piece: Buffer): boolean => {
        if (!meter.isAbove(piece)) return false;
        broken(`It sent a message of more than ${String(MAX_VALUES)} values.`);
        return true;
      };
      const steps = function* (chunk: Buffer): Iterable<void> {
        if (isBroken || isClosed) return;
        totalBytes += chunk.length;
        if (totalBytes > limits.totalBytes) {
          broken(`It sent more than ${megabytes(limits.totalBytes)}.`);
          return;
        }
        let from = 0;
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
          const last = chunk.subarray(from, at);
          if (isTooMany(last)) return;
          line(Buffer.concat([...pending, last]));
          pending = [];
          pendingBytes = 0;
          meter.reset();
          from = at + 1;
          yield;
          if (isBroken || isClosed) return;
        }
        const rest = chunk.subarray(from);
        pendingBytes += rest.length;
        if (pendingBytes > limits.messageBytes) {
          broken(`It sent a message of more than ${megabytes(limits.messageBytes)}.`);
          return;
        }
        if (rest.length > 0 && !isTooMany(rest)) pending.push(Buffer.from(rest));
      };
      readInSlices(pipes.stdout, steps, {
        onError: () => broken('It sent a message that cannot be read.'),
        onEnd: () => {
          close();
          drain();
        },
      });
    },
    cancel() {
      // We closed the connection: any later input is dropped.
      isClosed = true;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((resolve) => {
        // A broken pipe is reported by the end of the process.
        pipes.stdin.write(`${JSON.stringify(message)}\n`, () => {
          resolve();
        });
      }),
  });
  return { readable, writable, drained };
}

const megabytes = (bytes: number): string => `${String(Math.round(bytes / 1024 / 1024))} MB`;

/** The library prints an unknown ID, so it must not contain terminal control characters. */
const isId = (id: unknown): boolean =>
  id === undefined ||
  id === null ||
  Number.isSafeInteger(id) ||
  (typeof id === 'string' && /^[\w.:-]{1,200}$/.test(id));

/**
 * The name under which an update reaches our handler. Under its own, the library drops an update that
 * is not in its schema, with all that it tells, and prints that: a kind of a later version, a call
 * without a title.
 */
export const UPDATE = '_session/update';

function messageOf(text: string): AnyMessage | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as {
      readonly jsonrpc?: unknown;
      readonly id?: unknown;
      readonly method?: unknown;
    };
    if (value.jsonrpc !== '2.0' || !('method' in value || 'id' in value) || !isId(value.id))
      return undefined;
    const message = value as AnyMessage;
    return value.method === 'session/update' ? { ...message, method: UPDATE } : message;
  } catch {
    return undefined; // Counted as a stray line.
  }
}
