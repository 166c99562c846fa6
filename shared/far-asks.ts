/**
 * Open decisions that a host sends over the link, and how they are read here: entry by entry,
 * bounded and inert, whichever version wrote them. Pure. HO-02, HO-03
 */
import { z } from 'zod';
import { line, lines } from './far-text';
import { once } from './once';
import { PURITIES } from './states';
import { MAX_FAR_ASKS, type FarAsk, type HostInbox } from './types/far-asks';
import { atMs, hash, id } from './types/base';
import type { ApprovalView, InboxItem, ReplayDecision } from './types';

/** Characters of one list on the wire: a host may send one each second, and is disconnected above 16 million a minute. */
const MAX_LIST_CHARS = 200_000;
const MAX_STEPS = 20;
/** Of its inbox beyond that nothing is known here. */
const MAX_READ = 2_000;

/** Pending items of this computer, for another one. */
interface ToldAsks {
  readonly list: readonly FarAsk[];
  /** Number of decisions that are not in the list. */
  readonly more: number;
  /** Number of other open inbox items. */
  readonly others: number;
}

function ofCall(request: ApprovalView): FarAsk {
  const { kind, requestedAtMs, sessionId: _session, inputHash: _input, ...rest } = request;
  const { answer: _answer, answeredAtMs: _at, scope: _scope, by: _by, note: _note, ...open } = rest;
  return {
    ...open,
    kind: 'call',
    wantsResult: kind === 'custom_tool',
    askedAtMs: requestedAtMs,
  };
}

const ofTurn = (decision: ReplayDecision): FarAsk => ({
  kind: 'turn',
  turnId: decision.turnId,
  waits: decision.kind,
  question: decision.question,
  reason: decision.reason,
  agent: decision.agent,
  sessionKey: decision.sessionKey,
  promptStart: decision.promptStart,
  ...(decision.folder === undefined ? {} : { folder: decision.folder }),
  unknown: decision.ambiguous.slice(0, MAX_STEPS).map(({ keyIn: _key, ...step }) => step),
  reused: decision.plan.reused,
  askedAtMs: decision.createdAtMs,
  requestHash: decision.requestHash,
});

/** The inbox entries to send, oldest first, as many as fit. */
export function tellAsks(open: {
  readonly requests: readonly ApprovalView[];
  readonly decisions: readonly ReplayDecision[];
  readonly items: readonly InboxItem[];
}): ToldAsks {
  const requests = open.requests.filter(({ answer }) => answer === undefined);
  // A turn with more unknown steps than are told is decided where all of them can be seen.
  const decisions = open.decisions.filter(({ ambiguous }) => ambiguous.length <= MAX_STEPS);
  const all = [...requests.map(ofCall), ...decisions.map(ofTurn)].toSorted(
    (one, other) => one.askedAtMs - other.askedAtMs,
  );
  let chars = 0;
  const list = all.slice(0, MAX_FAR_ASKS).filter((ask) => {
    chars += JSON.stringify(ask).length;
    return chars <= MAX_LIST_CHARS;
  });
  const told = new Set([
    ...requests.map(({ requestId }) => requestId),
    ...open.decisions.map(({ inboxId }) => inboxId),
  ]);
  return {
    list,
    more: requests.length + open.decisions.length - list.length,
    others: open.items.filter(
      ({ id: item, kind, settledAtMs }) =>
        settledAtMs === undefined && kind !== 'restart_notice' && !told.has(item),
    ).length,
  };
}

const step = z.number().int().positive();

/** Like the strict shapes, but unknown fields are ignored and long texts are truncated. */
const readable = once(() => {
  const about = {
    turnId: id,
    agent: line(64),
    sessionKey: line(200),
    promptStart: line(200),
    reason: line(500),
    folder: line(4096).optional(),
    askedAtMs: atMs,
    requestHash: hash,
  };
  const call = z.object({
    ...about,
    kind: z.literal('call'),
    wantsResult: z.boolean(),
    requestId: id,
    tool: line(200),
    hint: line(300),
    covers: line(200),
    leaves: z.boolean().optional(),
    goesTo: z.object({ address: line(500), name: line(200) }).optional(),
    notTold: line(300).optional(),
    file: line(4096).optional(),
    // A text truncated here would not be what is allowed.
    args: lines(4000),
    isTruncated: z.boolean(),
  });
  const unknown = z.object({
    index: step,
    tool: line(200),
    purity: z.enum(PURITIES),
    args: lines(4000),
    isTruncated: z.boolean(),
    isIdempotent: z.boolean(),
    hasStatusCheck: z.boolean(),
    isListed: z.boolean(),
    startedAtMs: atMs,
  });
  const turn = z.object({
    ...about,
    kind: z.literal('turn'),
    waits: z.enum(['held', 'stale', 'parked', 'limit']),
    question: line(300),
    unknown: z.array(unknown).max(MAX_STEPS),
    reused: z.number().int().nonnegative(),
  });
  return z.discriminatedUnion('kind', [call, turn]);
});

const counted = z.number().int().nonnegative().max(1_000_000);
const toldAsks = once(() =>
  z.object({ list: z.array(z.unknown()), more: counted, others: counted }),
);

/** Reads a host's list; undefined if it is not one. An unreadable entry is counted as hidden. */
export function readAsks(told: unknown): HostInbox['waiting'] {
  const read = toldAsks().safeParse(told);
  if (!read.success) return undefined;
  const { list, more, others } = read.data;
  const asks = list.slice(0, MAX_READ).flatMap((one): readonly FarAsk[] => {
    const ask = readable().safeParse(one);
    return ask.success ? [ask.data] : [];
  });
  const shown = asks.slice(0, MAX_FAR_ASKS);
  return { asks: shown, hidden: more + list.length - shown.length, others };
}
