import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { boundedBody } from '../fetch/bounded-body';
import { LoginNeeded, loginProblem } from './login-needed';
import type { BudgetLimits } from './message-budget';
import { createMessageBudget } from './message-budget';

/**
 * The protocol over streamable HTTP, with bounds on what comes back. Redirects stay on the same
 * origin, so headers with keys go to the configured address only. Security T6.
 * A server that wants a login ends what was asked of it with {@link LoginNeeded}.
 */
export function createHttpTransport(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: BudgetLimits;
  readonly onFlood: (reason: string) => void;
}): StreamableHTTPClientTransport {
  const budget = createMessageBudget(options.limits);
  return new StreamableHTTPClientTransport(new URL(options.url), {
    requestInit: { headers: { ...options.headers } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (response.status === 401) {
        void response.body?.cancel();
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
