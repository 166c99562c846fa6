import type { WebSocket } from 'ws';
import { down } from './channel-errors';
import { parsedOutside } from '../../engine/kernel/json-depth';

const HANDSHAKE_MS = 15_000;
const MAX_BYTES = 1_048_576;
/** Messages waiting to be processed; with more, the connection is closed and opened again. */
const MAX_WAITING = 1_000;
/** How often the other side is asked whether it is still there. */
const PING_MS = 30_000;

interface SocketOptions {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called one at a time, in order; rejects to end the connection. */
  readonly onMessage: (message: unknown, socket: JsonSocket) => Promise<void>;
}

export interface JsonSocket {
  send(message: unknown): void;
  /** Ends the connection; a new one is opened. */
  close(): void;
}

/**
 * A connection that receives JSON. It resolves when the other side closes it normally, and rejects
 * if it breaks or goes silent. @throws CHANNEL_DOWN
 */
export async function runSocket(
  url: string,
  { name, signal, onMessage }: SocketOptions,
): Promise<void> {
  const { WebSocket: Socket } = await import('ws');
  return new Promise<void>((resolve, reject) => {
    const socket: WebSocket = new Socket(url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_BYTES,
      followRedirects: false,
    });
    const json: JsonSocket = {
      send(message) {
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
      },
      close: () => socket.close(),
    };
    let last: Error | undefined;
    const fail = (error: unknown): void => {
      last ??= error instanceof Error ? error : new Error(String(error));
      socket.terminate();
    };
    const beat = createBeat(socket, () => fail(down(`${name}: the connection went silent.`)));
    const stop = (): void => socket.terminate();
    signal.addEventListener('abort', stop, { once: true });
    const queue = createQueue((text) => onMessage(parsedOutside(text), json), fail);
    socket.on('message', (data: Buffer, isBinary) => {
      beat.alive();
      if (!isBinary) queue.push(String(data));
    });
    socket.on('pong', () => beat.alive());
    socket.on('ping', () => beat.alive());
    socket.on('error', (error) => {
      last ??= down(`${name}: the connection failed${wordOf(error)}.`);
    });
    socket.on('close', () => {
      beat.stop();
      queue.stop();
      signal.removeEventListener('abort', stop);
      if (last === undefined || signal.aborted) resolve();
      else reject(last);
    });
    if (signal.aborted) stop();
  });
}

/** Only the error code: its text may contain the address, which is a secret. */
function wordOf(error: NodeJS.ErrnoException): string {
  return error.code === undefined ? '' : ` (${error.code})`;
}

/** One message at a time, with a turn of the event loop in between. */
function createQueue(
  work: (text: string) => Promise<void>,
  fail: (error: unknown) => void,
): { push(text: string): void; stop(): void } {
  let waiting: string[] = [];
  let isBusy = false;
  const next = async (): Promise<void> => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      await work(text);
      await new Promise(setImmediate);
    }
  };
  return {
    push(text) {
      if (waiting.length >= MAX_WAITING) {
        fail(new Error('too many messages at once'));
        return;
      }
      waiting.push(text);
      if (isBusy) return;
      isBusy = true;
      next()
        .catch(fail)
        .finally(() => {
          isBusy = false;
        });
    },
    stop() {
      waiting = [];
    },
  };
}

function createBeat(socket: WebSocket, onSilence: () => void): { alive(): void; stop(): void } {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) {
      onSilence();
      return;
    }
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_MS);
  timer.unref();
  return {
    alive() {
      isAlive = true;
    },
    stop: () => clearInterval(timer),
  };
}
