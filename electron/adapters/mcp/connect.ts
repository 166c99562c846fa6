/**
 * Opens connections. The protocol package and process code are loaded with this file, which is
 * loaded with the first server that is needed.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { timerMs } from '../../../shared/durations';
import type { JsonValue } from '../../ports/provider';
import { inertLine } from '../tools/tool-host';
import type { ConnectOptions, McpConnection, McpRequest } from './connection';
import { createHttpTransport, isSessionGone } from './http-transport';
import { LoginNeeded } from './login-needed';
import { BUDGET_LIMITS, createMessageBudget } from './message-budget';
import { startServerProcess } from './server-process';
import { createStdioTransport, NotSent } from './stdio-transport';
import type { CallEnd } from './tool-outcome';
import { contentText } from './tool-outcome';

const MAX_PAGES = 20;
/** Maximum tool descriptions read; far fewer tools are used. */
const MAX_DESCRIBED = 5_000;
/** Timeout for a server's polite end of its session. */
const GOODBYE_MS = 1_000;

/** Carries the messages, and reports its end. */
interface Wire {
  readonly transport: Transport;
  readonly pid: number | undefined;
  /** Resolves when the other side is gone. */
  readonly ended: Promise<string>;
  readonly lastWords: () => string;
  /** Ends it permanently and at once: failed handshake or flood. */
  readonly kill: () => void;
  readonly close: (graceMs: number) => Promise<void>;
}

export async function connect(options: ConnectOptions): Promise<McpConnection> {
  let flooded: string | undefined;
  let endNow = (): void => undefined;
  const onFlood = (reason: string): void => {
    flooded ??= reason;
    endNow();
  };
  const wire = await openWire(options, onFlood);
  endNow = wire.kill;
  const client = new Client({ name: 'holdfast', version: options.version }, { capabilities: {} });
  const closed = wire.ended.then((how) => flooded ?? how);
  // Pending requests fail at once, not after their timeout.
  void closed.then(() => wire.transport.close());
  try {
    await client.connect(wire.transport, {
      timeout: timerMs(options.handshakeMs),
      signal: options.signal,
    });
  } catch (thrown) {
    const how = await earlyEnd(wire, flooded);
    wire.kill();
    await wire.close(0);
    if (thrown instanceof LoginNeeded) throw thrown;
    const problem = handshakeProblem(flooded ?? how, thrown, options.handshakeMs, wire.lastWords());
    throw new Error(options.hide?.(problem) ?? problem, { cause: thrown });
  }
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    options.onToolsChanged();
  });
  return {
    pid: wire.pid,
    tools: async () => listTools(client, options),
    call: (request) => callTool(client, request, closed),
    closed,
    close: async (graceMs) => wire.close(graceMs),
  };
}

/** The used part of a page: each tool in it is parsed separately. */
const ToolPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional().catch(undefined),
});

async function listTools(client: Client, options: ConnectOptions): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        ToolPage,
        { timeout: timerMs(options.handshakeMs), signal: options.signal },
      );
      for (const tool of answer.tools.slice(0, MAX_DESCRIBED - tools.length)) tools.push(tool);
      cursor = answer.nextCursor;
      if (cursor === undefined || tools.length >= MAX_DESCRIBED) break;
    }
  } catch (thrown) {
    if (thrown instanceof LoginNeeded) throw thrown;
    const why =
      timedOut(thrown, options.handshakeMs) ??
      (isUnreadable(thrown) ? 'Its answer cannot be read.' : `${inertLine(messageOf(thrown))}.`);
    throw new Error(`It did not list its tools. ${why}`, { cause: thrown });
  }
  return tools;
}

async function openWire(options: ConnectOptions, onFlood: (reason: string) => void): Promise<Wire> {
  const { target } = options;
  if (target.kind === 'http') {
    let settle: (reason: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      settle = resolve;
    });
    const transport = createHttpTransport({ ...target, limits: BUDGET_LIMITS, onFlood });
    const finish = (): void => {
      settle('The connection was closed.');
    };
    return {
      transport,
      pid: undefined,
      ended,
      lastWords: () => '',
      kill: finish,
      async close() {
        // A polite goodbye; a server that does not answer it is left alone.
        await Promise.race([
          transport.terminateSession().catch(() => undefined),
          new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref()),
        ]);
        finish();
        await transport.close();
      },
    };
  }
  const child = await startServerProcess({ ...target, onErrorLine: options.onErrorLine });
  const transport = createStdioTransport({
    process: child,
    budget: createMessageBudget(BUDGET_LIMITS),
    onFlood,
  });
  return {
    transport,
    pid: child.pid,
    ended: child.ended,
    lastWords: () => child.lastWords(),
    kill: () => {
      child.kill();
    },
    close: async (graceMs) => child.end(graceMs),
  };
}

/** If the program itself has ended, that is the reason, not the silence that followed. */
async function earlyEnd(wire: Wire, flooded: string | undefined): Promise<string | undefined> {
  if (flooded !== undefined) return flooded;
  const soon = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 50));
  return Promise.race([wire.ended, soon]);
}

function handshakeProblem(
  ended: string | undefined,
  thrown: unknown,
  handshakeMs: number,
  lastWords: string,
): string {
  const what =
    ended ??
    timedOut(thrown, handshakeMs) ??
    (isUnreadable(thrown)
      ? 'Its first response does not follow the protocol and cannot be read.'
      : `${thrown instanceof McpError ? 'It refused to start' : 'It could not be reached'}: ${inertLine(messageOf(thrown))}.`);
  const last = lastWords.split('\n').at(-1) ?? '';
  return last === '' ? what : `${what} It printed: ${inertLine(last)}`;
}

function timedOut(thrown: unknown, waitMs: number): string | undefined {
  const isTimeout =
    thrown instanceof McpError && (thrown.code as ErrorCode) === ErrorCode.RequestTimeout;
  if (!isTimeout) return undefined;
  const more = Math.max(60, Math.ceil((2 * waitMs) / 1000));
  return `It did not respond within ${String(waitMs / 1000)} s. If it needs longer, for example to be downloaded first, set "handshake_timeout" of this server to more, such as "${String(more)}s".`;
}

/** The answer violates the protocol. */
const isUnreadable = (thrown: unknown): boolean => thrown instanceof z.core.$ZodError;

/** System error codes that mean that nothing was listening, so nothing was sent. */
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** The used part of a result. Unknown kinds of parts are accepted. */
const ToolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
});

async function callTool(
  client: Client,
  request: McpRequest,
  closed: Promise<string>,
): Promise<CallEnd> {
  const hasSession = client.transport?.sessionId !== undefined;
  const total = AbortSignal.timeout(timerMs(request.totalMs));
  try {
    const result = await client.request(
      {
        method: 'tools/call',
        params: {
          name: request.tool,
          arguments: argumentsOf(request.args),
          _meta: { 'holdfast/idempotency-key': request.idempotencyKey },
        },
      },
      ToolResult,
      {
        timeout: timerMs(request.timeoutMs),
        signal: AbortSignal.any([request.signal, total]),
        resetTimeoutOnProgress: true,
        onprogress: () => undefined,
      },
    );
    return {
      kind: 'answered',
      content: contentText(result.content, result.structuredContent),
      isError: result.isError === true,
    };
  } catch (thrown) {
    if (total.aborted && !request.signal.aborted)
      return {
        kind: 'no_answer',
        message: `There was only progress for ${String(request.totalMs / 1000)} s, and no result.`,
      };
    return endOf(thrown, request, closed, hasSession);
  }
}

async function endOf(
  thrown: unknown,
  request: McpRequest,
  closed: Promise<string>,
  hasSession: boolean,
): Promise<CallEnd> {
  if (request.signal.aborted) return { kind: 'no_answer', message: 'Stopped while it ran.' };
  if (thrown instanceof NotSent || messageOf(thrown) === 'Not connected')
    return { kind: 'not_sent', message: 'The connection was closed before the call was sent.' };
  // The key is no longer valid: nothing has happened, and the server is up.
  if (thrown instanceof LoginNeeded)
    return { kind: 'not_sent', message: thrown.message, isNeutral: true };
  if (thrown instanceof StreamableHTTPError) {
    // Rejected before any tool ran; for higher codes, how far it got is unknown.
    const status = thrown.code ?? 0;
    const message = `The server answered with HTTP status ${String(status)}.`;
    if (hasSession && isSessionGone(status, thrown.message))
      return { kind: 'not_sent', message, isSessionGone: true };
    const isRefused = status >= 300 && status < 500;
    return { kind: isRefused ? 'not_sent' : 'no_answer', message };
  }
  const code = systemCode(thrown);
  if (code !== undefined && NOBODY_THERE.has(code))
    return { kind: 'not_sent', message: `The server cannot be reached (${code}).` };
  if (thrown instanceof McpError) {
    switch (thrown.code as ErrorCode) {
      case ErrorCode.RequestTimeout:
        return {
          kind: 'no_answer',
          message: `There was no response within ${String(request.timeoutMs / 1000)} s.`,
        };
      case ErrorCode.ConnectionClosed: {
        const soon = new Promise<string>((resolve) => setTimeout(() => resolve(''), 100));
        const why = await Promise.race([closed, soon]);
        return {
          kind: 'no_answer',
          message: `The connection closed before the answer came. ${why}`.trim(),
        };
      }
      default:
        // The server's own answer to this request.
        return { kind: 'answered', content: thrown.message, isError: true };
    }
  }
  // It has answered, but the answer is unreadable, so the outcome is unknown.
  if (isUnreadable(thrown))
    return {
      kind: 'no_answer',
      message: 'Its response is not a tool result and cannot be read.',
    };
  return {
    kind: 'no_answer',
    message: `The tool call was interrupted: ${inertLine(messageOf(thrown))}.`,
  };
}

function argumentsOf(args: JsonValue): Record<string, unknown> {
  return args !== null && typeof args === 'object' && !Array.isArray(args)
    ? (args as Record<string, unknown>)
    : {};
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

function systemCode(thrown: unknown): string | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
