import { because, reasonText, type Reason } from '../../../shared/reason';
import { NO_USAGE, type Planned } from './plan-resume';
import { encodeAnswer } from '../journal/answer-codec';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { RunRow } from '../../ports/journal/skills';
import { isOpenEffect } from './ledger';

const TOLD =
  '(The skill run was discarded before this tool call had a result: it may have happened.)';

/** A run and all that it started, the last started first. */
export function subtreeOf(runs: readonly RunRow[], runId: number): readonly RunRow[] {
  const ids = new Set([runId]);
  // A child always has a higher number than its parent.
  for (const run of [...runs].sort((a, b) => a.id - b.id)) {
    if (run.parentRunId !== undefined && ids.has(run.parentRunId)) ids.add(run.id);
  }
  return runs.filter((run) => ids.has(run.id)).sort((a, b) => b.id - a.id);
}

/** Calls of discarded runs with an unknown outcome: recorded as unknown, without a question. */
export function settleSteps(
  steps: readonly StepRow[],
  runIds: ReadonlySet<number>,
): readonly Extract<JournalEntry, { kind: 'step.ended' }>[] {
  return steps
    .filter(
      (step) => step.scope !== undefined && runIds.has(step.scope.runId) && isOpenEffect(step),
    )
    .map((step) => ({
      kind: 'step.ended' as const,
      turnId: step.turnId,
      step: step.step,
      end: {
        state: 'ambiguous' as const,
        error: 'Its run was discarded.',
        content: { kind: 'inline' as const, text: TOLD },
      },
    }));
}

/** The steps as they are once {@link settleSteps} is on disk. */
export function asSettled(
  steps: readonly StepRow[],
  runIds: ReadonlySet<number>,
): readonly StepRow[] {
  const ends = new Map(settleSteps(steps, runIds).map((entry) => [entry.step, entry.end]));
  return steps.map((step) => {
    const end = ends.get(step.step);
    return end === undefined ? step : { ...step, state: 'ambiguous' as const, end };
  });
}

/** Ends the open runs among `runs`. */
export function endRuns(
  runs: readonly RunRow[],
  state: Extract<JournalEntry, { kind: 'run.ended' }>['state'],
  reason: Reason,
): readonly JournalEntry[] {
  return runs
    .filter((run) => run.state === 'running')
    .map(({ turnId, id }) => ({ kind: 'run.ended', turnId, runId: id, state, reason }));
}

/** A turn's verdict applied to its runs, in the verdict's commit. S4-06, S4-26. */
export function runEntries(
  plan: Pick<Planned, 'action' | 'runs'>,
  facts: {
    readonly runs: readonly RunRow[];
    readonly steps: readonly StepRow[];
    readonly isAnswered: boolean;
  },
): readonly JournalEntry[] {
  const verdicts = plan.runs ?? [];
  const goes = plan.action === 'resume' ? verdicts : [];
  const gone = new Set(goes.filter((run) => run.action === 'discard').map((run) => run.runId));
  const over = new Set(facts.runs.filter((run) => run.state !== 'running').map((run) => run.id));
  const turnIdOf = new Map(facts.runs.map((run) => [run.id, run.turnId]));
  return [
    ...settleSteps(facts.steps, new Set([...over, ...gone])),
    // The question stays on record until its answer is used.
    ...(facts.isAnswered
      ? []
      : verdicts.map(({ runId, action, reason }) => ({
          kind: 'run.planned' as const,
          turnId: turnIdOf.get(runId) ?? 0,
          runId,
          action,
          reason,
        }))),
    ...endRuns(
      facts.runs.filter((run) => gone.has(run.id)),
      'discarded',
      because('reason.runPolicy'),
    ),
  ];
}

/** Ends a turn whose skill was discarded while it was not running; reported like its own end. */
export function discardedTurn(
  deps: { readonly hasReply: (turn: TurnRow) => boolean },
  turn: TurnRow,
  reason: Reason,
): readonly JournalEntry[] {
  const { id: turnId, sessionId } = turn;
  const hasReply = deps.hasReply(turn);
  const close = {
    kind: 'turn.closed' as const,
    turnId,
    sessionId,
    state: 'discarded' as const,
    reason,
  };
  if (!hasReply) return [{ ...close, hasReply }];
  const step = turn.stepCount + 1;
  const parts = [{ kind: 'text' as const, text: reasonText(reason) }];
  return [
    {
      kind: 'step.started',
      turnId,
      step,
      attempt: Math.max(1, turn.attempt),
      tool: 'skill.answer',
      purity: 'pure',
      key: '00'.repeat(32),
      hint: '',
      hasEffects: false,
      isWorkspaceRead: false,
      isIdempotent: true,
    },
    {
      kind: 'step.ended',
      turnId,
      step,
      end: {
        state: 'completed',
        content: { kind: 'inline', text: encodeAnswer({ parts, finish: 'stop', usage: NO_USAGE }) },
        isError: false,
      },
    },
    { ...close, answerStep: step, hasReply },
  ];
}
