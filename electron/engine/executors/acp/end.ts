import { cutText } from '../../../../shared/cut-text';
import { reasonText } from '../../../../shared/reason';
import { failureReason } from '../../retry/failure-reason';
import { encodeAnswer } from '../../journal/answer-codec';
import type {
  ExternalFailure,
  ExternalPromptEnd,
  ExternalResult,
} from '../../../ports/external-agent';
import type { AcpCalls } from './calls';
import { hintOfCall } from './facts';
import { failedByProvider, reportAnswer, tellOfProvider } from '../program/agent-outage';
import { answerOf, costOfPrompt, planFailure, providerFailureOf } from './plan';
import type { AcpRunDeps } from './deps';
import { callsToHold, unknownCalls } from '../program/calls';
import type { Ending } from '../program/watch';
import { NO_USAGE } from '../../recovery/plan-resume';
import { close, hold, park, pause, stopRun, type RunEnd } from '../../turns/run-ends';
import { questionsLeft } from '../../permissions/request-entries';
import type { TurnRun } from '../../turns/run-record';

/** Everything that is known when a prompt is over. */
interface TalkEnd {
  readonly run: TurnRun;
  readonly calls: AcpCalls;
  /** The prompt's step. */
  readonly step: number;
  readonly end: ExternalResult<ExternalPromptEnd>;
  /** Why Holdfast ended it, if it did so on its own. */
  readonly why: Ending | undefined;
  readonly isStopped: boolean;
  readonly isStoppedOutside: boolean;
  /** Work time of this run, without waiting for the user. */
  readonly workedMs: number;
  readonly text: string;
  /** The agent's cost count for its conversation, and the count before the prompt. */
  readonly cost: { readonly toldUsd: number | undefined; readonly beforeUsd: number | undefined };
  readonly ref: string;
}

/** Ends the turn, or pauses it for review, by how its prompt ended. Everything is on disk. */
export async function endTalk(deps: AcpRunDeps, talk: TalkEnd): Promise<RunEnd> {
  const { run, calls, end, why } = talk;
  if (why?.kind === 'broken' && !talk.isStoppedOutside) {
    calls.endOpen(false);
    cutOff(deps, talk, 'An internal error of Holdfast ended the run.');
    await run.flush();
    throw why.error instanceof Error ? why.error : new Error(String(why.error));
  }
  if (why?.kind === 'limit') {
    calls.endOpen(false);
    cutOff(deps, talk, reasonText(why.reason));
    return pause(deps, run, why);
  }
  if (talk.isStopped) {
    calls.endOpen(false);
    cutOff(deps, talk, 'Stopped.');
    return stopRun(run);
  }
  return end.kind === 'ok' ? finish(deps, talk, end.value) : fail(deps, talk, end.failure);
}

async function finish(deps: AcpRunDeps, talk: TalkEnd, end: ExternalPromptEnd): Promise<RunEnd> {
  const { run, calls, step } = talk;
  const costUsd = takeCost(deps, talk);
  calls.endOpen(true);
  const said = answerOf({ text: talk.text, stop: end.stop, isRefused: calls.hasRefused() });
  const { inputTokens, outputTokens } = end;
  const usage = { inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) };
  const parts = [{ kind: 'text' as const, text: said.text }];
  const answer = { parts, finish: said.finish };
  run.end(step, {
    state: 'completed',
    content: await run.store(encodeAnswer({ ...answer, usage }), 'answer'),
    isError: false,
    usage,
  });
  for (const entry of questionsLeft(deps.store.reads, run.turn, run.turn.agent)) run.note(entry);
  reportAnswer(deps, run);
  return close(deps, run, { step, answer });
}

async function fail(deps: AcpRunDeps, talk: TalkEnd, failure: ExternalFailure): Promise<RunEnd> {
  const { run, calls } = talk;
  const unknown = calls.endOpen(false);
  cutOff(deps, talk, failure.message);
  const toHold = callsToHold(
    unknown.map((call) => ({ ...calls.factsOf(call), hint: hintOfCall(call.state) })),
    deps.limits.policy(),
  );
  const plan = planFailure({ failure, unknown: unknown.length, toHold: toHold.length });
  if (failure.kind === 'provider' && plan !== 'requeue')
    tellOfProvider(deps, run, providerFailureOf(failure), failure.limit);
  switch (plan) {
    case 'hold': {
      const names = toHold.map((call) => call.hint);
      return hold(deps, run, unknownCalls(names, failure.message));
    }
    case 'requeue':
      return failedByProvider(deps, run, providerFailureOf(failure), failure.limit);
    case 'park':
      return park(deps, run.turn, failureReason(failure), [], run);
  }
}

/** The prompt's cost; also stores the count from which a later prompt starts. */
function takeCost(deps: AcpRunDeps, { run, cost, ref }: TalkEnd): number | undefined {
  const { toldUsd, beforeUsd } = cost;
  if (toldUsd !== undefined && toldUsd !== beforeUsd) {
    for (const entry of deps.conversations.remember(run.turn, ref, toldUsd)) run.note(entry);
  }
  return costOfPrompt(toldUsd, beforeUsd);
}

/** The prompt ended without an answer but was still billed, so the turn's limit counts it. */
function cutOff(deps: AcpRunDeps, talk: TalkEnd, error: string): void {
  const { run, step } = talk;
  deps.notify.onTextWithdrawn(run.turn.id);
  const costUsd = takeCost(deps, talk);
  run.end(step, {
    state: 'failed',
    error: cutText(error, 2_000),
    isCutOff: true,
    workedMs: Math.round(talk.workedMs),
    ...(costUsd === undefined ? {} : { usage: { ...NO_USAGE, costUsd } }),
  });
}
