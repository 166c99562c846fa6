import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import { readInSlices } from '../../read-in-slices';
import { textIn } from '../../engine/kernel/json-object';

/** Protocol parameters and results: untrusted, validated field by field. */
export type Fields = Readonly<Record<string, unknown>>;

/** The browser rejected a command. */
export class CdpRefused extends Error {}

/** The browser is gone: its answer will never come. */
export class CdpGone extends Error {}

/** The connection to one browser: JSON over two pipes, each message ended by a zero byte. */
export interface CdpPipe {
  /** Sent once. @throws CdpRefused, CdpGone */
  send(method: string, params?: Fields, sessionId?: string): Promise<Fields>;
  on(method: string, listener: (params: Fields, sessionId: string | undefined) => void): void;
  /**
   * Ends the connection; pending calls fail with `reason`. A browser exits when its pipe has ended.
   */
  close(reason: string): void;
  /** Resolves once, with the reason. */
  readonly closed: Promise<string>;
}

/** A screenshot of a large window in base64 is some 10 MB; no answer to our commands is larger. */
const MAX_MESSAGE_CHARS = 64 * 1024 * 1024;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Never throws; an unreadable message ends the connection. */
export function createCdpPipe(to: Writable, from: Readable): CdpPipe {
  const waiting = new Map<
    number,
    { readonly resolve: (result: Fields) => void; readonly reject: (error: Error) => void }
  >();
  const listeners = new Map<string, ((params: Fields, sessionId: string | undefined) => void)[]>();
  let count = 0;
  let goneBecause: string | undefined;
  let tellClosed: (reason: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => (tellClosed = resolve));

  const close = (reason: string): void => {
    if (goneBecause !== undefined) return;
    goneBecause = reason;
    to.destroy();
    from.destroy();
    for (const { reject } of waiting.values()) reject(new CdpGone(reason));
    waiting.clear();
    tellClosed(reason);
  };

  const hear = (message: Fields): void => {
    const { id } = message;
    if (typeof id !== 'number') {
      const sessionId = textIn(message['sessionId']) || undefined;
      for (const listener of listeners.get(textIn(message['method'])) ?? [])
        listener(fieldsOf(message['params']), sessionId);
      return;
    }
    const asked = waiting.get(id);
    waiting.delete(id);
    if (message['error'] === undefined) asked?.resolve(fieldsOf(message['result']));
    else asked?.reject(new CdpRefused(textIn(fieldsOf(message['error'])['message']).slice(0, 300)));
  };

  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let chars = 0;
  const meter = createJsonMeter(MAX_VALUES);
  // A page decides how many events it has and how long each is.
  const steps = function* (chunk: Buffer): Iterable<void> {
    const pieces = decoder.write(chunk).split('\0');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      chars += piece.length;
      if (chars > MAX_MESSAGE_CHARS || meter.isAbove(piece))
        return close('it sent a message that is too large');
      if (index === pieces.length - 1) break;
      const message = parts.join('');
      parts = [];
      chars = 0;
      meter.reset();
      try {
        hear(fieldsOf(JSON.parse(message)));
      } catch {
        return close('it sent something that is not the DevTools protocol');
      }
      yield;
      if (goneBecause !== undefined) return;
    }
  };
  readInSlices(from, steps, { onError: () => close('it sent a message that cannot be read') });
  for (const stream of [to, from]) {
    stream.on('error', () => close('its connection broke'));
    stream.on('close', () => close('it has ended'));
  }

  return {
    closed,
    close,
    on(method, listener) {
      listeners.set(method, [...(listeners.get(method) ?? []), listener]);
    },
    send(method, params = {}, sessionId) {
      if (goneBecause !== undefined) return Promise.reject(new CdpGone(goneBecause));
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        to.write(
          `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
        );
      });
    },
  };
}
