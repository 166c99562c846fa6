/**
 * One client of the control socket, from its first byte to its last.
 *
 *   connected --(challenge, answered once)--hello ok--> open --(end, fault, slow, stop)--> closed
 *       \--(no hello in 2 s, wrong token, anything else)--> closed
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Answer, Verb, VerbInput } from '../../shared/contract';
import { createTokenBucket } from '../../shared/token-bucket';
import { refusalFor } from '../engine/api/create-facade';
import type { Holdfast } from '../engine/api/facade';
import type { ErrorCode } from '../engine/kernel/errors';
import type { Log } from '../ports/log';
import { readInSlices } from '../read-in-slices';
import type { FrameFault } from './frames';
import { createFrameReader, encodeMessage } from './frames';
import type { ControlEvent, ControlLimits, ServerMessage } from './protocol';
import { challengeMessage, clientMessage, helloMessage } from './protocol';

interface ConnectionDeps {
  readonly socket: Socket;
  readonly holdfast: Holdfast;
  readonly log: Log;
  readonly version: string;
  readonly limits: ControlLimits;
  /** Constant-time comparison with the token of this start. */
  readonly isToken: (candidate: string) => boolean;
  /** The proof that this start knows its token. */
  readonly prove: (nonce: string) => string;
  /** Bytes of unfinished messages over all clients. */
  readonly heldBytesOfAll: () => number;
  readonly onClosed: () => void;
}

export interface Connection {
  heldBytes(): number;
  /** Sends the reason and closes. */
  refuse(code: ErrorCode, message: string, hint: string): void;
  /** Sends pending answers, then ends; resolves when closed. */
  close(graceMs: number): Promise<void>;
}

const FAULTS: Readonly<Record<FrameFault, string>> = {
  frame_too_large: 'A line of the request is longer than 64 KB; nothing was done.',
  message_too_large: 'The request is larger than 26 MB; nothing was done.',
  too_many_values: 'The request has more than 20,000 values; nothing was done.',
  malformed: 'The request does not match the protocol of this socket; nothing was done.',
};

export function createConnection(deps: ConnectionDeps): Connection {
  const { socket, limits, log } = deps;
  let isOpen = false;
  let isEnding = false;
  let hasProven = false;
  let callsInFlight = 0;
  let unreadEventBytes = 0;
  let stallTimer: NodeJS.Timeout | undefined;
  const listeners = new Map<ControlEvent, () => void>();
  const rate = createTokenBucket(limits.callBurst, limits.callsPerSecond);

  const drop = (reason: string): void => {
    log.warn('control.client_dropped', { reason });
    socket.destroy();
  };

  const write = (message: ServerMessage, onRead?: (bytes: number) => void): number => {
    if (socket.destroyed) return 0;
    let bytes = 0;
    for (const line of encodeMessage(message)) {
      const size = Buffer.byteLength(line);
      bytes += size;
      socket.write(line, () => onRead?.(size));
    }
    if (socket.writableNeedDrain && !stallTimer) {
      stallTimer = setTimeout(() => drop('answers left unread'), limits.stallTimeoutMs);
      stallTimer.unref();
    }
    // Reads no more calls from a client that does not read the answers.
    if (socket.writableLength > limits.maxUnreadBytes) socket.pause();
    return bytes;
  };

  const reply = (id: number, answer: Answer<unknown>): void => {
    write({ kind: 'answer', id, answer });
  };

  const refuse = (code: ErrorCode, message: string, hint: string): void => {
    if (isEnding) return;
    isEnding = true;
    write({ kind: 'refused', code, message, hint });
    socket.end();
    // A client that never closes its half must not occupy a slot.
    setTimeout(() => socket.destroy(), limits.stopGraceMs).unref();
  };

  const takeEvent = (name: ControlEvent, payload: unknown): void => {
    if (isEnding || socket.destroyed) return;
    unreadEventBytes += write({ kind: 'event', name, payload }, (bytes) => {
      unreadEventBytes -= bytes;
    });
    if (unreadEventBytes > limits.maxUnreadEventBytes) drop('events left unread');
  };

  const subscribe = (names: readonly ControlEvent[]): void => {
    for (const [name, unsubscribe] of listeners) {
      if (names.includes(name)) continue;
      unsubscribe();
      listeners.delete(name);
    }
    for (const name of names) {
      if (listeners.has(name)) continue;
      listeners.set(
        name,
        deps.holdfast.on(name, (payload: unknown) => takeEvent(name, payload)),
      );
    }
  };

  const takeCall = async (id: number, verb: string, input: unknown): Promise<void> => {
    if (callsInFlight >= limits.maxCallsInFlight || !rate.take(performance.now())) {
      log.warn('control.rate_limited', { callsInFlight });
      reply(id, {
        ok: false,
        code: 'RATE_LIMITED',
        message: 'Too many requests at once on this connection; this one was not processed.',
        hint: 'Wait a second and send it again.',
      });
      return;
    }
    callsInFlight += 1;
    try {
      const answer = await deps.holdfast
        .call(verb as Verb, (input ?? {}) as VerbInput<Verb>, 'control')
        .then((value): Answer<unknown> => ({ ok: true, value }), refusalFor);
      if (!answer.ok) log.info('control.refused', { verb: verb.slice(0, 40), code: answer.code });
      reply(id, answer);
    } finally {
      callsInFlight -= 1;
    }
  };

  const takeFirst = (message: unknown): void => {
    const challenge = hasProven ? undefined : challengeMessage().safeParse(message);
    if (challenge?.success !== true) return takeHello(message);
    hasProven = true;
    write({ kind: 'proof', mac: deps.prove(challenge.data.nonce) });
  };

  const takeHello = (message: unknown): void => {
    const hello = helloMessage().safeParse(message);
    if (!hello.success || !deps.isToken(hello.data.token)) {
      log.warn('control.token_refused', {});
      refuse(
        'SENDER_REFUSED',
        'The control token is missing or belongs to another start.',
        'Run the command as the user who started Holdfast, with the same --data-dir.',
      );
      return;
    }
    clearTimeout(helloTimer);
    isOpen = true;
    write({ kind: 'welcome', version: deps.version, pid: process.pid });
  };

  const reader = createFrameReader({
    maxFrameBytes: limits.maxFrameBytes,
    maxMessageBytes: limits.maxMessageBytes,
    maxValues: limits.maxValues,
    onFault: (fault) => {
      refuse(
        'INPUT_INVALID',
        FAULTS[fault],
        'Send larger messages in parts, or put the text into a file.',
      );
    },
    onMessage: (message) => {
      if (isEnding) return;
      if (!isOpen) return takeFirst(message);
      const parsed = clientMessage().safeParse(message);
      if (!parsed.success) {
        return refuse(
          'INPUT_INVALID',
          FAULTS.malformed,
          'See electron/control/protocol.ts for its form.',
        );
      }
      switch (parsed.data.kind) {
        case 'call':
          void takeCall(parsed.data.id, parsed.data.verb, parsed.data.input);
          return;
        case 'subscribe':
          subscribe(parsed.data.events);
          reply(parsed.data.id, { ok: true, value: { events: parsed.data.events } });
          return;
        default:
          return parsed.data satisfies never;
      }
    },
  });

  const helloTimer = setTimeout(() => socket.destroy(), limits.helloTimeoutMs);
  helloTimer.unref();

  const steps = function* (chunk: Buffer): Iterable<void> {
    // Before the handshake, nothing larger than one small line is buffered for any client.
    if (
      !isOpen &&
      reader.heldBytes() + chunk.length > 4_096 &&
      !chunk.subarray(0, 4_096).includes(0x0a)
    ) {
      return refuse('INPUT_INVALID', FAULTS.frame_too_large, 'Say hello first.');
    }
    yield* reader.steps(chunk);
    if (deps.heldBytesOfAll() > limits.maxHeldBytes) {
      refuse(
        'RATE_LIMITED',
        'Too many large requests at once; this one was not processed.',
        'Send it again in a moment.',
      );
    }
  };
  const slices = readInSlices(socket, steps, {
    mayRead: () => socket.writableLength <= limits.maxUnreadBytes,
    onError: () => socket.destroy(),
  });
  socket.on('drain', () => {
    clearTimeout(stallTimer);
    stallTimer = undefined;
    slices.resume();
  });
  socket.on('error', () => socket.destroy()); // The other side disconnected: `close` handles the rest.
  socket.on('close', () => {
    clearTimeout(helloTimer);
    clearTimeout(stallTimer);
    subscribe([]);
    deps.onClosed();
  });

  return {
    heldBytes: () => reader.heldBytes(),
    refuse,
    close: async (graceMs) => {
      const untilMs = performance.now() + graceMs;
      while (callsInFlight > 0 && !socket.destroyed && performance.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      isEnding = true;
      if (socket.destroyed) return; // It disconnected meanwhile; `close` will not fire again.
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.end();
        setTimeout(() => socket.destroy(), Math.max(20, untilMs - performance.now())).unref();
      });
    },
  };
}
