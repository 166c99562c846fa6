/** The conversation of a session of another computer, as it is asked for page by page. HO-02 */
import { z } from 'zod';
import { once } from '../once';
import { count, id } from './base';
import { farSession, untold } from './far-lists';
import { sessionEvent } from './sessions';

/** Of one answer; earlier ones are another question. */
export const MAX_FAR_EVENTS = 60;

/** What a conversation shows of its events. */
export const FAR_EVENT_TYPES = [
  'user.message',
  'user.define_outcome',
  'user.interrupt',
  'agent.message',
  'agent.tool_use',
] as const;

const farEvent = once(() =>
  sessionEvent.omit({ child: true }).extend({ type: z.enum(FAR_EVENT_TYPES) }),
);
export type FarEvent = z.infer<ReturnType<typeof farEvent>>;

/** What a host has told of a conversation: the newest part of it, or what was before another part. */
export const hostTranscript = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('told'),
      session: farSession(),
      /** Oldest first. */
      events: z.array(farEvent()).max(MAX_FAR_EVENTS),
      /** Entries that this version does not understand. */
      hidden: count,
      /** There is more before this entry; absent: this is where it begins. */
      nextBefore: id.optional(),
    }),
    untold,
    /** Its version cannot tell: its session is known from the list at most. */
    z.strictObject({ kind: z.literal('older') }),
  ]),
);
export type HostTranscript = z.infer<ReturnType<typeof hostTranscript>>;
