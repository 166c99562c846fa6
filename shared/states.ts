/** Lists shared by schemas, tables and code: plain data, so that reading one builds no schema. */

/** States of a turn. */
export const TURN_STATES = [
  'queued',
  'running',
  'requires_action',
  'waiting',
  'held',
  'parked',
  'completed',
  'failed',
  'cancelled',
  'discarded',
] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** A turn in one of these is over and never runs again. */
export const CLOSED_TURN_STATES = [
  'completed',
  'failed',
  'cancelled',
  'discarded',
] as const satisfies readonly TurnState[];

/** Kinds of inbox items. */
export const INBOX_KINDS = [
  'replay_decision',
  'limit',
  'approval',
  'unanswered',
  'restart_notice',
  'outage',
  'problem',
] as const;

export const STEP_STATES = [
  'started',
  'completed',
  'failed',
  'ambiguous',
  'skipped',
  'confirmed',
] as const;
export type StepState = (typeof STEP_STATES)[number];

/** Purity classes of S4-32. Unknown tools count as side_effect. */
export const PURITIES = ['pure', 'world', 'side_effect', 'external', 'llm'] as const;
export type Purity = (typeof PURITIES)[number];

export const DEPENDENCY_KINDS = [
  'provider',
  'broker',
  'mcp',
  'agent',
  'browser',
  'channel',
  'webhook',
  'http',
] as const;
export type DependencyKind = (typeof DEPENDENCY_KINDS)[number];

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** `quota`: the provider named its end. `key`: it rejects the key; not an outage. */
export const PROVIDER_STATES = [
  'answering',
  'failing',
  'down',
  'trying',
  'recovering',
  'quota',
  'key',
] as const;
export type ProviderState = (typeof PROVIDER_STATES)[number];

/** 4 MB in UTF-8 bytes. */
/** Why a turn waits for a provider. */
export const HELD_CAUSES = ['outage', 'breaker', 'quota', 'retry_after', 'key'] as const;
export type HeldCause = (typeof HELD_CAUSES)[number];

export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/**
 * Above this fill level the event queue on disk is nearly full; every view warns at the same value.
 */
export const QUEUE_NEARLY_FULL = 0.8;

export const BROKER_STATES = ['local', 'connecting', 'connected', 'down'] as const;
export type BrokerState = (typeof BROKER_STATES)[number];

export const DEAD_REASONS = ['refused', 'shed', 'unreadable', 'too_large'] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

export const GATEWAY_KINDS = ['openai-compatible', 'anthropic'] as const;
/** The gateway client with the token in the file. */
export const DEFAULT_CLIENT = 'default';

/**
 * How usage can be split, besides day and provider: turns by agent and task, everything by account.
 */
export const USAGE_PARTS = ['agent', 'task', 'account'] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];
