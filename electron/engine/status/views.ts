import type { KeyOrigin } from '../../ports/journal/shared';
import { CLOSED_TURN_STATES } from '../../../shared/states';
import type {
  AnsweredBy,
  InboxItem,
  SessionEvent,
  SessionView,
  StepFate,
  StepView,
  TurnState,
  TurnSummary,
} from '../../../shared/types';
import type { Blobs } from '../../ports/blobs';
import type { JournalReads } from '../../ports/journal/reads';
import type { EventRow, SessionRow, StepRow, TurnRow } from '../../ports/journal/rows';
import type { InboxRow } from '../../ports/journal/inbox';
import { answerOf, resultOf, textOf } from '../journal/stored-text';
import { isEffect } from '../recovery/ledger';
import { offerOf } from '../fallback/questions';
import { missedTask } from '../schedule/task-message';
import { missedTimer } from '../schedule/timers';
import { argumentsOf } from '../recovery/decisions';
import { idempotencyKey } from '../journal/step-keys';
import { isListed } from '../journal/side-effect-list';
import { showText } from '../journal/show-text';
import type { LiveOutput } from '../turns/live-output';
import { fallbackViews } from './answered-by';

/** Why a turn that is open as running has no runner. */
export type NobodyRunsIt = 'ended' | 'silent' | 'disk' | 'program' | 'unanswered';

const NOT_AT_WORK: Readonly<Record<NobodyRunsIt, string>> = {
  ended: 'Interrupted when Holdfast ended. It is not running now; the next normal start decides.',
  silent: 'It stopped responding. Another attempt takes over, no later than at the next start.',
  disk: 'Interrupted: a write to the disk failed. It resumes automatically, or asks you, when the disk accepts writes again.',
  program:
    "Interrupted: Holdfast's program files changed. After a restart it resumes automatically, or asks you.",
  unanswered: 'Running when Holdfast last wrote; Holdfast is not responding now.',
};

/** Maximum characters of arguments and results in a list; the rest is marked as truncated. */
const SHOWN_CHARS = 4000;
const EVENT_CHARS = 20_000;

/**
 * A turn as lists show it. If a turn is open as running but has no runner (Holdfast is down, or
 * started without restoring), its reason explains that.
 */
export function turnSummary(turn: TurnRow, nobody?: NobodyRunsIt): TurnSummary {
  return {
    id: turn.id,
    sessionId: turn.sessionId,
    sessionKey: turn.sessionKey,
    agent: turn.agent,
    state: turn.state,
    // A graceful stop has already written the reason (S2-+06); a crash had no time to.
    reason: (nobody === undefined || turn.state !== 'running' || turn.reason !== ''
      ? turn.reason
      : NOT_AT_WORK[nobody]
    ).slice(0, 500),
    promptStart: turn.promptStart,
    channel: turn.channel,
    acceptedAtMs: turn.acceptedAtMs,
    ...(turn.startedAtMs === undefined ? {} : { startedAtMs: turn.startedAtMs }),
    ...(turn.endedAtMs === undefined ? {} : { endedAtMs: turn.endedAtMs }),
    steps: turn.stepCount,
    attempt: turn.attempt,
    reused: turn.reusedCount,
    usage: turn.usage,
    savedUsage: turn.savedUsage,
    ...computerOf(turn),
    ...(turn.fallbacks === undefined ? {} : { fallbacks: fallbackViews(turn) }),
    ...(turn.retry === undefined
      ? {}
      : {
          retry: {
            ...(turn.retry.dueAtMs === undefined ? {} : { dueAtMs: turn.retry.dueAtMs }),
            streak: turn.retry.streak,
            lastError: turn.retry.error.slice(0, 500),
          },
        }),
  };
}

/** The other computer that has a turn, or on which it ended. */
export const computerOf = (turn: TurnRow | undefined): { computer?: string } =>
  turn?.sharedWith === undefined || turn.sharedWith === ''
    ? {}
    : { computer: turn.sharedWith.slice(0, 64) };

/** What step views need in addition to their rows. */
export interface StepViewDeps {
  readonly blobs: Blobs;
  readonly keyOrigin: (turnId: number) => KeyOrigin;
  readonly sideEffectTools: readonly string[];
  /** The user who allowed a call, by its request's ID. */
  readonly allowedBy: (requestId: number) => string | undefined;
  /** The skill of one of the turn's runs. */
  readonly skillOf: (runId: number) => string | undefined;
  readonly outsideCalls: JournalReads['outsideCalls'];
  readonly requestsOfTurn: JournalReads['requestsOfTurn'];
  /** True if the turn has ended. */
  readonly isOver: (turnId: number) => boolean;
  readonly callTries: JournalReads['callTries'];
  /** The model or agent of this step of the turn. */
  readonly answeredBy: (turnId: number, step: number) => AnsweredBy | undefined;
  readonly live: Pick<LiveOutput, 'of'>;
}

/**
 * Steps as shown in lists: fate, drift, duplicate risk. Without arguments and results, because a
 * turn of thousands of steps would be megabytes after every change.
 */
export function stepViews(
  deps: Omit<StepViewDeps, 'blobs' | 'live'>,
  steps: readonly StepRow[],
): readonly StepView[] {
  const known = knownOf(deps, steps);
  return steps.map((step) => stepOf(deps, step, known));
}

/** The same with input and output, escaped. */
export async function stepViewsWithTexts(
  deps: StepViewDeps,
  /** The steps to show. */
  wanted: readonly StepRow[],
  /** All steps of the turn: the arguments are in the answer that requested the call. */
  steps: readonly StepRow[],
): Promise<readonly StepView[]> {
  const known = knownOf(deps, steps);
  return Promise.all(
    wanted.map(async (step): Promise<StepView> => {
      const args = showText(await argumentsOf(deps, steps, step), SHOWN_CHARS);
      const result = showText(await resultOf(deps.blobs, step), SHOWN_CHARS);
      return {
        ...stepOf(deps, step, known),
        ...(args.text === '' ? {} : { args: args.text }),
        ...(result.text === '' ? {} : { result: result.text }),
        isTruncated: args.isTruncated || result.isTruncated,
        ...outputOf(deps, step),
      };
    }),
  );
}

function outputOf({ live }: StepViewDeps, step: StepRow): Pick<StepView, 'output'> {
  const output = step.end === undefined ? live.of(step) : undefined;
  return output === undefined ? {} : { output };
}

/** What the view of one step needs from the whole turn. */
interface KnownSteps {
  readonly byNumber: ReadonlyMap<number, StepRow>;
  /** The turn is closed: a step without an end was interrupted and has no runner. */
  readonly isOver: boolean;
  readonly questions: ReturnType<typeof questionsOf>;
}

function knownOf(deps: KnownDeps, steps: readonly StepRow[]): KnownSteps {
  const [first] = steps;
  return {
    byNumber: new Map(steps.map((step) => [step.step, step])),
    isOver: first !== undefined && deps.isOver(first.turnId),
    questions: first === undefined ? new Map() : questionsOf(deps, first.turnId),
  };
}

type QuestionDeps = Pick<StepViewDeps, 'outsideCalls' | 'requestsOfTurn'>;
type KnownDeps = QuestionDeps & Pick<StepViewDeps, 'isOver'>;

/** External agents' questions about their calls, by step: the question, and whether it is open. */
function questionsOf(
  deps: QuestionDeps,
  turnId: number,
): ReadonlyMap<number, { readonly requestId: number | undefined; readonly isOpen: boolean }> {
  const calls = deps.outsideCalls(turnId).filter((call) => call.asking !== undefined);
  if (calls.length === 0) return new Map();
  const open = deps.requestsOfTurn(turnId).filter((request) => request.answer === undefined);
  return new Map(
    calls.map(({ step, identity, asking, requestId }) => {
      const isOpen = asking === 'asked';
      const asked = isOpen
        ? open.find((row) => row.inputKey.startsWith(identity))?.requestId
        : undefined;
      return [step, { isOpen, requestId: requestId ?? asked }];
    }),
  );
}

function answerOfModel(
  deps: Pick<StepViewDeps, 'answeredBy'>,
  { purity, turnId, step }: StepRow,
): Pick<StepView, 'answeredBy'> {
  const answeredBy = purity === 'llm' ? deps.answeredBy(turnId, step) : undefined;
  return answeredBy === undefined ? {} : { answeredBy };
}

function stepOf(
  deps: Omit<StepViewDeps, 'blobs' | 'live'>,
  step: StepRow,
  { byNumber, isOver, questions }: KnownSteps,
): StepView {
  const origin = step.againOf === undefined ? undefined : byNumber.get(step.againOf);
  const end = step.end;
  const requestId = step.requestId ?? questions.get(step.step)?.requestId;
  const by = requestId === undefined ? undefined : deps.allowedBy(requestId);
  const skill = step.scope === undefined ? undefined : deps.skillOf(step.scope.runId);
  return {
    turnId: step.turnId,
    index: step.step,
    tool: step.tool,
    purity: step.purity,
    state: step.state,
    fate: fateOf(step, origin, { isOver, asks: questions.get(step.step)?.isOpen === true }),
    hint: step.hint.slice(0, 300),
    startedAtMs: step.startedAtMs,
    ...(step.endedAtMs === undefined ? {} : { endedAtMs: step.endedAtMs }),
    attempt: step.attempt,
    ...(step.againOf === undefined ? {} : { againOf: step.againOf }),
    ...(end?.state === 'completed' && end.drift !== undefined ? { drift: end.drift } : {}),
    isListed: isListed(step.tool, step.hasEffects, deps.sideEffectTools),
    ...(requestId === undefined ? {} : { requestId }),
    ...(by === undefined ? {} : { approvedBy: by.slice(0, 64) }),
    duplicateRisk: isEffect(step) && !step.isIdempotent && mayHaveHappened(step, byNumber),
    ...(isEffect(step)
      ? { idempotencyKey: idempotencyKey(deps.keyOrigin(step.turnId), step.againOf ?? step.step) }
      : {}),
    ...((end?.state === 'completed' || end?.state === 'failed') && end.usage !== undefined
      ? { usage: end.usage }
      : {}),
    ...answerOfModel(deps, step),
    ...triesOf(deps, step),
    ...againOf(step, { byNumber, isOver }),
    reusedCount: step.reusedCount,
    ...(step.scope === undefined || skill === undefined ? {} : { run: { ...step.scope, skill } }),
    ...(end?.state === 'failed' || end?.state === 'ambiguous'
      ? { error: showText(end.error, 2000).text }
      : {}),
  };
}

/**
 * An earlier try of the call may have taken effect; one that surely did nothing is no risk. S4-24
 */
function mayHaveHappened(step: StepRow, byNumber: KnownSteps['byNumber']): boolean {
  if (step.againOf === undefined) return false;
  for (const one of byNumber.values()) {
    const isEarlierTry = one.step === step.againOf || one.againOf === step.againOf;
    if (isEarlierTry && one.step < step.step && one.state === 'ambiguous') return true;
  }
  return false;
}

/**
 * Only the failed call that ended a turn is final; after any other, the provider is called again
 * within the turn or in its next run.
 */
function againOf(
  { step, purity, end }: StepRow,
  { byNumber, isOver }: Pick<KnownSteps, 'byNumber' | 'isOver'>,
): Pick<StepView, 'again'> {
  if (purity !== 'llm' || end?.state !== 'failed' || end.isCutOff) return {};
  if (byNumber.has(step + 1)) return { again: 'made' };
  return isOver ? {} : { again: 'due' };
}

/** Failed tries of a model request; other calls are not retried. */
function triesOf(deps: Pick<StepViewDeps, 'callTries'>, step: StepRow): Pick<StepView, 'tries'> {
  if (step.purity !== 'llm') return {};
  const tries = deps.callTries(step.turnId, step.step).slice(0, 100);
  if (tries.length === 0) return {};
  return {
    tries: tries.map(({ atMs, dueAtMs, failure, status, message }) => ({
      atMs,
      // A short wait may be over when the try is on disk.
      nextAtMs: Math.max(atMs, dueAtMs),
      failure,
      ...(status === undefined ? {} : { status }),
      error: showText(message, 500).text,
    })),
  };
}

function fateOf(
  step: StepRow,
  origin: StepRow | undefined,
  open: { readonly isOver: boolean; readonly asks: boolean },
): StepFate {
  if (step.state === 'started' && open.isOver) return 'cut_off';
  if (step.state === 'started' && open.asks) return 'asks';
  if (step.state === 'confirmed') return 'recorded_as_done';
  if (step.state === 'skipped') return 'skipped_by_you';
  if (step.end?.state === 'failed' && step.end.isCutOff) return 'cut_off';
  if (origin !== undefined)
    return step.purity === 'world' && origin.state === 'completed' ? 'asked_again' : 'run_again';
  return step.reusedCount > 0 ? 'reused' : 'fresh';
}

/** `waitsByItself`: the turn waits for its provider and resumes automatically (S0-18). */
export function sessionView(
  session: SessionRow,
  openTurns: readonly TurnRow[],
  waitsByItself: (turnId: number) => boolean = () => false,
): SessionView {
  const running = openTurns.some((turn) => turn.state === 'running');
  // Retries automatically: no action needed (S3-14).
  const retries = (turn: TurnRow): boolean =>
    turn.state === 'waiting' && (turn.retry?.dueAtMs !== undefined || waitsByItself(turn.id));
  const asks = openTurns.find(
    (turn) =>
      turn.state === 'requires_action' ||
      turn.state === 'held' ||
      (turn.state === 'waiting' && !retries(turn)) ||
      turn.state === 'parked',
  );
  const retrying = openTurns.find(retries);
  const queued = openTurns.filter((turn) => turn.state === 'queued').length;
  return {
    id: session.id,
    key: session.key,
    title: session.title,
    agent: session.agent,
    status: running
      ? 'running'
      : asks !== undefined
        ? 'requires_action'
        : queued > 0 || retrying !== undefined
          ? 'rescheduling'
          : 'idle',
    stopReason: running ? '' : ((asks ?? retrying)?.reason.slice(0, 300) ?? ''),
    turns: session.turnCount,
    pendingEvents: openTurns.length,
    createdAtMs: session.createdAtMs,
    lastEventAtMs: session.lastEventAtMs,
    ...(session.parent === undefined ? {} : { parent: session.parent }),
    ...(session.isPinned ? { isPinned: true as const } : {}),
    ...(session.isArchived ? { isArchived: true as const } : {}),
    ...(session.fork === undefined ? {} : { fork: session.fork }),
  };
}

/** One line of a session's event log. */
export async function sessionEvent(
  deps: QuestionDeps & Pick<StepViewDeps, 'blobs'>,
  sessionId: number,
  event: EventRow,
): Promise<SessionEvent> {
  const readText = event.kind === 'turn.closed' ? answerOf : textOf;
  const text = event.text === undefined ? '' : await readText(deps.blobs, event.text);
  const shown = showText(event.child === undefined ? text : childText(event, text), EVENT_CHARS);
  const step = event.step;
  return {
    seq: event.seq,
    sessionId,
    ...(event.turnId === undefined ? {} : { turnId: event.turnId }),
    type: typeOf(event),
    atMs: event.atMs,
    isPending: INPUTS.has(event.kind) && isOpenState(event.turnState),
    text: step === undefined ? shown.text : step.hint,
    isTruncated: shown.isTruncated,
    ...(event.child === undefined ? {} : { child: { ...event.child } }),
    ...(event.request === undefined ? {} : { tool: event.request.tool.slice(0, 200) }),
    ...(step === undefined
      ? {}
      : {
          tool: step.tool,
          purity: step.purity,
          stepIndex: step.step,
          stepState: step.state,
          startedAtMs: step.startedAtMs,
          ...(step.endedAtMs === undefined ? {} : { endedAtMs: step.endedAtMs }),
          stepFate:
            step.reusedCount > 0
              ? ('reused' as const)
              : fateOf(step, undefined, {
                  isOver: event.turnState !== undefined && !isOpenState(event.turnState),
                  asks: isAsking(deps, step),
                }),
        }),
  };
}

const isAsking = (deps: QuestionDeps, step: StepRow): boolean =>
  step.state === 'started' && questionsOf(deps, step.turnId).get(step.step)?.isOpen === true;

/** A message is consumed when its turn closes, not when it starts. S3-13. */
function isOpenState(state: TurnState | undefined): boolean {
  return state !== undefined && !(CLOSED_TURN_STATES as readonly TurnState[]).includes(state);
}

/** A turn's inputs: pending until it has committed. */
const INPUTS: ReadonlySet<EventRow['kind']> = new Set(['message.accepted', 'approval.answered']);

function typeOf({ kind, request, child, isOutcome }: EventRow): SessionEvent['type'] {
  if (kind === 'approval.answered' && request?.answer === 'result')
    return 'user.custom_tool_result';
  if (kind === 'turn.closed' && child !== undefined) return 'session.child_idle';
  if (kind === 'message.accepted' && isOutcome === true) return 'user.define_outcome';
  return TYPES[kind];
}

/** The child session, and how its last turn ended: `task-3: completed: Nothing new.` */
const childText = ({ child, turnState }: EventRow, answer: string): string =>
  [child?.key ?? '', turnState ?? '', answer].filter((part) => part !== '').join(': ');

const TYPES = {
  'session.created': 'session.child_created',
  'approval.requested': 'agent.custom_tool_use',
  'approval.answered': 'user.tool_confirmation',
  'message.accepted': 'user.message',
  'session.interrupted': 'user.interrupt',
  'turn.closed': 'agent.message',
  'step.started': 'agent.tool_use',
} as const;

/** The budget that an item asks about; for a nearly spent one there is no question. BU-02 */
function spentBudget(facts: unknown): InboxItem['budget'] {
  if (typeof facts !== 'object' || facts === null) return undefined;
  const { budget, key, level } = facts as Readonly<Record<string, unknown>>;
  if (typeof budget !== 'string' || typeof key !== 'string' || level !== 'spent') return undefined;
  return { name: budget.slice(0, 64), key: key.slice(0, 200) };
}

export function inboxItem(row: InboxRow): InboxItem {
  const taskId = missedTask(row.facts);
  const timerId = missedTimer(row.facts)?.timerId;
  const budget = spentBudget(row.facts);
  const offer = offerOf(row.facts);
  return {
    id: row.id,
    kind: row.item,
    ...(row.turnId === undefined ? {} : { turnId: row.turnId }),
    ...(row.sessionId === undefined ? {} : { sessionId: row.sessionId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(timerId === undefined ? {} : { timerId: timerId.slice(0, 64) }),
    ...(budget === undefined ? {} : { budget }),
    ...(offer === undefined
      ? {}
      : { fallback: { agent: offer.agent.slice(0, 64), to: offer.to.slice(0, 300) } }),
    title: row.title.slice(0, 300),
    detail: row.detail.slice(0, 1000),
    createdAtMs: row.createdAtMs,
    ...(row.settledAtMs === undefined ? {} : { settledAtMs: row.settledAtMs }),
    ...(row.outcome === undefined ? {} : { outcome: row.outcome.slice(0, 300) }),
  };
}
