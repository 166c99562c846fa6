import { cutText } from '../../../shared/cut-text';
import { because, reasonText, type Reason } from '../../../shared/reason';
import type { SettingsPort } from '../../ports/settings';
import { durationMs } from '../../../shared/settings';
import { plainName } from '../../../shared/tool-id';
import type { PlanStep, ResumePlan, Usage } from '../../../shared/types';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import { MAX_REASON } from '../inbox/entries';
import { isListed } from '../journal/side-effect-list';
import { buildLedger, decideLine, isEffect, type LedgerLine } from './ledger';
import {
  isDiscarded,
  isLeftOut,
  planRuns,
  type PlannedRun,
  type RunFacts,
  type StepPolicy,
} from './skill-plan-runs';

/** The settings that a recovery decision depends on, read at the time of the decision (S0-12). */
export interface RecoveryPolicy {
  readonly mode: 'safe_only' | 'always' | 'never';
  readonly sideEffectTools: readonly string[];
  readonly gateAllSideEffects: boolean;
  readonly maxAgeMs: number;
  readonly maxAttempts: number;
  readonly resumeDelayMs: number;
  /** `prompt` is accepted and acts as retry (S4-27). */
  readonly stepPolicy: StepPolicy;
  /** Overrides by the name of a skill (S4-22). */
  readonly perSkill: Readonly<Record<string, StepPolicy>>;
  readonly worldDrift: 'continue' | 'pin' | 'hold';
}

interface PlanFacts {
  readonly turn: TurnRow;
  readonly steps: readonly StepRow[];
  /** The turn's skill runs. */
  readonly runs: readonly RunFacts[];
  readonly policy: RecoveryPolicy;
  readonly nowMs: number;
  /** The user chose Resume: the gate is passed, unknown steps run again. */
  readonly isAnswered: boolean;
  /** Nothing else was running when it last crashed Holdfast: it is the cause (S0-+04). */
  readonly wasAlone: boolean;
  readonly idempotencyKeyOf: (rootStep: number) => string;
}

const MAX_DELAY_MS = 60_000;

/** What happens to a turn, before it becomes a sentence. */
export interface Planned extends Omit<ResumePlan, 'reason' | 'runs'> {
  readonly reason: Reason;
  readonly runs?: readonly PlannedRun[];
}

/** The plan of a turn of which no step is looked at: `action` is all that happens. */
export const planWithoutSteps = (
  turnId: number,
  verdict: Pick<Planned, 'action' | 'reason' | 'mode' | 'attempt'>,
): Planned => ({
  turnId,
  ...verdict,
  delayMs: 0,
  steps: [],
  reused: 0,
  reissued: 0,
  ambiguous: [],
  toRun: 0,
  savedUsage: NO_USAGE,
});

/** A plan as people read it. */
export function planInWords(plan: Planned): ResumePlan {
  const { runs, ...rest } = plan;
  return {
    ...rest,
    reason: cutText(reasonText(plan.reason), MAX_REASON),
    ...(runs === undefined
      ? {}
      : { runs: runs.map((run) => ({ ...run, reason: reasonText(run.reason) })) }),
  };
}

/**
 * Decides what happens to a turn that was open when its process died: the turn gate first (mode,
 * listed tools), then age, then attempts, then the step policy. Pure and inspectable before and
 * after. Source: R6, X-04, S0-08..S0-12, S0-+01, S0-+04, S4-05, S4-20..S4-27.
 */
export function planResume(facts: PlanFacts): Planned {
  const { turn, policy } = facts;
  const lines = buildLedger(facts.steps);
  const open = lines.filter((line) => line.outcome === 'open');
  const runs = planRuns(facts.runs, lines, policy, facts.isAnswered);
  const steps = lines.map((line) => planLine(line, lines, facts, runs));
  const verdict = decideTurn(facts, lines, open, runs);
  return {
    turnId: turn.id,
    action: verdict.action,
    reason: verdict.reason,
    mode: policy.mode,
    attempt: turn.attempt + 1,
    delayMs: verdict.action === 'resume' ? resumeDelayMs(turn.crashes, policy.resumeDelayMs) : 0,
    steps,
    ...(runs.length === 0 ? {} : { runs: [...runs] }),
    reused: count(steps, 'reuse'),
    reissued: count(steps, 'reissue'),
    ambiguous: open.map((line) => line.last.step),
    toRun: count(steps, 'run_again') + count(steps, 'ask') + 1,
    savedUsage: savedUsage(lines),
  };
}

/** First resume at once, then doubling: 0, 2, 4, 8 s, at most a minute. */
export function resumeDelayMs(crashes: number, baseMs: number): number {
  return crashes <= 1 ? 0 : Math.min(baseMs * 2 ** (crashes - 2), MAX_DELAY_MS);
}

/**
 * If several turns were running when Holdfast ended, all are suspects, and another joint crash
 * would reveal nothing. So each one runs alone before its last attempt: the one that then crashes
 * Holdfast is the cause, and its neighbors are cleared by their first new result. S0-+04
 */
export function goesAlone(
  { crashes }: Pick<TurnRow, 'crashes'>,
  { maxAttempts }: Pick<RecoveryPolicy, 'maxAttempts'>,
): boolean {
  return crashes >= Math.max(1, maxAttempts - 1);
}

function decideTurn(
  facts: PlanFacts,
  lines: readonly LedgerLine[],
  open: readonly LedgerLine[],
  runs: readonly PlannedRun[],
): Pick<Planned, 'action' | 'reason'> {
  const { turn, policy, nowMs, isAnswered } = facts;
  const isPoison = facts.wasAlone && turn.crashes >= policy.maxAttempts;
  if (isAnswered && !isPoison) return { action: 'resume', reason: because('reason.chosen') };
  if (isAnswered) return parked(turn);
  if (policy.mode === 'never') {
    return {
      action: 'hold',
      reason: because('reason.modeNever'),
    };
  }
  if (policy.mode === 'safe_only') {
    const gated = gatedTools(lines, policy);
    if (gated.length > 0)
      return { action: 'hold', reason: because('reason.onYourList', { name: gated.join(', ') }) };
  }
  if (nowMs - lastSignMs(facts) > policy.maxAgeMs) {
    return { action: 'stale', reason: because('reason.stale') };
  }
  // Outside a skill the policy discards the turn itself; within a skill, the run.
  const isWhole = open.some(({ first }) => first.scope === undefined);
  if ((isWhole && policy.stepPolicy === 'discard_skill') || discardsTurn(runs)) {
    return {
      action: 'discard',
      reason: because('reason.stepPolicy'),
    };
  }
  if (isPoison) return parked(turn);
  const left = open.filter((line) => !isDiscarded(runs, line.first.scope));
  const isSkip = left.some((line) => isSkipped(facts, line));
  const key =
    left.length === 0
      ? open.length > 0
        ? 'reason.policyDiscards'
        : 'reason.noneUnknown'
      : isSkip
        ? 'reason.policySkips'
        : 'reason.policyRetries';
  const reason = because(key);
  return {
    action: 'resume',
    reason: goesAlone(turn, policy) ? because('reason.alone', { what: reason }) : reason,
  };
}

/**
 * When the turn was last seen working. Time spent waiting for its provider does not count: a turn
 * interrupted a minute after a day-long outage is a minute old (R10).
 */
function lastSignMs({ turn, steps }: Pick<PlanFacts, 'turn' | 'steps'>): number {
  let lastMs = turn.startedAtMs ?? turn.acceptedAtMs;
  for (const step of steps) lastMs = Math.max(lastMs, step.startedAtMs, step.endedAtMs ?? 0);
  return lastMs;
}

/** If the message itself started the run, discarding the run discards the turn. */
function discardsTurn(runs: readonly PlannedRun[]): boolean {
  return runs.some((run) => run.action === 'discard' && run.isWholeTurn);
}

const isSkipped = ({ runs, policy, isAnswered }: PlanFacts, line: LedgerLine): boolean =>
  isLeftOut(line, {
    policy,
    skill: runs.find((one) => one.id === line.first.scope?.runId)?.skill,
    isAnswered,
  });

function parked(turn: TurnRow): Pick<Planned, 'action' | 'reason'> {
  return {
    action: 'park',
    reason: because('reason.poison', { what: endsText(turn), step: turn.stepCount }),
  };
}

/** Crashes of Holdfast and stalls of the turn have separate counts. */
function endsText({ crashes, stalls }: Pick<TurnRow, 'crashes' | 'stalls'>): Reason {
  const ended = because('reason.ended', { count: crashes - stalls });
  if (stalls === 0) return ended;
  const stalled = because('reason.stalled', { count: stalls });
  return crashes > stalls ? because('reason.both', { first: ended, last: stalled }) : stalled;
}

/** Listed tools that had started, as in `send_email (started, result unknown)`. */
export function gatedTools(
  lines: readonly LedgerLine[],
  policy: Pick<RecoveryPolicy, 'sideEffectTools' | 'gateAllSideEffects'>,
): readonly string[] {
  const named = lines
    .filter(
      ({ first }) =>
        first.purity !== 'llm' &&
        (isListed(first.tool, first.hasEffects, policy.sideEffectTools) ||
          (policy.gateAllSideEffects && isEffect(first))),
    )
    .map(({ first, outcome }) => ({ plain: plainName(first.tool), outcome }));
  // Finished steps are settled: they are named only if nothing else is the reason.
  const open = named.filter(({ outcome }) => outcome === 'open');
  return [
    ...new Set(
      open.length > 0
        ? open.map(({ plain }) => `${plain} (started, outcome unknown)`)
        : named.map(({ plain }) => `${plain} (finished)`),
    ),
  ];
}

function planLine(
  line: LedgerLine,
  lines: readonly LedgerLine[],
  facts: PlanFacts,
  runs: readonly PlannedRun[],
): PlanStep {
  const { policy } = facts;
  const action = decideLine(line, lines, { pinWorld: policy.worldDrift === 'pin' });
  const isOver = action === 'ask' && isDiscarded(runs, line.first.scope);
  const isSkip = isSkipped(facts, line);
  return {
    index: line.last.step,
    tool: line.first.tool,
    purity: line.first.purity,
    hint: line.first.hint,
    action: isSkip || isOver ? 'skip' : action,
    reason: isOver ? DISCARDED_REASON : LINE_REASONS[isSkip ? 'skip' : action],
    isListed: isListed(line.first.tool, line.first.hasEffects, policy.sideEffectTools),
    ...(isEffect(line.first) ? { idempotencyKey: facts.idempotencyKeyOf(line.root) } : {}),
  };
}

const DISCARDED_REASON =
  'Started, outcome unknown: its run is discarded, and it does not run again.';
const LINE_REASONS: Readonly<Record<PlanStep['action'], string>> = {
  reuse: 'Completed: the stored result is reused, nothing is repeated or billed again.',
  reissue: 'Read-only: it is re-read, and the result may have changed.',
  run_again: 'Interrupted without a side effect: it runs again.',
  ask: 'Started, outcome unknown: it runs again unless you mark it as done or skip it.',
  skip: 'Started, outcome unknown: skipped by your policy, with an empty result.',
  run: 'Not started yet.',
};

function count(steps: readonly PlanStep[], action: PlanStep['action']): number {
  return steps.filter((step) => step.action === action).length;
}

function savedUsage(lines: readonly LedgerLine[]): Usage {
  let usage: Usage = NO_USAGE;
  for (const line of lines) {
    const end = line.last.end;
    if (line.outcome === 'finished' && end?.state === 'completed' && end.usage !== undefined) {
      usage = addUsage(usage, end.usage);
    }
  }
  return usage;
}

/** Nothing was used, or the usage is unknown. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Sum of two usages; the cost is known when one of them is. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd =
    a.costUsd === undefined && b.costUsd === undefined
      ? undefined
      : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/**
 * Reads the recovery settings at the time of the decision (S0-12). One getter each: a step needs
 * two of them, and parsing a duration costs more than its other bookkeeping.
 */
export function recoveryPolicy(settings: SettingsPort): RecoveryPolicy {
  return {
    get mode() {
      return settings.get('resilience.recovery.mode');
    },
    get sideEffectTools() {
      return settings.get('resilience.recovery.side_effect_tools');
    },
    get gateAllSideEffects() {
      return settings.get('resilience.recovery.gate_all_side_effects');
    },
    get maxAgeMs() {
      return durationMs(settings.get('resilience.recovery.max_age'));
    },
    get maxAttempts() {
      return settings.get('resilience.recovery.max_attempts');
    },
    get resumeDelayMs() {
      return durationMs(settings.get('resilience.recovery.resume_delay'));
    },
    get stepPolicy() {
      return settings.get('skill_resume.default');
    },
    get perSkill() {
      return settings.get('skill_resume.per_skill');
    },
    get worldDrift() {
      return settings.get('resume.world_drift');
    },
  };
}
