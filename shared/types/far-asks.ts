/** What waits for a decision on another computer, as this one knows it. HO-02 */
import { z } from 'zod';
import { atMs, count, hash, purity, text } from './base';
import { once } from '../once';
import { approvalView } from './decisions';
import { replayDecision } from './recovery';

/** A call that needs approval there, or a tool that waits for a result. */
const farCall = once(() =>
  approvalView
    .pick({
      requestId: true,
      turnId: true,
      sessionKey: true,
      agent: true,
      promptStart: true,
      tool: true,
      hint: true,
      reason: true,
      covers: true,
      leaves: true,
      goesTo: true,
      notTold: true,
      folder: true,
      file: true,
      args: true,
      isTruncated: true,
    })
    .extend({
      kind: z.literal('call'),
      /** It waits for a result and not for permission: it is answered there. */
      wantsResult: z.boolean(),
      askedAtMs: atMs,
      requestHash: hash,
    }),
);
export type FarCall = z.infer<ReturnType<typeof farCall>>;

/** An interrupted turn that needs a review there. */
const farTurn = once(() =>
  replayDecision
    .pick({
      turnId: true,
      question: true,
      reason: true,
      agent: true,
      sessionKey: true,
      promptStart: true,
      folder: true,
    })
    .extend({
      kind: z.literal('turn'),
      waits: z.enum(['held', 'stale', 'parked', 'limit']),
      /** Steps whose outcome is unknown. */
      unknown: z
        .array(
          z.strictObject({
            index: z.number().int().positive(),
            tool: text(200),
            purity,
            args: text(4000),
            isTruncated: z.boolean(),
            isIdempotent: z.boolean(),
            hasStatusCheck: z.boolean(),
            isListed: z.boolean(),
            startedAtMs: atMs,
          }),
        )
        .max(20),
      /** Steps that are taken over as they are if it resumes. */
      reused: count,
      askedAtMs: atMs,
      requestHash: hash,
    }),
);
export type FarTurn = z.infer<ReturnType<typeof farTurn>>;

const farAsk = once(() => z.discriminatedUnion('kind', [farCall(), farTurn()]));
export type FarAsk = FarCall | FarTurn;

/** More of one host are counted only. */
export const MOST_FAR_ASKS = 40;

/** What waits on one host. How the connection to it is, the status says. */
export const hostInbox = once(() =>
  z.strictObject({
    name: text(64),
    /** Absent: it has not told, or is of a version that does not tell. */
    waiting: z
      .strictObject({
        asks: z.array(farAsk()).max(MOST_FAR_ASKS),
        /** Decisions that wait there and are not in the list. */
        hidden: count,
        /** Other items of its inbox, such as missed tasks. */
        others: count,
      })
      .optional(),
    /** Whether its version tells what waits. Absent: not known yet. */
    tells: z.boolean().optional(),
  }),
);
export type HostInbox = z.infer<ReturnType<typeof hostInbox>>;
