import path from 'node:path';
import type { StatusSnapshot } from '../../shared/types';
import { writeForThisRunSync } from '../disk/durable-file';
import type { ComposeOptions } from './options';
import type { LifecyclePart } from '../lifecycle';
import type { HealthFacts } from '../observability/health-view';
import type { MetricsFacts } from '../observability/metric-families';
import type { Counters } from '../observability/counters';
import type { Clock } from '../ports/clock';
import { need, type Run } from './run';

interface ObservabilityDeps {
  readonly run: Run;
  readonly clock: Clock;
  readonly tally: Counters;
  readonly status: () => StatusSnapshot;
  readonly onChange: () => void;
}

/**
 * Health and metrics. They answer from before the database is opened ("starting") until after the
 * journal is closed; nobody waits for them, and a start without a port is a start. S2-54..S2-56.
 */
export function observabilityPart(options: ComposeOptions, deps: ObservabilityDeps): LifecyclePart {
  const { run } = deps;
  return {
    name: 'health and metrics',
    start() {
      const settings = need(run.settings);
      if (!settings.get('observability.enabled')) return;
      const opening = (async () => {
        const [{ createMetricsServer }, { readOnlyServer }] = await Promise.all([
          import('../observability/metrics-server'),
          import('../adapters/loopback/read-only-server'),
        ]);
        const observatory = createMetricsServer({
          runDir: path.join(options.dataDir, 'run'),
          ports: {
            health: settings.get('observability.health_port'),
            metrics: settings.get('observability.metrics_port'),
          },
          mustHaveToken: settings.get('observability.require_token'),
          open: readOnlyServer(),
          writePrivately: writeForThisRunSync,
          health: () => healthFacts(deps),
          metrics: () => metricsFacts(options, deps),
          log: need(run.log),
        });
        await observatory.start();
        Object.assign(run.ports, observatory.ports());
        deps.onChange();
        return observatory;
      })();
      opening.catch((error: unknown) => run.log?.warn('observability.failed', { error }));
      this.stop = async () => {
        const observatory = await opening.catch(() => undefined);
        await observatory?.stop();
        delete run.ports.health;
        delete run.ports.metrics;
      };
    },
  };
}

function healthFacts({ run, status }: ObservabilityDeps): HealthFacts {
  return {
    status: status(),
    agents: run.phase === 'running' ? (run.rooms?.agents.names().length ?? 0) : 0,
  };
}

/** Read with the scrape: nothing of it is kept up to date in between. */
async function metricsFacts(
  options: ComposeOptions,
  { run, tally, status }: ObservabilityDeps,
): Promise<MetricsFacts> {
  const { rooms } = run;
  const snapshot = status();
  const verbs = rooms?.verbs;
  const [breakers, queue, extensions] = await Promise.all([
    orNothing(verbs?.['breakers.list']({}, 'control')),
    orNothing(verbs?.['queue.status']({}, 'control')),
    orNothing(verbs?.['ext.list']({}, 'control')),
  ]);
  return {
    version: options.version,
    startedAtMs: snapshot.startedAtMs,
    counts: tally.counts(),
    providerOf: (frameId) => rooms?.reads.frame(frameId)?.provider,
    inbound: rooms?.inbound.kinds() ?? [],
    turns: rooms?.reads.countByState() ?? {},
    status: rooms === undefined ? undefined : snapshot,
    breakers: breakers?.breakers ?? [],
    queue,
    extensions: extensions?.servers ?? [],
  };
}

/** One part that cannot answer takes nothing away from the others. */
async function orNothing<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await answer;
  } catch {
    return undefined; // not there yet, or on its way out: its lines are left out
  }
}
