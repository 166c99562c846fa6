import fs from 'node:fs';
import path from 'node:path';
import type { VerbOutput } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/types';
import { durationMs } from '../../shared/settings';
import { gatewayFallbacksOf } from '../../shared/settings/fallbacks';
import { writePortFile } from '../disk/port-file';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { breakerNames } from '../engine/breaker/names';
import { callWithRetries } from '../engine/retry/retrying-call';
import { NO_TRIES, type RetryPolicy } from '../engine/retry/plan-retry';
import { createRequestQueue } from '../engine/gateway/request-queue';
import type { Breakers } from '../ports/breakers';
import type { SettingsPort } from '../ports/settings';
import type { Core } from './core';
import type { Budgets } from '../engine/budgets/budgets';
import { createGatewayClients, type GatewayClients } from '../engine/gateway/clients';
import { createGatewayServing, type GatewayServing } from '../engine/gateway/serving';
import { gatewayStatus, providerState } from '../engine/gateway/status';
import { createGatewayUsage, type GatewayUsage } from '../engine/gateway/usage';
import type { Outage } from '../engine/outage/outage';

interface GatewayPartDeps {
  readonly breakers: Breakers;
  readonly retries: () => RetryPolicy;
  readonly outage: () => Pick<Outage, 'room' | 'onMoved'>;
  readonly random: () => number;
  readonly turnsOf: (client: string) => readonly number[];
  /** Receives the gateway's actual port. */
  readonly ports: NonNullable<StatusSnapshot['ports']>;
  readonly budgets: Pick<Budgets, 'gatewayStop'>;
  readonly onChange: () => void;
}

/** The gateway of one run: follows its settings, hot. */
export interface GatewayPart extends Pick<GatewayServing, 'start' | 'stop'> {
  readonly clients: GatewayClients;
  readonly usage: GatewayUsage;
  status(): VerbOutput<'gateway.status'>;
}

export function createGatewayPart(core: Core, deps: GatewayPartDeps): GatewayPart {
  const { settings } = core;
  const usage = createGatewayUsage({ ...core.world, ...core.disk, ...core.records });
  const queue = createGatewayQueue(core, deps, usage);
  const tokenPath = path.join(core.dataDir, 'gateway.token');
  const cacheDir = path.join(core.dataDir, 'gateway-answers');
  const serving = createGatewayServing({
    settings,
    ...core.records,
    async open() {
      const { openGateway } = await import('../adapters/gateway/gateway-server');
      return openGateway({
        port: settings.get('gateway.port'),
        tokenPath,
        clients: () => core.disk.reads.gatewayClients(),
        cacheDir,
        crashPoints: core.world.crashPoints,
        cacheWindowMs: () => durationMs(settings.get('gateway.memo_window')),
        clock: core.world.clock,
        queue,
        log: core.records.log,
        providers: () => settings.get('providers'),
        keyOf: (name, spec) => resolveProviderKey(name, spec, core.secrets.keys),
        userAgent: `holdfast/${core.version}`,
        turnsOf: deps.turnsOf,
        fallbacksOf: (provider) => gatewayFallbacksOf(settings.get('gateway.fallback'), provider),
      });
    },
    publish(port) {
      if (port === undefined) delete deps.ports.gateway;
      else deps.ports.gateway = port;
      writePortFile(core.dataDir, 'gateway', port);
    },
    forgetAnswers: () => fs.promises.rm(cacheDir, { recursive: true, force: true }),
    onChange: deps.onChange,
  });
  return {
    usage,
    clients: createGatewayClients({
      ...core.world,
      ...core.disk,
      ...core.records,
      ...deps,
      replaceToken: async () =>
        (await import('../adapters/loopback/saved-token')).replaceToken(tokenPath),
      onRevoked: serving.revoked,
    }),
    status: () =>
      gatewayStatus({ settings, usage, tokenPath }, { waiting: queue.waiting(), ...serving.now() }),
    start: serving.start,
    stop: serving.stop,
  };
}

function createGatewayQueue(
  core: Core,
  deps: GatewayPartDeps,
  usage: GatewayUsage,
): ReturnType<typeof createRequestQueue> {
  const { settings } = core;
  const { clock } = core.world;
  const { breakers } = deps;
  return createRequestQueue({
    clock,
    calls: {
      retrying: (provider, job) =>
        callWithRetries(
          {
            clock,
            onMoved: (listener) => breakers.onMoved(listener),
            policy: deps.retries,
            random: deps.random,
          },
          {
            ...job,
            quietMs: () => deps.outage().room.quietMs(provider),
            breaker: breakers.of(breakerNames.provider(provider), 'provider'),
            tries: NO_TRIES,
            firstWaitMs: 0,
          },
        ),
      outcomes: { report: (outcome) => deps.outage().room.report(outcome) },
    },
    provider: {
      stateOf: (provider) => providerState(deps.outage().room.health(provider)),
      setRetryAt: (provider, later) =>
        deps.outage().room.setRetryAt(provider, { ...later, provider }),
      noteRetryAfter: (provider, failure) => deps.outage().room.noteRetryAfter(provider, failure),
      onMoved: (provider, listener) =>
        breakers.onMoved(({ name, to }) => {
          if (name === breakerNames.provider(provider) && to !== 'open') listener();
        }),
      onChanged: (listener) => deps.outage().onMoved(listener),
    },
    waits: {
      areAllowed: () => ({
        isForOutage: settings.get('resilience.auto_wait'),
        isForTime: settings.get('resilience.wait_for_quota'),
      }),
      maxMs: () => maxWaitMs(settings),
      random: deps.random,
    },
    budget: {
      capsSpent: (provider) => deps.budgets.gatewayStop(provider),
      budgetUsd: () => settings.get('gateway.budget_usd_per_day'),
      spentTodayUsd: (provider) => usage.spentTodayUsd(provider),
    },
    fallback: async (provider, others) => {
      const { gatewayMove } = await import('../engine/fallback/gateway-move');
      return gatewayMove({ settings, clock, outages: deps.outage().room }, provider, others);
    },
    usage,
  });
}

const maxWaitMs = (settings: SettingsPort): number =>
  durationMs(settings.get('resilience.max_wait'));
