/**
 * The lists that schemas, tables and code share: plain data, so that reading one does not make a
 * single schema.
 */

/** What a turn can be. */
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
