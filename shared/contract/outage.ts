/** Breakers, retries and queues for a dependency that is down. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import {
  breakerView,
  heldItem,
  outagePlot,
  outageRecord,
  PLOT_RANGES,
  providerHealth,
} from '../types/outage';
import {
  COMMAND,
  QUERY,
  turnId,
  nothing,
  breakerName,
  providerName,
  limit,
  type VerbSpec,
} from './base';

/** Result of a health check, and the state of the provider after it. */
const probeReport = z.strictObject({
  ok: z.boolean(),
  durationMs: z.number().nonnegative(),
  error: z.string().max(500).optional(),
  health: providerHealth,
});

/** The waiting turns in their new order. */
const waitingQueue = exactObject(() => ({
  items: z.array(heldItem),
  total: z.number().int().nonnegative(),
}));

export const OUTAGE_VERBS = {
  'breakers.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ breakers: z.array(breakerView) })),
    about: 'List the circuit breaker of every external dependency, by name',
  },
  'breakers.show': {
    ...QUERY,
    input: exactObject(() => ({ name: breakerName })),
    output: () => breakerView,
    about: 'One circuit breaker: state, counters, reason, next probe',
  },
  'breakers.trip': {
    ...COMMAND,
    input: exactObject(() => ({
      name: breakerName,
      reason: z.string().min(1).max(200).optional(),
    })),
    output: () => breakerView,
    about: 'Open a circuit breaker now: calls wait until its probe succeeds',
  },
  'breakers.reset': {
    ...COMMAND,
    input: exactObject(() => ({ name: breakerName })),
    output: () => breakerView,
    about: 'Close a circuit breaker now; waiting calls continue',
  },
  'provider.status': {
    ...QUERY,
    input: exactObject(() => ({ provider: providerName.optional() })),
    output: exactObject(() => ({ providers: z.array(providerHealth) })),
    about: 'Health of each provider: failures, outage, next check, waiting turns',
  },
  'provider.ping': {
    ...COMMAND,
    input: exactObject(() => ({ provider: providerName })),
    output: () => probeReport,
    about: 'Check a provider as a model request would: through its circuit breaker',
  },
  'outage.queue': {
    ...QUERY,
    input: exactObject(() => ({ provider: providerName.optional(), limit: limit.optional() })),
    output: waitingQueue,
    about: 'Turns that wait for a provider, in the order of their next run',
  },
  'outage.move': {
    ...COMMAND,
    /** Before that turn of the same provider; absent: at the end. */
    input: exactObject(() => ({ turnId, beforeTurnId: turnId.optional() })),
    output: waitingQueue,
    about: 'Change the order of waiting turns; saved when this returns',
  },
  'outage.now': {
    ...COMMAND,
    input: exactObject(() => ({ turnId })),
    output: waitingQueue,
    about: 'Continue one waiting turn now, without the others; saved when this returns',
  },
  'outage.fallback': {
    ...COMMAND,
    input: exactObject(() => ({ agent: z.string().min(1).max(64) })),
    /** The turns that continue, and their new answerer: `provider/model`, or an agent. */
    output: exactObject(() => ({ turnIds: z.array(turnId), to: z.string().max(300) })),
    about: 'Continue the waiting turns of an agent with its next fallback; saved when this returns',
  },
  'outage.hold': {
    ...COMMAND,
    input: exactObject(() => ({ turnId })),
    output: waitingQueue,
    about: 'Require review for one waiting turn instead of continuing it automatically',
  },
  'outage.probe': {
    ...COMMAND,
    input: exactObject(() => ({ provider: providerName })),
    output: () => probeReport,
    about: 'Check now whether a provider is reachable, at no cost; clears its rate-limit wait',
  },
  'outage.list': {
    ...QUERY,
    input: exactObject(() => ({ limit: limit.optional() })),
    output: exactObject(() => ({ outages: z.array(outageRecord) })),
    about: 'Outages, newest first',
  },
  'outage.plot': {
    ...QUERY,
    input: exactObject(() => ({ provider: providerName, range: z.enum(PLOT_RANGES) })),
    output: () => outagePlot,
    about: 'Chart data of one provider: states, waiting turns, requests',
  },
  'practice.providerDown': {
    ...COMMAND,
    input: exactObject(() => ({ seconds: z.number().int().min(1).max(600) })),
    output: exactObject(() => ({ ok: z.literal(true), untilMs: z.number() })),
    about: 'Make the demo provider unreachable for a given time',
  },
} as const satisfies Record<string, VerbSpec>;
