import { because, type Reason } from '../../../shared/reason';
import type { RunVerdict } from '../../../shared/types';
import type { RunRow, StepScope } from '../../ports/journal/skills';
import type { StepEnd } from '../../ports/journal/entries';
import type { LedgerLine } from './ledger';

/**
 * What happens to a step with an unknown outcome. `prompt` is accepted and acts as retry (S4-27).
 */
export type StepPolicy = 'retry' | 'skip' | 'discard_skill' | 'prompt';

/** The settings about steps with an unknown result. */
interface StepPolicies {
  readonly stepPolicy: StepPolicy;
  /** Overrides by the name of a skill (S4-22). */
  readonly perSkill: Readonly<Record<string, StepPolicy>>;
}

/** What a plan needs to know about a run. */
export type RunFacts = Pick<
  RunRow,
  'id' | 'parentRunId' | 'callStep' | 'skill' | 'phase' | 'visit' | 'state'
>;

/** The skill's policy, or the default. */
function stepPolicyOf(policies: StepPolicies, skill: string | undefined): StepPolicy {
  const own =
    skill !== undefined && Object.hasOwn(policies.perSkill, skill)
      ? policies.perSkill[skill]
      : undefined;
  return own ?? policies.stepPolicy;
}

/** The step of a command-line agent's whole process. */
export const isProcess = (tool: string): boolean => tool.startsWith('command.');

/**
 * Whether a call with an unknown outcome counts as done with an empty result: both what the plan
 * shows and what the run does. Never overrules the user's Resume, and never skips a whole process.
 * Pure. S4-25.
 */
export function isLeftOut(
  { outcome, first }: Pick<LedgerLine, 'outcome' | 'first'>,
  facts: {
    readonly policy: StepPolicies;
    readonly skill: string | undefined;
    readonly isAnswered: boolean;
  },
): boolean {
  return (
    outcome === 'open' &&
    !facts.isAnswered &&
    !isProcess(first.tool) &&
    stepPolicyOf(facts.policy, facts.skill) === 'skip'
  );
}

/** What the agent reads about a skipped call. */
export const LEFT_OUT = '(skipped after a crash: this step has an empty result)';

export const LEFT_OUT_END: StepEnd = {
  state: 'skipped',
  by: 'policy',
  content: { kind: 'inline', text: LEFT_OUT },
};

/** What happens to a run, before it becomes a sentence. */
export interface PlannedRun extends Omit<RunVerdict, 'reason'> {
  readonly reason: Reason;
}

/**
 * What a resume does with each open run of a turn: the run continues, runs or skips its unknown
 * steps, or is discarded with everything it started. Never overrules the user's Resume. Pure.
 * Source: S4-06, S4-22, S4-26, X-04.
 */
export function planRuns(
  runs: readonly RunFacts[],
  lines: readonly LedgerLine[],
  policies: StepPolicies,
  isAnswered: boolean,
): readonly PlannedRun[] {
  const open = runs.filter((run) => run.state === 'running');
  const unknown = new Set(
    lines.filter((line) => line.outcome === 'open').map((line) => line.first.scope?.runId),
  );
  const verdicts = new Map<number, PlannedRun>();
  for (const run of [...open].sort((a, b) => a.id - b.id)) {
    const parent = run.parentRunId === undefined ? undefined : verdicts.get(run.parentRunId);
    const policy = stepPolicyOf(policies, run.skill);
    verdicts.set(run.id, {
      runId: run.id,
      skill: run.skill,
      phase: run.phase,
      visit: run.visit,
      isWholeTurn: run.callStep === undefined && run.parentRunId === undefined,
      ...(parent?.action === 'discard'
        ? { action: 'discard' as const, reason: because('reason.parentDiscarded') }
        : decideRun(policy, unknown.has(run.id), isAnswered)),
    });
  }
  return [...verdicts.values()];
}

function decideRun(
  policy: StepPolicy,
  hasUnknown: boolean,
  isAnswered: boolean,
): Pick<PlannedRun, 'action' | 'reason'> {
  if (!hasUnknown) return { action: 'resume', reason: because('reason.resumes') };
  if (isAnswered) return { action: 'retry', reason: because('reason.chosen') };
  switch (policy) {
    case 'discard_skill':
      return {
        action: 'discard',
        reason: because('reason.skillPolicy'),
      };
    case 'skip':
      return { action: 'skip', reason: because('reason.stepSkipped') };
    case 'prompt':
      return {
        action: 'retry',
        reason: because('reason.promptRetries'),
      };
    case 'retry':
      return { action: 'retry', reason: because('reason.stepAgain') };
  }
}

/** True for a step of a run that is to be discarded. */
export function isDiscarded(runs: readonly PlannedRun[], scope: StepScope | undefined): boolean {
  return runs.some((run) => run.action === 'discard' && run.runId === scope?.runId);
}
