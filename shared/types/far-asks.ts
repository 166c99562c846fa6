/** What waits for a decision on another computer, as this one knows it. HO-02 */
import { z } from 'zod';
import { atMs, count, hash, id, purity, text } from './base';
import { once } from '../once';
import { exactObject } from '../exact-object';
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
export const MAX_FAR_ASKS = 40;

/** What waits on one host. How the connection to it is, the status says. */
export const hostInbox = exactObject(() => ({
  name: text(64),
  /** Absent: it has not told, or is of a version that does not tell. */
  waiting: z
    .strictObject({
      asks: z.array(farAsk()).max(MAX_FAR_ASKS),
      /** Decisions that wait there and are not in the list. */
      hidden: count,
      /** Other items of its inbox, such as missed tasks. */
      others: count,
    })
    .optional(),
  /** Whether its version tells what waits. Absent: not known yet. */
  tells: z.boolean().optional(),
}));
export type HostInbox = z.infer<ReturnType<typeof hostInbox>>;

const turnAnswer = { turnId: id };
/** An answer to one of them: given here, carried out there with the rights of the account there. */
export const farAnswer = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('allow'),
      requestId: id,
      scope: z.enum(['once', 'session', 'always']),
    }),
    z.strictObject({
      kind: z.literal('deny'),
      requestId: id,
      note: z.string().min(1).max(4000).optional(),
    }),
    z.strictObject({ kind: z.literal('resume'), ...turnAnswer }),
    z.strictObject({ kind: z.literal('discard'), ...turnAnswer }),
    z.strictObject({
      kind: z.enum(['confirm', 'skip']),
      ...turnAnswer,
      step: z.number().int().positive(),
    }),
  ]),
);
export type FarAnswer = z.infer<ReturnType<typeof farAnswer>>;

/** What is sent there: an answer to exactly what was shown. */
export const farDecision = exactObject(() => ({ requestHash: hash, answer: farAnswer() }));
export type FarDecision = z.infer<ReturnType<typeof farDecision>>;

/** Whether an answer counted there, as far as it is known. */
export const farOutcome = exactObject(() => ({
  outcome: z.enum(['counted', 'not_counted', 'unknown']),
  /** What is to be said of it, in sentences; may be empty where it counted. */
  why: text(500),
}));
export type FarOutcome = z.infer<ReturnType<typeof farOutcome>>;
