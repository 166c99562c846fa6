import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { boundedBody } from '../fetch/bounded-body';
import { LoginNeeded, loginProblem } from './login-needed';
import type { BudgetLimits } from './message-budget';
import { createMessageBudget } from './message-budget';

/**
 * Minimum time between two connections for unsolicited server messages: a server may end each at
 * once, and it decides how soon the package reconnects.
 */
const STREAM_PAUSE_MS = 1_000;

/**
 * A server's requests are answered with requests, which it need not answer: each is a connection,
 * and a process has few.
 */
const MAX_UNANSWERED = 256;

/** Each call resolves at least `pauseMs` after the previous one. */
function createTurns(pauseMs: number): (signal: AbortSignal | undefined) => Promise<void> {
  let nextMs = 0;
  return async (signal) => {
    const nowMs = performance.now();
    const waitMs = Math.max(0, nextMs - nowMs);
    nextMs = nowMs + waitMs + pauseMs;
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false, ...(signal && { signal }) });
  };
}

/**
 * The protocol over streamable HTTP, with size limits on answers. Redirects stay on the same
 * origin, so headers with keys go only to the configured address. Security T6. Requests to a server
 * that requires a login fail with {@link LoginNeeded}.
 */
export function createHttpTransport(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: BudgetLimits;
  readonly onFlood: (reason: string) => void;
}): StreamableHTTPClientTransport {
  const budget = createMessageBudget(options.limits);
  const streamTurn = createTurns(STREAM_PAUSE_MS);
  let unanswered = 0;
  const counted = async (ask: () => Promise<Response>): Promise<Response> => {
    if (unanswered >= MAX_UNANSWERED) {
      const reason = `It left more than ${String(MAX_UNANSWERED)} requests without an answer.`;
      options.onFlood(reason);
      throw new Error(reason);
    }
    unanswered += 1;
    try {
      return await ask();
    } finally {
      unanswered -= 1;
    }
  };
  return new StreamableHTTPClientTransport(new URL(options.url), {
    requestInit: { headers: { ...options.headers } },
    fetch: async (url, init) => {
      if (init?.method === 'GET') await streamTurn(init.signal ?? undefined);
      const response = await counted(() => fetch(url, init));
      if (response.status === 401) {
        const said = await beginningOf(response);
        // Some servers report a session that they forgot as unauthorized.
        if (hasSessionId(init?.headers) && /\bsession\b/i.test(said))
          return new Response(said, { status: 404 });
        throw new LoginNeeded(
          loginProblem(options.headers, response.headers.get('www-authenticate')),
        );
      }
      const isRedirect = response.status >= 300 && response.status < 400;
      if (response.body === null || isRedirect) return response;
      const bounded = boundedBody(response.body, {
        isEvents: /^text\/event-stream/i.test(response.headers.get('content-type') ?? ''),
        messageBytes: options.limits.messageBytes,
        took(bytes, openBytes, events) {
          const nowMs = performance.now();
          let reason = budget.took(nowMs, bytes, openBytes);
          for (let at = 0; at < events; at += 1) reason ??= budget.message(nowMs);
          return reason;
        },
        onRefused: options.onFlood,
      });
      return new Response(bounded, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    },
  });
}

/**
 * Whether a request was rejected only because of its session: 404 means that by the protocol, 410
 * by its definition, and many servers answer 400 or 422 with a message. A 400 about a tool's
 * arguments is no reason to drop a session that may hold state.
 */
export function isSessionGone(status: number, text: string): boolean {
  if (status === 404 || status === 410) return true;
  return (status === 400 || status === 422) && /\bsession|initiali[sz]e/i.test(text);
}

const hasSessionId = (headers: HeadersInit | undefined): boolean =>
  new Headers(headers).has('mcp-session-id');

const MAX_REASON_BYTES = 2_048;

/** The first chunk of an answer that is not read further; never throws. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  try {
    const first = await reader?.read();
    return Buffer.from(first?.value?.subarray(0, MAX_REASON_BYTES) ?? []).toString('utf8');
  } catch {
    return '';
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}
