/** Valid names of events: topics and IDs. */
import { z } from 'zod';

/**
 * A NATS subject: tokens of letters, digits, dash and underscore with dots between; no wildcards.
 */
export const eventTopic = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
    'use letters, digits, dash and underscore with dots between, without wildcards',
  );

/** Stable ID of an event; the broker and consumers drop a second one with the same ID (R12). */
export const eventId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'use printable characters without spaces');
