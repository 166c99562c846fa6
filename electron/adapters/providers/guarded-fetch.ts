import type { Clock } from '../../ports/clock';
import { boundedBody } from '../fetch/bounded-body';
import type { WireFacts } from './classify-provider-error';
import { parsedUrl } from '../../../shared/parsed-url';

/** Maximum silences, in ms. */
export interface CallTimeouts {
  /**
   * From the request to the answer's headers, including connecting. Infinity: no limit while the
   * connection lives, until the first chunk of the answer.
   */
  readonly firstByteMs: number;
  /** Between two chunks of the answer; keepalive comments count as chunks. */
  readonly idleMs: number;
}

const REMOTE: CallTimeouts = { firstByteMs: 60_000, idleMs: 120_000 };
const LOCAL: CallTimeouts = { firstByteMs: Infinity, idleMs: 600_000 };

/**
 * How long a provider may be silent. A server on this computer may first load its model, or read a
 * long conversation with little memory: a retry would start over, so its first byte has no limit as
 * long as the connection lives. Pure.
 */
export const timeoutsOf = (isLoopback: boolean): CallTimeouts => (isLoopback ? LOCAL : REMOTE);

/**
 * Interval of heartbeats during a silence without a limit; they prove the connection, not the
 * model.
 */
export const ALIVE_MS = 10_000;

/** Maximum size of an answer. */
const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum size of one event, which is read without interruption. */
const LARGEST_EVENT_BYTES = 4 * 1024 * 1024;
const LARGEST_DOCUMENT_BYTES = 64 * 1024;

/** One HTTP request with its limits: the fetch for the client library, and what it observed. */
export interface GuardedCall {
  readonly fetch: typeof globalThis.fetch;
  /** Aborts at the caller's signal and at a timeout. */
  readonly signal: AbortSignal;
  facts(): WireFacts;
  /** Stops the timers and the request; idempotent. */
  close(): void;
}

/**
 * Thrown at a second request of the same call: one call is one request, and the library would
 * retry.
 */
export class SecondRequestRefused extends Error {
  override readonly name = 'SecondRequestRefused';
}

class NotAStream extends Error {
  override readonly name = 'NotAStream';
}

/** Target of a redirect, without its query, which may contain anything. */
export function redirectTarget(location: string | null, base: string): string {
  if (location === null) return 'an unnamed address';
  const url = parsedUrl(location, base);
  // The Location header is untrusted text.
  if (url === undefined) return 'an unreadable address';
  return `${url.protocol}//${url.host}${url.pathname}`;
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < LARGEST_DOCUMENT_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.byteLength;
  }
  await reader.cancel();
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, LARGEST_DOCUMENT_BYTES));
}

/** True for a content type that cannot be an event stream; a missing type is accepted. */
const isDocument = (response: Response): boolean =>
  /^(text\/html|application\/(json|xhtml|xml))/i.test(response.headers.get('content-type') ?? '');

/**
 * A fetch for exactly one request: redirects are not followed (T6: they would forward the key),
 * silence is limited, and wire facts are recorded for the classification.
 */
export function openGuardedCall(deps: {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timeouts: CallTimeouts;
  readonly userAgent: string;
  readonly fetch: typeof globalThis.fetch;
  /** A heartbeat every 10 s while the first byte has no time limit. */
  readonly onAlive: () => void;
}): GuardedCall {
  const { clock, timeouts } = deps;
  const hasNoLimit = timeouts.firstByteMs === Infinity;
  const aborter = new AbortController();
  const firstByte = new AbortController();
  const end = new AbortController();
  let isSent = false;
  let status: number | undefined;
  let headers: Readonly<Record<string, string>> = {};
  let timedOut: WireFacts['timedOut'];
  let redirectedTo: string | undefined;
  let document: string | undefined;
  let pieces = 0;
  let lastPieceMs = clock.monotonicMs();

  const onAbort = (): void => {
    aborter.abort(deps.signal.reason);
  };
  deps.signal.addEventListener('abort', onAbort, { once: true });
  if (deps.signal.aborted) onAbort();

  const expire = (limit: NonNullable<WireFacts['timedOut']>): void => {
    if (end.signal.aborted || aborter.signal.aborted) return;
    timedOut = limit;
    aborter.abort(new Error(`the provider was silent for too long (${limit})`));
  };
  const watchFirstByte = async (): Promise<void> => {
    if (!hasNoLimit) {
      await clock.sleep(timeouts.firstByteMs, firstByte.signal);
      expire('first_byte');
      return;
    }
    for (;;) {
      await clock.sleep(ALIVE_MS, firstByte.signal);
      deps.onAlive();
    }
  };
  const watchIdle = async (): Promise<void> => {
    let waitMs = timeouts.idleMs;
    for (;;) {
      const seen = pieces;
      await clock.sleep(waitMs, end.signal);
      if (pieces === seen) {
        expire('idle');
        return;
      }
      waitMs = Math.max(1, timeouts.idleMs - (clock.monotonicMs() - lastPieceMs));
    }
  };
  /** A watch ends by cancellation; that is not an error. */
  const watch = (watching: Promise<void>): void => {
    watching.catch(() => undefined);
  };
  const touch = (): void => {
    pieces += 1;
    lastPieceMs = clock.monotonicMs();
    if (firstByte.signal.aborted) return;
    firstByte.abort();
    watch(watchIdle());
  };

  const watched = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    let bytes = 0;
    return boundedBody(body, {
      isEvents: true,
      messageBytes: LARGEST_EVENT_BYTES,
      took(chunkBytes) {
        touch();
        bytes += chunkBytes;
        return bytes > LARGEST_ANSWER_BYTES ? 'the answer is too large' : undefined;
      },
    });
  };

  const guardedFetch: typeof globalThis.fetch = async (input, init) => {
    if (isSent) throw new SecondRequestRefused('one call is one request');
    isSent = true;
    watch(watchFirstByte());
    const sentHeaders = new Headers(init?.headers);
    sentHeaders.set('user-agent', deps.userAgent);
    const response = await deps.fetch(input, {
      ...init,
      headers: sentHeaders,
      redirect: 'manual',
      signal: aborter.signal,
    });
    // Some servers send their headers at once and load the model afterward.
    if (!hasNoLimit || !response.ok) touch();
    status = response.status;
    headers = Object.fromEntries(response.headers.entries());
    if (status >= 300 && status < 400) {
      // A response that was assembled from chunks does not know its URL.
      const asked = input instanceof Request ? input.url : String(input);
      redirectedTo = redirectTarget(response.headers.get('location'), response.url || asked);
      await response.body?.cancel();
      throw new NotAStream('redirect');
    }
    if (response.ok && isDocument(response)) {
      document = await readStart(response);
      throw new NotAStream('document');
    }
    const { body } = response;
    const init2 = { status, statusText: response.statusText, headers: response.headers };
    if (!response.ok) return new Response(await readStart(response), init2);
    return new Response(body === null ? null : watched(body), init2);
  };

  return {
    fetch: guardedFetch,
    signal: aborter.signal,
    facts: () => ({ status, headers, isSent, timedOut, redirectedTo, document }),
    close() {
      end.abort();
      firstByte.abort();
      deps.signal.removeEventListener('abort', onAbort);
      aborter.abort(new Error('the call has ended'));
    },
  };
}
