import { cutText } from '../../../../shared/cut-text';
import { because, NO_REASON, quoted, type Reason } from '../../../../shared/reason';
import { plainName } from '../../../../shared/tool-id';
import type { CommandAnswer, CommandDialect, CommandEnd } from '../../../ports/command-agent';
import type { Usage } from '../../../../shared/types';
import { encodeAnswer } from '../../journal/answer-codec';
import { toolKey } from '../../journal/step-keys';
import { agentProvider, failedByProvider, reportAnswer } from '../program/agent-outage';
import type { CommandCall } from './call';
import type { CommandCalls } from './calls';
import { endingWords, failureOf, nameOf, planEnd, wholeRun } from './plan';
import type { CommandRunDeps } from './deps';
import { unknownCalls } from '../program/calls';
import type { Ending } from '../program/watch';
import {
  closeTurn,
  hold,
  park,
  pause,
  requeueOrPark,
  stopRun,
  type RunEnd,
} from '../../turns/run-ends';
import { questionsLeft } from '../../permissions/request-entries';
import type { TurnRun } from '../../turns/run-record';

/** Everything that is known when a process is over. */
interface ProcessEnd {
  readonly run: TurnRun;
  readonly calls: CommandCalls;
  /** `command.claude`. */
  readonly program: string;
  readonly dialect: CommandDialect;
  /** The step that is the process. */
  readonly step: number;
  /** The answer's step; undefined if no hook reported, so the whole process is one unknown. */
  readonly answerStep: number | undefined;
  readonly end: CommandEnd;
  readonly answer: CommandAnswer | undefined;
  readonly isStopped: boolean;
  /** Work time of this run in ms, without waiting for the user. */
  readonly workedMs: number;
  readonly why: Ending | undefined;
}

const NO_RESULT = 'The agent ended without a result for this tool call.';

/** Ends the turn, or pauses it for review, by how its process ended. Everything is on disk. */
export async function endRun(deps: CommandRunDeps, over: ProcessEnd): Promise<RunEnd> {
  const { run, step } = over;
  const plan = planEnd(over);
  switch (plan.kind) {
    case 'not_started':
      run.end(step, { state: 'failed', error: plan.message, isCutOff: false });
      return park(deps, run.turn, quoted(plan.message), [], run);
    case 'stopped':
      await cutOff(deps, over, 'It was stopped.');
      return stopRun(run);
    case 'ended_by_us':
      return endedByUs(deps, over, plan.why);
    case 'answered':
      return succeed(deps, over, plan.answer);
    case 'failed':
      await failedEnd(over, plan.message);
      return failedByProvider(deps, run, failureOf(plan), plan.limit);
    case 'failed_turn': {
      await endProcess(over, plan.answer.text, true);
      const { answer: said, reason } = plan;
      return closeWithAnswer(deps, { ...over, said, state: 'failed', reason });
    }
    case 'killed':
      return killed(deps, over, `${nameOf(over.program)} was ended by ${plan.signal}.`);
  }
}

async function endProcess(over: ProcessEnd, text: string, isError: boolean) {
  const { run, step, workedMs } = over;
  const content = await run.store(text, 'result');
  run.end(step, {
    state: 'completed',
    content,
    isError,
    workedMs,
    ...(isError ? paidFor(over) : {}),
  });
}

/** A failed run still cost money: the turn's limit counts it. */
function paidFor({ answer }: ProcessEnd): { readonly usage?: Usage } {
  return answer?.isError === true ? { usage: answer.usage } : {};
}

async function succeed(
  deps: CommandRunDeps,
  over: ProcessEnd,
  said: CommandAnswer,
): Promise<RunEnd> {
  await over.calls.endOpen(NO_RESULT);
  if (over.answerStep === undefined) await endProcess(over, said.text, false);
  reportAnswer(deps, over.run);
  return closeWithAnswer(deps, { ...over, said });
}

/** The program ended and reported failure: nothing about it is unknown. */
async function failedEnd(over: ProcessEnd, message: string): Promise<void> {
  await over.calls.endOpen(NO_RESULT);
  if (over.answerStep === undefined) await endProcess(over, message, true);
  else {
    const error = cutText(message, 2_000);
    over.run.end(over.answerStep, {
      state: 'failed',
      error,
      isCutOff: false,
      workedMs: over.workedMs,
      ...paidFor(over),
    });
  }
}

async function killed(deps: CommandRunDeps, over: ProcessEnd, why: string): Promise<RunEnd> {
  const { run } = over;
  const toHold = await cutOff(deps, over, why);
  if (toHold.length > 0) {
    const names = toHold.map((call) => plainName(call.tool));
    return hold(deps, run, unknownCalls(names, why));
  }
  const isUnknown = over.answerStep === undefined;
  if (isUnknown && deps.limits.policy().mode !== 'always')
    return hold(
      deps,
      run,
      because('reason.wholeRunAfter', { text: why, what: wholeRun(over.program) }),
    );
  const hint = isUnknown ? '' : 'It resumes where it stopped.';
  const cut = { kind: 'cut', message: why, hint, isRetryable: true } as const;
  return requeueOrPark(deps, run, cut, agentProvider(run));
}

async function endedByUs(deps: CommandRunDeps, over: ProcessEnd, why: Ending): Promise<RunEnd> {
  const { run } = over;
  if (why.kind === 'broken') throw why.error;
  const words = endingWords(why);
  await cutOff(deps, over, words);
  if (why.kind === 'draining') return stopRun(run);
  if (why.kind === 'limit') return pause(deps, run, why);
  if (over.answerStep === undefined)
    return hold(
      deps,
      run,
      because('reason.wholeRunAfter', { text: words, what: wholeRun(over.program) }),
    );
  if (why.kind === 'refused')
    return failedByProvider(deps, run, failureOf({ message: words, status: why.status }));
  return park(deps, run.turn, because('reason.canResume', { text: words }), [], run);
}

/** The run ended without an answer: known results stay, the rest is reported as unknown. */
async function cutOff(
  deps: CommandRunDeps,
  over: ProcessEnd,
  why: string,
): Promise<readonly CommandCall[]> {
  const { run, calls, step, answerStep, workedMs } = over;
  if (run.isHeld()) deps.notify.onTextWithdrawn(run.turn.id);
  const toHold = await calls.endOpen(why);
  if (answerStep === undefined) run.end(step, { state: 'ambiguous', error: why, workedMs });
  else
    run.end(answerStep, {
      state: 'failed',
      error: why,
      isCutOff: true,
      workedMs,
      ...paidFor(over),
    });
  return toHold;
}

/** Starts the step that becomes the answer; the run's cost is counted there. */
export function beginAnswer(deps: CommandRunDeps, run: TurnRun, program: string): Promise<number> {
  return run.begin({
    tool: 'model',
    purity: 'llm',
    key: toolKey(deps.store.hasher, 'answer', { turn: run.turn.id, attempt: run.attempt }),
    hint: nameOf(program),
    hasEffects: false,
    isWorkspaceRead: false,
    isIdempotent: true,
  });
}

/** Closes the turn with the program's output. */
export async function closeWithAnswer(
  deps: CommandRunDeps,
  over: {
    readonly run: TurnRun;
    readonly program: string;
    readonly answerStep?: number | undefined;
    readonly said: CommandAnswer;
    readonly state?: 'completed' | 'failed';
    readonly reason?: Reason;
  },
): Promise<RunEnd> {
  const { run, said, state = 'completed', reason = NO_REASON } = over;
  const { text, usage } = said;
  const step = over.answerStep ?? (await beginAnswer(deps, run, over.program));
  const answer = encodeAnswer({ parts: [{ kind: 'text', text }], finish: 'stop', usage });
  run.end(step, {
    state: 'completed',
    content: await run.store(answer, 'answer'),
    isError: false,
    usage,
  });
  const left = questionsLeft(deps.store.reads, run.turn, run.turn.agent);
  return closeTurn(deps, run, { state, reason, answerStep: step }, left);
}
