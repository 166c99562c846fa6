/**
 * HTTP on 127.0.0.1, for programs on this computer and not for web pages (H1..H3, H5, H6). Health,
 * metrics and the gateway use it; each sets its own limits.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { LoopbackServer } from '../../ports/loopback';
import { judgeRequest } from './request-rules';

/** How long and how large; ms and bytes. */
export interface ServerLimits {
  /** From the connection to the end of the headers. */
  readonly headersMs: number;
  /** From there to the end of the body. */
  readonly bodyMs: number;
  /** From there to the end of the answer; absent: as long as the client stays. */
  readonly answerMs?: number;
  readonly headerBytes: number;
  readonly connections: number;
}

interface GuardedServerOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly methods: readonly string[];
  readonly limits: ServerLimits;
  /** A request that the rules let through; `path` is without its query. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, path: string) => void;
}

const HOST = '127.0.0.1';
/** Ports after the requested one that are tried before the system chooses. */
const NEXT_PORTS = 20;
/** Our own timers bound each connection; a server of Node would look at all of them for ever. */
const NO_SWEEP_MS = 2 ** 31 - 1;
/** Of a connection that expects another request. */
const IDLE_MS = 1_000;
const TAKEN = new Set(['EADDRINUSE', 'EACCES']);

/** On every answer: never cached, never sniffed, never readable by a page. */
export const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Answers with a short text and ends the connection. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SAFE_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
    ...headers,
  });
  response.end(text);
}

/** Ends a connection that is silent or slow, step by step: headers, body, answer. */
function boundConnection(socket: Socket, limits: ServerLimits): { next(ms?: number): void } {
  let timer: NodeJS.Timeout | undefined;
  const next = (ms?: number): void => {
    clearTimeout(timer);
    if (ms === undefined) return;
    timer = setTimeout(() => socket.destroy(), ms);
    timer.unref();
  };
  socket.once('close', () => next());
  next(limits.headersMs);
  return { next };
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      server.removeAllListeners('error');
      server.removeAllListeners('listening');
      if (error === undefined) resolve();
      else reject(error);
    };
    server.once('error', settle);
    server.once('listening', () => settle());
    server.listen({ host: HOST, port, exclusive: true });
  });
}

async function listenNear(server: Server, port: number): Promise<void> {
  const near = Array.from({ length: port === 0 ? 1 : NEXT_PORTS + 1 }, (_, index) => port + index);
  for (const candidate of [...near.filter((one) => one <= 65_535), 0]) {
    try {
      await listenOn(server, candidate);
      return;
    } catch (error) {
      if (candidate === 0 || !TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Listens on 127.0.0.1 at the port or the next free one. Rejects if there is none at all. */
export async function openGuardedServer(options: GuardedServerOptions): Promise<LoopbackServer> {
  const { limits, methods } = options;
  const bounds = new WeakMap<Socket, ReturnType<typeof boundConnection>>();
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: NO_SWEEP_MS,
    keepAlive: false,
    keepAliveTimeout: IDLE_MS,
  });
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => bounds.set(socket, boundConnection(socket, limits)));
  server.on('request', (request, response) => {
    const bound = bounds.get(request.socket);
    bound?.next(limits.bodyMs);
    request.once('end', () => bound?.next(limits.answerMs));
    response.shouldKeepAlive = false;
    // Where its answer keeps the connection, the headers of the next one are bounded like the first.
    response.once('finish', () => bound?.next(limits.headersMs));
    const verdict = judgeRequest(
      { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders },
      { port: portOf(server), methods },
    );
    if (verdict.kind === 'refused') {
      sendText(response, verdict.status, `${verdict.reason}\n`, {
        ...(verdict.status === 405 ? { Allow: methods.join(', ') } : {}),
      });
      request.resume();
      return;
    }
    options.handle(request, response, verdict.path);
  });
  await listenNear(server, options.port);
  // It must not keep the process alive.
  server.unref();
  const port = portOf(server);
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0;
