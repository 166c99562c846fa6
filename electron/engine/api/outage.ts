import type { VerbOutput } from '../../../shared/contract';
import type { Basics } from '../kernel/basics';
import type { Journal } from '../../ports/journal/journal';
import type { OutageReads } from '../../ports/journal/outage';
import type { TurnReads } from '../../ports/journal/reads';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { WorkReads } from '../../ports/journal/work';
import type { BreakersOfRun } from '../breaker/breakers';
import type { FallbackRoom } from '../fallback/fallback';
import { HoldfastError } from '../kernel/errors';
import { createLatencies } from '../outage/latencies';
import type { Outage } from '../outage/outage';
import { outagePlot, waitingQueue } from '../outage/views';
import type { Families } from './handlers';

interface OutageDeps extends Pick<Basics, 'clock' | 'audit' | 'settings'> {
  readonly outage: Outage;
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly breakers: BreakersOfRun;
  readonly reads: OutageReads & TurnReads;
  readonly scheduleReads: ScheduleReads;
  readonly workReads: WorkReads;
  readonly fallback: Pick<FallbackRoom, 'use'>;
  /** Providers that exist without a setting. */
  readonly extraProviders: readonly string[];
  /** The practice provider simulates an outage until this time. */
  readonly playDown: (untilMs: number) => void;
}

/** Breakers, providers that are down, and the turns that wait for them. */
export function outageHandlers(deps: OutageDeps): Families['outage'] {
  const { breakers, outage, reads, clock } = deps;
  const latencies = createLatencies(deps);
  const names = (): readonly string[] => [
    ...new Set([
      ...Object.keys(deps.settings.get('providers')),
      ...deps.extraProviders,
      ...outage.known(),
    ]),
  ];
  const need = (provider: string): void => {
    if (names().includes(provider)) return;
    throw new HoldfastError('PROVIDER_UNKNOWN', `There is no provider "${provider}".`, {
      hint: 'Nothing was sent. List them: holdfast providers list',
    });
  };
  const probe = async (
    provider: string,
    isThroughBreaker: boolean,
  ): Promise<VerbOutput<'outage.probe'>> => {
    need(provider);
    const report = await outage.probe(provider, isThroughBreaker);
    return { ...report, health: outage.health(provider) };
  };
  const queue = (filter: Parameters<typeof waitingQueue>[2]) => waitingQueue(deps, outage, filter);
  return {
    'breakers.list': () => Promise.resolve({ breakers: [...breakers.all()] }),
    'breakers.show': async ({ name }) => breakers.need(name).view(),
    'breakers.trip': async ({ name, reason }, origin) => {
      const why = reason === undefined ? '' : `: ${reason}`;
      return (await breakers.trip(name, `opened manually (${origin})${why}`)).view();
    },
    'breakers.reset': async ({ name }, origin) =>
      (await breakers.reset(name, `hand (${origin})`)).view(),
    'provider.status': ({ provider }) => {
      if (provider !== undefined) need(provider);
      const wanted = provider === undefined ? names() : [provider];
      const providers = wanted.map((name) => {
        const latency = latencies.of(name);
        return { ...outage.health(name), ...(latency === undefined ? {} : { latency }) };
      });
      return Promise.resolve({ providers });
    },
    'provider.ping': ({ provider }) => probe(provider, true),
    'outage.probe': ({ provider }) => probe(provider, false),
    'outage.queue': (filter) => Promise.resolve(queue(filter)),
    'outage.move': async ({ turnId, beforeTurnId }) => {
      await outage.move(turnId, beforeTurnId);
      return queue({ provider: reads.held(turnId)?.provider });
    },
    'outage.now': async ({ turnId }) => {
      const provider = reads.held(turnId)?.provider;
      await outage.goNow(turnId);
      return queue({ provider });
    },
    'outage.fallback': async ({ agent }, by) => {
      const { turnIds, to } = await deps.fallback.use(agent, by);
      return { turnIds: [...turnIds], to };
    },
    'outage.hold': async ({ turnId }) => {
      const provider = reads.held(turnId)?.provider;
      await outage.hold(turnId);
      return queue({ provider });
    },
    'outage.list': ({ limit = 200 }) =>
      Promise.resolve({
        outages: reads.outages({ limit }).map(({ resolvedAtMs, ...row }) => ({
          ...row,
          reason: row.reason.slice(0, 500),
          ...(resolvedAtMs === undefined ? {} : { resolvedAtMs }),
        })),
      }),
    'outage.plot': ({ provider, range }) => {
      need(provider);
      return Promise.resolve(outagePlot(reads, { provider, range, nowMs: clock.nowMs() }));
    },
    'practice.providerDown': ({ seconds }) => {
      const untilMs = clock.nowMs() + seconds * 1_000;
      deps.playDown(untilMs);
      deps.audit.record('practice_provider_down', { seconds });
      return Promise.resolve({ ok: true, untilMs });
    },
  };
}
