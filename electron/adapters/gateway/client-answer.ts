import type { ServerResponse } from 'node:http';
import { SAFE_HEADERS } from '../loopback/guarded-server';
import type { GatewayDialect } from './routes';
import type { AnswerSink } from './upstream';
import { errorBody, errorEvent, type WireError } from './wire-errors';

/** Silence after which a waiting client hears that it is not forgotten, and from then on. */
const FIRST_COMMENT_MS = 5_000;
const NEXT_COMMENT_MS = 15_000;

/** Headers of the provider that clients use. */
const FORWARDED =
  /^(content-type|request-id|x-request-id|retry-after|openai-(model|processing-ms|version)|(anthropic|x)-ratelimit-[a-z-]+)$/;

/** The answer of one client, which may have to wait for it. */
export interface ClientAnswer extends AnswerSink {
  /** Comments keep the connection of a stream open; an answer that comes whole just takes longer. */
  waits(): void;
  /** A status and body of the provider as they came; an error event where a stream has begun. */
  refuse(status: number, contentType: string, body: string, error: WireError): void;
  fail(error: WireError): void;
  end(): void;
  /** Part of it has left: the client has to see that it was cut. */
  cut(): void;
  hasBegun(): boolean;
  /** What went out, for the memo; undefined where that was too much. */
  recorded(): readonly Buffer[] | undefined;
}

const MOST_RECORDED_BYTES = 4 * 1024 * 1024;

export function createClientAnswer(
  response: ServerResponse,
  options: {
    readonly isStream: boolean;
    readonly dialect: GatewayDialect;
    readonly commentMs?: number;
  },
): ClientAnswer {
  let timer: NodeJS.Timeout | undefined;
  let isStreaming = false;
  let hasBegun = false;
  let sent: Buffer[] | undefined = [];
  let sentBytes = 0;
  const quiet = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const head = (status: number, headers: Readonly<Record<string, string>>): void => {
    if (response.headersSent) return;
    response.writeHead(status, { ...headers, ...SAFE_HEADERS, Connection: 'close' });
    response.flushHeaders();
  };
  const comment = (): void => {
    if (response.destroyed || response.writableEnded) return;
    isStreaming = true;
    head(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(': waiting\n\n');
    timer = setTimeout(comment, options.commentMs ?? NEXT_COMMENT_MS);
    timer.unref();
  };
  response.once('close', quiet);

  const whole = (status: number, contentType: string, body: string): void => {
    head(status, { 'Content-Type': contentType });
    response.end(body);
  };
  return {
    waits() {
      if (!options.isStream || timer !== undefined || hasBegun) return;
      timer = setTimeout(comment, options.commentMs ?? FIRST_COMMENT_MS);
      timer.unref();
    },
    head(status, headers) {
      quiet();
      hasBegun = true;
      head(
        status,
        Object.fromEntries([...headers.entries()].filter(([name]) => FORWARDED.test(name))),
      );
    },
    async piece(bytes) {
      sentBytes += bytes.length;
      if (sentBytes > MOST_RECORDED_BYTES) sent = undefined;
      sent?.push(bytes);
      if (response.destroyed || response.write(bytes)) return;
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
    },
    refuse(status, contentType, body, error) {
      quiet();
      if (isStreaming) response.end(errorEvent(options.dialect, error));
      else whole(status, contentType, body);
    },
    fail(error) {
      quiet();
      if (isStreaming) response.end(errorEvent(options.dialect, error));
      else whole(error.status, 'application/json', errorBody(options.dialect, error));
    },
    end() {
      quiet();
      response.end();
    },
    cut() {
      quiet();
      response.destroy();
    },
    hasBegun: () => hasBegun,
    recorded: () => sent,
  };
}
