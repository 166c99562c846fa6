import type { JournalEntry, TurnRow } from '../../ports/journal';
import type { AnswerPart, ProviderFailure } from '../../ports/provider';
import type { AfterCall } from '../outage/outages';
import type { NewRequest } from '../work/approvals';
import type { Lease } from '../work/lease-book';
import { planRequeue, requeueReason } from '../work/requeue-model';
import { open } from './open-turn';
import { runModelStep, type ModelStepEnd, type WaitForProvider } from './model-step';
import { skillCommand } from './skills/skill-plan';
import {
  closeWith,
  runSkillTurn,
  skillCalls,
  type OwnCalls,
  type SkillDriver,
  type TalkEnd,
} from './skills/skill-run';
import { shorten } from './shorten-conversation';
import { runToolStep } from './tool-step';
import type { RunStop, TurnRun, TurnRunDeps } from './turn-run';

/** A reason is a sentence that lists show; what a tool printed stands with its step. */
const MAX_REASON = 500;

/** How a run left its turn. All but `stopped` are committed when this is returned. */
export type RunEnd =
  | { readonly kind: 'closed'; readonly state: 'completed' | 'failed' | 'discarded' }
  | { readonly kind: 'held' }
  | { readonly kind: 'parked' }
  | { readonly kind: 'limit' }
  /** Failed in a way that may pass: tried again then (S3-12). */
  | { readonly kind: 'requeued'; readonly dueAtMs: number }
  /** Waits for its provider, on disk, and goes on by itself (S0-18). */
  | { readonly kind: 'waits' }
  /** Overtaken: the turn goes on in another run, this one wrote nothing more (S3-19). */
  | { readonly kind: 'lost' }
  /** Waits for an approval or for a result from outside; nothing runs meanwhile. */
  | { readonly kind: 'requires_action' }
  /** Cancelled or shutting down: the canceller or the next start decides. */
  | { readonly kind: 'stopped' };

/** The signal's reason says why a run has to stop. */
export class RunStopped extends Error {
  constructor(readonly why: RunStop) {
    super(`The run was stopped: ${why}`);
  }
}

/**
 * Drives turns of the `llm` executor. The same loop runs a fresh turn and a resumed one: a resumed
 * one finds its finished steps in the journal and comes to the frontier without paying or firing
 * anything again. A turn without skills is one phase (R7). Source: S0-03, S0-33, S4-07..S4-13.
 */
export function createTurnRunner(deps: TurnRunDeps): {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
} {
  const frames = new Map<string, Promise<number>>();
  return {
    async run(turn, signal, lease) {
      try {
        const opened = await open(deps, frames, turn, lease);
        lease.assertHeld();
        if (opened.kind === 'refused') return await park(deps, turn, opened.reason, []);
        return await drive(deps, opened.run, signal);
      } catch (error) {
        if (!lease.isHeld()) return { kind: 'lost' };
        if (signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  };
}

/** A turn is one conversation, or the run of a skill where the message asks for it. */
async function drive(deps: TurnRunDeps, run: TurnRun, signal: AbortSignal): Promise<RunEnd> {
  const driver: SkillDriver = {
    deps,
    frame: run.frame,
    talk: (inner, innerSignal, own) => talk(deps, inner, innerSignal, own),
    hold: (inner, reason, entries) => hold(deps, inner, reason, entries),
    close: (inner, asked) => close(deps, inner, asked),
  };
  const message = run.messages.at(-1);
  const command = message?.role === 'user' ? skillCommand(message.text) : undefined;
  if (command !== undefined) return runSkillTurn(driver, run, command, signal);
  const told =
    message?.role === 'user' ? await deps.commandAnswer(message.text, run.turn) : undefined;
  if (told !== undefined) return closeWith(deps, run, told, 'completed', 'tasks.answer');
  const end = await talk(deps, run, signal, skillCalls(driver, run, undefined, signal));
  if (end.kind === 'answered') return close(deps, run, end.asked);
  return end.kind === 'left' ? stop(run) : end;
}

/** One conversation to its end: an answer without calls, a phase that is left, or a reason to stop. */
async function talk(
  deps: TurnRunDeps,
  run: TurnRun,
  signal: AbortSignal,
  own: OwnCalls,
): Promise<TalkEnd> {
  let mayShorten = true;
  for (;;) {
    if (await isOverHere(deps, run, signal)) return stop(run);
    const over = limitReached(deps, run, run.ranMs());
    if (over !== undefined) return pause(deps, run, over);
    const asked = await runModelStep(deps, run, signal, mayShorten);
    if (asked.kind === 'stopped') return { kind: 'stopped' };
    mayShorten = asked.kind !== 'shorter';
    if (asked.kind === 'shorter') {
      run.messages.splice(0, run.messages.length, ...shorten(run.messages, asked.cut));
      continue;
    }
    if (asked.kind === 'failure') {
      return requeueOrPark(deps, run, asked.failure);
    }
    if (asked.kind !== 'answer') return waitForProvider(deps, run, asked);
    run.messages.push({ role: 'assistant', parts: asked.answer.parts });
    const calls = asked.answer.parts
      .map((part, index) => ({ part, index }))
      .filter(
        (one): one is { part: Extract<AnswerPart, { kind: 'tool_call' }>; index: number } =>
          one.part.kind === 'tool_call',
      );
    if (calls.length === 0) return { kind: 'answered', asked };
    const ended = await runCalls(deps, run, asked.step, calls, { signal, own });
    if (ended !== undefined) return ended;
  }
}

/** Tool calls of one model answer run one after the other (write rule 2). */
async function runCalls(
  deps: TurnRunDeps,
  run: TurnRun,
  modelStep: number,
  calls: readonly {
    readonly part: Extract<AnswerPart, { kind: 'tool_call' }>;
    readonly index: number;
  }[],
  { signal, own }: { readonly signal: AbortSignal; readonly own: OwnCalls },
): Promise<Exclude<TalkEnd, { kind: 'answered' }> | undefined> {
  for (const [at, { part, index }] of calls.entries()) {
    if (await isOverHere(deps, run, signal)) return stop(run);
    // The limits stood before the answer; one answer with very many calls must not pass them.
    const over = at === 0 ? undefined : limitReached(deps, run, run.ranMs());
    if (over !== undefined) return pause(deps, run, over);
    const request = { tool: part.tool, args: part.args, call: { step: modelStep, part: index } };
    const end = await (own(request) ?? runToolStep(deps, run, request, signal));
    if (end.kind === 'out') return end.end;
    if (end.kind === 'left') return end;
    if (end.kind === 'stopped') return { kind: 'stopped' };
    if (end.kind === 'hold') return hold(deps, run, end.reason);
    if (end.kind === 'ask') return ask(deps, run, end.ask);
    // In the order of the canonical text, so that the text of the next request is made at once.
    run.messages.push({
      callId: part.callId,
      content: end.content,
      isError: end.isError,
      role: 'tool',
      tool: part.tool,
    });
    if (isDriftHeld(deps, run))
      return hold(deps, run, 'Something that was read again after the restart has changed.');
  }
  return undefined;
}

/** With `resume.world_drift: hold` a changed read stops the turn, once, for a person. */
function isDriftHeld(deps: TurnRunDeps, run: TurnRun): boolean {
  return run.hasDrifted() && !run.turn.isAnswered && deps.policy().worldDrift === 'hold';
}

/**
 * Between two steps. Where somebody waits to quit, what has happened goes to disk and the run rests
 * here, until that is taken back or the stop begins.
 */
async function isOverHere(deps: TurnRunDeps, run: TurnRun, signal: AbortSignal): Promise<boolean> {
  const isStopped = (): boolean => signal.aborted || deps.draining.aborted;
  if (isStopped()) return true;
  if (deps.stepGate.isWanted()) await run.flush();
  const waiting = deps.stepGate.pass(run.turn.id, signal, deps.draining);
  if (waiting !== undefined) await run.rest(waiting);
  return isStopped();
}

async function stop(run: TurnRun): Promise<RunEnd> {
  await run.flush();
  return { kind: 'stopped' };
}

/** `moreUsd`: what a call that goes on has cost so far. */
export function limitReached(
  deps: TurnRunDeps,
  run: TurnRun,
  runMs: number,
  moreUsd = 0,
): string | undefined {
  const limits = deps.limits();
  const { limitRaises: raises, stepCount, usage } = run.turn;
  const cost = (run.spent().costUsd ?? 0) + moreUsd;
  if (run.step() >= ceiling(limits.steps, raises, stepCount))
    return `This turn reached ${String(run.step())} steps.`;
  if (cost > 0 && cost >= ceiling(limits.costUsd, raises, usage.costUsd ?? 0))
    return `This turn reached $${cost.toFixed(2)}.`;
  if (runMs >= timeLimitMs(deps, run))
    return runMs < 60_000
      ? `This turn has run for ${String(Math.round(runMs / 1_000))} s.`
      : `This turn has run for ${String(Math.round(runMs / 60_000))} min.`;
  return undefined;
}

/** So long a turn may work, the runs before this one included. */
export function timeLimitMs(deps: TurnRunDeps, run: TurnRun): number {
  return ceiling(deps.limits().timeMs, run.turn.limitRaises, run.ranBeforeMs);
}

/**
 * Each raise adds the limit once more. Where the limit was lowered below what the turn has used, or
 * is 0, a raise still lets it go on: a person is never asked twice without anything done between.
 */
function ceiling(limit: number, raises: number, usedBefore: number): number {
  if (raises === 0) return limit;
  if (limit === 0) return usedBefore + 1e-9;
  return limit * (1 + Math.max(raises, Math.floor(usedBefore / limit)));
}

export async function pause(deps: TurnRunDeps, run: TurnRun, reason: string): Promise<RunEnd> {
  const full = `${reason} It is paused: raise the limit or stop it.`;
  await run.flush([
    { kind: 'turn.state', turnId: run.turn.id, state: 'waiting', reason: full },
    inbox(deps, run.turn, 'limit', 'limit', full),
  ]);
  return { kind: 'limit' };
}

/** Question, state and notice in one commit with what came before: S3-07. */
async function ask(
  deps: TurnRunDeps,
  run: TurnRun,
  request: Omit<NewRequest, 'turn'>,
): Promise<RunEnd> {
  const { entries } = await deps.approvals.opening({ turn: run.turn, ...request });
  await run.flush(entries);
  deps.crashPoints.hit('approval.request.after');
  return { kind: 'requires_action' };
}

/** A failure that may pass waits its turn, a bounded number of times; any other one asks. S3-12. */
export async function requeueOrPark(
  deps: TurnRunDeps,
  run: TurnRun,
  failure: ProviderFailure,
  provider = run.frame.provider,
): Promise<RunEnd> {
  const wait = deps.outages.afterCall(run.turn, provider, { kind: 'failure', failure });
  if (wait !== undefined) return waitOrPark(deps, run, wait);
  // Read now: a step that was finished in this run has begun the count again.
  const streak = deps.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  const plan = planRequeue({ failure, streak, policy: deps.requeue(), random: deps.random() });
  if (plan.kind === 'park') return park(deps, run.turn, plan.reason, [], run);
  const dueAtMs = deps.clock.nowMs() + plan.delayMs;
  deps.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak: plan.streak,
      dueAtMs,
      failure: plan.failure,
      error: failure.message.slice(0, MAX_REASON),
      reason: requeueReason(failure.message, deps.time(dueAtMs), plan.streak),
    },
  ]);
  deps.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** A wait that the provider or its breaker asks for counts as no failure: the streak stays (R10). */
export async function waitForProvider(
  deps: TurnRunDeps,
  run: TurnRun,
  wait: WaitForProvider,
): Promise<RunEnd> {
  const held = deps.outages.afterCall(run.turn, wait.provider, wait);
  if (held !== undefined) return waitOrPark(deps, run, held);
  const nowMs = deps.clock.nowMs();
  const [dueAtMs, error, failure] =
    wait.kind === 'refused'
      ? ([nowMs + Math.max(wait.refusal.retryInMs, 1_000), wait.refusal.reason, 'server'] as const)
      : ([wait.untilMs, wait.failure.message, 'rate_limited'] as const);
  const streak = deps.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  deps.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak,
      dueAtMs,
      failure,
      error: error.slice(0, MAX_REASON),
      reason: requeueReason(error, deps.time(dueAtMs), streak),
    },
  ]);
  deps.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** Time that a turn waits for its provider counts toward no limit (R10). */
async function waitOrPark(deps: TurnRunDeps, run: TurnRun, wait: AfterCall): Promise<RunEnd> {
  if (wait.kind === 'park') return park(deps, run.turn, wait.reason, [], run);
  deps.crashPoints.hit('turn.wait.before');
  await run.flush(wait.entries);
  deps.crashPoints.hit('turn.wait.after');
  return { kind: 'waits' };
}

export async function hold(
  deps: TurnRunDeps,
  run: TurnRun,
  reason: string,
  entries: readonly JournalEntry[] = [],
): Promise<RunEnd> {
  await run.flush([
    ...entries,
    { kind: 'turn.state', turnId: run.turn.id, state: 'held', reason: reason.slice(0, MAX_REASON) },
    inbox(deps, run.turn, 'replay_decision', 'held', reason),
  ]);
  return { kind: 'held' };
}

export async function park(
  deps: TurnRunDeps,
  turn: TurnRow,
  reason: string,
  entries: readonly JournalEntry[],
  run?: TurnRun,
): Promise<RunEnd> {
  const isOver = deps.isForNobody(turn.id);
  const why = reason.slice(0, MAX_REASON);
  const end: readonly JournalEntry[] = isOver
    ? [
        {
          kind: 'turn.closed',
          turnId: turn.id,
          sessionId: turn.sessionId,
          state: 'failed',
          reason: why,
          hasReply: false,
        },
      ]
    : [
        { kind: 'turn.state', turnId: turn.id, state: 'parked', reason: why },
        inbox(deps, turn, 'replay_decision', 'parked', reason),
      ];
  const all = [...entries, ...end];
  if (run === undefined) await deps.journal.commit(all);
  else await run.flush(all);
  if (!isOver) return { kind: 'parked' };
  deps.audit.record('reply_swallowed', { turnId: turn.id, text: why });
  return { kind: 'closed', state: 'failed' };
}

function inbox(
  deps: TurnRunDeps,
  turn: TurnRow,
  item: 'replay_decision' | 'limit',
  decision: 'held' | 'parked' | 'limit',
  reason: string,
): JournalEntry {
  return {
    kind: 'inbox.opened',
    inboxId: deps.journal.allocate('inbox'),
    item,
    turnId: turn.id,
    sessionId: turn.sessionId,
    title: turn.promptStart,
    detail: reason.slice(0, 1000),
    facts: { decision },
  };
}

export async function close(
  deps: TurnRunDeps,
  run: TurnRun,
  asked: Extract<ModelStepEnd, { kind: 'answer' }>,
): Promise<RunEnd> {
  const { turn } = run;
  const reason =
    asked.answer.finish === 'length'
      ? 'The answer reached the length limit of the provider.'
      : asked.answer.finish === 'content_filter'
        ? 'The provider ended the answer by its content filter.'
        : '';
  deps.crashPoints.hit('turn.close.before');
  await run.flush([
    {
      kind: 'turn.closed',
      turnId: turn.id,
      sessionId: turn.sessionId,
      state: 'completed',
      reason,
      answerStep: asked.step,
      hasReply: deps.hasReply(turn),
    },
  ]);
  deps.crashPoints.hit('turn.close.after');
  return { kind: 'closed', state: 'completed' };
}
