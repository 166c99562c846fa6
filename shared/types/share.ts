/** How computers that share work are shown. */
import { z } from 'zod';

/** What takes its time when a computer starts to share work, in this order. */
const SHARE_STAGES = ['looking', 'fetching', 'creating', 'starting', 'connecting'] as const;
export type ShareStage = (typeof SHARE_STAGES)[number];

/** Whether Holdfast can run its own PostgreSQL for the shared store on this computer. */
export const hostOutlook = z.strictObject({
  /** Version that is installed and would be used. */
  major: z.number().int().positive().optional(),
  /** Version that can be fetched, because none that fits is installed. */
  fetchable: z.number().int().positive().optional(),
  /** An earlier store is here, and it is continued. */
  hasStore: z.boolean(),
  /** Why it cannot be as things are. */
  refusal: z.strictObject({ message: z.string().max(500), hint: z.string().max(500) }).optional(),
});
export type HostOutlook = z.infer<typeof hostOutlook>;

/** This computer's connection to the shared store. */
export const shareStatus = z.strictObject({
  state: z.enum(['off', 'connecting', 'connected', 'asking', 'refused', 'halted']),
  /** host:port/database; empty where it shares no work. */
  address: z.string().max(500),
  name: z.string().max(64),
  problem: z.string().max(1_000).optional(),
  /** When the store last answered; `state` is from that time. */
  answeredAtMs: z.number().optional(),
  /** Shared turns that this computer has now. */
  held: z.number().int().nonnegative(),
  /** It can invite and admit others. */
  isOwner: z.boolean(),
  /** host:port of the PostgreSQL of this computer; absent where the store is elsewhere. */
  listens: z.string().max(300).optional(),
  /** What setting it up is doing now. */
  doing: z.enum(SHARE_STAGES).optional(),
});
export type ShareStatus = z.infer<typeof shareStatus>;

/** One of the computers. */
export const computerView = z.strictObject({
  /** Of the store. A computer says itself what it is called; this it cannot choose. */
  id: z.string().max(64).optional(),
  name: z.string().max(64),
  state: z.enum(['invited', 'asking', 'admitted', 'revoked']),
  isThis: z.boolean(),
  version: z.string().max(64),
  isStopping: z.boolean(),
  offers: z.array(z.string().max(200)).max(1_000),
  leases: z.number().int().nonnegative(),
  /** Its clock less the clock of the store. */
  clockOffsetMs: z.number(),
  contactAgoMs: z.number().optional(),
});
export type ComputerView = z.infer<typeof computerView>;

/** A turn that no computer has. */
export const waitingView = z.strictObject({
  id: z.string().max(64),
  /** Here, where this computer sent it or has had it. */
  turnId: z.number().int().positive().optional(),
  session: z.string().max(200),
  waitsMs: z.number(),
  /** Why: one sentence. */
  why: z.string().max(500),
  /** What the computer has to offer. */
  needs: z.array(z.string().max(200)).max(100),
  /** The only computer that may run it; absent for any. */
  place: z.string().max(64).optional(),
  /** An earlier turn of its session has not ended. */
  isBehind: z.literal(true).optional(),
  /** Computers that may not have the earlier turns of its session, and so not this one. */
  strangers: z.array(z.string().max(64)).max(100).optional(),
  /** Computers that were granted it and could not run it, with what they said. */
  refusals: z
    .array(z.strictObject({ computer: z.string().max(64), why: z.string().max(500) }))
    .max(100)
    .optional(),
});
export type WaitingView = z.infer<typeof waitingView>;

/** The file changes of a shared turn, next to a folder of this computer. */
export const turnChanges = z.strictObject({
  turnId: z.number().int().positive(),
  /** The top of the repository on this computer. */
  folder: z.string().max(4_096),
  files: z
    .array(
      z.strictObject({
        path: z.string().max(4_096),
        change: z.enum(['added', 'changed', 'deleted']),
        /** Lines; absent of binary content. */
        added: z.number().int().nonnegative().optional(),
        removed: z.number().int().nonnegative().optional(),
        /** Without the change, changed since and without it, with it, or not to be brought together. */
        stand: z.enum(['open', 'edited', 'done', 'conflict']),
      }),
    )
    .max(500),
  /** Further files that are not listed. */
  more: z.number().int().nonnegative(),
  /** How many of all have the change in this folder. */
  inFolder: z.number().int().nonnegative(),
  /** How many this call has written. */
  written: z.number().int().nonnegative(),
  /** What changed in them, as git shows it; only with `show`, and absent if it is too long. */
  diff: z.string().max(100_000).optional(),
  /** Later changes that did not get out of the computer that made them. */
  left: z.strictObject({ machine: z.string().max(64), why: z.string().max(500) }).optional(),
});
export type TurnChanges = z.infer<typeof turnChanges>;
