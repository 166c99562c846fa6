import type { RecoveryPolicy } from '../../../electron/engine/recovery/plan-resume';
import type { StepRow, TurnRow } from '../../../electron/ports/journal/rows';
import type { StepEnd } from '../../../electron/ports/journal/entries';

/** A turn that was running when its process died. */
export function turnRow(extra: Partial<TurnRow> = {}): TurnRow {
  return {
    id: 7,
    sessionId: 1,
    sessionKey: 'main',
    agent: 'fake',
    state: 'running',
    reason: '',
    promptStart: 'do it',
    promptSeq: 2,
    channel: 'cli',
    peer: '',
    attempt: 1,
    crashes: 1,
    stalls: 0,
    frameId: 1,
    framedAtMs: 1_000,
    acceptedAtMs: 1_000,
    startedAtMs: 1_000,
    endedAtMs: undefined,
    answerStep: undefined,
    limitRaises: 0,
    isAnswered: false,
    stepCount: 2,
    usage: { inputTokens: 0, outputTokens: 0 },
    reusedCount: 0,
    savedUsage: { inputTokens: 0, outputTokens: 0 },
    isReplyPending: false,
    ...extra,
  };
}

/** A recorded step; `end` absent is a step that was cut off. */
export function stepRow(step: number, extra: Partial<StepRow> = {}): StepRow {
  const end = extra.end;
  return {
    turnId: 7,
    step,
    attempt: 1,
    tool: 'fake.charge',
    purity: 'side_effect',
    key: `key-${String(step)}`,
    hint: '',
    hasEffects: true,
    isWorkspaceRead: false,
    isIdempotent: false,
    state: end === undefined ? 'started' : end.state,
    startedAtMs: 1_000,
    endedAtMs: end === undefined ? undefined : 1_001,
    end,
    endedSeq: end === undefined ? undefined : 100 + step,
    reusedCount: 0,
    ...extra,
  };
}

export const DONE: StepEnd = {
  state: 'completed',
  content: { kind: 'inline', text: 'ok' },
  isError: false,
};
/** What a start writes for an effect that was cut off. */
export const UNKNOWN: StepEnd = { state: 'ambiguous', error: 'interrupted' };
export const FAILED: StepEnd = { state: 'failed', error: 'not done', isCutOff: true };

export function policyOf(extra: Partial<RecoveryPolicy> = {}): RecoveryPolicy {
  return {
    mode: 'safe_only',
    sideEffectTools: [],
    gateAllSideEffects: false,
    maxAgeMs: 86_400_000,
    maxAttempts: 3,
    resumeDelayMs: 2_000,
    stepPolicy: 'retry',
    perSkill: {},
    worldDrift: 'continue',
    ...extra,
  };
}
