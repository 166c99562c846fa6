/**
 * What Holdfast shows of external dependencies: breakers, the health of providers, turns that wait
 * for one, past outages. Shapes that windows, tray, CLI and control socket share. Source:
 * S0-14..S0-20, S2-01..S2-23, X-01..X-03, R1..R4.
 */
import { z } from 'zod';
import { BREAKER_STATES, DEPENDENCY_KINDS, HELD_CAUSES, PROVIDER_STATES } from '../states';
import { count, text } from './base';

export { BREAKER_STATES, DEPENDENCY_KINDS, HELD_CAUSES, PROVIDER_STATES } from '../states';
export type { BreakerState, DependencyKind, HeldCause, ProviderState } from '../states';

const atMs = z.number();

/** One breaker: the state of calls to one outside dependency. */
export const breakerView = z.strictObject({
  /** `provider.anthropic`, `nats`, `mcp.files`, `agent.codex`, `browser.12`, `channel.telegram`. */
  name: text(200),
  dependency: z.enum(DEPENDENCY_KINDS),
  state: z.enum(BREAKER_STATES),
  /** Consecutive failures while closed; a success resets it. */
  failures: count,
  /** Consecutive successes while half-open. */
  successes: count,
  failureThreshold: z.number().int().min(1),
  successThreshold: z.number().int().min(1),
  initialBackoffMs: z.number().nonnegative(),
  maxBackoffMs: z.number().nonnegative(),
  /** The wait of the present or, while closed, of the next opening. */
  backoffMs: z.number().nonnegative(),
  openedAtMs: atMs.optional(),
  /** When the next trial may go out; absent while closed. */
  nextTrialAtMs: atMs.optional(),
  isTrialOut: z.boolean(),
  /** Calls since the start of Holdfast: let through, refused, and how they ended. */
  counters: z.strictObject({
    allowed: count,
    refused: count,
    succeeded: count,
    failed: count,
    ignored: count,
  }),
  lastError: text(500).optional(),
  /** Why it is as it is, when it tries next, what waits: one or two plain sentences. */
  explanation: text(1000),
});
export type BreakerView = z.infer<typeof breakerView>;

/** How far a window of a usage limit is used, as an agent reported it last. LM-09 */
export const limitUse = z.strictObject({
  window: z.enum(['session', 'weekly', 'daily', 'monthly', 'model', 'credit', 'other']),
  /** Absent: it did not say. */
  usedPercent: z.number().int().min(0).max(100).optional(),
  /** From 80 %, or as the agent warns. */
  isWarning: z.boolean(),
  resetsAtMs: atMs.optional(),
  /** `Claude: 85% of the session limit is used; it resets at 20:01.` */
  sentence: text(300),
});
export type LimitUse = z.infer<typeof limitUse>;

/** State of one provider, with both counters of X-01. */
export const providerHealth = z.strictObject({
  provider: text(64),
  state: z.enum(PROVIDER_STATES),
  /** Turns in a row that failed by it, and how many declare an outage. */
  failedTurns: count,
  outageThreshold: z.number().int().min(1),
  breaker: breakerView,
  /** The outage in force. */
  downSinceMs: atMs.optional(),
  quotaUntilMs: atMs.optional(),
  /** The next trial or probe, whichever comes first. */
  nextTryAtMs: atMs.optional(),
  /** The next probe of `resilience.probe_interval`. */
  nextProbeAtMs: atMs.optional(),
  /** Turns that wait for it. */
  waiting: count,
  /** Turns that may run at once while the queue drains: 1, 2, 4; absent outside of a recovery. */
  ramp: z.number().int().min(1).optional(),
  lastError: text(500).optional(),
  lastErrorAtMs: atMs.optional(),
  /** Its usage limit, before it is reached. */
  limit: limitUse.optional(),
  /** How long half of its last responses took, since the program started; absent before the first. */
  latency: z.strictObject({ medianMs: z.number().nonnegative(), responses: count }).optional(),
  /** `Anthropic down since 14:02, next try 14:20, 4 turns wait.` */
  sentence: text(500),
});
export type ProviderHealth = z.infer<typeof providerHealth>;

/** One turn of the waiting queue, in the order of the next run. */
export const heldItem = z.strictObject({
  position: z.number().int().min(1),
  turnId: z.number().int().positive(),
  sessionId: z.number().int().positive(),
  sessionKey: text(200),
  provider: text(64),
  agent: text(64),
  channel: text(64),
  source: z.enum(['user', 'schedule', 'heartbeat', 'wake']),
  promptStart: text(300),
  cause: z.enum(HELD_CAUSES),
  sinceMs: atMs,
  /** Not before; absent if it waits for the provider to answer. */
  untilMs: atMs.optional(),
  /** Finished steps that its resume reuses. */
  keptSteps: count,
  /** Scheduled runs that came due while it waited and got no turn of their own (R13). */
  merged: count,
  /** It is the one that tries the provider now. */
  isCanary: z.boolean(),
});
export type HeldItem = z.infer<typeof heldItem>;

/** One row of `outage_events`. */
export const outageRecord = z.strictObject({
  outageId: z.number().int().positive(),
  provider: text(64),
  startedAtMs: atMs,
  resolvedAtMs: atMs.optional(),
  /** Failed turns that declared it. */
  failedTurns: count,
  reason: text(500),
  /** Turns that waited through it and ran after it. */
  drained: count,
});
export type OutageRecord = z.infer<typeof outageRecord>;

/** What the queue plot draws of one provider: events, oldest first, within the range. */
export const outagePlot = z.strictObject({
  provider: text(64),
  fromMs: atMs,
  nowMs: atMs,
  /** The state from this instant on; the first is at or before `fromMs`. */
  states: z.array(z.strictObject({ atMs, state: z.enum(PROVIDER_STATES) })).max(5000),
  /** Turns waiting from this instant on. */
  waiting: z.array(z.strictObject({ atMs, count })).max(10_000),
  /** Failed calls, trials and probes. */
  calls: z
    .array(z.strictObject({ atMs, what: z.enum(['call', 'trial', 'probe']), ok: z.boolean() }))
    .max(10_000),
  declaredAtMs: z.array(z.strictObject({ atMs, failedTurns: count })).max(1000),
});
export type OutagePlot = z.infer<typeof outagePlot>;

export const PLOT_RANGES = ['30m', '6h', '7d'] as const;
export type PlotRange = (typeof PLOT_RANGES)[number];
