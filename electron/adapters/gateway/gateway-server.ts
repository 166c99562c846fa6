import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { LoopbackServer } from '../../ports/loopback';
import { openGuardedServer, type ServerLimits } from '../loopback/guarded-server';
import { Background } from './background';
import { errorBody } from './wire-errors';
import { answerClient, type ExchangeDeps } from './exchange';
import { openDoor, tokenOf, type Doorkeeper } from './gateway-token';
import { openResponseCache } from './response-cache';
import { readRoute } from './routes';

interface GatewayDeps extends Omit<
  ExchangeDeps,
  'cache' | 'calls' | 'withoutCounts' | 'background'
> {
  readonly port: number;
  readonly tokenPath: string;
  /** Clients with their own token, read again for each request. */
  readonly clients: Parameters<typeof openDoor>[1];
  /** Folder of the cached answers. */
  readonly cacheDir: string;
  readonly cacheWindowMs: () => number;
  readonly crashPoints: CrashPoints;
}

export interface GatewayServer extends LoopbackServer {
  /** The cache window has changed. */
  windowChanged(): void;
  /** The token of this client was replaced or revoked. */
  revoked(client: string): Promise<void>;
}

/** Bodies of 20 MB, answers that take as long as the client stays. */
const GATEWAY_LIMITS: ServerLimits = {
  headersMs: 5_000,
  bodyMs: 60_000,
  headerBytes: 16 * 1024,
  connections: 128,
};

/**
 * The provider gateway on 127.0.0.1: agents point their base address at it and live through outages.
 * Who has not the token gets nothing; bodies and keys are in no log.
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
      cache.stop();
    },
    windowChanged: () => void cache.prune(),
    revoked: (client) => door.revoked(client),
  };
}

/** One request: is it ours to answer, and for whom. */
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
      response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
      response.end(errorBody(dialect, { status, code, message }));
    };
    const client = door.clientOf(
      tokenOf(request, route.kind === 'route' ? route.token : undefined),
    );
    if (client === undefined) {
      refuse(401, 'token_refused', 'This is no token of the gateway. See: holdfast gateway status');
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
