import type { Permit, Refusal } from '../../../ports/breakers';
import type { CommandEnd } from '../../../ports/command-agent';
import type { ExternalAgent, ExternalFailure } from '../../../ports/external-agent';
import type { TurnRow } from '../../../ports/journal/rows';
import type { CallVerdict } from '../../breaker/guard-call';
import { breakerNames } from '../../breaker/names';
import { checked, type BreakerProbe, type Check } from '../../breaker/probes';
import type { TurnRunDeps } from '../../turns/run-record';
import type { AgentQuestions } from '../acp/ask-agent';
import type { Agents } from '../agents';

/** A permit to start an agent's program, and its one verdict. S2-01. */
export interface AgentPermission {
  readonly kind: 'allowed';
  /** It has responded: enough for a probe, not for an ordinary call. */
  started(): void;
  succeeded(): void;
  failed(error: string): void;
  /** Stopped, or rejected: no verdict about the program. */
  neither(): void;
}

/** Requests a permit from an agent's breaker; each permit takes one verdict and ignores more. */
export function permissionOfAgent(deps: TurnRunDeps, turn: TurnRow): AgentPermission | Refusal {
  const name = breakerNames.agent(turn.agent);
  // An outage was declared after this turn had been admitted.
  if (deps.model.outages.blocks(name, turn.id))
    return {
      kind: 'refused',
      state: 'open',
      retryInMs: 0,
      reason: `${name} is not called right now.`,
    };
  const breaker = deps.model.breakers.of(name, 'agent');
  const admission = breaker.allow();
  if (admission.kind === 'refused') return admission;
  let permit: Permit | undefined = admission;
  const judge = (verdict: (one: Permit) => void): void => {
    if (permit === undefined) return;
    verdict(permit);
    permit = undefined;
  };
  const succeeded = (): void => {
    judge((one) => {
      breaker.onSuccess(one);
    });
  };
  return {
    kind: 'allowed',
    started() {
      if (admission.isTrial) succeeded();
    },
    succeeded,
    failed(error) {
      // A probe that responded and then died: judged again by its end.
      if (permit === undefined) breaker.onFailure(undefined, error);
      else
        judge((one) => {
          breaker.onFailure(one, error);
        });
    },
    neither() {
      judge((one) => {
        breaker.onIgnored(one);
      });
    },
  };
}

/** The same agent; the outcome of its prompts goes to the breaker, unless we have stopped it. */
export function judgedAgent(
  agent: ExternalAgent,
  permission: AgentPermission,
  signal: AbortSignal,
): ExternalAgent {
  return {
    ...agent,
    async prompt(...args) {
      const end = await agent.prompt(...args);
      if (signal.aborted) permission.neither();
      else if (end.kind === 'ok') permission.succeeded();
      else judgeFailure(permission, end.failure);
      return end;
    },
  };
}

/** False if its provider or login rejected the request: the program itself responded. */
function isOfProgram(failure: ExternalFailure): boolean {
  return ['start', 'timeout', 'protocol', 'died'].includes(failure.kind);
}

/**
 * The probe of an agent. One that speaks a protocol is greeted. A command would do its work: it is
 * only looked for.
 */
export const agentProbe =
  (deps: {
    readonly agents: Pick<Agents, 'acpOf' | 'commandOf'>;
    readonly greet: AgentQuestions['greet'];
    readonly programCheck: (program: string) => Check;
  }) =>
  (name: string): BreakerProbe | undefined => {
    const acp = deps.agents.acpOf(name);
    if (acp !== undefined) return async () => judgeGreeting(await deps.greet(name, acp));
    const command = deps.agents.commandOf(name)?.command;
    return command === undefined ? undefined : checked(deps.programCheck(command));
  };

/** A greeting proves that the program works; it proves nothing about its login or provider. */
const judgeGreeting = (failure: ExternalFailure | undefined): CallVerdict =>
  failure !== undefined && isOfProgram(failure)
    ? { kind: 'failed', error: failure.message }
    : { kind: 'ok' };

/** Failures of the program itself; a rejection by its provider or login is not one. */
export function judgeFailure(permission: AgentPermission, failure: ExternalFailure): void {
  if (isOfProgram(failure)) permission.failed(failure.message);
  else permission.neither();
}

/** A program that never ran or was killed externally has failed; one that ended has responded. */
export function judgeProcess(
  permission: AgentPermission,
  end: CommandEnd,
  isStopped: boolean,
): void {
  if (isStopped || (end.kind === 'killed' && end.isOurs)) permission.neither();
  else if (end.kind === 'not_started') permission.failed(end.message);
  else if (end.kind === 'killed') permission.failed(`It was ended by ${end.signal}.`);
  else if (end.code === 0) permission.succeeded();
  else permission.neither();
}
