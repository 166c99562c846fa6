/**
 * The protocol between two Holdfasts over the `ssh` that one of them started: one JSON object per
 * line. Unknown fields are dropped, so that different versions understand each other; incompatible
 * changes get another number in the greeting. HO-02
 */
import { z } from 'zod';
import { once } from './once';
import { farPhase } from './types/hosts';

/** The one that this version speaks. */
export const LINK_PROTOCOL = 1;
/** Characters of an answer: a longer one would cut the connection off. */
export const MAX_ANSWER_CHARS = 1_900_000;
/** A host says something at least this often. */
export const LINK_BEAT_MS = 60_000;

const count = z.number().int().nonnegative();

/** First of all lines: which protocols the host speaks. */
export const linkHello = once(() =>
  z.object({
    holdfast: z.object({
      link: z.array(z.number()).max(20),
      version: z.string().max(40),
      /**
       * What it sends besides its state: `asks`, `answers`. Absent in versions that send nothing
       * more.
       */
      tells: z.array(z.string().max(40)).max(20).catch([]).optional(),
    }),
  }),
);

/** How the host is; sent when it changes. */
const linkState = z.object({
  phase: farPhase.catch('unknown'),
  needsYou: count,
  running: count,
});
export type LinkState = z.infer<typeof linkState>;

/** Every line after the first; a line of another kind is ignored. */
export const linkLine = once(() =>
  z.union([
    z.object({ state: linkState }),
    /** Why the last state may be old. */
    z.object({ problem: z.string() }),
    /** A session there has news: a list that was read may be outdated. */
    z.object({ news: z.literal(true) }),
    /** What waits for a decision there, read entry by entry; sent when it changes. */
    z.object({ asks: z.unknown() }).refine(({ asks }) => asks !== undefined),
    /** To the question of that number: what the command for it prints as JSON. Read by who asked. */
    z.object({ answer: z.object({ number: count, value: z.unknown() }) }),
  ]),
);

/** What is said to a host that answers, the other way; the question itself is read by `hostQuestion`. */
export const linkQuestion = once(() => z.object({ question: z.looseObject({ number: count }) }));
