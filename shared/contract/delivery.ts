/** Events to the broker, and the channels of answers. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { channelList, channelView } from '../types/channels';
import { channelName, channelSettings } from '../settings/channels';
import { deadLetter, MAX_EVENT_BYTES, publishResult, queueStatus } from '../types/delivery';
import { eventId, eventTopic } from '../event-names';
import { COMMAND, QUERY, nothing, limit, type VerbSpec } from './base';

export const DELIVERY_VERBS = {
  'channels.list': {
    ...QUERY,
    input: () => nothing,
    output: () => channelList,
    about: 'List channels with their queued, delivered and failed messages',
  },
  'channels.add': {
    ...COMMAND,
    input: exactObject(() => ({
      name: channelName(),
      channel: channelSettings(),
      /** Its token or secret: stored before anything is sent or received. */
      key: z.string().min(1).max(4000).optional(),
      allowPlaintext: z.boolean().optional(),
    })),
    output: () => channelView,
    about: 'Add a channel; its stored secret can never be read back',
  },
  'channels.edit': {
    ...COMMAND,
    input: exactObject(() => ({ name: channelName(), channel: channelSettings() })),
    output: () => channelView,
    about: 'Change an existing channel; the next message uses the change',
  },
  'channels.remove': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      name: z.string().max(64),
      /** Answers that waited for it and are now sent. */
      pending: z.number().int().nonnegative(),
      defaultChannel: z.string().max(64),
    })),
    about: 'Remove a channel and its stored secret; its replies go to the default channel',
  },
  'channels.setKey': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      /** Null removes it. */
      key: z.string().min(1).max(4000).nullable(),
      /** Explicit consent to store it unencrypted if no keyring exists. */
      allowPlaintext: z.boolean().optional(),
    })),
    output: () => channelView,
    about: 'Store the token or secret of a channel; it can never be read back',
  },
  'channels.link': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      /** Absent: the only person who decides there. */
      person: z.string().min(1).max(200).optional(),
    })),
    output: exactObject(() => ({
      url: z.string().max(3000),
      person: z.string().max(200),
      validUntilMs: z.number(),
    })),
    about: 'Create a link that subscribes a browser to a web push channel, for 15 minutes',
  },
  'channels.test': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      ok: z.boolean(),
      message: z.string().max(1000),
      tookMs: z.number(),
    })),
    about: 'Send a test message to a channel',
  },
  'queue.status': {
    ...QUERY,
    input: () => nothing,
    output: () => queueStatus,
    about: 'Status of the event queue: where events go, how many are queued, how many were dropped',
  },
  'dlq.list': {
    ...QUERY,
    input: exactObject(() => ({
      topic: eventTopic.optional(),
      limit: limit.optional(),
      beforeId: eventId.optional(),
    })),
    output: exactObject(() => ({
      letters: z.array(deadLetter),
      total: z.number().int().nonnegative(),
      hasMore: z.boolean(),
    })),
    about: 'List dead letters: events that could not be delivered, newest first',
  },
  'dlq.replay': {
    ...COMMAND,
    /** One of the three. */
    input: exactObject(() => ({
      id: eventId.optional(),
      topic: eventTopic.optional(),
      all: z.boolean().optional(),
    })),
    output: exactObject(() => ({ replayed: z.number().int().nonnegative() })),
    about: 'Put dead letters back into the queue and reset their attempts',
  },
  'dlq.purge': {
    ...COMMAND,
    input: exactObject(() => ({
      id: eventId.optional(),
      topic: eventTopic.optional(),
      /** Only letters that failed at least this long ago. */
      olderThanMs: z.number().int().nonnegative().optional(),
      all: z.boolean().optional(),
    })),
    output: exactObject(() => ({ purged: z.number().int().nonnegative() })),
    about: 'Permanently delete dead letters',
  },
  'events.publish': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({
      topic: eventTopic,
      payload: z.string().max(4 * MAX_EVENT_BYTES),
      /** Created if absent. */
      id: eventId.optional(),
    })),
    output: () => publishResult,
    about: 'Publish an event: acknowledged by the broker or on disk when this returns',
  },
} as const satisfies Record<string, VerbSpec>;
