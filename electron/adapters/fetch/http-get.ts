import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { table } from '../../../shared/table';
import { AddressRefused, checkedLookup, checkUrl } from './checked-address';
import { isAllowedAddress } from './public-address';
import { parsedUrl } from '../../../shared/parsed-url';

/** One GET with its redirects. */
export type GetOutcome =
  | {
      readonly kind: 'answer';
      readonly url: string;
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer;
      /** True if the page is longer than the cap. */
      readonly isCut: boolean;
    }
  /** Fetching the address is not allowed; nothing was sent there. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The request failed, and whether a retry makes sense. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isRetryable: boolean };

interface GetOptions {
  readonly allowLoopback: boolean;
  readonly maxRedirects: number;
  readonly capBytes: number;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

type Hop = GetOutcome | { readonly kind: 'redirect'; readonly to: string };

/**
 * Gets `url`. Every hop is checked again: scheme, no user name or password in it, and the address
 * that the name really resolves to, which is the one used for the connection. One time limit for
 * all of it.
 */
export async function httpGet(url: string, options: GetOptions): Promise<GetOutcome> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), options.timeoutMs);
  const signal = AbortSignal.any([limit.signal, options.signal]);
  let target = url;
  try {
    for (let hops = 0; hops <= options.maxRedirects; hops += 1) {
      const checked = checkUrl(target, (address) => isAllowedAddress(address, options));
      if (typeof checked === 'string') return { kind: 'refused', reason: checked };
      const hop = await getOnce(checked, options, signal);
      if (hop.kind !== 'redirect') return hop;
      target = hop.to;
    }
    return { kind: 'refused', reason: `more than ${options.maxRedirects} redirects` };
  } catch (thrown) {
    if (thrown instanceof AddressRefused) return { kind: 'refused', reason: thrown.message };
    if (options.signal.aborted) return { kind: 'failed', reason: 'stopped', isRetryable: true };
    if (limit.signal.aborted) {
      return {
        kind: 'failed',
        reason: `no complete response within ${options.timeoutMs / 1000} s`,
        isRetryable: true,
      };
    }
    return failureOf(thrown);
  } finally {
    clearTimeout(timer);
  }
}

function getOnce(url: URL, options: GetOptions, signal: AbortSignal): Promise<Hop> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'GET',
      agent: false,
      signal,
      lookup: checkedLookup((address) => isAllowedAddress(address, options)),
      headers: {
        'user-agent': options.userAgent,
        accept: 'text/html, text/plain, application/json, */*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
      },
    });
    request.on('error', reject);
    // Without a listener the connection would end silently, and the request never.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server switched to another protocol'));
    });
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const location = response.headers.location;
      if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
        response.destroy();
        resolve(redirectTo(location, url));
        return;
      }
      readBody(response, options.capBytes).then(
        ({ body, isCut }) => {
          const contentType = response.headers['content-type'] ?? '';
          resolve({ kind: 'answer', url: url.href, status, contentType, body, isCut });
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
    request.end();
  });
}

function redirectTo(location: string, from: URL): Hop {
  const to = parsedUrl(location, from);
  return to === undefined
    ? { kind: 'refused', reason: 'it redirects to something that is not an address' }
    : { kind: 'redirect', to: to.href };
}

const DECODERS = table<() => Duplex>({
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
});

/**
 * Reads at most `capBytes` after decompression, so that a small answer cannot grow without limit.
 */
async function readBody(
  response: IncomingMessage,
  capBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const decoder = DECODERS[response.headers['content-encoding']?.toLowerCase() ?? ''];
  let stream: Readable = response;
  if (decoder !== undefined) {
    const decoding = decoder();
    response.on('error', (error) => decoding.destroy(error));
    // A lost connection would otherwise look like a page that ends here.
    response.on('aborted', () => decoding.destroy(new Error('the connection was lost')));
    stream = response.pipe(decoding);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = capBytes - bytes;
      chunks.push(chunk.subarray(0, room));
      bytes += Math.min(chunk.length, room);
      if (chunk.length > room) return { body: Buffer.concat(chunks), isCut: true };
    }
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

function failureOf(thrown: unknown): GetOutcome {
  const code =
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
      ? thrown.code
      : '';
  const reason = thrown instanceof Error ? thrown.message || code : String(thrown);
  // A wrong certificate or broken compression will be the same a second later.
  const isLasting = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_|SELF_SIGNED|UNABLE_TO|HPE_|Z_|ERR__ERROR)/.test(
    code,
  );
  return {
    kind: 'failed',
    reason: code === '' || reason.includes(code) ? reason : `${code}: ${reason}`,
    isRetryable: !isLasting,
  };
}
