/** The start of a turn's run: its frame, its conversation and the journal's record. */
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { Frame } from '../../ports/journal/entries';
import type { Message } from '../../ports/provider';
import { frameHash } from '../journal/step-keys';
import type { PortableTexts } from '../journal/portable-text';
import { answerOf, textOf, wholeAnswerOf, wholeTextOf } from '../journal/stored-text';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import { buildLedger, createLedgerCursor, workedMs } from '../recovery/ledger';
import { ownAgentOf } from './acting-agent';
import type { Lease } from './lease-table';
import { createTurnRun, type TurnRun, type TurnRunDeps } from './run-record';
import type { Blobs } from '../../ports/blobs';
import type { JournalReads } from '../../ports/journal/reads';

/**
 * A turn's message as it was accepted. No other text ever replaces it (S0-33). @throws
 * RESULT_MISSING, RESULT_UNREADABLE
 */
async function promptOf(
  { reads, blobs }: { readonly reads: Pick<JournalReads, 'prompt'>; readonly blobs: Blobs },
  turn: TurnRow,
): Promise<string> {
  const stored = reads.prompt(turn);
  const text = stored.kind === 'inline' ? stored.text : await blobs.get(stored.address);
  if (text !== undefined) return text;
  throw new HoldfastError('RESULT_MISSING', 'The prompt of this turn is missing on the disk.', {
    hint: 'Nothing was sent instead. Discard the turn and send the prompt again.',
  });
}

/** Maximum number of earlier turns in a conversation. */
const HISTORY_TURNS = 20;
const HISTORY_CHARS = 200_000;

/** How opening a turn differs between kinds of agents. */
interface OpeningWays {
  /** How the time of earlier runs is counted. */
  readonly worked?: (steps: readonly StepRow[]) => number;
  /**
   * Settles what an earlier run left, before the steps are read. @returns why nothing may continue
   */
  readonly settle?: () => Promise<string | undefined>;
  /** The program stores the conversation itself and gets only the new message. */
  readonly keepsConversation?: boolean;
}

/** Opens a turn, or returns why it cannot be opened. */
export async function open(
  deps: TurnRunDeps,
  frames: Map<string, Promise<number>>,
  turn: TurnRow,
  lease: Lease,
  { worked = workedMs, settle, keepsConversation = false }: OpeningWays = {},
): Promise<
  | { readonly kind: 'open'; readonly run: TurnRun }
  | { readonly kind: 'refused'; readonly reason: string }
> {
  try {
    const framed = await frameFor(deps, frames, turn);
    const left = await settle?.();
    if (left !== undefined) return { kind: 'refused', reason: left };
    const attempt = turn.attempt + 1;
    const steps = turn.attempt === 0 ? [] : deps.store.reads.steps(turn.id);
    const { frameId, framedAtMs } = framed;
    const models = answerersOf(framed.frame, turn);
    const env = await environmentOf(deps, framed.frame, turn);
    const { claimId, owner } = lease;
    const shared = turn.sharedWith === undefined ? undefined : deps.store.reads.sharedTurn(turn.id);
    const portable = shared && deps.portable(framed.frame.workspace);
    const run = createTurnRun(deps, {
      turn,
      attempt,
      frame: keepsConversation
        ? framed.frame
        : withOutcome(
            withStartTime({ ...framed.frame, ...models.at(-1), env }, framedAtMs),
            await outcomeBefore(deps, turn),
          ),
      models,
      cursor: createLedgerCursor(buildLedger(steps)),
      messages: keepsConversation
        ? [{ role: 'user', text: await promptOf(deps.store, turn) }]
        : await conversation(deps, turn, portable),
      portable,
      origin: shared?.origin ?? deps.store.reads.keyOrigin(turn.id),
      epoch: shared?.epoch,
      lastStep: turn.stepCount,
      ranBeforeMs: worked(steps),
      lease,
      opening: [
        { kind: 'turn.started', turnId: turn.id, attempt, frameId, framedAtMs, claimId, owner },
      ],
    });
    return { kind: 'open', run };
  } catch (error) {
    const known = toHoldfastError(error);
    const reason = known.hint === undefined ? known.message : `${known.message} ${known.hint}`;
    return { kind: 'refused', reason };
  }
}

/**
 * A resumed turn uses its original frame, so the bytes sent are the same; a new turn gets its
 * agent's current frame, stored once per distinct content and on disk before a turn refers to it.
 */
async function frameFor(
  deps: TurnRunDeps,
  frames: Map<string, Promise<number>>,
  turn: TurnRow,
): Promise<{ readonly frame: Frame; readonly frameId: number; readonly framedAtMs: number }> {
  if (turn.frameId !== undefined) {
    const frame = deps.store.reads.frame(turn.frameId);
    if (frame === undefined) {
      throw new HoldfastError(
        'RESULT_MISSING',
        'The start data of this turn is missing in the journal.',
        { hint: 'Discard it and send the message again.' },
      );
    }
    return { frame, frameId: turn.frameId, framedAtMs: turn.framedAtMs ?? turn.acceptedAtMs };
  }
  const frame = await deps.frameOf(ownAgentOf(turn), turn.id);
  const hash = frameHash(deps.store.hasher, frame);
  const known = deps.store.reads.frameIdByHash(hash);
  const framedAtMs = deps.store.clock.nowMs();
  if (known !== undefined) return { frame, frameId: known, framedAtMs };
  // Two turns that start together share one write.
  const writing = frames.get(hash) ?? recordFrame(deps, frame, hash);
  frames.set(hash, writing);
  try {
    return { frame, frameId: await writing, framedAtMs };
  } finally {
    frames.delete(hash);
  }
}

/** Another agent gets its own variables, but the folder stays that of the turn. */
const environmentOf = async (
  deps: TurnRunDeps,
  frame: Frame,
  turn: TurnRow,
): Promise<Frame['env']> =>
  turn.ownAgent === undefined ? frame.env : (await deps.frameOf(turn.agent, turn.id)).env;

/**
 * The frame's own model, and the fallback models that answered in its place; the last one answers
 * now. FB-03
 */
function answerersOf({ provider, model }: Frame, { fallbacks = [] }: TurnRow): TurnRun['models'] {
  const others = fallbacks.filter(({ agent }) => agent === undefined);
  return [
    { provider, model },
    ...others.map((one) => ({ provider: one.provider, model: one.model })),
  ];
}

async function recordFrame(deps: TurnRunDeps, frame: Frame, hash: string): Promise<number> {
  const frameId = deps.store.journal.allocate('frame');
  await deps.store.journal.commit([{ kind: 'frame.recorded', frameId, hash, frame }]);
  return frameId;
}

/** The clock is stored with the turn and never read again: the request stays the same (S4-10). */
function withStartTime(frame: Frame, framedAtMs: number): Frame {
  return {
    ...frame,
    system: `${frame.system}\n\nThis turn started at ${new Date(framedAtMs).toISOString()}.`,
  };
}

/** The session's goal: a shortened conversation must not lose it. */
async function outcomeBefore(deps: TurnRunDeps, turn: TurnRow): Promise<string | undefined> {
  const stored = deps.store.reads.outcome(turn.sessionId, turn.id);
  return stored === undefined ? undefined : readersFor(turn).text(deps.store.blobs, stored);
}

const withOutcome = (frame: Frame, outcome: string | undefined): Frame =>
  outcome === undefined
    ? frame
    : { ...frame, system: `${frame.system}\n\nGoal of this session: ${outcome}` };

/**
 * A started turn repeats its request with the same bytes or not at all (S4-10); a new turn notes
 * that an earlier text is unreadable and continues.
 */
const readersFor = ({ attempt }: TurnRow): { text: typeof textOf; answer: typeof answerOf } =>
  attempt === 0 ? { text: textOf, answer: answerOf } : { text: wholeTextOf, answer: wholeAnswerOf };

async function conversation(
  deps: TurnRunDeps,
  turn: TurnRow,
  portable: PortableTexts | undefined,
): Promise<Message[]> {
  const lengthOf = (text: string): number => (portable?.key(text) ?? text).length;
  const past = deps.store.reads.history(turn.sessionId, turn.id, HISTORY_TURNS);
  const read = readersFor(turn);
  const pairs: Message[][] = [];
  let chars = 0;
  for (const { prompt, answer } of past.toReversed()) {
    const asked = await read.text(deps.store.blobs, prompt);
    const told = answer === undefined ? '' : await read.answer(deps.store.blobs, answer);
    chars += lengthOf(asked) + lengthOf(told);
    if (chars > HISTORY_CHARS) break;
    pairs.unshift([
      { role: 'user', text: asked },
      ...(told === ''
        ? []
        : [{ role: 'assistant' as const, parts: [{ kind: 'text' as const, text: told }] }]),
    ]);
  }
  return [...pairs.flat(), { role: 'user', text: await promptOf(deps.store, turn) }];
}
