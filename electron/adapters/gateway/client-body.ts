import type { IncomingMessage } from 'node:http';
import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import { parseObject } from './event-stream';
import type { WireError } from './wire-errors';

/** Largest request of a client. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

type ClientBody =
  | {
      readonly kind: 'body';
      readonly text: string;
      readonly json: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'refused'; readonly error: WireError }
  /** The client left while it was sending. */
  | { readonly kind: 'gone' };

const refused = (status: number, message: string): ClientBody => ({
  kind: 'refused',
  error: { status, code: 'request_refused', message },
});

/** Reads a client's body, up to a limit; only a JSON object is a request. */
export async function readBody(
  request: IncomingMessage,
  options: { readonly mayBeEmpty: boolean },
): Promise<ClientBody> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return refused(400, 'Send the request without compression.');
  const tooLarge = refused(413, 'A request can have up to 20 MB.');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return tooLarge;
  const chunks: Buffer[] = [];
  const meter = createJsonMeter(MAX_VALUES);
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) return tooLarge;
      if (meter.isAbove(chunk)) return refused(413, 'A request can have up to 100,000 values.');
    }
  } catch {
    return { kind: 'gone' };
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const json = text === '' && options.mayBeEmpty ? {} : parseObject(text);
  return json === undefined
    ? refused(400, 'The request is not a JSON object.')
    : { kind: 'body', text, json };
}
