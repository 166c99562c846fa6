/**
 * FP of the rows: an HTTP server on 127.0.0.1 that speaks the three dialects of the model
 * providers, follows a script and keeps a log of what arrived.
 *
 * Plain Node and no imports of ours, so a program that a crash test kills can use it too.
 */
import type { FakeReply } from './fake-provider-types';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerEvents, errorBody, errorEvent } from './fake-provider-dialects';
import type { FakeDialect } from './fake-provider-dialects';

export type { FakeDialect } from './fake-provider-dialects';

/** One line of the request log. */
export interface FakeRequest {
  readonly index: number;
  /** Wall time of the arrival, ms since the epoch. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly dialect: FakeDialect | 'other';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodySha256: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
}

/** A queue of answers, or a function of the request (which may wait). */
type FakeScript = readonly FakeReply[] | ((request: FakeRequest) => FakeReply | Promise<FakeReply>);

export interface FakeProvider {
  readonly port: number;
  readonly origin: string;
  /** Everything that arrived, in order, other paths included. */
  readonly requests: readonly FakeRequest[];
  /** What goes into `providers.<name>.base_url`. */
  baseUrl(dialect: FakeDialect): string;
  /** Replaces the script; the log stays. */
  setScript(script: FakeScript): void;
  /** What light requests get from now on; an empty list of models by default. */
  answerProbes(reply: FakeReply): void;
  /** The same, by the request: for paths of which this provider knows nothing. */
  answerOthers(script: (request: FakeRequest) => FakeReply): void;
  /** Resolves when `count` requests for an answer have arrived. */
  waitForRequests(count: number, timeoutMs?: number): Promise<void>;
  /** Requests for an answer, without probes. */
  calls(): readonly FakeRequest[];
  /** Closes the port and every connection: the next connection is refused. */
  down(): Promise<void>;
  /** Listens on the same port again. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

const wait = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs));

function dialectOf(path: string): FakeDialect | 'other' {
  if (path.endsWith('/chat/completions')) return 'openai-compatible';
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.includes(':streamGenerateContent')) return 'google';
  return 'other';
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // the log keeps the text; a test of a broken body reads that
  }
}

async function send(
  reply: FakeReply,
  request: FakeRequest,
  response: ServerResponse,
): Promise<void> {
  const dialect = request.dialect === 'other' ? 'openai-compatible' : request.dialect;
  if (reply.delayMs !== undefined) await wait(reply.delayMs);
  if (reply.fault === 'stall_first_byte') return;
  if (reply.fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const status = reply.status ?? 200;
  if (status !== 200 || reply.body !== undefined) {
    const body = reply.body ?? errorBody(dialect, status, reply.error);
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...reply.headers,
    });
    response.end(isText ? body : JSON.stringify(body));
    return;
  }
  const { content, finish } = answerEvents(dialect, reply);
  const pause = async (): Promise<void> => {
    if (reply.chunkDelayMs !== undefined) await wait(reply.chunkDelayMs);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  response.flushHeaders();
  const isBroken = reply.fault !== undefined;
  const sent = isBroken ? content.slice(0, Math.max(1, Math.ceil(content.length / 2))) : content;
  for (const event of sent) {
    response.write(event);
    await pause();
  }
  switch (reply.fault) {
    case undefined:
      break;
    case 'stall_mid_stream':
      return;
    case 'cut':
      await wait(20); // what was written has to leave first
      response.socket?.destroy();
      return;
    case 'eof':
      response.end();
      return;
    case 'malformed_event':
      response.write('data: {"this is": not json\n\n');
      for (const event of content.slice(sent.length)) response.write(event);
      break;
    case 'error_event':
      response.write(errorEvent(dialect, reply.error));
      break;
  }
  for (const event of finish) {
    response.write(event);
    await pause();
  }
  response.end();
}

/**
 * Starts a fake provider. A queue that runs out answers 500 "script exhausted", so that a test
 * that calls too often sees it.
 */
export async function startFakeProvider(
  options: { readonly port?: number; readonly script?: FakeScript } = {},
): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  let script: FakeScript = options.script ?? [];
  let position = 0;
  let probeReply = (_request: FakeRequest): FakeReply => ({ body: { data: [] } });
  const sockets = new Set<Socket>();

  const nextReply = async (request: FakeRequest): Promise<FakeReply> => {
    if (request.dialect === 'other') return probeReply(request);
    if (typeof script === 'function') return script(request);
    const reply = script[position];
    position += 1;
    return reply ?? { status: 500, error: { message: 'fake provider: script exhausted' } };
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const atMs = Date.now();
    const body = await readBody(incoming);
    const path = incoming.url ?? '/';
    const request: FakeRequest = {
      index: requests.length,
      atMs,
      method: incoming.method ?? 'GET',
      path,
      dialect: dialectOf(path.split('?')[0] ?? path),
      headers: incoming.headers as Record<string, string>,
      body,
      bodySha256: createHash('sha256').update(body).digest('hex'),
      json: parse(body),
    };
    requests.push(request);
    await send(await nextReply(request), request, response);
  };

  let server: Server;
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server = createServer((incoming, response) => {
        response.on('error', () => undefined); // the client may leave in the middle
        answer(incoming, response).catch((error: unknown) => {
          if (response.headersSent) response.destroy();
          else response.writeHead(500).end(`fake provider: ${String(error)}`);
        });
      });
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
      });
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        resolve((server.address() as AddressInfo).port);
      });
    });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });

  const port = await listen(options.port ?? 0);
  const origin = `http://127.0.0.1:${String(port)}`;
  const calls = (): readonly FakeRequest[] => requests.filter((r) => r.dialect !== 'other');
  return {
    port,
    origin,
    requests,
    calls,
    baseUrl: (dialect) => `${origin}/${dialect === 'google' ? 'v1beta' : 'v1'}`,
    setScript(next) {
      script = next;
      position = 0;
    },
    answerProbes(reply) {
      probeReply = () => reply;
    },
    answerOthers(others) {
      probeReply = others;
    },
    async waitForRequests(count, timeoutMs = 120_000) {
      const endMs = Date.now() + timeoutMs;
      while (calls().length < count) {
        if (Date.now() > endMs) {
          throw new Error(`${String(calls().length)} of ${String(count)} requests arrived`);
        }
        await wait(5);
      }
    },
    down: close,
    async up() {
      await listen(port);
    },
    stop: close,
  };
}
