import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** Statuses of answers without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for slow answers: Node's own ends every request after 5 minutes without a header, or
 * without a chunk of the body. A model that is loaded first, that reads a long conversation on a
 * small computer, or whose answer arrives as a whole takes longer. Here only the connection and the
 * signal decide. Redirects are not followed. @throws the connection's error, with its code
 */
export const patientFetch: typeof globalThis.fetch = async (input, init = {}) => {
  const { body } = init;
  // No caller sends anything else.
  if (input instanceof Request || (body !== undefined && typeof body !== 'string'))
    return globalThis.fetch(input, init);
  const url = new URL(input);
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: init.method ?? 'GET',
      headers,
      // A new connection: a reused one may just have ended.
      agent: false,
      ...(init.signal == null ? {} : { signal: init.signal }),
    });
    request.once('response', resolve);
    request.on('error', reject);
    // Without a listener the connection would end silently, and the request never.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(Object.assign(new Error('the server switched protocols'), { code: 'ECONNRESET' }));
    });
    request.end(body);
  });
  return toResponse(answer);
};

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = '', rawHeaders } = answer;
  if (status === 407) {
    // `fetch` does not treat it as a response, and clients cannot read it.
    answer.destroy();
    throw new Error('proxy authentication required');
  }
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const head = { status, statusText, headers };
  if (!BODILESS.has(status))
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, head);
  answer.resume();
  return new Response(null, head);
}
