/**
 * HTTP on 127.0.0.1, for programs on this computer and not for web pages (H1..H3, H5, H6). Health,
 * metrics and the gateway use it; each sets its own limits.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { LoopbackServer } from '../../ports/loopback';

/** The parts of a request that decide whether it is answered. */
interface RequestFacts {
  readonly method: string;
  /** As written in the request line. */
  readonly target: string;
  /** Names and values alternating, unchanged: Node shows only the first of two Host headers. */
  readonly rawHeaders: readonly string[];
}

type RequestVerdict =
  | { readonly kind: 'accepted'; readonly path: string }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 405; readonly reason: string };

const refused = (status: 400 | 403 | 405, reason: string): RequestVerdict => ({
  kind: 'refused',
  status,
  reason,
});

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** Longest accepted path; ours are short. */
const MAX_TARGET = 2_000;

/**
 * Judges a request to a server on 127.0.0.1: a web page that the browser was tricked into sending
 * here (rebinding, cross-site) is rejected, whatever it requests. Pure. H1, H2, H3, H5.
 */
function judgeRequest(
  { method, target, rawHeaders }: RequestFacts,
  {
    port,
    methods,
    pages,
  }: {
    readonly port: number;
    readonly methods: readonly string[];
    readonly pages?: PageRules | undefined;
  },
): RequestVerdict {
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) return refused(400, 'Send exactly one Host header.');
  if (!target.startsWith('/') || target.startsWith('//') || target.length > MAX_TARGET)
    return refused(400, 'Send a path, not an address.');
  if (valuesOf(rawHeaders, 'upgrade').length > 0)
    return refused(400, 'Connection upgrades are not supported.');
  const path = target.split('?', 1)[0] ?? '/';
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${String(port)}`);
  const host = (hosts[0] ?? '').toLowerCase();
  if (pages !== undefined && path.startsWith(pages.prefix))
    return judgePage({ method, path, host, rawHeaders }, own, pages.address());
  if (!own.includes(host))
    return refused(403, `This is ${own[0] ?? ''} and accepts only that host name.`);
  if (valuesOf(rawHeaders, 'origin').length > 0)
    return refused(403, 'Requests from web pages are rejected.');
  if (valuesOf(rawHeaders, 'sec-fetch-site').some((site) => site.toLowerCase() !== 'none'))
    return refused(403, 'Requests from web pages are rejected.');
  if (!methods.includes(method)) return refused(405, `Use ${methods.join(' or ')}.`);
  return { kind: 'accepted', path };
}

/** Pages that a browser may open here; deciding anything also needs a signed token. */
interface PageRules {
  readonly prefix: string;
  /** Origin at which other devices reach this server; empty if none do. */
  readonly address: () => string;
}

/**
 * A page may be opened from a link anywhere, but only a form or script of the page itself may send
 * something: no other site can, not even with a link that it knows. Pure. PH-03
 */
function judgePage(
  {
    method,
    path,
    host,
    rawHeaders,
  }: {
    readonly method: string;
    readonly path: string;
    readonly host: string;
    readonly rawHeaders: readonly string[];
  },
  own: readonly string[],
  address: string,
): RequestVerdict {
  const origins = [...own.map((one) => `http://${one}`), ...(address === '' ? [] : [address])].map(
    (origin) => origin.toLowerCase(),
  );
  if (!origins.some((origin) => origin.replace(/^https?:\/\//, '') === host))
    return refused(403, 'This is not the address of these pages.');
  if (method === 'GET') return { kind: 'accepted', path };
  if (method !== 'POST') return refused(405, 'Use GET or POST.');
  const [origin, ...more] = valuesOf(rawHeaders, 'origin');
  const sites = valuesOf(rawHeaders, 'sec-fetch-site');
  const isOwn = origin !== undefined && origins.includes(origin.toLowerCase()) && more.length === 0;
  return isOwn && sites.every((site) => site.toLowerCase() === 'same-origin')
    ? { kind: 'accepted', path }
    : refused(403, 'Only the page itself can send this.');
}

/** Limits of time and size; ms and bytes. */
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
  /** Absent: web pages get no answer at all. */
  readonly pages?: PageRules;
  readonly limits: ServerLimits;
  /** A request accepted by the rules; `path` is without its query. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, path: string) => void;
  /** A request that the rules rejected; `reason` is one of a few fixed sentences. */
  readonly onRefused?: (reason: string) => void;
}

const HOST = '127.0.0.1';
/** Ports after the requested one that are tried before the system chooses. */
const NEXT_PORTS = 20;
/**
 * Our own timers limit each connection; a Node server would otherwise check all of them forever.
 */
const NO_SWEEP_MS = 2 ** 31 - 1;
/** For a connection that expects another request. */
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

/** Listens on 127.0.0.1 at the port or the next free one. Rejects if none is available. */
export async function openGuardedServer(options: GuardedServerOptions): Promise<LoopbackServer> {
  const { limits, methods } = options;
  const bounds = new WeakMap<Socket, ReturnType<typeof boundConnection>>();
  /** The last answer of each connection. */
  const answers = new WeakMap<Socket, ServerResponse>();
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: NO_SWEEP_MS,
    keepAlive: false,
    keepAliveTimeout: IDLE_MS,
  });
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => bounds.set(socket, boundConnection(socket, limits)));
  server.on('request', (request, response) => {
    const { socket } = request;
    const before = answers.get(socket);
    // Thousands of requests fit into one packet, and each would hold the event loop.
    if (before !== undefined && !(before.writableEnded && before.shouldKeepAlive))
      return void socket.destroy();
    answers.set(socket, response);
    const bound = bounds.get(socket);
    // The body is missing, so no one would notice its end.
    bound?.next(hasBody(request) ? limits.bodyMs : limits.answerMs);
    request.once('end', () => bound?.next(limits.answerMs));
    response.shouldKeepAlive = false;
    // If the connection is kept, the headers of the next request are limited like the first.
    response.once('finish', () => bound?.next(limits.headersMs));
    const verdict = judgeRequest(
      { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders },
      { port: portOf(server), methods, pages: options.pages },
    );
    if (verdict.kind === 'refused') {
      options.onRefused?.(verdict.reason);
      sendText(response, verdict.status, `${verdict.reason}\n`, {
        ...(verdict.status === 405 ? { Allow: methods.join(', ') } : {}),
      });
      request.resume();
      return;
    }
    options.handle(request, response, verdict.path);
  });
  await listenNear(server, options.port);
  // Such as with too many open files. Without a listener it would end the process.
  server.on('error', () => options.onRefused?.('A connection could not be accepted.'));
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

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0;
