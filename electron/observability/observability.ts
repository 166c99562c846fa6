import { join } from 'node:path';
import { metricsFacts, type MetricsFactsDeps } from './metrics-facts';
import type { HealthFacts } from './health-view';
import type { Log } from '../ports/log';
import type { OpenLoopback } from '../ports/loopback';
import type { SettingsPort } from '../ports/settings';

interface ObservabilityDeps extends MetricsFactsDeps {
  readonly dataDir: string;
  readonly settings: () => SettingsPort;
  readonly log: () => Log;
  readonly loadLoopback: () => Promise<OpenLoopback>;
  /** Atomic, and readable only by this user. */
  readonly writePrivately: (path: string, text: string) => void;
  /** Undefined: it listens no longer. @returns why programs do not find the port */
  readonly publish: (which: 'health' | 'metrics', port: number | undefined) => string | undefined;
  /** How many agents can take a turn now. */
  readonly agents: () => number;
  /** Has the ports that are open now. */
  readonly ports: { health?: number; metrics?: number };
  readonly onListening: () => void;
}

/**
 * Health and metrics. They respond from before the database opens ("starting") until after the
 * journal closes; nothing waits for them, and a start without a port succeeds. S2-54..S2-56.
 */
export function createObservability(deps: ObservabilityDeps): {
  start(): void;
  stop(): Promise<void>;
} {
  let opening: ReturnType<typeof open> | undefined;

  const open = async (settings: SettingsPort, log: Log) => {
    const [{ createMetricsServer }, loopback] = await Promise.all([
      import('./metrics-server'),
      deps.loadLoopback(),
    ]);
    const server = createMetricsServer({
      runDir: join(deps.dataDir, 'run'),
      ports: {
        health: settings.get('observability.health_port'),
        metrics: settings.get('observability.metrics_port'),
      },
      mustHaveToken: settings.get('observability.require_token'),
      open: loopback,
      writePrivately: deps.writePrivately,
      publish: deps.publish,
      health: (): HealthFacts => ({ status: deps.status(), agents: deps.agents() }),
      metrics: () => metricsFacts(deps),
      log,
    });
    await server.start();
    Object.assign(deps.ports, server.ports());
    deps.onListening();
    return server;
  };

  return {
    start() {
      const [settings, log] = [deps.settings(), deps.log()];
      if (!settings.get('observability.enabled')) return;
      opening = open(settings, log);
      opening.catch((error: unknown) => {
        log.warn('observability.failed', { error });
      });
    },
    async stop() {
      const server = await opening?.catch(() => undefined);
      await server?.stop();
      delete deps.ports.health;
      delete deps.ports.metrics;
    },
  };
}
