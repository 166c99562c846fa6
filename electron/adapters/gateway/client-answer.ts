import type { ServerResponse } from 'node:http';
import { SAFE_HEADERS } from '../loopback/guarded-server';
import { answeredBy, INSTEAD_OF } from './answered-by';
import type { GatewayDialect } from './routes';
import type { AnswerSink, Refusal } from './upstream';
import { errorBody, errorEvent, errorText, type WireError } from './wire-errors';

/**
 * Silence after which a waiting client gets its first keepalive comment, and the interval after
 * that.
 */
const FIRST_COMMENT_MS = 5_000;
/**
 * The same for an answer that arrives as a whole. The first keepalive also sends the status, so it
 * is sent as late as clients with a timeout of half a minute allow.
 */
const FIRST_SPACE_MS = 20_000;
const NEXT_SIGN_MS = 15_000;
/** How long a client may read nothing, for example while its program is paused in a debugger. */
const STALL_MS = 600_000;
/** Delay between the last bytes to a client and the end of its connection. */
const READ_MS = 200;

/** Headers of the provider that clients use. */
const FORWARDED =
  /^(content-type|request-id|x-request-id|retry-after(-ms)?|x-should-retry|openai-(model|processing-ms|version)|(anthropic|x)-ratelimit-[a-z-]+|x-holdfast-(provider|model|instead-of))$/;

/** The answer to one client, which may have to wait for it. */
export interface ClientAnswer extends AnswerSink {
  /**
   * Keeps the connection open: with comments in a stream, and with spaces before the JSON of a
   * whole answer, which every parser skips. This also resets the clients' timeout for a status,
   * which no interim status (1xx) does; Python's own client even takes such a status for the
   * answer.
   */
  waits(): void;
  /** The provider's error, unchanged; or its replacement if the answer has started. */
  refuse(refusal: Refusal, error: WireError): void;
  fail(error: WireError): void;
  end(): void;
  /**
   * Part of the answer has been sent: the client gets an error, and its connection breaks. Both are
   * needed, because a library may detect one and miss the other.
   */
  cut(error: WireError): void;
}

const forwarded = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers.entries()].filter(([name]) => FORWARDED.test(name)));

export function createClientAnswer(
  response: ServerResponse,
  options: {
    readonly isStream: boolean;
    readonly dialect: GatewayDialect;
    readonly commentMs?: number;
    readonly stallMs?: number;
  },
): ClientAnswer {
  const first = options.commentMs ?? (options.isStream ? FIRST_COMMENT_MS : FIRST_SPACE_MS);
  let timer: NodeJS.Timeout | undefined;
  /** Keepalives were sent, so status 200 is final. */
  let isKeptOpen = false;
  let hasBegun = false;
  let drained: Promise<void> | undefined;
  const quiet = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const head = (status: number, headers: Readonly<Record<string, string>>): void => {
    if (response.headersSent) return;
    // Node's `fetch` treats a truncated answer with "Connection: close" as complete.
    response.shouldKeepAlive = true;
    response.writeHead(status, { ...headers, ...SAFE_HEADERS });
    response.flushHeaders();
  };
  const sign = (): void => {
    if (response.destroyed || response.writableEnded) return;
    isKeptOpen = true;
    head(200, {
      'Content-Type': options.isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    });
    response.write(options.isStream ? ': waiting\n\n' : ' ');
    timer = setTimeout(sign, options.commentMs ?? NEXT_SIGN_MS);
    timer.unref();
  };
  response.once('close', quiet);

  /** In a form that makes the client's library throw, because the status can no longer show it. */
  const late = (error: WireError): string =>
    options.isStream ? errorEvent(options.dialect, error) : errorText(error);
  const whole = (status: number, headers: Readonly<Record<string, string>>, body: string): void => {
    head(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
  return {
    waits() {
      if (timer !== undefined || hasBegun) return;
      timer = setTimeout(sign, first);
      timer.unref();
    },
    head(status, headers) {
      quiet();
      hasBegun = true;
      // The first keepalive has already sent the headers, so a comment carries their content.
      if (isKeptOpen && options.isStream && headers.has(INSTEAD_OF))
        response.write(`: ${JSON.stringify(answeredBy(headers))}\n\n`);
      head(status, forwarded(headers));
    },
    async piece(bytes) {
      if (response.destroyed || response.write(bytes)) return;
      drained ??= new Promise<void>((resolve) => {
        // The resources held for it, its provider connection and reserved money, must not be held
        // forever.
        const stalled = setTimeout(() => response.destroy(), options.stallMs ?? STALL_MS);
        stalled.unref();
        const end = (): void => {
          clearTimeout(stalled);
          response.off('drain', end).off('close', end);
          drained = undefined;
          resolve();
        };
        response.once('drain', end).once('close', end);
      });
      await drained;
    },
    refuse({ status, headers, body }, error) {
      quiet();
      if (isKeptOpen) response.end(late(error));
      else whole(status, forwarded(headers), body);
    },
    fail(error) {
      quiet();
      if (isKeptOpen) response.end(late(error));
      else {
        const again = error.retryAfterS;
        const headers = again === undefined ? {} : { 'retry-after': String(again) };
        whole(error.status, headers, errorBody(options.dialect, error));
      }
    },
    end() {
      quiet();
      response.end();
    },
    cut(error) {
      quiet();
      // A client that does not read gets nothing more.
      if (!response.headersSent || response.writableNeedDrain) response.destroy();
      else if (options.isStream)
        // A client that receives the error and the close at once may drop unread data.
        response.write(late(error), () => setTimeout(() => response.destroy(), READ_MS).unref());
      else response.end(late(error));
    },
  };
}
