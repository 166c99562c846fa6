/** Every state as mark, label, and tone: one table for chips, rows, and tables. Pure. */
import type { Purity, SessionView, StepView, TurnState } from '../../shared/types';
import type { MessageKey } from '../../shared/messages';

/** Background and text color of a state. */
export type Tone =
  | 'kept'
  | 'ok'
  | 'working'
  | 'waiting'
  | 'attention'
  | 'outage'
  | 'ambiguous'
  | 'reissued'
  | 'muted'
  | 'line';

/** Name of a mark; `parts/state-chip.tsx` draws it. */
export type MarkName =
  | 'check'
  | 'play'
  | 'clock'
  | 'shield'
  | 'triangle'
  | 'cross'
  | 'diamond'
  | 'loop'
  | 'skip'
  | 'pause'
  | 'mark'
  | 'stop'
  | 'cut'
  /** Neither good nor bad: there is none. */
  | 'dash';

/** How a state is drawn: its shape and its color. */
export interface Look {
  readonly tone: Tone;
  readonly mark: MarkName;
}

export interface Shown extends Look {
  readonly label: MessageKey;
}

const TURN: Readonly<Record<TurnState, Shown>> = {
  queued: { tone: 'waiting', mark: 'clock', label: 'state.queued' },
  running: { tone: 'working', mark: 'play', label: 'state.running' },
  requires_action: { tone: 'attention', mark: 'shield', label: 'state.requiresAction' },
  waiting: { tone: 'waiting', mark: 'clock', label: 'state.waiting' },
  held: { tone: 'ambiguous', mark: 'diamond', label: 'state.held' },
  parked: { tone: 'muted', mark: 'pause', label: 'state.parked' },
  completed: { tone: 'ok', mark: 'check', label: 'state.completed' },
  failed: { tone: 'outage', mark: 'cross', label: 'state.failed' },
  cancelled: { tone: 'muted', mark: 'stop', label: 'state.cancelled' },
  discarded: { tone: 'muted', mark: 'skip', label: 'state.discarded' },
};
export const shownTurn = (state: TurnState): Shown => TURN[state];

/**
 * True for a turn that is over. Not imported from the model: that would add its schemas to the
 * bundle.
 */
export function isClosed(state: TurnState): boolean {
  switch (state) {
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'discarded':
      return true;
    case 'queued':
    case 'running':
    case 'requires_action':
    case 'waiting':
    case 'held':
    case 'parked':
      return false;
  }
}

const SESSION: Readonly<Record<SessionView['status'], Shown>> = {
  idle: { tone: 'muted', mark: 'check', label: 'session.idle' },
  running: { tone: 'working', mark: 'play', label: 'state.running' },
  requires_action: { tone: 'attention', mark: 'shield', label: 'state.needsYou' },
  rescheduling: { tone: 'waiting', mark: 'clock', label: 'state.waiting' },
  terminated: { tone: 'muted', mark: 'stop', label: 'session.terminated' },
};
export const shownSession = (status: SessionView['status']): Shown => SESSION[status];

/** The state of a step, and what became of it after a stop, most important fact first. */
export function shownStep(
  step: Pick<StepView, 'state' | 'fate' | 'drift' | 'reusedCount' | 'again'> & {
    readonly asks?: true;
  },
): Shown {
  // Not a step yet: waits for permission, or for its external result.
  if (step.asks === true || step.fate === 'asks')
    return { tone: 'attention', mark: 'shield', label: 'fate.asks' };
  if (step.state === 'ambiguous')
    return { tone: 'ambiguous', mark: 'diamond', label: 'fate.unknown' };
  if (step.state === 'confirmed' || step.fate === 'recorded_as_done') {
    return { tone: 'ok', mark: 'check', label: 'fate.recorded' };
  }
  if (step.state === 'skipped' || step.fate === 'skipped_by_you') {
    return { tone: 'muted', mark: 'skip', label: 'fate.skipped' };
  }
  if (step.fate === 'cut_off') return { tone: 'line', mark: 'cut', label: 'fate.cutOff' };
  // Red only if it is final.
  if (step.state === 'failed' && step.again !== undefined)
    return step.again === 'due'
      ? { tone: 'waiting', mark: 'clock', label: 'fate.failedSoFar' }
      : { tone: 'line', mark: 'loop', label: 'fate.failedAgain' };
  if (step.state === 'failed') return { tone: 'outage', mark: 'cross', label: 'fate.failed' };
  if (step.fate === 'asked_again') {
    const label =
      step.drift === 'changed'
        ? 'fate.askedAgainChanged'
        : step.drift === 'same'
          ? 'fate.askedAgainSame'
          : 'fate.askedAgain';
    return { tone: 'reissued', mark: 'loop', label };
  }
  if (step.state === 'started') return { tone: 'working', mark: 'play', label: 'fate.running' };
  if (step.fate === 'reused' || step.reusedCount > 0) {
    return { tone: 'kept', mark: 'mark', label: 'fate.reused' };
  }
  if (step.fate === 'run_again') return { tone: 'line', mark: 'loop', label: 'fate.runAgain' };
  return { tone: 'ok', mark: 'check', label: 'fate.done' };
}

const PURITY: Readonly<Record<Purity, MessageKey>> = {
  pure: 'purity.pure',
  world: 'purity.world',
  llm: 'purity.llm',
  side_effect: 'purity.sideEffect',
  external: 'purity.external',
};
export const purityLabel = (purity: Purity): MessageKey => PURITY[purity];
