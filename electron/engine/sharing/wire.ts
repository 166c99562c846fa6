import { z } from 'zod';
import { parsedJson } from '../../../shared/parsed-json';
import { reasonOf } from '../../../shared/reason';
import { PURITIES, type Purity } from '../../../shared/states';
import type { Basics } from '../kernel/basics';
import type { Frame, JournalEntry, StepEnd, StepStart } from '../../ports/journal/entries';
import type { ExternalToolKind } from '../../ports/external-agent';
import type { ExternalAsking } from '../../ports/journal/external';
import type { StoredText } from '../../ports/journal/stored';
import type { SharedStore } from '../../ports/shared-store';
import { decodeAnswer, encodeAnswer } from '../journal/answer-codec';
import { withoutOwnReasoning } from '../journal/portable-keys';
import type { PortableTexts } from '../journal/portable-text';
import { canonicalJson } from '../kernel/canonical';
import { HoldfastError } from '../kernel/errors';
import { isEffect } from '../recovery/ledger';

/** Characters of a reason why a computer does not run a turn. */
export const MAX_WHY = 500;
/** Longer ones travel by their content. */
const MAX_INLINE = 32_000;

const text = z.union([
  z.strictObject({ t: z.string() }),
  z.strictObject({ h: z.string().regex(/^[0-9a-f]{64}$/), n: z.number().int().nonnegative() }),
]);
/** A text in an entry. */
export const wireText = text;
/**
 * Words for a user, truncated if longer: folders may have longer names on this computer than on the
 * one that wrote them, and everything it could write must be readable here.
 */
export const wireWords = (most: number) => z.string().transform((it) => it.slice(0, most));
const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().optional(),
});
const whole = z.number().int().positive();
const end = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('completed'),
    content: text,
    isError: z.boolean(),
    usage: usage.optional(),
    drift: z.enum(['same', 'changed']).optional(),
    isAfterDrift: z.literal(true).optional(),
    workedMs: z.number().optional(),
  }),
  z.strictObject({
    state: z.literal('failed'),
    error: z.string(),
    isCutOff: z.boolean(),
    usage: usage.optional(),
    shorter: z
      .strictObject({
        dropped: z.number(),
        keepSeen: z.number().optional(),
        keepNew: z.number().optional(),
      })
      .optional(),
    workedMs: z.number().optional(),
  }),
  z.strictObject({
    state: z.literal('ambiguous'),
    error: z.string(),
    content: text.optional(),
    workedMs: z.number().optional(),
  }),
  z.strictObject({
    state: z.literal('skipped'),
    content: text,
    by: z.enum(['policy', 'person']),
    workedMs: z.number().optional(),
  }),
  z.strictObject({
    state: z.literal('confirmed'),
    content: text,
    by: z.enum(['status_check', 'person']),
    workedMs: z.number().optional(),
  }),
]);
const start = z.strictObject({
  k: z.literal('start'),
  step: whole,
  attempt: whole,
  tool: z.string().max(400),
  purity: z.enum(PURITIES),
  key: z.string().regex(/^[0-9a-f]*$/),
  hint: z.string(),
  call: z.strictObject({ step: whole, part: z.number().int().nonnegative() }).optional(),
  againOf: whole.optional(),
  hasEffects: z.boolean(),
  isWorkspaceRead: z.boolean(),
  isIdempotent: z.boolean(),
  /** Set for a skill run; those stay on the computer that created them. */
  isOfSkill: z.literal(true).optional(),
});
const TOOL_KINDS = [
  ...(['read', 'edit', 'delete', 'move', 'search'] as const),
  ...(['execute', 'think', 'fetch', 'switch_mode', 'other'] as const),
] satisfies readonly ExternalToolKind[];
const ASKING = ['asked', 'allowed', 'refused'] satisfies readonly ExternalAsking[];
/** An external agent's report on a step; repeated when it knows more. */
const call = z.strictObject({
  k: z.literal('call'),
  step: whole,
  callId: z.string(),
  tool: z.enum(TOOL_KINDS),
  title: z.string(),
  input: text,
  identity: z.string().regex(/^[0-9a-f]{64}$/),
});
/** The state of its question about the step. Recorded as allowed before the agent is told. */
const asking = z.strictObject({
  k: z.literal('asking'),
  step: whole,
  state: z.enum(ASKING),
  by: z.string(),
});

const gitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
/** Files that the turn works in; their content is stored as texts in the store. DW-20 */
const files = z.strictObject({
  base: gitId,
  tree: gitId,
  /** A path inside the repository, never outside. */
  prefix: z
    .string()
    .max(4_096)
    .regex(/^(?:(?!\.{1,2}\/)[^/\\\0]+\/)*$/),
  pieces: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .max(1_000)
    .readonly(),
});

/** The files after a tool call, or why they cannot be passed on. Only for turns with files. */
const filesNow = z.strictObject({
  k: z.literal('files'),
  files: files.optional(),
  why: wireWords(MAX_WHY).optional(),
});

/** A computer that could not take it says why. */
const refused = z.strictObject({ k: z.literal('refused'), why: wireWords(MAX_WHY) });

/** One entry of the store. Kinds written by a newer version are rejected. */
const wireEntry = z.discriminatedUnion('k', [
  z.strictObject({
    k: z.literal('attempt'),
    attempt: whole,
    framedAtMs: z.number(),
    /** Sent in addition to the conversation, by content hash. */
    frame: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  start,
  call,
  asking,
  refused,
  filesNow,
  z.strictObject({ k: z.literal('end'), step: whole, end }),
  z.strictObject({
    k: z.literal('close'),
    state: z.enum(['completed', 'failed', 'cancelled', 'discarded']),
    reason: z.unknown(),
    answerStep: whole.optional(),
  }),
]);
export type WireEntry = z.infer<typeof wireEntry>;
type WireText = z.infer<typeof text>;
type WireEnd = z.infer<typeof end>;

/** An entry as the store holds it, without any path of this computer. DW-18 */
export const writeWire = (portable: PortableTexts, entry: WireEntry): string =>
  portable.out(JSON.stringify(entry));

/** An entry that says why this computer cannot run a turn. */
export const refusedWire = (portable: PortableTexts, why: string): string =>
  writeWire(portable, { k: 'refused', why: why.slice(0, MAX_WHY) });

/**
 * The same with this computer's paths. @throws SHARE_VERSION for content that this version does not
 * understand
 */
export function readWire(portable: PortableTexts, body: string): WireEntry {
  const read = wireEntry.safeParse(parsedJson(portable.in(body)));
  if (read.success) return read.data;
  throw new HoldfastError(
    'SHARE_VERSION',
    'The shared store holds an entry that this version of Holdfast does not understand.',
    { hint: 'The turn stays with other computers. Update Holdfast on this one.' },
  );
}

/** Entries of the store in their order, and the computer that wrote each. @throws SHARE_VERSION */
export const readWires = (
  portable: PortableTexts,
  rows: readonly { readonly body: string; readonly machine: string }[],
): { readonly wires: readonly WireEntry[]; readonly by: readonly string[] } => ({
  wires: rows.map(({ body }) => readWire(portable, body)),
  by: rows.map(({ machine }) => machine),
});

/** Journal entries of a turn that are shared. All others stay on the computer that wrote them. */
const TRAVELS = [
  ...(['turn.started', 'step.started', 'step.ended', 'turn.closed'] as const),
  ...(['outside.call', 'outside.asking'] as const),
] satisfies readonly JournalEntry['kind'][];
type Travelling = Extract<JournalEntry, { kind: (typeof TRAVELS)[number] }>;

export const travels = (entry: JournalEntry): entry is Travelling =>
  TRAVELS.some((kind) => kind === entry.kind);

/** Reads and writes the texts of entries. */
export interface WireTexts extends Pick<Basics, 'blobs' | 'hasher'> {
  readonly store: Pick<SharedStore, 'putText' | 'getText'>;
  readonly frame: (frameId: number) => Frame | undefined;
  /** The purity of a recorded step; only needed if its text is missing. */
  readonly purityOf: (step: StepOf) => Purity | undefined;
  /** Maps paths for an agent that works in this folder on this computer. */
  readonly portableIn: (workspace: string) => PortableTexts;
  /** Maps paths for a turn that this computer knows. */
  readonly portableOf: (turnId: number) => PortableTexts;
}

interface StepOf {
  readonly turnId: number;
  readonly step: number;
}

/** Resolves when the text is in the store. Sent as JSON, because the store accepts no zero byte. */
async function sendText(texts: WireTexts, portable: PortableTexts, plain: string): Promise<string> {
  const body = portable.out(JSON.stringify(plain));
  const hash = texts.hasher.sha256Hex(body);
  await texts.store.putText(hash, body);
  return hash;
}

/**
 * Sends a text; its paths are replaced together with the entry that contains it. @throws
 * SHARE_UNREACHABLE
 */
export const plainOut = async (
  texts: WireTexts,
  portable: PortableTexts,
  plain: string,
): Promise<WireText> =>
  plain.length <= MAX_INLINE
    ? { t: plain }
    : { h: await sendText(texts, portable, plain), n: plain.length };

/** Undefined if the text is missing or damaged here. @throws RESULT_UNREADABLE */
async function storedOut(
  texts: WireTexts,
  portable: PortableTexts,
  stored: StoredText,
): Promise<WireText | undefined> {
  const plain = stored.kind === 'inline' ? stored.text : await texts.blobs.get(stored.address);
  if (plain === undefined) return undefined;
  return plainOut(texts, portable, withoutOwnReasons(plain, portable));
}

/**
 * Drops content that a provider requires back unchanged if the path replacement would change it.
 */
function withoutOwnReasons(plain: string, portable: PortableTexts): string {
  const answer = plain.includes('"reasoning"') ? decodeAnswer(plain) : undefined;
  if (answer === undefined) return plain;
  const parts = answer.parts.map((part) => withoutOwnReasoning(part, portable));
  const isSame = parts.every((part, index) => part === answer.parts[index]);
  return isSame ? plain : encodeAnswer({ finish: answer.finish, parts });
}

/** The end of a step as an entry; its texts are in the store. @throws SHARE_UNREACHABLE */
export const endWire = async (
  texts: WireTexts,
  { turnId, step }: StepOf,
  stepEnd: StepEnd,
): Promise<WireEntry> => ({ k: 'end', step, end: await endOut(texts, { turnId, step }, stepEnd) });

async function endOut(texts: WireTexts, step: StepOf, stepEnd: StepEnd): Promise<WireEnd> {
  if (stepEnd.state === 'failed') return stepEnd;
  const { content: stored, ...rest } = stepEnd;
  const portable = texts.portableOf(step.turnId);
  const content = stored === undefined ? undefined : await storedOut(texts, portable, stored);
  if (content !== undefined) return { ...rest, content };
  return endWithoutText(rest, texts.purityOf(step));
}

const NOT_RECORDED =
  'The stored result is missing on the computer that ran this step, so it counts as not recorded.';
const RESULT_LOST =
  '(This tool call completed on another computer. Its stored result is missing there, so the result is no longer known; the tool call is not repeated.)';
const TEXT_LOST =
  '(This tool call was settled on another computer. Its stored text is missing there; the tool call is not repeated.)';

type WithoutText<E> = E extends unknown ? Omit<E, 'content'> : never;
type TextlessEnd = WithoutText<Exclude<StepEnd, { readonly state: 'failed' }>>;

/**
 * An end whose text is missing here is sent as a resumed run on this computer would treat it, never
 * with an empty text: it counts as not recorded, except that a finished effect is never run again.
 */
function endWithoutText(rest: TextlessEnd, purity: Purity | undefined): WireEnd {
  if (rest.state === 'ambiguous') return rest;
  if (rest.state !== 'completed') return { ...rest, content: { t: TEXT_LOST } };
  if (purity === undefined || isEffect({ purity }))
    return { ...rest, content: { t: RESULT_LOST }, isError: true };
  const { usage: paid, workedMs } = rest;
  return {
    state: 'failed',
    error: NOT_RECORDED,
    isCutOff: true,
    ...(paid === undefined ? {} : { usage: paid }),
    ...(workedMs === undefined ? {} : { workedMs }),
  };
}

export function startOut({ scope, ...step }: StepStart): WireEntry {
  const { turnId: _turn, requestId: _request, ...rest } = step;
  return { k: 'start', ...rest, ...(scope === undefined ? {} : { isOfSkill: true as const }) };
}

type OutsideCall = Pick<
  Extract<JournalEntry, { kind: 'outside.call' }>,
  'turnId' | 'step' | 'callId' | 'tool' | 'title' | 'input' | 'identity'
>;

/** The journal that takes the entry, and its path mapping on this computer. */
interface To {
  readonly turnId: number;
  readonly portable: PortableTexts;
}

/** An external agent's tool call as an entry. @throws SHARE_UNREACHABLE */
export async function callOut(
  texts: WireTexts,
  { turnId, step, callId, tool, title, input, identity }: OutsideCall,
): Promise<WireEntry> {
  const portable = texts.portableOf(turnId);
  return {
    k: 'call',
    ...{ step, callId, tool, identity, title },
    input: await plainOut(texts, portable, input),
  };
}

/** The same tool call for our journal. @throws SHARE_UNREACHABLE */
export async function callIn(
  texts: WireTexts,
  { k: _kind, input, ...rest }: Extract<WireEntry, { k: 'call' }>,
  { turnId, portable }: To,
): Promise<JournalEntry> {
  const plain = await plainIn(texts, portable, input);
  return { kind: 'outside.call', turnId, ...rest, input: plain.slice(0, MAX_INLINE) };
}

/** The folder differs on each computer. */
const frameText = (frame: Frame): string => canonicalJson({ ...frame, workspace: '' });

/** An entry whose texts are in the store before it refers to them. @throws SHARE_UNREACHABLE */
export async function wireOf(texts: WireTexts, entry: Travelling): Promise<WireEntry> {
  switch (entry.kind) {
    case 'turn.started': {
      const frame = texts.frame(entry.frameId);
      if (frame === undefined)
        throw new HoldfastError('RESULT_MISSING', 'The start data of this turn is missing.');
      const { attempt, framedAtMs } = entry;
      const portable = texts.portableIn(frame.workspace);
      const hash = await sendText(texts, portable, frameText(frame));
      return { k: 'attempt', attempt, framedAtMs, frame: hash };
    }
    case 'step.started': {
      const { kind: _kind, ...step } = entry;
      return startOut(step);
    }
    case 'outside.call':
      return callOut(texts, entry);
    case 'outside.asking': {
      const { step, state, by } = entry;
      return { k: 'asking', step, state, by };
    }
    case 'step.ended':
      return { k: 'end', step: entry.step, end: await endOut(texts, entry, entry.end) };
    case 'turn.closed': {
      const { state, reason, answerStep } = entry;
      return { k: 'close', state, reason, ...(answerStep === undefined ? {} : { answerStep }) };
    }
  }
}

async function wholeText(texts: WireTexts, portable: PortableTexts, hash: string): Promise<string> {
  const body = await texts.store.getText(hash);
  if (body !== undefined) return JSON.parse(portable.in(body)) as string;
  throw new HoldfastError('RESULT_MISSING', 'A text of this turn is not in the shared store.');
}

/** A frame from the store, for its agent's folder on this computer. */
export async function frameIn(texts: WireTexts, hash: string, workspace: string): Promise<Frame> {
  const framed = await wholeText(texts, texts.portableIn(workspace), hash);
  return { ...(JSON.parse(framed) as Frame), workspace };
}

/** Resolves when the text is on our disk. */
export async function textIn(
  texts: WireTexts,
  wire: WireText,
  { turnId, portable }: To,
): Promise<StoredText> {
  if ('t' in wire) return { kind: 'inline', text: wire.t };
  const body = await wholeText(texts, portable, wire.h);
  return {
    kind: 'blob',
    address: await texts.blobs.put(body, turnId),
    chars: body.length,
    start: body.slice(0, 2_000),
  };
}

/** A step's end for our journal. */
export async function endIn(texts: WireTexts, wire: WireEnd, to: To): Promise<StepEnd> {
  if (wire.state === 'failed') return wire as StepEnd;
  if (wire.state === 'ambiguous') {
    const { content, ...rest } = wire;
    const told = content === undefined ? {} : { content: await textIn(texts, content, to) };
    return { ...rest, ...told } as StepEnd;
  }
  return { ...wire, content: await textIn(texts, wire.content, to) } as StepEnd;
}

export const reasonIn = (reason: unknown) => reasonOf(reason);

/** A turn before its first run. */
const turnBody = z.strictObject({
  agent: z.string().min(1).max(64),
  text,
  origin: z.strictObject({ databaseId: z.string().min(1).max(64), turnId: whole }),
  sender: z.string().max(64),
  /**
   * The shared task that created it: the reply goes where the running computer's task of this name
   * delivers.
   */
  task: z.string().max(200).optional(),
  files: files.optional(),
});
export type TurnBody = z.infer<typeof turnBody>;

export function readTurnBody(body: string): TurnBody {
  const read = turnBody.safeParse(JSON.parse(body));
  if (read.success) return read.data;
  throw new HoldfastError(
    'SHARE_VERSION',
    'The shared store holds a turn that this version of Holdfast does not understand.',
  );
}

/** @throws SHARE_UNREACHABLE */
export async function turnBodyOf(
  texts: WireTexts,
  { turnId, prompt }: { readonly turnId: number; readonly prompt: string },
  rest: Omit<TurnBody, 'text'>,
): Promise<string> {
  const portable = texts.portableOf(turnId);
  const sent = await plainOut(texts, portable, prompt);
  // Names are the same on every computer, even if they look like paths.
  const body: TurnBody = { ...rest, text: 't' in sent ? { t: portable.out(sent.t) } : sent };
  return JSON.stringify(body);
}

const plainIn = async (
  texts: WireTexts,
  portable: PortableTexts,
  wire: WireText,
): Promise<string> => ('t' in wire ? wire.t : wholeText(texts, portable, wire.h));

/** The prompt for an agent that works in this folder on this computer. @throws SHARE_UNREACHABLE */
export async function promptIn(
  texts: WireTexts,
  { text: wire }: TurnBody,
  workspace: string,
): Promise<string> {
  const portable = texts.portableIn(workspace);
  return 't' in wire ? portable.in(wire.t) : plainIn(texts, portable, wire);
}
