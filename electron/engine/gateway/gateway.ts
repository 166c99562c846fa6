import type { VerbOutput } from '../../../shared/contract';
import { durationMs } from '../../../shared/settings';
import type { RequestQueue } from '../../ports/gateway';
import type { Ids } from '../../ports/ids';
import type { JournalReads } from '../../ports/journal/reads';
import type { Basics } from '../kernel/basics';
import type { BreakersOfRun } from '../breaker/breakers';
import { breakerNames } from '../breaker/names';
import type { Budgets } from '../budgets/budgets';
import type { gatewayMove } from '../fallback/gateway-move';
import type { Outage } from '../outage/outage';
import { NO_TRIES } from '../retry/plan-retry';
import { callWithRetries } from '../retry/retrying-call';
import { createGatewayClients, type GatewayClients } from './clients';
import { createRequestQueue } from './request-queue';
import { createGatewayServing, type GatewayServing, type RunningGateway } from './serving';
import { gatewayStatus, providerState } from './status';
import { createGatewayUsage, type GatewayUsage } from './usage';

interface GatewayDeps extends Pick<
  Basics,
  'settings' | 'clock' | 'crashPoints' | 'journal' | 'log' | 'audit'
> {
  readonly ids: Pick<Ids, 'random'>;
  readonly reads: JournalReads;
  readonly rooms: {
    readonly breakers: Pick<BreakersOfRun, 'registry' | 'retryPolicy'>;
    readonly outage: Outage;
    readonly budgets: Pick<Budgets, 'gatewayStop'>;
    /** Loaded when the first request waits for its provider. */
    readonly move: () => Promise<typeof gatewayMove>;
  };
  readonly server: {
    /** @throws where it cannot listen */
    open(queue: RequestQueue): Promise<RunningGateway>;
    /** Tells programs of this computer where it listens; undefined: nowhere. @returns why it cannot */
    publish(port: number | undefined): string | undefined;
    /** Deletes the answers that clients could fetch again. */
    forgetAnswers(): Promise<void>;
    readonly tokenPath: string;
    /** Puts a new token into the file of the default client. */
    replaceToken(): Promise<unknown>;
  };
  readonly onChange: () => void;
}

/** The gateway of one run: follows its settings, hot. */
export interface GatewayRoom extends Pick<GatewayServing, 'start' | 'stop'> {
  readonly clients: GatewayClients;
  readonly usage: GatewayUsage;
  status(): VerbOutput<'gateway.status'>;
}

export function createGateway(deps: GatewayDeps): GatewayRoom {
  const { settings, server } = deps;
  const usage = createGatewayUsage(deps);
  const queue = queueOf(deps, usage);
  const serving = createGatewayServing({ ...deps, ...server, open: () => server.open(queue) });
  return {
    usage,
    clients: createGatewayClients({ ...deps, ...server, onRevoked: serving.revoked }),
    status: () =>
      gatewayStatus(
        { settings, usage, tokenPath: server.tokenPath },
        { waiting: queue.waiting(), ...serving.now() },
      ),
    start: serving.start,
    stop: serving.stop,
  };
}

/** Requests go through the breaker, the outages and the budgets of their provider, as turns do. */
function queueOf(deps: GatewayDeps, usage: GatewayUsage): RequestQueue {
  const { settings, clock } = deps;
  const { breakers, outage, budgets } = deps.rooms;
  const random = (): number => deps.ids.random();
  return createRequestQueue({
    clock,
    calls: {
      retrying: (provider, job) =>
        callWithRetries(
          {
            clock,
            onMoved: (listener) => breakers.registry.onMoved(listener),
            policy: breakers.retryPolicy,
            random,
          },
          {
            ...job,
            quietMs: () => outage.quietMs(provider),
            breaker: breakers.registry.of(breakerNames.provider(provider), 'provider'),
            tries: NO_TRIES,
            firstWaitMs: 0,
          },
        ),
      outcomes: outage,
    },
    provider: {
      stateOf: (provider) => providerState(outage.health(provider)),
      setRetryAt: (provider, later) => outage.setRetryAt(provider, { ...later, provider }),
      noteRetryAfter: (provider, failure) => outage.noteRetryAfter(provider, failure),
      onMoved: (provider, listener) =>
        breakers.registry.onMoved(({ name, to }) => {
          if (name === breakerNames.provider(provider) && to !== 'open') listener();
        }),
      onChanged: (listener) => outage.onMoved(listener),
    },
    waits: {
      areAllowed: () => ({
        isForOutage: settings.get('resilience.auto_wait'),
        isForTime: settings.get('resilience.wait_for_quota'),
      }),
      maxMs: () => durationMs(settings.get('resilience.max_wait')),
      random,
    },
    budget: {
      capsSpent: (provider) => budgets.gatewayStop(provider),
      budgetUsd: () => settings.get('gateway.budget_usd_per_day'),
      spentTodayUsd: (provider) => usage.spentTodayUsd(provider),
    },
    fallback: async (provider, others) =>
      (await deps.rooms.move())({ settings, clock, outages: outage }, provider, others),
    usage,
  });
}
