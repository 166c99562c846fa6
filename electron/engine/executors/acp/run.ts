import { quoted } from '../../../../shared/reason';
import { failureReason } from '../../retry/failure-reason';
import type { AcpRunDeps } from './deps';
import type { AcpAgentSettings } from '../../../../shared/settings';
import type { ExternalFailure } from '../../../ports/external-agent';
import { toldWorkMs } from '../../recovery/ledger';
import {
  judgedAgent,
  judgeFailure,
  permissionOfAgent,
  type AgentPermission,
} from '../program/agent-breaker';
import { failedByProvider, waitForAgent } from '../program/agent-outage';
import { providerFailureOf } from './plan';
import { connect, enterSession } from './open';
import { createTalk } from './talk';
import { aliveWhile } from '../program/watch';
import { open } from '../../turns/open-turn';
import { park, pause, RunStopped, stopRun, type RunEnd } from '../../turns/run-ends';
import { limitReached } from '../../turns/run-limits';
import type { TurnRun } from '../../turns/run-record';
import { changedAgent, type Executor } from '../run-turn';

/**
 * Runs turns of Agent Client Protocol agents: one prompt per turn. Each tool call is in the journal
 * before it may start, if the agent reveals it: its permission request is the write-ahead point.
 * After a crash the run tries the ways to resume in their order. Rows S0-09..S0-12, S4-19..S4-25 in
 * spirit.
 */
export function createAcpExecutor(deps: AcpRunDeps): Executor {
  const frames = new Map<string, Promise<number>>();
  return {
    async open(turn, lease) {
      const spec = deps.specOf(turn.agent);
      if (spec === undefined) return changedAgent(turn.agent);
      const opened = await open(deps, frames, turn, lease, { worked: toldWorkMs });
      if (opened.kind === 'refused') return opened;
      const { run } = opened;
      return { kind: 'open', drive: (signal) => drive(deps, run, spec, signal) };
    },
  };
}

async function drive(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  signal: AbortSignal,
): Promise<RunEnd> {
  const over = limitReached(deps, run, run.ranBeforeMs);
  if (over !== undefined) return pause(deps, run, over);
  const permission = permissionOfAgent(deps, run.turn);
  if (permission.kind === 'refused') return waitForAgent(deps, run, permission);
  try {
    return await connectAndTalk(deps, run, spec, { signal, permission });
  } finally {
    permission.neither();
  }
}

async function connectAndTalk(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  { signal, permission }: { readonly signal: AbortSignal; readonly permission: AgentPermission },
): Promise<RunEnd> {
  const connected = await aliveWhile(run, () => connect(deps, run, spec, signal));
  if (connected.kind === 'blocked') return park(deps, run.turn, quoted(connected.reason), [], run);
  if (connected.kind === 'failure') {
    if (signal.aborted) return stopRun(run);
    judgeFailure(permission, connected.failure);
    return failEarly(deps, run, connected.failure);
  }
  const agent = judgedAgent(connected.agent, permission, signal);
  // No word to an agent whose turn another computer may have: by the end of the lease it is gone. DW-07
  const fence = (): void => {
    if (isFenced(signal)) void agent.kill();
  };
  signal.addEventListener('abort', fence, { once: true });
  fence();
  try {
    const entered = await aliveWhile(run, () => enterSession(deps, run, connected));
    if (entered.kind === 'failure') {
      if (!signal.aborted) judgeFailure(permission, entered.failure);
      return await failEarly(deps, run, entered.failure);
    }
    permission.started();
    const gate = deps.limits.stepGate.opened(signal, deps.limits.draining);
    if (gate !== undefined) await run.rest(gate);
    if (signal.aborted || deps.limits.draining.aborted) return await stopRun(run);
    return await createTalk(deps, { run, spec, agent, entered: entered.value, signal }).run();
  } finally {
    signal.removeEventListener('abort', fence);
    await agent.stop();
  }
}

const isFenced = ({ reason }: AbortSignal): boolean =>
  reason instanceof RunStopped && reason.why === 'lease_lost';

/** Nothing of this attempt has happened yet: the turn waits, or the user learns what to do. */
function failEarly(deps: AcpRunDeps, run: TurnRun, failure: ExternalFailure): Promise<RunEnd> {
  if (failure.kind === 'provider')
    return failedByProvider(deps, run, providerFailureOf(failure), failure.limit);
  return park(deps, run.turn, failureReason(failure), [], run);
}
