import type { Purity, ToolView } from '../../../shared/types';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import { NO_USAGE, planResume, type RecoveryPolicy } from './plan-resume';

type AfterCrash = ToolView['afterCrash'];

/**
 * What happens to a tool's call that a crash interrupts, for pages that describe the tool. Uses the
 * resume plan of a turn with this one call, so pages always match what a start does. S0-02, S0-12
 */
export function afterCrash(
  tool: { readonly qualified: string; readonly purity: Purity; readonly hasEffects: boolean },
  policy: RecoveryPolicy,
): AfterCrash {
  const plan = planResume({
    turn: TURN,
    steps: [cutOff(tool)],
    runs: [],
    policy,
    nowMs: 0,
    isAnswered: false,
    wasAlone: false,
    idempotencyKeyOf: () => '',
  });
  if (plan.action === 'discard') return 'discarded';
  if (plan.action !== 'resume') return 'held';
  if (plan.steps[0]?.action === 'skip') return 'skipped';
  return tool.purity === 'world' || tool.purity === 'llm' ? 'asked_again' : 'run_again';
}

const cutOff = (tool: {
  readonly qualified: string;
  readonly purity: Purity;
  readonly hasEffects: boolean;
}): StepRow => ({
  turnId: TURN.id,
  step: 1,
  attempt: 1,
  tool: tool.qualified,
  purity: tool.purity,
  key: '',
  hint: '',
  hasEffects: tool.hasEffects,
  isWorkspaceRead: false,
  isIdempotent: false,
  state: 'started',
  startedAtMs: 0,
  endedAtMs: undefined,
  end: undefined,
  endedSeq: undefined,
  reusedCount: 0,
});

/** Interrupted a moment ago, for the first time. */
const TURN: TurnRow = {
  id: 1,
  sessionId: 1,
  sessionKey: '',
  agent: '',
  state: 'running',
  reason: '',
  promptStart: '',
  promptSeq: 1,
  channel: '',
  peer: '',
  attempt: 1,
  crashes: 0,
  stalls: 0,
  frameId: undefined,
  framedAtMs: undefined,
  acceptedAtMs: 0,
  startedAtMs: 0,
  endedAtMs: undefined,
  answerStep: undefined,
  limitRaises: 0,
  isAnswered: false,
  stepCount: 1,
  usage: NO_USAGE,
  reusedCount: 0,
  savedUsage: NO_USAGE,
  isReplyPending: false,
};
