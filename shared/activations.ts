/** Lists of the activation history, as plain data: reading one does not make a single schema. */

/** What happened to a wake of a session (S3-22..S3-29). */
export const ACTIVATION_KINDS = [
  'ready',
  'leased',
  'blocked',
  'acked',
  'requeued',
  'abandoned',
] as const;
export type ActivationKind = (typeof ACTIVATION_KINDS)[number];

/** In the order in which they go first. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What wakes a session, in the order in which they go first (S3-23). */
export const ACTIVATION_SOURCES = ['pending_events', 'queued_wake'] as const;
export type ActivationSource = (typeof ACTIVATION_SOURCES)[number];
