import type { Refusal } from '../../../ports/breakers';
import type { UsageLimit } from '../../../../shared/limits/read-limit';
import type { ProviderFailure } from '../../../ports/provider';
import { breakerNames } from '../../breaker/names';
import { requeueOrPark, waitForProvider, type RunEnd } from '../../turns/run-ends';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

type Deps = Pick<TurnRunDeps, 'model' | 'store'>;

/**
 * A program's provider as the outage room sees it: under its agent's name, judged by how turns end.
 * Its turns wait in the common queue. S0-14..S0-18, R1.
 */
export const agentProvider = ({ turn }: Pick<TurnRun, 'turn'>): string =>
  breakerNames.agent(turn.agent);

/** It has responded: one of its turns has ended normally. */
export function reportAnswer(deps: Deps, run: TurnRun): void {
  deps.model.outcomes.report({ ...outcomeOf(deps, run), kind: 'success' });
}

/** The provider failed this turn. One that only rejects the credentials shows no outage. */
function reportFailure(deps: Deps, run: TurnRun, failure: ProviderFailure): void {
  if (failure.isRetryable)
    deps.model.outcomes.report({ ...outcomeOf(deps, run), kind: 'failure', failure });
}

function outcomeOf({ store: { clock } }: Deps, run: TurnRun) {
  return {
    provider: agentProvider(run),
    source: 'turn',
    turnId: run.turn.id,
    atMs: clock.nowMs(),
  } as const;
}

/** The provider failed: the turn waits until its limit resets or its next try, or needs review. */
export function failedByProvider(
  deps: TurnRunDeps,
  run: TurnRun,
  failure: ProviderFailure,
  limit?: UsageLimit,
): Promise<RunEnd> {
  const provider = agentProvider(run);
  if (limit !== undefined)
    return waitForProvider(deps, run, {
      kind: 'limit',
      provider,
      limit,
      failure: limitFailure(failure),
    });
  reportFailure(deps, run, failure);
  return requeueOrPark(deps, run, failure, provider);
}

/** A used-up limit is no sign of an outage, and no retry helps. R4 */
const limitFailure = (failure: ProviderFailure): ProviderFailure => ({
  ...failure,
  kind: 'quota',
  isRetryable: false,
});

/**
 * The same for a turn that needs review anyway: the failure counts, and a limit holds the agent's
 * other turns until it resets.
 */
export function tellOfProvider(
  deps: Deps,
  run: TurnRun,
  failure: ProviderFailure,
  limit?: UsageLimit,
): void {
  if (limit === undefined) return reportFailure(deps, run, failure);
  deps.model.outages.noteLimit(agentProvider(run), limit, limitFailure(failure));
}

/** Nothing was started: the turn waits until the agent may be called again. */
export function waitForAgent(deps: TurnRunDeps, run: TurnRun, refusal: Refusal): Promise<RunEnd> {
  return waitForProvider(deps, run, { kind: 'refused', provider: agentProvider(run), refusal });
}
