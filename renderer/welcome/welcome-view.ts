/** The practice of the first start, from the journal. Pure. */
import type { VerbOutput } from '../../shared/contract';
import type { StepView, TurnState } from '../../shared/types';

export const STEPS = ['keeps', 'agents', 'recovery', 'try'] as const;
export type StepName = (typeof STEPS)[number];

/** State of the practice. */
export type Practice =
  | { readonly kind: 'none' }
  /** `isDown`: for its provider, from disk; otherwise for its slot, which is too short to see. */
  | { readonly kind: 'waits'; readonly isDown: boolean }
  | { readonly kind: 'runs' }
  | { readonly kind: 'wentOn'; readonly isDone: boolean; readonly downMs: number | undefined }
  | { readonly kind: 'finished' }
  /**
   * `isUnknown`: because of a step with an unknown result, and not only because of the recovery
   * mode.
   */
  | { readonly kind: 'asks'; readonly isUnknown: boolean }
  /**
   * It wants to do something that cannot be undone; `wasKilled`: and Holdfast was killed in
   * between.
   */
  | { readonly kind: 'approval'; readonly wasKilled: boolean }
  | { readonly kind: 'ended'; readonly state: TurnState };

export function practiceStory(shown: VerbOutput<'turns.show'> | undefined): Practice {
  if (!shown) return { kind: 'none' };
  const { turn, stops } = shown;
  const lastStop = stops.at(-1);
  const isOver = turn.state === 'completed';
  switch (turn.state) {
    case 'held':
    case 'parked':
      return { kind: 'asks', isUnknown: shown.steps.some(({ state }) => state === 'ambiguous') };
    case 'requires_action':
      return { kind: 'approval', wasKilled: lastStop !== undefined };
    case 'failed':
    case 'cancelled':
    case 'discarded':
      return { kind: 'ended', state: turn.state };
    case 'queued':
    case 'waiting':
    case 'running':
    case 'completed':
      if (lastStop) {
        return {
          kind: 'wentOn',
          isDone: isOver,
          downMs:
            lastStop.backAtMs === undefined
              ? undefined
              : Math.max(0, lastStop.backAtMs - lastStop.stoppedAtMs),
        };
      }
      if (isOver) return { kind: 'finished' };
      return turn.state === 'running'
        ? { kind: 'runs' }
        : { kind: 'waits', isDown: turn.state === 'waiting' };
  }
}

interface PracticeCounts {
  readonly reused: number;
  readonly askedAgain: number;
  readonly ranAgain: number;
  /** Side effects that finished. Each is one line, so a duplicate would be visible. */
  readonly writes: number;
  readonly questions: number;
}

/** The numbers below the story: from the steps, the open decisions, and the open approvals. */
export function practiceCounts(
  steps: readonly StepView[],
  turnId: number,
  asked: readonly { readonly turnId: number }[],
): PracticeCounts {
  return {
    reused: steps.filter((step) => step.fate === 'reused' || step.reusedCount > 0).length,
    askedAgain: steps.filter((step) => step.fate === 'asked_again').length,
    ranAgain: steps.filter((step) => step.fate === 'run_again').length,
    writes: steps.filter(
      (step) =>
        (step.purity === 'side_effect' || step.purity === 'external') &&
        (step.state === 'completed' || step.state === 'confirmed'),
    ).length,
    questions: asked.filter((question) => question.turnId === turnId).length,
  };
}
