import { lookup as dnsLookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isAllowedAddress } from './public-address';

/** One GET with its redirects. */
export type GetOutcome =
  | {
      readonly kind: 'answer';
      readonly url: string;
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer;
      /** True where the page is longer than the cap. */
      readonly isCut: boolean;
    }
  /** The address may not be fetched; nothing was sent there. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing came of it; whether it is worth another try. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isRetryable: boolean };

export interface GetOptions {
  readonly allowLoopback: boolean;
  readonly maxRedirects: number;
  readonly capBytes: number;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Thrown by the name lookup below; the address was never connected to. */
class AddressRefused extends Error {}

type Hop = GetOutcome | { readonly kind: 'redirect'; readonly to: string };

/**
 * Gets `url`. Every hop is checked again: scheme, no name and password in it, and the address that
 * the name really resolves to, which is the one that is connected to. One time limit for all of it.
 */
export async function httpGet(url: string, options: GetOptions): Promise<GetOutcome> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), options.timeoutMs);
  const signal = AbortSignal.any([limit.signal, options.signal]);
  let target = url;
  try {
    for (let hops = 0; hops <= options.maxRedirects; hops += 1) {
      const checked = checkUrl(target, options);
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
        reason: `no complete answer within ${options.timeoutMs / 1000} s`,
        isRetryable: true,
      };
    }
    return failureOf(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** The URL, or why it may not be fetched. */
function checkUrl(text: string, options: GetOptions): URL | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'not a complete address; it starts with https:// or http://';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `only https and http are fetched, not ${url.protocol}`;
  }
  if (url.username !== '' || url.password !== '')
    return 'an address with a name or password in it is not fetched';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowedAddress(host, options)) return notPublic(host);
  return url;
}

const notPublic = (address: string): string =>
  `${address} is on this computer or in a private network, which this tool does not reach`;

/** Resolves a name and lets only allowed addresses through, all of them or none. */
function checkedLookup(options: GetOptions): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    dnsLookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => !isAllowedAddress(address, options));
      if (bad !== undefined) {
        return callback(
          new AddressRefused(`${hostname} resolves to ${notPublic(bad.address)}`),
          [],
        );
      }
      const [first] = addresses;
      if (lookupOptions.all) return callback(null, addresses);
      if (first === undefined) return callback(new Error(`${hostname} has no address`), []);
      return callback(null, first.address, first.family);
    });
  };
}

function getOnce(url: URL, options: GetOptions, signal: AbortSignal): Promise<Hop> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'GET',
      agent: false,
      signal,
      lookup: checkedLookup(options),
      headers: {
        'user-agent': options.userAgent,
        accept: 'text/html, text/plain, application/json, */*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
      },
    });
    request.on('error', reject);
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
  try {
    return { kind: 'redirect', to: new URL(location, from).href };
  } catch {
    return { kind: 'refused', reason: 'it redirects to something that is not an address' };
  }
}

/** Reads at most `capBytes` after decompression, so that a small answer cannot grow without end. */
async function readBody(
  response: IncomingMessage,
  capBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const decoder = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[response.headers['content-encoding']?.toLowerCase() ?? ''];
  let stream: Readable = response;
  if (decoder !== undefined) {
    const decoding = decoder();
    response.on('error', (error) => decoding.destroy(error));
    // A connection that is cut would otherwise look like a page that ends here.
    response.on('aborted', () => decoding.destroy(new Error('the connection was cut')));
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
  // A wrong certificate or a broken compression is the same a second later.
  const isLasting = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_|SELF_SIGNED|UNABLE_TO|HPE_|Z_|ERR__ERROR)/.test(
    code,
  );
  return {
    kind: 'failed',
    reason: code === '' || reason.includes(code) ? reason : `${code}: ${reason}`,
    isRetryable: !isLasting,
  };
}
