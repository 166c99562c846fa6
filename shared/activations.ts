/** Lists of the activation history, as plain data, so that reading one builds no schema. */

/** What happened to a session's wake-up (S3-22..S3-29). */
export const ACTIVATION_KINDS = [
  'ready',
  'leased',
  'blocked',
  'acked',
  'requeued',
  'abandoned',
] as const;
export type ActivationKind = (typeof ACTIVATION_KINDS)[number];

/** In order of priority. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Sources of a wake-up, in order of priority (S3-23). */
export const ACTIVATION_SOURCES = ['pending_events', 'queued_wake'] as const;
export type ActivationSource = (typeof ACTIVATION_SOURCES)[number];
