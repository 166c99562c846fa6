import { cutText } from '../../../shared/cut-text';
import { parsedJson } from '../../../shared/parsed-json';
import { because, type Reason } from '../../../shared/reason';
import type { LeftProcessView, ReplayDecision } from '../../../shared/types';
import { effectQuestion } from '../../../shared/tool-words';
import { decodeAnswer } from '../journal/answer-codec';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { JournalEntry, StepEnd } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import type { JsonValue } from '../../ports/provider';
import { canonicalJson } from '../kernel/canonical';
import { eachAlone } from '../kernel/each-alone';
import { HoldfastError, stale } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import { idempotencyKey } from '../journal/step-keys';
import { isListed } from '../journal/side-effect-list';
import { buildLedger } from './ledger';
import { gatedTools, planInWords, planResume, type RecoveryPolicy } from './plan-resume';
import { showText } from '../journal/show-text';
import { textOf } from '../journal/stored-text';
import { questionsLeft } from '../permissions/request-entries';
import { decisionKind, isDecision, MAX_REASON, settle } from '../inbox/entries';

type Ambiguous = ReplayDecision['ambiguous'][number];

interface DecisionDeps extends Pick<
  Basics,
  'journal' | 'blobs' | 'hasher' | 'clock' | 'crashPoints' | 'audit'
> {
  readonly reads: JournalReads;
  readonly policy: () => RecoveryPolicy;
  readonly tools: {
    readonly hasStatusCheck: (tool: string) => boolean;
    /** Where a tool's calls carry their idempotency key; undefined for an unknown tool. */
    readonly keyIn: (tool: string) => Ambiguous['keyIn'];
    /** The tool's question about whether a call took effect; empty if it has none. */
    readonly questionAbout: (tool: string, args: JsonValue) => string;
  };
  /** A folder formatted for display: `~/project`. */
  readonly shownFolder: (folder: string) => string;
  /** Commands of the turn that outlived Holdfast. */
  readonly processesOf: (turnId: number) => Promise<readonly LeftProcessView[]>;
  /** The turn is queued on disk: it may run. */
  readonly onQueued: (turn: TurnRow) => void;
}

/** The user's answer to an open question. */
type Answer =
  | { readonly kind: 'resume'; readonly turnId: number; readonly requestHash: string }
  | {
      readonly kind: 'confirm' | 'skip';
      readonly turnId: number;
      readonly step: number;
      readonly requestHash: string;
    }
  | { readonly kind: 'discard'; readonly turnId: number; readonly requestHash: string };

/**
 * Open questions about turns, durable until answered in the window or the CLI. R9, S0-09, S0-11.
 */
export interface Decisions {
  /** Oldest first. */
  list(): Promise<readonly ReplayDecision[]>;
  of(turnId: number): Promise<ReplayDecision | undefined>;
  /**
   * Records an answer; it is on disk when this resolves, and the question is not opened again
   * (S4-+04).
   * @throws TURN_UNKNOWN, TURN_STATE, STEP_STATE, REQUEST_STALE
   */
  answer(answer: Answer, by: string): Promise<void>;
}

export function createDecisions(deps: DecisionDeps): Decisions {
  const oneByOne = createKeyedMutex<number>();
  const of = async (turnId: number): Promise<ReplayDecision | undefined> => {
    const turn = deps.reads.turn(turnId);
    // An agent's question may also be open; it is answered separately.
    const inbox = deps.reads.openInboxesOfTurn(turnId).find(isDecision);
    if (turn === undefined || inbox === undefined || !isAsking(turn)) return undefined;
    return decisionOf(deps, turn, inbox);
  };
  const record = async (answer: Answer, by: string): Promise<void> => {
    const turn = deps.reads.turn(answer.turnId);
    if (turn === undefined) throw unknownTurn(answer.turnId);
    const decision = await of(answer.turnId);
    if (decision === undefined) throw notAsking(turn);
    if (decision.requestHash !== answer.requestHash) throw staleDecision(turn);
    deps.crashPoints.hit('decision.record.before');
    const entries = entriesOf(deps, turn, decision, answer, by);
    await deps.journal.commit(entries);
    deps.crashPoints.hit('decision.record.after');
    deps.audit.record('decision_recorded', { turnId: turn.id, answer: answer.kind, by });
    const after = deps.reads.turn(turn.id);
    if (after?.state === 'queued') deps.onQueued(after);
  };
  return {
    async list() {
      const open = deps.reads.inbox({ includeSettled: false, limit: 1000 });
      return eachAlone(open.filter(isDecision), (item) => of(item.turnId ?? 0));
    },
    of,
    // If two answers arrive at once, the second finds that the question is closed.
    answer: (answer, by) => oneByOne(answer.turnId, () => record(answer, by)),
  };
}

const ASKING = ['held', 'parked', 'waiting'] as const;
const isAsking = (turn: TurnRow): boolean => (ASKING as readonly string[]).includes(turn.state);

function entriesOf(
  deps: DecisionDeps,
  turn: TurnRow,
  decision: ReplayDecision,
  answer: Answer,
  by: string,
): readonly JournalEntry[] {
  const turnId = turn.id;
  const settled = (outcome: string): JournalEntry => settle(decision.inboxId, outcome);
  switch (answer.kind) {
    case 'resume': {
      const isLimit = decision.kind === 'limit';
      return [
        { kind: 'decision.recorded', turnId, answer: isLimit ? 'raise_limit' : 'resume', by },
        queuedAgain(turnId, isLimit ? because('reason.raised') : GO_ON),
        settled(isLimit ? 'limit raised' : 'resumed'),
      ];
    }
    case 'discard':
      return [
        { kind: 'decision.recorded', turnId, answer: 'discard', by },
        {
          kind: 'turn.closed',
          turnId,
          sessionId: turn.sessionId,
          state: 'discarded',
          reason: because('reason.discarded'),
          hasReply: false,
        },
        ...questionsLeft(deps.reads, turn, by),
        settled('discarded'),
      ];
    case 'confirm':
    case 'skip': {
      const { step } = answer;
      if (!decision.ambiguous.some((open) => open.index === step))
        throw stepNotOpen(
          turn,
          step,
          deps.reads.steps(turn.id).some((one) => one.step === step),
        );
      const isLast = decision.ambiguous.length === 1;
      return [
        { kind: 'decision.recorded', turnId, step, answer: answer.kind, by },
        {
          kind: 'step.ended',
          turnId,
          step,
          end: answer.kind === 'confirm' ? confirmedEnd(deps.clock.nowMs()) : SKIPPED_END,
        },
        ...(isLast
          ? [
              queuedAgain(turnId, GO_ON),
              settled(answer.kind === 'confirm' ? 'recorded as done' : 'skipped'),
            ]
          : []),
      ];
    }
  }
}

const GO_ON = because('reason.chosen');
const queuedAgain = (turnId: number, reason: Reason): JournalEntry => ({
  kind: 'turn.state',
  turnId,
  state: 'queued',
  reason,
});

/** The user confirmed that the call was done; its result is unknown. */
function confirmedEnd(nowMs: number): StepEnd {
  const at = new Date(nowMs).toISOString();
  const text = `Done: confirmed by the user at ${at}. The result itself is unknown.`;
  return { state: 'confirmed', by: 'person', content: { kind: 'inline', text } };
}

const SKIPPED_END: StepEnd = {
  state: 'skipped',
  by: 'person',
  content: { kind: 'inline', text: '(skipped by the user: this step has an empty result)' },
};

async function decisionOf(
  deps: DecisionDeps,
  turn: TurnRow,
  inbox: InboxRow,
): Promise<ReplayDecision> {
  const steps = deps.reads.steps(turn.id);
  const policy = deps.policy();
  const origin = deps.reads.keyOrigin(turn.id);
  const planned = planResume({
    // An answer resets the crash count.
    turn: { ...turn, crashes: 0 },
    steps,
    runs: deps.reads.runsOfTurn(turn.id),
    policy,
    nowMs: deps.clock.nowMs(),
    isAnswered: true,
    wasAlone: false,
    idempotencyKeyOf: (root) => idempotencyKey(origin, root),
  });
  const plan = planInWords(planned);
  const lines = buildLedger(steps);
  const open = lines.filter((line) => line.outcome === 'open').map((line) => line.last);
  const inputs = await Promise.all(
    open.map((step) =>
      argumentsOf(
        { blobs: deps.blobs, outsideCalls: (id) => deps.reads.outsideCalls(id) },
        steps,
        step,
      ),
    ),
  );
  const ambiguous = open.map((step, at) => {
    const shown = showText(inputs[at] ?? '', 4000);
    const keyIn = deps.tools.keyIn(step.tool);
    return {
      index: step.step,
      tool: step.tool,
      purity: step.purity,
      isListed: isListed(step.tool, step.hasEffects, policy.sideEffectTools),
      startedAtMs: step.startedAtMs,
      args: shown.text,
      isTruncated: shown.isTruncated,
      hasStatusCheck: deps.tools.hasStatusCheck(step.tool),
      isIdempotent: step.isIdempotent,
      ...(keyIn === undefined ? {} : { keyIn }),
    };
  });
  const kind = decisionKind(inbox);
  const processes = await deps.processesOf(turn.id);
  const listedTools = gatedTools(lines, policy);
  const frame = turn.frameId === undefined ? undefined : deps.reads.frame(turn.frameId);
  return {
    inboxId: inbox.id,
    turnId: turn.id,
    kind,
    question: questionOf(deps, kind, ambiguous, inputs[0] ?? ''),
    // A reason from an earlier version may be longer; one long reason must not hide the others.
    reason: cutText(turn.reason, MAX_REASON),
    agent: turn.agent,
    sessionKey: turn.sessionKey,
    promptStart: turn.promptStart,
    ...(frame === undefined
      ? {}
      : { folder: showText(deps.shownFolder(frame.workspace), 4096).text }),
    createdAtMs: inbox.createdAtMs,
    ambiguous,
    listedTools: [...listedTools],
    ...(processes.length === 0 ? {} : { processes: [...processes] }),
    plan,
    // Covers exactly what the user sees and what an answer would do; a change in either invalidates
    // the answer.
    requestHash: deps.hasher.sha256Hex(
      canonicalJson({
        turnId: turn.id,
        inboxId: inbox.id,
        kind,
        steps: plan.steps,
        ambiguous,
        ...(processes.length === 0
          ? {}
          : { processes: processes.map(({ requestHash, state }) => [requestHash, state]) }),
      } as unknown as JsonValue),
    ),
  };
}

function questionOf(
  deps: Pick<DecisionDeps, 'tools'>,
  kind: ReplayDecision['kind'],
  ambiguous: ReplayDecision['ambiguous'],
  input: string,
): string {
  const first = ambiguous[0];
  if (first !== undefined && ambiguous.length === 1) {
    const args = argsIn(input);
    const own = args === undefined ? '' : deps.tools.questionAbout(first.tool, args);
    const asked = own === '' ? effectQuestion(first.tool, args) : own;
    return showText(asked.replace(/\s+/g, ' '), 300).text;
  }
  if (ambiguous.length > 1) return `Did these ${String(ambiguous.length)} tool calls happen?`;
  switch (kind) {
    case 'limit':
      return 'Raise the limit or cancel this turn?';
    case 'parked':
      return 'Resume this turn?';
    case 'stale':
      return 'This turn was interrupted some time ago. Resume it?';
    case 'held':
      return 'Resume this turn?';
  }
}

/**
 * Undefined for a truncated text, or one that replaces a missing text: the question then names only
 * the tool.
 */
const argsIn = (input: string): JsonValue | undefined =>
  (parsedJson(input) as JsonValue | undefined) ?? undefined;

/** Arguments are stored once, in the model answer that requested the call. */
export async function argumentsOf(
  deps: Pick<DecisionDeps, 'blobs'> & Pick<JournalReads, 'outsideCalls'>,
  steps: readonly StepRow[],
  step: StepRow,
): Promise<string> {
  if (step.call === undefined) {
    // External agents' calls are in their reports.
    if (step.purity === 'llm') return '';
    return deps.outsideCalls(step.turnId).find((call) => call.step === step.step)?.input ?? '';
  }
  const asked = steps.find((one) => one.step === step.call?.step);
  if (asked?.end?.state !== 'completed') return '';
  const { content } = asked.end;
  const text =
    content.kind === 'inline'
      ? content.text
      : await deps.blobs.get(content.address).catch(() => undefined);
  if (text === undefined) return textOf(deps.blobs, content);
  const part = decodeAnswer(text)?.parts[step.call.part];
  return part?.kind === 'tool_call' ? JSON.stringify(part.args, null, 1) : '';
}

export function unknownTurn(turnId: number): HoldfastError {
  return new HoldfastError('TURN_UNKNOWN', `There is no turn ${String(turnId)}.`, {
    hint: 'List the turns with "holdfast turns list".',
    facts: { turnId },
  });
}

function notAsking(turn: TurnRow): HoldfastError {
  return new HoldfastError(
    'TURN_STATE',
    `Turn ${String(turn.id)} does not need a decision: it is ${turn.state}.`,
    {
      hint: 'Nothing was changed. List what needs your review: holdfast inbox list',
      facts: { turnId: turn.id, state: turn.state },
    },
  );
}

const staleDecision = ({ id: turnId }: TurnRow): HoldfastError =>
  stale(`The decision for turn ${String(turnId)}`, { turnId });

function stepNotOpen(turn: TurnRow, step: number, isThere: boolean): HoldfastError {
  return new HoldfastError(
    'STEP_STATE',
    isThere
      ? `Step ${String(step)} of turn ${String(turn.id)} has a known outcome.`
      : `Turn ${String(turn.id)} has no step ${String(step)}.`,
    {
      hint: 'Nothing was changed. "holdfast turns show" lists the steps.',
      facts: { turnId: turn.id, step },
    },
  );
}
