import type { AcpAgentSettings } from '../../../../shared/settings';
import type {
  ExternalAgent,
  ExternalEvent,
  ExternalOrphans,
  ExternalResult,
} from '../../../ports/external-agent';
import { textOf } from '../../journal/stored-text';
import {
  continuePrompt,
  costBefore,
  createRepeats,
  endsFromReplay,
  endsOfLeftovers,
  firstPrompt,
  knownCalls,
  planOpening,
  type KnownCall,
} from './plan';
import type { AcpRunDeps } from './deps';
import { leftAtWork } from '../program/calls';
import type { Repeat } from '../program/permission';
import { hasMissed, isFromElsewhere, isTakenOver } from '../../turns/acting-agent';
import type { TurnRun } from '../../turns/run-record';
import type { StepEnd } from '../../../ports/journal/entries';
import { buildLedger } from '../../recovery/ledger';
import { isLeftOut, LEFT_OUT_END } from '../../recovery/skill-plan-runs';

const TOLD_UNKNOWN: StepEnd = {
  state: 'ambiguous',
  error: 'Holdfast ended before the result was recorded.',
  content: {
    kind: 'inline',
    text: '(The outcome of this tool call is unknown. The agent was informed when it was resumed.)',
  },
};

/** The agent is ready and the leftovers of earlier runs are known. */
interface Connected {
  readonly kind: 'ready';
  readonly agent: ExternalAgent;
  readonly known: readonly KnownCall[];
  /** The earlier session to continue. */
  readonly ref: string | undefined;
  /** The session's cost after its last turn. */
  readonly costUsd: number | undefined;
  readonly orphans: ExternalOrphans | undefined;
}

/** A session that can be prompted. */
export interface Entered {
  readonly ref: string;
  readonly prompt: string;
  /** The agent's cost count before the prompt; undefined if unknown. */
  readonly costBeforeUsd: number | undefined;
  readonly repeatOf: (identity: string) => Repeat;
}

/**
 * Steps 1 and 2: the leftovers of an earlier run, on disk and still running; then the agent itself.
 */
export async function connect(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  signal: AbortSignal,
): Promise<
  | Connected
  | { readonly kind: 'blocked'; readonly reason: string }
  | Extract<ExternalResult<never>, { kind: 'failure' }>
> {
  const { turn } = run;
  const args = spec.args ?? [];
  const id = deps.outside.identify(spec.command, args);
  const session = deps.conversations.of(turn);
  const plan = planOpening({
    agent: id,
    attempt: run.attempt,
    session,
    nowMs: deps.store.clock.nowMs(),
  });
  const calls = deps.store.reads.outsideCalls(turn.id);
  if (run.attempt > 1) {
    for (const { step, end } of endsOfLeftovers(deps.store.reads.steps(turn.id), calls))
      run.end(step, end);
  }
  // The start of this attempt is on disk before it has any external effect.
  await run.flush();
  const known = run.attempt === 1 ? [] : knownCalls(deps.store.reads.steps(turn.id), calls);
  let orphans: ExternalOrphans | undefined;
  if (plan.findsOrphans) {
    // Only a running call is worth waiting for: an agent that was still asking waits forever.
    const mayBeAtWork = known.some((call) => call.outcome === 'unknown');
    orphans = await deps.outside.settleOrphans(turn.id, mayBeAtWork ? deps.orphanPolicy() : 'end');
    if (orphans.found > 0)
      await run.flush([{ kind: 'outside.orphans', turnId: turn.id, ...orphans }]);
    const reason = leftAtWork(orphans);
    if (reason !== undefined) return { kind: 'blocked', reason };
  }
  if (plan.backsUp && session !== undefined) await deps.outside.backUp(id, session.ref, turn.id);
  if (plan.waitMs > 0) await deps.store.clock.sleep(plan.waitMs, signal);
  const started = await deps.outside.start({
    agent: turn.agent,
    command: spec.command,
    args,
    workspace: run.frame.workspace,
    env: run.frame.env,
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...(spec.login === undefined ? {} : { login: spec.login }),
    turnId: turn.id,
    signal,
  });
  if (started.kind === 'failure') return started;
  return {
    kind: 'ready',
    agent: started.value,
    known,
    ref: plan.opens === 'earlier' ? session?.ref : undefined,
    costUsd: session?.costUsd,
    orphans,
  };
}

/** Steps 3 to 6: the earlier session, or a new one that gets the facts; then the prompt. */
export async function enterSession(
  deps: AcpRunDeps,
  run: TurnRun,
  connected: Connected,
): Promise<ExternalResult<Entered>> {
  const { turn, messages } = run;
  const opened = await openSession(connected);
  if (opened.kind === 'failure') return opened;
  const { ref, knowsPast, replay } = opened.value;
  // A new session has cost nothing yet.
  await run.flush(deps.conversations.remember(turn, ref, knowsPast ? undefined : 0));
  const { reads } = deps.store;
  const steps = reads.steps(turn.id);
  const wasPrompted = steps.some((step) => step.purity === 'llm' && step.attempt < run.attempt);
  const isOther = isTakenOver(turn, steps);
  const isElsewhere = isFromElsewhere(reads.sharedMoves(turn.id), steps);
  const [before] = reads.turns({ sessionId: turn.sessionId, beforeId: turn.id, limit: 1 });
  const knowsAll = knowsPast && !hasMissed(turn, before, before && reads.sharedTurn(before.id));
  const costBeforeUsd = costBefore({
    agent: connected.agent.facts.id,
    knowsPast,
    wasPrompted,
    replay,
    costUsd: connected.costUsd,
  });
  const merged = await mergeReplay(
    deps,
    run,
    connected.known,
    isOther || isElsewhere ? [] : replay,
  );
  if (!wasPrompted)
    return {
      kind: 'ok',
      value: {
        ref,
        repeatOf: createRepeats(merged),
        costBeforeUsd,
        prompt: firstPrompt(messages, knowsAll),
      },
    };
  const settled = settleUnknown(deps, run, merged);
  const calls = await withOutputs(deps, run, settled);
  const prompt = continuePrompt({
    messages,
    knowsPast: knowsAll,
    isOther,
    isElsewhere,
    calls,
    orphans: connected.orphans,
  });
  return {
    kind: 'ok',
    value: { ref, repeatOf: createRepeats(settled), costBeforeUsd, prompt },
  };
}

/** Step 3: replaces a session that the agent has lost; reports any other error. */
async function openSession({ agent, ref }: Connected): Promise<
  ExternalResult<{
    readonly ref: string;
    readonly knowsPast: boolean;
    readonly replay: readonly ExternalEvent[];
  }>
> {
  const replay: ExternalEvent[] = [];
  if (ref !== undefined && (agent.facts.canLoad || agent.facts.canResume)) {
    const loaded = await agent.loadSession(ref, (event) => {
      if (event.kind === 'tool' || event.kind === 'cost') replay.push(event);
    });
    if (loaded.kind === 'ok') return { kind: 'ok', value: { ref, knowsPast: true, replay } };
    if (loaded.failure.kind !== 'session_unknown' && loaded.failure.kind !== 'refused')
      return loaded;
  }
  const made = await agent.newSession();
  return made.kind === 'failure'
    ? made
    : { kind: 'ok', value: { ref: made.value, knowsPast: false, replay } };
}

/** Step 4: the union of what we saw and what the agent remembers. */
async function mergeReplay(
  deps: AcpRunDeps,
  run: TurnRun,
  known: readonly KnownCall[],
  replay: readonly ExternalEvent[],
): Promise<readonly KnownCall[]> {
  const ends = endsFromReplay(known, replay, (callId) =>
    deps.store.reads.wasOutsideCallId(run.turn, callId),
  );
  for (const { step, output } of ends) {
    run.end(step, {
      state: 'completed',
      content: await run.store(output, 'result'),
      isError: false,
    });
  }
  if (ends.length === 0) return known;
  await run.flush();
  return knownCalls(
    deps.store.reads.steps(run.turn.id),
    deps.store.reads.outsideCalls(run.turn.id),
  );
}

/**
 * Step 5: the agent now learns about these steps, so they are no longer open. A step that the
 * policy skips counts as done with an empty result. S4-25
 */
function settleUnknown(
  deps: AcpRunDeps,
  run: TurnRun,
  known: readonly KnownCall[],
): readonly KnownCall[] {
  const facts = { policy: deps.limits.policy(), skill: undefined, isAnswered: run.turn.isAnswered };
  const lines = buildLedger(deps.store.reads.steps(run.turn.id));
  const leftOut = new Set(lines.filter((line) => isLeftOut(line, facts)).map(({ root }) => root));
  return known.map((call) => {
    if (call.outcome !== 'unknown') return call;
    const isSkipped = leftOut.has(call.step);
    run.end(call.step, isSkipped ? LEFT_OUT_END : TOLD_UNKNOWN);
    return isSkipped ? { ...call, outcome: 'skipped', isLeftOut: true } : call;
  });
}

async function withOutputs(
  deps: AcpRunDeps,
  run: TurnRun,
  known: readonly KnownCall[],
): Promise<readonly (KnownCall & { readonly output?: string })[]> {
  const steps = new Map(deps.store.reads.steps(run.turn.id).map((step) => [step.step, step]));
  return Promise.all(
    known.map(async (call) => {
      const end = steps.get(call.step)?.end;
      if (call.outcome !== 'done' || end === undefined || end.state === 'failed') return call;
      if (end.content === undefined) return call;
      return { ...call, output: await textOf(deps.store.blobs, end.content) };
    }),
  );
}
