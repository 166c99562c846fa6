import type { VerbOutput } from '../../../shared/contract';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import { idempotencyKey } from '../journal/memo-keys';
import { showText } from '../journal/show-text';
import { answerOf, textOf } from '../journal/stored-text';
import { HoldfastError } from '../kernel/errors';
import { unknownTurn } from '../recovery/decisions';
import { planResume } from '../recovery/plan-resume';
import { stepViews, stepViewsWithTexts, type StepViewDeps } from '../status/views';
import { cancel } from './cancel';
import { textPage } from './turn-texts';
import { type Handlers, type VerbsDeps, summary } from './deps';

/** Turns: looking at them, ending them, and the gate that new ones pass. */
export function turnVerbs(
  deps: VerbsDeps,
): Handlers<
  | 'turns.list'
  | 'turns.show'
  | 'turns.step'
  | 'turns.text'
  | 'turns.plan'
  | 'turns.cancel'
  | 'turns.cancelAll'
  | 'intake.pause'
  | 'intake.resume'
> {
  const { reads } = deps;
  const need = (turnId: number): TurnRow => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return turn;
  };
  return {
    'turns.list': ({ states, session, limit = 50, beforeId }) => {
      const rows = reads.turns({
        ...(states === undefined ? {} : { states }),
        ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
        ...(beforeId === undefined ? {} : { beforeId }),
        limit: limit + 1,
      });
      return Promise.resolve({
        turns: rows.slice(0, limit).map((turn) => summary(deps, turn)),
        hasMore: rows.length > limit,
      });
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
      await cancel(deps, [turn], origin);
      return summary(deps, need(turnId));
    },
    'turns.cancelAll': async (_input, origin) => {
      const open = reads
        .openTurns()
        .filter(
          (turn) => turn.state === 'running' || turn.state === 'queued' || turn.state === 'waiting',
        );
      await cancel(deps, open, origin);
      return { cancelled: open.map((turn) => turn.id) };
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
  deps: VerbsDeps,
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
  return {
    turn: summary(deps, turn),
    prompt: prompt.text,
    isPromptTruncated: prompt.isTruncated,
    ...(answer === undefined ? {} : { answer: answer.text, isAnswerTruncated: answer.isTruncated }),
    steps: [
      ...(withTexts ? await stepViewsWithTexts(views, steps, steps) : stepViews(views, steps)),
    ],
    stops: stopsOf(deps, turn),
    ...(decision === undefined ? {} : { decision }),
  };
}

function stepDeps(deps: VerbsDeps): StepViewDeps {
  const { reads } = deps;
  return {
    blobs: deps.blobs,
    databaseId: reads.databaseId(),
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
  };
}

function unknownStep(turnId: number, step: number): HoldfastError {
  return new HoldfastError(
    'STEP_UNKNOWN',
    `Turn ${String(turnId)} has no step ${String(step)}: none with this number has started, or the turn is old and its steps were cleared away.`,
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

function planOf(deps: VerbsDeps, turn: TurnRow): VerbOutput<'turns.plan'> {
  const { reads } = deps;
  if (turn.endedAtMs !== undefined) return nothingToResume(deps, turn);
  return planResume({
    turn,
    steps: reads.steps(turn.id),
    runs: reads.runsOfTurn(turn.id),
    policy: deps.policy(),
    nowMs: deps.clock.nowMs(),
    isAnswered: turn.isAnswered,
    wasAlone: turn.state === 'parked',
    idempotencyKeyOf: (root) => idempotencyKey(reads.databaseId(), turn.id, root),
  });
}

/** A closed turn never runs again. */
function nothingToResume(deps: VerbsDeps, turn: TurnRow): VerbOutput<'turns.plan'> {
  return {
    turnId: turn.id,
    action: 'none',
    reason: `It is ${turn.state}: nothing of it runs again.`,
    mode: deps.policy().mode,
    attempt: turn.attempt,
    delayMs: 0,
    steps: [],
    reused: 0,
    reissued: 0,
    ambiguous: [],
    toRun: 0,
    savedUsage: { inputTokens: 0, outputTokens: 0 },
  };
}

function stopsOf(deps: VerbsDeps, turn: TurnRow): VerbOutput<'turns.show'>['stops'] {
  if (turn.startedAtMs === undefined) return [];
  const until = turn.endedAtMs ?? deps.clock.nowMs();
  return deps.reads.startsBetween(turn.startedAtMs, until).map((start) => ({
    stoppedAtMs: start.downSinceMs ?? start.startedAtMs,
    backAtMs: start.startedAtMs,
    reason: start.reason,
  }));
}
