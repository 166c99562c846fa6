/**
 * The protocol between two Holdfasts over the `ssh` that one of them started: one JSON object per
 * line. Unknown fields are dropped, so that different versions understand each other; incompatible
 * changes get another number in the greeting. HO-02
 */
import { z } from 'zod';
import { once } from './once';
import { farPhase } from './types/hosts';

/** The protocol version of this program. */
export const LINK_PROTOCOL = 1;
/** Characters of an answer: a longer one would cut the connection off. */
export const MAX_ANSWER_CHARS = 1_900_000;
/** A host says something at least this often. */
export const LINK_BEAT_MS = 60_000;

const count = z.number().int().nonnegative();

/** The first line: the protocols that the host supports. */
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

/** State of the host; sent when it changes. */
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
    /** Pending decisions there, read entry by entry; sent when they change. */
    z.object({ asks: z.unknown() }).refine(({ asks }) => asks !== undefined),
    /**
     * The answer to the question with that number: the JSON output of its command. Parsed by the
     * asker.
     */
    z.object({ answer: z.object({ number: count, value: z.unknown() }) }),
  ]),
);

/** Messages to a host that answers; the question itself is parsed by `hostQuestion`. */
export const linkQuestion = once(() => z.object({ question: z.looseObject({ number: count }) }));
