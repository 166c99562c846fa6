import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { LoopbackServer } from '../../ports/loopback';
import { openGuardedServer, SAFE_HEADERS, type ServerLimits } from '../loopback/guarded-server';
import { Background } from './background';
import { errorBody, wireError, type WireError } from './wire-errors';
import { answerClient, type ExchangeDeps } from './exchange';
import { openResponseCache } from './response-cache';
import { readRoute } from './routes';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_CLIENT } from '../../../shared/states';
import { isTokenOf, openKeptToken } from '../loopback/saved-token';

/** A client with a separate token. */
interface KnownClient {
  readonly name: string;
  readonly tokenHash: string;
}

/** Maximum wait for clients that do not read. */
const TELL_MS = 1_000;

/** Who has access, and whose requests are running. */
interface Doorkeeper {
  /** The client of a token. */
  clientOf(candidate: string | undefined): string | undefined;
  /** Aborted with a {@link WireError} when the client's token is revoked, or the gateway ends. */
  admit(client: string, response: ServerResponse): AbortSignal;
  /** Its token is revoked: its running requests end. */
  revoked(client: string): Promise<void>;
  /** No further answers. Resolves when all clients got an error, or after a second. */
  closed(): Promise<void>;
}

/**
 * Tokens of the gateway: one in a file, and those of separate clients, of which only hashes are
 * stored. Each is compared regardless of the other results, so that the time reveals nothing.
 * @throws DATA_DIR_UNSAFE if others could read the file
 */
async function openDoor(
  tokenPath: string,
  clients: () => readonly KnownClient[],
): Promise<Doorkeeper> {
  let kept = await openKeptToken(tokenPath, 'of the gateway');
  const inside = new Map<string, Map<ServerResponse, AbortController>>();
  let isClosed = false;
  const end = (client: string, why: WireError): void => {
    for (const [response, abort] of inside.get(client) ?? []) {
      abort.abort(why);
      // A client that has received nothing yet sees the connection close and retries.
      if (!response.headersSent) response.destroy();
    }
  };
  return {
    clientOf(candidate) {
      if (candidate === undefined) return undefined;
      const found = clients().filter((one) => isTokenOf(candidate, one.tokenHash));
      return kept.accepts(candidate) ? DEFAULT_CLIENT : found[0]?.name;
    },
    admit(client, response) {
      const own = inside.get(client) ?? new Map<ServerResponse, AbortController>();
      const abort = new AbortController();
      inside.set(client, own.set(response, abort));
      response.once('close', () => own.delete(response));
      if (isClosed) response.destroy();
      return abort.signal;
    },
    async revoked(client) {
      if (client === DEFAULT_CLIENT) kept = await openKeptToken(tokenPath, 'of the gateway');
      end(client, wireError(401, 'token_revoked', 'The token of this client was revoked.'));
    },
    async closed() {
      isClosed = true;
      const gone = [...inside.values()]
        .flatMap((own) => [...own.keys()])
        .map((response) => new Promise((resolve) => response.once('close', resolve)));
      for (const client of inside.keys())
        end(
          client,
          wireError(
            503,
            'stopping',
            'The gateway is stopping. Send the request again when it is back.',
          ),
        );
      await Promise.race([Promise.all(gone), delay(TELL_MS, undefined, { ref: false })]);
    },
  };
}

/** The token as clients send it: as their key, in either dialect, or in the path. */
function tokenOf(request: IncomingMessage, inPath: string | undefined): string | undefined {
  if (inPath !== undefined) return inPath;
  const bearer = /^Bearer ([\x21-\x7e]{1,400})$/i.exec(request.headers.authorization ?? '')?.[1];
  const key = request.headers['x-api-key'];
  return bearer ?? (typeof key === 'string' ? key : undefined);
}

interface GatewayDeps extends Omit<
  ExchangeDeps,
  'cache' | 'calls' | 'withoutCounts' | 'background'
> {
  readonly port: number;
  readonly tokenPath: string;
  /** Clients with separate tokens, read again for each request. */
  readonly clients: Parameters<typeof openDoor>[1];
  /** Folder of the cached answers. */
  readonly cacheDir: string;
  readonly cacheWindowMs: () => number;
  readonly crashPoints: CrashPoints;
}

interface GatewayServer extends LoopbackServer {
  /** The cache window has changed. */
  windowChanged(): void;
  /** Call after the token of this client was replaced or revoked. */
  revoked(client: string): Promise<void>;
}

/** Bodies of 20 MB; answers may take as long as the client stays. */
const GATEWAY_LIMITS: ServerLimits = {
  headersMs: 5_000,
  bodyMs: 60_000,
  headerBytes: 16 * 1024,
  connections: 128,
};

/**
 * The provider gateway on 127.0.0.1: agents use it as their base address and survive outages. A
 * client without a token gets nothing; bodies and keys are never logged.
 */
export async function openGateway(deps: GatewayDeps): Promise<GatewayServer> {
  const door = await openDoor(deps.tokenPath, deps.clients);
  const cache = await openResponseCache({
    dir: deps.cacheDir,
    nowMs: () => deps.clock.nowMs(),
    windowMs: deps.cacheWindowMs,
    crashPoints: deps.crashPoints,
  });
  const exchange: ExchangeDeps = {
    ...deps,
    cache,
    calls: new Map(),
    withoutCounts: new Set(),
    background: new Background(),
  };
  const server = await openGuardedServer({
    port: deps.port,
    methods: ['GET', 'POST'],
    limits: GATEWAY_LIMITS,
    handle: createHandler(exchange, door),
  });
  return {
    port: server.port,
    stop: async () => {
      // Pending writes must be sent before their connections end.
      await door.closed();
      await server.stop();
      await cache.stop();
    },
    windowChanged: () => void cache.prune(),
    revoked: (client) => door.revoked(client),
  };
}

/** Handles one request: checks whether it is accepted, and for which client. */
function createHandler(
  exchange: ExchangeDeps,
  door: Doorkeeper,
): (request: IncomingMessage, response: ServerResponse, path: string) => void {
  return (request, response, path) => {
    const isAnthropic = request.headers['anthropic-version'] !== undefined;
    const route = readRoute(request.method ?? '', path, isAnthropic);
    const other = isAnthropic ? 'anthropic' : 'openai-compatible';
    const dialect = route.kind === 'route' ? route.endpoint.dialect : other;
    const refuse = (status: number, code: string, message: string): void => {
      request.resume();
      const headers = { 'Content-Type': 'application/json', Connection: 'close', ...SAFE_HEADERS };
      response.writeHead(status, headers);
      response.end(errorBody(dialect, { status, code, message }));
    };
    const client = door.clientOf(
      tokenOf(request, route.kind === 'route' ? route.token : undefined),
    );
    if (client === undefined) {
      refuse(401, 'token_refused', 'This is not a gateway token. See: holdfast gateway status');
      return;
    }
    if (route.kind === 'none') {
      refuse(route.status, 'not_here', route.message);
      return;
    }
    const { endpoint, provider } = route;
    const query = /\?.*$/.exec(request.url ?? '')?.[0] ?? '';
    const until = door.admit(client, response);
    answerClient(exchange, { client, until, endpoint, provider, query }, request, response).catch(
      (error: unknown) => {
        exchange.log.error('gateway.failed', { error });
        response.destroy();
      },
    );
  };
}
