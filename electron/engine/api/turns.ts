import { because, quoted, reasonText } from '../../../shared/reason';
import type { VerbOutput } from '../../../shared/contract';
import type { AnsweredBy, StatusSnapshot, TurnSummary } from '../../../shared/types';
import type { Basics } from '../kernel/basics';
import type { JournalEntry } from '../../ports/journal/entries';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import { idempotencyKey } from '../journal/step-keys';
import { showText } from '../journal/show-text';
import { answerOf, textOf } from '../journal/stored-text';
import { HoldfastError } from '../kernel/errors';
import type { Approvals } from '../permissions/approvals';
import { type Decisions, unknownTurn } from '../recovery/decisions';
import {
  planInWords,
  planResume,
  planWithoutSteps,
  type RecoveryPolicy,
} from '../recovery/plan-resume';
import type { SessionsRoom } from '../sessions/intake';
import {
  stepViews,
  stepViewsWithTexts,
  turnSummary,
  type NobodyRunsIt,
  type StepViewDeps,
} from '../status/views';
import { answererOf, backFrom } from '../status/answered-by';
import { doingOf } from '../status/doing';
import type { LiveOutput } from '../turns/live-output';
import type { TurnScheduler } from '../turns/scheduler';
import type { CallOrigin } from './facade';
import type { Families } from './handlers';
import { textPage } from './turn-texts';
import { settle } from '../inbox/entries';

/** Dependencies of the turn verbs. */
export interface TurnsDeps extends Pick<Basics, 'blobs' | 'clock' | 'audit'> {
  readonly reads: JournalReads;
  readonly scheduler: TurnScheduler;
  readonly sessions: Pick<SessionsRoom, 'find' | 'accept'>;
  readonly decisions: Decisions;
  readonly policy: () => RecoveryPolicy;
  readonly status: () => StatusSnapshot;
  readonly summarize: Summarize;
  readonly cancel: Cancel;
  readonly live: Pick<LiveOutput, 'of'>;
}

/** A turn plus what its row cannot show: whether it has a runner now. */
export type Summarize = (turn: TurnRow) => TurnSummary;

/**
 * On disk first, then the run is ended, so a kill in between does not bring the turn back. S0-+03.
 */
export type Cancel = (turns: readonly TurnRow[], origin: CallOrigin) => Promise<void>;

export const createSummarize =
  ({
    scheduler,
    isAnswering,
    isSharing,
    reads,
    live,
  }: {
    readonly reads: Pick<JournalReads, 'newestStep'>;
    readonly live: Pick<LiveOutput, 'of'>;
    readonly scheduler: TurnScheduler;
    /** False if another process has the data open and does not respond: its work is unknown. */
    readonly isAnswering: () => boolean;
    /** False if no shared store is joined. */
    readonly isSharing: () => boolean;
  }): Summarize =>
  (turn) => {
    const nobody: NobodyRunsIt | undefined = scheduler.running().includes(turn.id)
      ? undefined
      : isAnswering()
        ? (scheduler.lostBy(turn.id) ?? 'ended')
        : 'unanswered';
    const isAtWork = turn.state === 'running' && nobody === undefined;
    const doing = isAtWork ? doingOf({ reads, live }, turn.id) : undefined;
    const isLeft = turn.sharedWith !== undefined && turn.endedAtMs === undefined && !isSharing();
    return {
      ...turnSummary(turn, nobody),
      ...(doing === undefined ? {} : { doing }),
      ...(isLeft ? { reason: reasonText(because('reason.sharedLeft')) } : {}),
    };
  };

/** Maximum answers read for one list. */
const MAX_ANSWERS = 20;
const ANSWER_START_CHARS = 240;

/** The start of each completed turn's answer, by turn; none for an empty one. */
async function answerStarts(
  { reads, blobs }: Pick<TurnsDeps, 'reads' | 'blobs'>,
  turns: readonly TurnRow[],
): Promise<ReadonlyMap<number, string>> {
  const answered = turns.filter(({ state }) => state === 'completed').slice(0, MAX_ANSWERS);
  const found = new Map<number, string>();
  for (const turn of answered) {
    const step = reads.newestStep(turn.id);
    if (step === undefined || step.step !== turn.answerStep || step.end?.state !== 'completed')
      continue;
    const answer = await answerOf(blobs, step.end.content);
    const { text } = showText(answer.trim(), ANSWER_START_CHARS);
    if (text !== '') found.set(turn.id, text.slice(0, 300));
  }
  return found;
}

interface CancelDeps extends Pick<Basics, 'journal' | 'audit' | 'crashPoints'> {
  readonly reads: JournalReads;
  readonly approvals: Approvals;
  readonly scheduler: TurnScheduler;
}

export const createCancel =
  (deps: CancelDeps): Cancel =>
  async (turns, origin) => {
    if (turns.length === 0) return;
    const entries = turns.flatMap((turn): readonly JournalEntry[] => [
      {
        kind: 'turn.closed',
        turnId: turn.id,
        sessionId: turn.sessionId,
        state: 'cancelled',
        reason: because('reason.cancelled'),
        hasReply: false,
      },
      ...deps.approvals.clearing(turn, origin),
      ...deps.reads.openInboxesOfTurn(turn.id).map(({ id }) => settle(id, 'stopped')),
    ]);
    await deps.journal.commit(entries);
    deps.crashPoints.hit('turn.cancel.after');
    for (const turn of turns) deps.audit.record('turn_cancelled', { turnId: turn.id, by: origin });
    await Promise.all(turns.map((turn) => deps.scheduler.cancel(turn.id)));
  };

/** Turns: reading them, ending them, and the checks that new ones pass. */
export function turnHandlers(deps: TurnsDeps): Families['turns'] {
  const { reads } = deps;
  const need = (turnId: number): TurnRow => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return turn;
  };
  return {
    send: async ({ text, session, agent, unsent }, origin) => {
      const accepted = await deps.sessions.accept({
        text,
        channel: origin === 'window' || origin === 'tray' ? 'window' : 'cli',
        peer: '',
        sent: unsent,
        ...(session === undefined ? {} : { session }),
        ...(agent === undefined ? {} : { agent }),
      });
      return {
        turnId: accepted.turn.id,
        sessionId: accepted.session.id,
        sessionKey: accepted.session.key,
      };
    },
    'status.get': () => Promise.resolve(deps.status()),
    'turns.list': async ({ states, session, limit = 50, beforeId, withAnswers = false }) => {
      const rows = reads.turns({
        ...(states === undefined ? {} : { states }),
        ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
        ...(beforeId === undefined ? {} : { beforeId }),
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const turns = shown.map((turn) => deps.summarize(turn));
      const starts = withAnswers ? await answerStarts(deps, shown) : new Map<number, string>();
      return {
        turns: turns.map((turn) => {
          const answerStart = starts.get(turn.id);
          return answerStart === undefined ? turn : { ...turn, answerStart };
        }),
        hasMore: rows.length > limit,
      };
    },
    'turns.show': async ({ turnId, withTexts = false }) => showTurn(deps, need(turnId), withTexts),
    'turns.step': async ({ turnId, step }) => {
      need(turnId);
      const steps = reads.steps(turnId);
      const wanted = steps.filter((one) => one.step === step);
      const [view] = await stepViewsWithTexts(stepDeps(deps), wanted, steps);
      if (view === undefined) throw unknownStep(turnId, step);
      return view;
    },
    'turns.text': async (input) => textPage(deps, need(input.turnId), input),
    'turns.plan': async ({ turnId }) => planOf(deps, need(turnId)),
    'turns.cancel': async ({ turnId }, origin) => {
      const turn = need(turnId);
      if (turn.endedAtMs !== undefined) {
        throw new HoldfastError('TURN_STATE', `Turn ${String(turnId)} is already ${turn.state}.`, {
          hint: 'Nothing was changed.',
          facts: { turnId, state: turn.state },
        });
      }
      await deps.cancel([turn], origin);
      return deps.summarize(need(turnId));
    },
    'turns.cancelAll': async (_input, origin) => {
      const open = reads
        .openTurns()
        .filter(
          (turn) => turn.state === 'running' || turn.state === 'queued' || turn.state === 'waiting',
        );
      await deps.cancel(open, origin);
      return { cancelled: open.map((turn) => turn.id) };
    },
    'turns.retryNow': ({ turnId }, origin) => {
      const turn = reads.turn(turnId);
      if (turn === undefined) throw unknownTurn(turnId);
      if (turn.retry?.dueAtMs === undefined) {
        throw new HoldfastError(
          'TURN_STATE',
          `Turn ${String(turnId)} is not waiting for a retry: it is ${turn.state}.`,
          {
            hint: 'Nothing was changed. List what needs your review: holdfast inbox list',
            facts: { turnId, state: turn.state },
          },
        );
      }
      // Not on disk: after a restart in between, the rest of the wait applies again.
      deps.scheduler.runNow(turn);
      deps.audit.record('retry_hastened', { turnId, by: origin });
      return Promise.resolve(deps.summarize(reads.turn(turnId) ?? turn));
    },
    'intake.pause': ({ forMs }) => {
      deps.scheduler.pause(forMs === undefined ? undefined : deps.clock.nowMs() + forMs);
      return Promise.resolve(deps.status());
    },
    'intake.resume': () => {
      deps.scheduler.resume();
      return Promise.resolve(deps.status());
    },
  };
}

async function showTurn(
  deps: TurnsDeps,
  turn: TurnRow,
  withTexts: boolean,
): Promise<VerbOutput<'turns.show'>> {
  const { reads } = deps;
  const views = stepDeps(deps);
  const steps = reads.steps(turn.id);
  const prompt = showText(await textOf(deps.blobs, reads.prompt(turn)), 20_000);
  const end = steps.find((step) => step.step === turn.answerStep)?.end;
  const answer =
    end?.state === 'completed'
      ? showText(await answerOf(deps.blobs, end.content), 100_000)
      : undefined;
  const decision = await deps.decisions.of(turn.id);
  const back = backFrom(
    turn,
    reads.turns({ sessionId: turn.sessionId, beforeId: turn.id, limit: 1 })[0],
  );
  return {
    turn: { ...deps.summarize(turn), ...(back === undefined ? {} : { backFrom: back }) },
    prompt: prompt.text,
    isPromptTruncated: prompt.isTruncated,
    ...(answer === undefined ? {} : { answer: answer.text, isAnswerTruncated: answer.isTruncated }),
    steps: [
      ...(withTexts ? await stepViewsWithTexts(views, steps, steps) : stepViews(views, steps)),
    ],
    stops: stopsOf(deps, turn),
    ...movesOf(deps, turn),
    ...filesOf(deps, turn),
    ...(decision === undefined ? {} : { decision }),
  };
}

function stepDeps(deps: TurnsDeps): StepViewDeps {
  const { reads } = deps;
  return {
    blobs: deps.blobs,
    live: deps.live,
    keyOrigin: (turnId) => reads.keyOrigin(turnId),
    sideEffectTools: deps.policy().sideEffectTools,
    outsideCalls: (turnId) => reads.outsideCalls(turnId),
    requestsOfTurn: (turnId) => reads.requestsOfTurn(turnId),
    isOver: (turnId) => reads.turn(turnId)?.endedAtMs !== undefined,
    callTries: (turnId, step) => reads.callTries(turnId, step),
    allowedBy(requestId) {
      const request = reads.request(requestId);
      return request?.answer === 'allowed' ? request.by : undefined;
    },
    skillOf: skillsOf(reads),
    answeredBy: answerersOf(reads),
  };
}

/** The turn and its frame are read once for all of its steps. */
function answerersOf(reads: TurnsDeps['reads']): StepViewDeps['answeredBy'] {
  const known = new Map<number, (step: number) => AnsweredBy | undefined>();
  const of = (turnId: number) => {
    const turn = reads.turn(turnId);
    const frame = turn?.frameId === undefined ? undefined : reads.frame(turn.frameId);
    return (step: number) => (turn === undefined ? undefined : answererOf(turn, frame, step));
  };
  return (turnId, step) => {
    const found = known.get(turnId) ?? of(turnId);
    known.set(turnId, found);
    return found(step);
  };
}

function unknownStep(turnId: number, step: number): HoldfastError {
  return new HoldfastError(
    'STEP_UNKNOWN',
    `Turn ${String(turnId)} has no step ${String(step)}: no step with this number has started, or the turn is old and its steps were deleted.`,
    {
      hint: 'Nothing was changed. "holdfast turns show" lists the steps.',
      facts: { turnId, step },
    },
  );
}

/** Each run is read once, however many steps it has. */
function skillsOf(reads: Pick<JournalReads, 'run'>): StepViewDeps['skillOf'] {
  const known = new Map<number, string | undefined>();
  return (runId) => {
    if (!known.has(runId)) known.set(runId, reads.run(runId)?.skill);
    return known.get(runId);
  };
}

function planOf(deps: TurnsDeps, turn: TurnRow): VerbOutput<'turns.plan'> {
  const { reads } = deps;
  if (turn.endedAtMs !== undefined) return nothingToResume(deps, turn);
  const plan = planResume({
    turn,
    steps: reads.steps(turn.id),
    runs: reads.runsOfTurn(turn.id),
    policy: deps.policy(),
    nowMs: deps.clock.nowMs(),
    isAnswered: turn.isAnswered,
    wasAlone: turn.state === 'parked',
    idempotencyKeyOf: (root) => idempotencyKey(reads.keyOrigin(turn.id), root),
  });
  return planInWords(plan);
}

/** A closed turn never runs again. */
function nothingToResume(deps: TurnsDeps, turn: TurnRow): VerbOutput<'turns.plan'> {
  const reason = quoted(`It is ${turn.state}: nothing of it will run again.`);
  const { mode } = deps.policy();
  const { attempt } = turn;
  return planInWords(planWithoutSteps(turn.id, { action: 'none', reason, mode, attempt }));
}

function stopsOf(deps: TurnsDeps, turn: TurnRow): VerbOutput<'turns.show'>['stops'] {
  if (turn.startedAtMs === undefined) return [];
  const until = turn.endedAtMs ?? deps.clock.nowMs();
  return deps.reads.startsBetween(turn.startedAtMs, until).map((start) => ({
    stoppedAtMs: start.downSinceMs ?? start.startedAtMs,
    backAtMs: start.startedAtMs,
    reason: start.reason,
  }));
}

/** True if it has file changes that can be returned on this computer. DW-20 */
function filesOf(
  { reads }: TurnsDeps,
  { id, endedAtMs, sharedWith }: TurnRow,
): Pick<VerbOutput<'turns.show'>, 'hasFiles'> {
  if (endedAtMs === undefined || sharedWith === undefined) return {};
  return reads.sharedTurn(id)?.ask?.files === undefined ? {} : { hasFiles: true };
}

/** The computers that a shared turn moved between. DW-28 */
function movesOf(
  { reads }: TurnsDeps,
  { id, sharedWith }: TurnRow,
): Pick<VerbOutput<'turns.show'>, 'moves'> {
  if (sharedWith === undefined) return {};
  const moves = reads.sharedMoves(id).map(({ machine, atStep, ...move }) => ({
    ...move,
    computer: machine.slice(0, 64),
    ...(atStep === undefined ? {} : { atStep }),
  }));
  return moves.length === 0 ? {} : { moves: moves.slice(-1_000) };
}
