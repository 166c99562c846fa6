import { vi } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { HeldItem, ProviderHealth } from '../../../shared/types/outage';
import { startFakeProvider, type FakeProvider } from '../../helpers/fake-provider';
import { createWorkWorld, type WorkWorld } from '../work/work-world';

/** A world with agents on providers over HTTP: two on `fp`, one on `other`, each on its own server. */
export interface OutageWorld {
  readonly site: WorkWorld;
  readonly fp: FakeProvider;
  readonly other: FakeProvider;
  /** The next life; made anew where `extra` is given. */
  end(): Promise<void>;
}

/** No waiting for the sake of waiting: short steps everywhere, the curve out of the way. */
export const QUICK = {
  limits: { margin: '1s' },
  work: { requeue_delay: '10ms', requeue_max_delay: '20ms' },
  retry: { server: { first_wait: '1ms', max_wait: '5ms' } },
  breakers: { initial_backoff: '200ms', max_backoff: '400ms' },
  resilience: { probe_interval: '150ms', early_probe: false },
};

export async function createOutageWorld(
  extra: Record<string, unknown> = {},
  agent: Record<string, unknown> = {},
): Promise<OutageWorld> {
  const fp = await startFakeProvider({ script: () => ({ text: 'ok' }) });
  const other = await startFakeProvider({ script: () => ({ text: 'other ok' }) });
  const site = createWorkWorld();
  const provider = (of: FakeProvider): object => ({
    kind: 'openai-compatible',
    base_url: of.baseUrl('openai-compatible'),
  });
  const workspace = site.world.workspace;
  const config = {
    ...QUICK,
    providers: { fp: provider(fp), other: provider(other) },
    agents: {
      fake: { provider: 'fp', model: 'm', workspace, ...agent },
      third: { provider: 'fp', model: 'm', workspace },
      second: { provider: 'other', model: 'm', workspace },
    },
    ...extra,
  };
  const { writeConfig } = await import('../../helpers/compose-world');
  writeConfig(site.world, config);
  return {
    site,
    fp,
    other,
    async end() {
      await site.end();
      await fp.stop();
      await other.stop();
    },
  };
}

export const healthOf = async (life: Composition, provider = 'fp'): Promise<ProviderHealth> => {
  const { providers } = await life.holdfast.call('provider.status', { provider }, 'test');
  const [health] = providers;
  if (health === undefined) throw new Error(`no provider ${provider}`);
  return health;
};

export const queueOf = async (life: Composition): Promise<readonly HeldItem[]> =>
  (await life.holdfast.call('outage.queue', {}, 'test')).items;

/** Looks until it is so; the first look that fits ends it. */
export const until = <T>(look: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(look, { timeout: 120_000, interval: 10 });

/** How often the light request came. */
export const probesOf = (fp: FakeProvider): number =>
  fp.requests.filter((one) => one.path.endsWith('/models')).length;
