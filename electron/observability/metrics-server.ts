import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports/log';
import type { LoopbackAnswer, LoopbackServer, OpenLoopback } from '../ports/loopback';
import { healthAnswer, type HealthFacts } from './health-view';
import { metricFamilies, type MetricsFacts, type Family } from './metric-families';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Metric, Registry } from 'prom-client';

/** The families as text for a scrape. The library is loaded with the first one. */
export async function metricsText(
  families: readonly Family[],
): Promise<{ readonly contentType: string; readonly body: string }> {
  const { Registry: Text } = (await import('prom-client')).default;
  const registry: Registry = new Text();
  for (const family of families) {
    // The values are counted elsewhere: the library only formats and escapes them.
    const metric = { ...family, aggregator: 'sum', get: () => Promise.resolve(family) };
    registry.registerMetric(metric as unknown as Metric);
  }
  return { contentType: registry.contentType, body: await registry.metrics() };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The token of this start, in a file that only this user can read. */
interface AccessToken {
  /** Takes the same time for any candidate (H4). */
  accepts(candidate: string | undefined): boolean;
  remove(): void;
}

/** Writes 32 new random bytes to `path`, for this user alone. */
function createAccessToken(
  path: string,
  writePrivately: (path: string, text: string) => void,
): AccessToken {
  const token = randomBytes(32).toString('hex');
  const digest = sha256(token);
  writePrivately(path, token);
  return {
    accepts: (candidate) => candidate !== undefined && timingSafeEqual(sha256(candidate), digest),
    remove: () => {
      rmSync(path, { force: true });
    },
  };
}

interface MetricsServerDeps {
  /** `D/run`. */
  readonly runDir: string;
  readonly ports: { readonly health: number; readonly metrics: number };
  /** Require a token for everything except `/live` (H4). */
  readonly mustHaveToken: boolean;
  readonly open: OpenLoopback;
  /** Atomic, and readable only by this user. */
  readonly writePrivately: (path: string, text: string) => void;
  /** Undefined: it listens no longer. @returns why programs do not find the port */
  readonly publish: (which: Which, port: number | undefined) => string | undefined;
  readonly health: () => HealthFacts;
  readonly metrics: () => Promise<MetricsFacts>;
  readonly log: Log;
}

/** Ports that are actually open. */
interface WatchPorts {
  readonly health?: number;
  readonly metrics?: number;
}

/** Health and metrics for monitoring programs (S2-54..S2-56). */
interface MetricsServer {
  /** Never rejects: if no port is free there is no server, and the log has the reason (R25). */
  start(): Promise<void>;
  ports(): WatchPorts;
  stop(): Promise<void>;
}

type Which = keyof MetricsServerDeps['ports'];

const NOT_HERE: LoopbackAnswer = { status: 404, body: 'Not found.\n' };
/** That the process responds is no secret. */
const OPEN_PATHS = new Set(['/live', '/health']);
const NO_TOKEN: LoopbackAnswer = { status: 401, body: '' };

/** Two read-only servers on 127.0.0.1; their ports are written to `run/*.port`. */
export function createMetricsServer(deps: MetricsServerDeps): MetricsServer {
  const servers: Partial<Record<Which, LoopbackServer>> = {};
  let token: AccessToken | undefined;
  let isStopped = false;
  const tokenPath = join(deps.runDir, 'observability.token');
  const publish = (which: Which, port: number | undefined): void => {
    const problem = deps.publish(which, port);
    if (problem !== undefined) deps.log.warn('observability.not_published', { which, problem });
  };

  const isAllowed = (path: string, bearer: string | undefined): boolean =>
    token === undefined || OPEN_PATHS.has(path) || token.accepts(bearer);

  const open = async (which: Which, answer: Parameters<OpenLoopback>[0]['answer']) => {
    try {
      const server = await deps.open({ port: deps.ports[which], answer });
      if (isStopped) {
        await server.stop();
        return;
      }
      servers[which] = server;
      publish(which, server.port);
      deps.log.info('observability.listening', { which, port: server.port });
    } catch (error) {
      deps.log.warn('observability.not_listening', { which, port: deps.ports[which], error });
    }
  };

  return {
    async start() {
      try {
        if (deps.mustHaveToken) token = createAccessToken(tokenPath, deps.writePrivately);
      } catch (error) {
        // Without the required token every request is rejected.
        deps.log.warn('observability.no_token', { error });
        return;
      }
      await open('health', ({ path, bearer }) => {
        if (!isAllowed(path, bearer)) return NO_TOKEN;
        return healthAnswer(path, deps.health) ?? NOT_HERE;
      });
      await open('metrics', async ({ path, bearer }) => {
        if (!isAllowed(path, bearer)) return NO_TOKEN;
        if (path !== '/metrics') return NOT_HERE;
        const { contentType, body } = await metricsText(metricFamilies(await deps.metrics()));
        return { status: 200, contentType, body };
      });
    },
    ports: () => ({
      ...(servers.health === undefined ? {} : { health: servers.health.port }),
      ...(servers.metrics === undefined ? {} : { metrics: servers.metrics.port }),
    }),
    async stop() {
      isStopped = true;
      const ending = Object.entries(servers) as [Which, LoopbackServer][];
      await Promise.all(ending.map(([, server]) => server.stop()));
      for (const [which] of ending) {
        Reflect.deleteProperty(servers, which);
        publish(which, undefined);
      }
      token?.remove();
      token = undefined;
    },
  };
}
