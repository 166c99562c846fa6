/**
 * Events on their way to the broker: the disk queue in front of NATS JetStream and its dead letters.
 * Shapes that windows, tray, CLI and control socket share. Source: S2-31..S2-38, S2-51, S2-+01..03.
 */
import { z } from 'zod';
import { eventId } from '../event-names';
import { BROKER_STATES, DEAD_REASONS } from '../states';
import { count, text } from './base';

export { BROKER_STATES, DEAD_REASONS, MAX_EVENT_BYTES } from '../states';
export type { BrokerState, DeadReason } from '../states';

const atMs = z.number();

/** Where events go and what waits. */
export const queueStatus = z.strictObject({
  /** `local`: no broker is configured; subscribers inside Holdfast and the audit get events. */
  broker: z.enum(BROKER_STATES),
  /** Without user and password. */
  server: text(500).optional(),
  /** Since when it is so. */
  sinceMs: atMs.optional(),
  problem: text(500).optional(),
  depth: count,
  bytes: count,
  oldestAtMs: atMs.optional(),
  maxPending: count,
  /** 0 to 1: how full. */
  fill: z.number().min(0).max(1),
  /** What each producer is slowed by now, 0 to 500 ms. */
  slowdownMs: z.number().min(0).max(500),
  isDraining: z.boolean(),
  deadLetters: count,
  /**
   * Events ever dropped at the cap; those that are now only counted; those that are dead letters.
   */
  shed: z.strictObject({ total: count, summarised: count, kept: count }),
  /**
   * Since the start: accepted, at the broker at once or on disk first; a duplicate does not count.
   */
  published: count,
  /** Since the start: confirmed by the broker, also those that had waited longer. */
  delivered: count,
  /**
   * Since the start: rejected because of the disk, with an error to the publisher. None was
   * published.
   */
  refused: count,
});
export type QueueStatus = z.infer<typeof queueStatus>;

export const deadLetter = z.strictObject({
  id: eventId,
  topic: text(200),
  enqueuedAtMs: atMs,
  failedAtMs: atMs,
  reason: z.enum(DEAD_REASONS),
  /** The broker's message, or why it was dropped. */
  detail: text(500),
  attempts: count,
  /** When each attempt was made and what it met, oldest first. */
  history: z.array(z.strictObject({ atMs, error: text(300) })).max(20),
  bytes: count,
  /** The first 500 characters. */
  payloadStart: text(500),
});
export type DeadLetter = z.infer<typeof deadLetter>;

/** What became of an accepted event. */
export const publishResult = z.strictObject({
  id: eventId,
  /** `confirmed`: the broker has it. `queued`: on disk, goes when the broker is back. */
  state: z.enum(['confirmed', 'queued', 'local']),
  /** The broker had this id already, or it waits already. */
  isDuplicate: z.boolean(),
});
export type PublishResult = z.infer<typeof publishResult>;
