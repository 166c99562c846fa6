/** Breakers, retries and queues in front of a dependency that is down. */
import { z } from 'zod';
import { once } from '../once';
import {
  breakerView,
  heldItem,
  outagePlot,
  outageRecord,
  PLOT_RANGES,
  providerHealth,
} from '../types/outage';
import { turnId, nothing, breakerName, providerName, limit, type VerbSpec } from './base';

/** Result of a health check, and the state of the provider after it. */
const probeReport = z.strictObject({
  ok: z.boolean(),
  durationMs: z.number().nonnegative(),
  error: z.string().max(500).optional(),
  health: providerHealth,
});

export const OUTAGE_VERBS = {
  'breakers.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() => z.strictObject({ breakers: z.array(breakerView) })),
    about: 'The breaker of every outside dependency, by name',
  },
  'breakers.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ name: breakerName })),
    output: () => breakerView,
    about: 'One breaker: state, counters, why, next trial',
  },
  'breakers.trip': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ name: breakerName, reason: z.string().min(1).max(200).optional() }),
    ),
    output: () => breakerView,
    about: 'Open a breaker at once: calls wait until its trial succeeds',
  },
  'breakers.reset': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ name: breakerName })),
    output: () => breakerView,
    about: 'Close a breaker at once; what waits goes on',
  },
  'provider.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ provider: providerName.optional() })),
    output: once(() => z.strictObject({ providers: z.array(providerHealth) })),
    about: 'How each provider answers: failures, outage, next try, what waits',
  },
  'provider.ping': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ provider: providerName })),
    output: () => probeReport,
    about: 'Ask a provider as a call would: through its breaker, with its verdict',
  },
  'outage.queue': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ provider: providerName.optional(), limit: limit.optional() }),
    ),
    output: once(() =>
      z.strictObject({ items: z.array(heldItem), total: z.number().int().nonnegative() }),
    ),
    about: 'Turns that wait for a provider, in the order of their next run',
  },
  'outage.move': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    /** Before that turn of the same provider; absent: to the end. */
    input: once(() => z.strictObject({ turnId, beforeTurnId: turnId.optional() })),
    output: once(() =>
      z.strictObject({ items: z.array(heldItem), total: z.number().int().nonnegative() }),
    ),
    about: 'Change the order of waiting turns; on disk when this returns',
  },
  'outage.probe': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ provider: providerName })),
    output: () => probeReport,
    about: 'Ask a provider now whether it is there, at no cost; a wait for its limit is then over',
  },
  'outage.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ limit: limit.optional() })),
    output: once(() => z.strictObject({ outages: z.array(outageRecord) })),
    about: 'Outages, newest first',
  },
  'outage.plot': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ provider: providerName, range: z.enum(PLOT_RANGES) })),
    output: () => outagePlot,
    about: 'What the picture of one provider shows: states, waiting turns, calls',
  },
  'practice.providerDown': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ seconds: z.number().int().min(1).max(600) })),
    output: once(() => z.strictObject({ ok: z.literal(true), untilMs: z.number() })),
    about: 'Lets the practice provider play one that cannot be reached, for so long',
  },
} as const satisfies Record<string, VerbSpec>;
