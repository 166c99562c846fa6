import type { StatusSnapshot } from '../../shared/types';
import type { Handlers } from '../engine/api/handlers';
import type { JournalReads } from '../ports/journal/reads';
import type { Counters } from './counters';
import type { MetricsFacts } from './metric-families';

export interface MetricsFactsDeps {
  readonly version: string;
  readonly counters: Pick<Counters, 'counts'>;
  readonly status: () => StatusSnapshot;
  /** Undefined before the database is open and after it is closed. */
  readonly engine: () =>
    | {
        readonly reads: Pick<JournalReads, 'frame' | 'countByState'>;
        readonly verbs: Handlers<'breakers.list' | 'queue.status' | 'ext.list'>;
        readonly inbound: { kinds(): MetricsFacts['inbound'] };
      }
    | undefined;
}

/** Read at each scrape; nothing is updated in between. */
export async function metricsFacts(deps: MetricsFactsDeps): Promise<MetricsFacts> {
  const engine = deps.engine();
  const status = deps.status();
  const verbs = engine?.verbs;
  const [breakers, queue, extensions] = await Promise.all([
    orNothing(verbs?.['breakers.list']({}, 'control')),
    orNothing(verbs?.['queue.status']({}, 'control')),
    orNothing(verbs?.['ext.list']({}, 'control')),
  ]);
  return {
    version: deps.version,
    startedAtMs: status.startedAtMs,
    counts: deps.counters.counts(),
    providerOf: (frameId) => engine?.reads.frame(frameId)?.provider,
    inbound: engine?.inbound.kinds() ?? [],
    turns: engine?.reads.countByState() ?? {},
    status: engine === undefined ? undefined : status,
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
    return undefined; // not open yet, or closing: its lines are left out
  }
}
