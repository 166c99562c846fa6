/** What another computer lists when it is asked: its sessions, and what a search there finds. HO-02 */
import { z } from 'zod';
import { once } from '../once';
import { count, text } from './base';
import { searchHit } from './search';
import { sessionView } from './sessions';

/** More of one host are listed there only. */
export const MAX_FAR_SESSIONS = 50;

/** One session there. */
export const farSession = once(() =>
  sessionView
    .pick({
      id: true,
      key: true,
      title: true,
      agent: true,
      stopReason: true,
      turns: true,
      pendingEvents: true,
      lastEventAtMs: true,
    })
    .extend({
      /** Absent: it has a word for it that this version does not know. */
      status: sessionView.shape.status.optional(),
    }),
);
export type FarSession = z.infer<ReturnType<typeof farSession>>;

/** Why nothing is known: no list, and never an empty one. */
export const untold = z.strictObject({ kind: z.literal('untold'), why: text(500) });

/** What a host has told of its sessions, the last used first. */
export const hostSessions = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('told'),
      sessions: z.array(farSession()).max(MAX_FAR_SESSIONS),
      /** It has older ones. */
      hasMore: z.boolean(),
      /** Entries that this version does not understand. */
      hidden: count,
    }),
    untold,
  ]),
);
export type HostSessions = z.infer<ReturnType<typeof hostSessions>>;

/** More of one host are searched for there. */
export const MAX_FAR_HITS = 50;

/** A text there that has the words; its part or state is absent where this version does not know the word for it. */
const farHit = once(() => searchHit.partial({ part: true }));
export type FarHit = z.infer<ReturnType<typeof farHit>>;

/** What a host has told of a search, newest first. */
export const hostHits = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('told'),
      hits: z.array(farHit()).max(MAX_FAR_HITS),
      /** It has older ones. */
      hasMore: z.boolean(),
      /** Entries that this version does not understand. */
      hidden: count,
      /** Entries of its journal that are not yet in the index there. */
      notIndexed: count,
    }),
    untold,
  ]),
);
export type HostHits = z.infer<ReturnType<typeof hostHits>>;
