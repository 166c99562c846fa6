import type { Permit, Refusal } from '../../ports/breakers';
import type { CommandEnd } from '../../ports/command-agent';
import type { OutsideAgent, OutsideFailure } from '../../ports/outside-agent';
import type { TurnRow } from '../../ports/journal';
import { breakerNames } from '../breaker';
import { requeueReason } from '../work/requeue-model';
import type { RunEnd } from './turn-runner';
import type { TurnRun, TurnRunDeps } from './turn-run';

/** A program that fails at once is not started in a loop. */
const SHORTEST_WAIT_MS = 1_000;
const MAX_ERROR = 500;

/** Leave to start the program of an agent, and its one verdict. S2-01. */
export interface AgentLeave {
  readonly kind: 'allowed';
  /** It has answered: enough for a trial, too little for a call among others. */
  started(): void;
  succeeded(): void;
  failed(error: string): void;
  /** Stopped, or it said no: nothing about the program. */
  neither(): void;
}

/** Asks the breaker of an agent; each leave takes one verdict, further ones are nothing. */
export function leaveOfAgent(deps: TurnRunDeps, turn: TurnRow): AgentLeave | Refusal {
  const breaker = deps.breakers.of(breakerNames.agent(turn.agent), 'agent');
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
      // A trial that has answered and then died: judged once more, for what it is now.
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

/** The same agent; how its answers end goes to the breaker, unless we have stopped it. */
export function judgedAgent(
  agent: OutsideAgent,
  leave: AgentLeave,
  signal: AbortSignal,
): OutsideAgent {
  return {
    ...agent,
    async prompt(...args) {
      const end = await agent.prompt(...args);
      if (signal.aborted) leave.neither();
      else if (end.kind === 'ok') leave.succeeded();
      else judgeFailure(leave, end.failure);
      return end;
    },
  };
}

/** False where its provider or its login refuses: the program has answered. */
export function isOfProgram(failure: OutsideFailure): boolean {
  return ['start', 'timeout', 'protocol', 'died'].includes(failure.kind);
}

/** What the program is to blame for; that its provider or its login refuses is not that. */
export function judgeFailure(leave: AgentLeave, failure: OutsideFailure): void {
  if (isOfProgram(failure)) leave.failed(failure.message);
  else leave.neither();
}

/** A program that never ran, or that somebody killed, has failed; one that ended has answered. */
export function judgeProcess(leave: AgentLeave, end: CommandEnd, isStopped: boolean): void {
  if (isStopped || (end.kind === 'killed' && end.isOurs)) leave.neither();
  else if (end.kind === 'not_started') leave.failed(end.message);
  else if (end.kind === 'killed') leave.failed(`It was ended by ${end.signal}.`);
  else if (end.code === 0) leave.succeeded();
  else leave.neither();
}

/** When the limit of the agent's provider is over; undefined where it did not say. */
export function appointmentOf(failure: OutsideFailure, nowMs: number): number | undefined {
  const { resets } = failure;
  if (resets === undefined) return undefined;
  const atMs = 'atMs' in resets ? resets.atMs : nowMs + resets.inMs;
  return atMs > nowMs ? atMs : undefined;
}

/** The turn waits on disk until then and is no failure the more: its streak stays (R1, R10). */
export async function waitUntil(
  deps: TurnRunDeps,
  run: TurnRun,
  wait: { readonly dueAtMs: number; readonly error: string },
): Promise<RunEnd> {
  const dueAtMs = Math.ceil(Math.max(wait.dueAtMs, deps.clock.nowMs() + SHORTEST_WAIT_MS));
  const streak = deps.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  deps.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak,
      dueAtMs,
      failure: 'server',
      error: wait.error.slice(0, MAX_ERROR),
      reason: requeueReason(wait.error, dueAtMs, streak),
    },
  ]);
  deps.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** Nothing was started: the turn waits for the next trial of the agent. */
export function waitForAgent(deps: TurnRunDeps, run: TurnRun, refusal: Refusal): Promise<RunEnd> {
  const dueAtMs = deps.clock.nowMs() + refusal.retryInMs;
  return waitUntil(deps, run, { dueAtMs, error: refusal.reason });
}
