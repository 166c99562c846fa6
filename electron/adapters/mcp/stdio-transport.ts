import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { createJsonMeter } from '../../engine/kernel/json-meter';
import { readInSlices } from '../../read-in-slices';
import type { Slices } from '../../read-in-slices';
import type { MessageBudget } from './message-budget';
import type { ServerProcess } from './server-process';

const NEWLINE = 0x0a;
/** What a server that asks without end, and reads none of the answers, may make us hold. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * The protocol over the pipes of a process that the caller owns. The package's own transport starts
 * the process itself, without a group, and buffers without a limit; this one reports when a server
 * sends too much. Lines that are not messages (programs that print) are counted and skipped.
 *
 * @param options.onFlood called with the reason; the server must be ended.
 */
export function createStdioTransport(options: {
  readonly process: Pick<ServerProcess, 'stdin' | 'stdout'>;
  readonly budget: MessageBudget;
  readonly onFlood: (reason: string) => void;
}): Transport {
  const { stdin, stdout } = options.process;
  let isClosed = false;
  /** Chunks of the incomplete message. */
  let open: Buffer[] = [];
  let openBytes = 0;
  const meter = createJsonMeter(options.budget.maxValues);
  let slices: Slices | undefined;
  /**
   * All writers share one wait for space in the pipe: a server that sends many requests and reads
   * nothing creates many.
   */
  let room: Promise<void> | undefined;
  const untilRoom = (): Promise<void> =>
    (room ??= new Promise((resolve) => {
      const end = (): void => {
        stdin.off('drain', end).off('close', end);
        room = undefined;
        resolve();
      };
      stdin.once('drain', end).once('close', end);
    }));

  const flood = (reason: string): void => {
    open = [];
    slices?.stop();
    options.onFlood(reason);
  };
  const take = (line: string): void => {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(JSON.parse(line));
    } catch {
      transport.onerror?.(new Error('a line that is not a message'));
      return;
    }
    transport.onmessage?.(message);
  };
  const onData = function* (chunk: Buffer): Iterable<void> {
    const nowMs = performance.now();
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const tooMany = options.budget.message(nowMs);
      if (tooMany !== undefined) {
        flood(tooMany);
        return;
      }
      const last = chunk.subarray(from, at);
      if (meter.isAbove(last)) {
        flood(options.budget.tooManyValues);
        return;
      }
      const line = Buffer.concat([...open, last]).toString('utf8');
      open = [];
      openBytes = 0;
      meter.reset();
      from = at + 1;
      take(line);
      if (isClosed) return;
      yield;
    }
    const rest = chunk.subarray(from);
    openBytes += rest.length;
    const tooMuch =
      options.budget.took(nowMs, chunk.length, openBytes) ??
      (meter.isAbove(rest) ? options.budget.tooManyValues : undefined);
    if (tooMuch !== undefined) {
      flood(tooMuch);
      return;
    }
    if (rest.length > 0) open.push(rest);
  };

  const transport: Transport = {
    start() {
      slices = readInSlices(stdout, onData, {
        onError: () => flood('It sent a message that cannot be read.'),
      });
      return Promise.resolve();
    },
    send(message) {
      return new Promise((resolve, reject) => {
        if (isClosed || !stdin.writable) {
          reject(new NotSent('its input is closed'));
          return;
        }
        if (stdin.writableLength > MAX_UNREAD_BYTES)
          options.onFlood('It does not read what it is sent.');
        const isTaken = stdin.write(`${JSON.stringify(message)}\n`);
        if (isTaken || isClosed) resolve();
        else void untilRoom().then(resolve);
      });
    },
    close() {
      if (!isClosed) {
        isClosed = true;
        slices?.stop();
        transport.onclose?.();
      }
      return Promise.resolve();
    },
  };
  return transport;
}

/** The message certainly did not leave this process. */
export class NotSent extends Error {}
