import { because, NO_REASON, quoted } from '../../../../shared/reason';
import type { AnswerPart, Message } from '../../../ports/provider';
import type { NewRequest } from '../../permissions/request-types';
import { open } from '../../turns/open-turn';
import {
  close,
  hold,
  pause,
  requeueOrPark,
  stopRun,
  waitForProvider,
  type RunEnd,
} from '../../turns/run-ends';
import { limitReached } from '../../turns/run-limits';
import type { AnsweredBy } from './answerers';
import { isOverHere } from './between-steps';
import { runModelStep } from './model-step';
import { skillCommand } from '../../skills/plan';
import {
  closeWith,
  runSkillTurn,
  skillCalls,
  type OwnCalls,
  type SkillDriver,
  type TalkEnd,
} from './skill-run';
import { shorten } from './shorten-conversation';
import { runToolStep } from './tool-step';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';
import type { Executor } from '../run-turn';

/**
 * Runs turns of the `llm` executor. The same loop runs a fresh turn and a resumed one: a resumed
 * one finds its finished steps in the journal and continues behind them without paying for or
 * executing anything again. A turn without skills is one phase (R7). Source: S0-03, S0-33,
 * S4-07..S4-13.
 */
export function createLlmExecutor(deps: TurnRunDeps): Executor {
  const frames = new Map<string, Promise<number>>();
  return {
    async open(turn, lease) {
      const opened = await open(deps, frames, turn, lease);
      if (opened.kind === 'refused') return opened;
      return { kind: 'open', drive: (signal) => drive(deps, opened.run, signal) };
    },
  };
}

/** A turn is one conversation, or a skill run if the message asks for a skill. */
async function drive(deps: TurnRunDeps, run: TurnRun, signal: AbortSignal): Promise<RunEnd> {
  const driver: SkillDriver = {
    deps,
    frame: run.frame,
    talk: (inner, innerSignal, own) => talk(deps, inner, innerSignal, own),
  };
  const message = run.messages.at(-1);
  const command = message?.role === 'user' ? skillCommand(message.text) : undefined;
  if (command !== undefined) return runSkillTurn(driver, run, command, signal);
  const told =
    message?.role === 'user' ? await deps.tools.commandAnswer(message.text, run.turn) : undefined;
  if (told !== undefined) return closeWith(deps, run, told, 'completed', NO_REASON, 'tasks.answer');
  const end = await talk(deps, run, signal, skillCalls(driver, run, undefined, signal));
  if (end.kind === 'answered') return close(deps, run, end.asked);
  return end.kind === 'left' ? stopRun(run) : end;
}

/**
 * One conversation to its end: an answer without calls, a phase that is left, or a reason to stop.
 */
async function talk(
  deps: TurnRunDeps,
  run: TurnRun,
  signal: AbortSignal,
  own: OwnCalls,
): Promise<TalkEnd> {
  let mayShorten = true;
  const answeredBy: AnsweredBy = new WeakMap();
  for (;;) {
    if (await isOverHere(deps, run, signal)) return stopRun(run);
    const over = limitReached(deps, run, run.ranMs());
    if (over !== undefined) return pause(deps, run, over);
    const asked = await runModelStep(deps, run, signal, mayShorten, answeredBy);
    if (asked.kind === 'stopped') return stopRun(run);
    if (asked.kind === 'over') return pause(deps, run, asked.over);
    mayShorten = asked.kind !== 'shorter';
    if (asked.kind === 'shorter') {
      const shorter = shorten(run.messages, asked.cut, run.portable);
      run.messages.splice(0, run.messages.length, ...shorter);
      continue;
    }
    if (asked.kind === 'failure') {
      return requeueOrPark(deps, run, asked.failure);
    }
    if (asked.kind !== 'answer') return waitForProvider(deps, run, asked);
    const said: Message = { role: 'assistant', parts: asked.answer.parts };
    answeredBy.set(said, asked.by);
    run.messages.push(said);
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
    if (await isOverHere(deps, run, signal)) return stopRun(run);
    // Limits were checked before the answer; an answer with many calls must not exceed them.
    const over = at === 0 ? undefined : limitReached(deps, run, run.ranMs());
    if (over !== undefined) return pause(deps, run, over);
    const request = { tool: part.tool, args: part.args, call: { step: modelStep, part: index } };
    const end = await (own(request) ?? runToolStep(deps, run, request, signal));
    if (end.kind === 'out') return end.end;
    if (end.kind === 'left') return end;
    if (end.kind === 'stopped') return stopRun(run);
    if (end.kind === 'hold') return hold(deps, run, quoted(end.reason));
    if (end.kind === 'ask') return ask(deps, run, end.ask);
    // In canonical order, so that the next request's text is built at once.
    run.messages.push({
      callId: part.callId,
      content: end.content,
      isError: end.isError,
      role: 'tool',
      tool: part.tool,
    });
    if (isDriftHeld(deps, run)) return hold(deps, run, because('reason.drift'));
  }
  return undefined;
}

/** With `resume.world_drift: hold`, a changed read pauses the turn once for review. */
function isDriftHeld(deps: TurnRunDeps, run: TurnRun): boolean {
  return run.hasDrifted() && !run.turn.isAnswered && deps.limits.policy().worldDrift === 'hold';
}

/** Question, state and notice in one commit with what came before: S3-07. */
async function ask(
  deps: TurnRunDeps,
  run: TurnRun,
  request: Omit<NewRequest, 'turn'>,
): Promise<RunEnd> {
  const { entries } = await deps.tools.approvals.opening({ turn: run.turn, ...request });
  await run.flush(entries);
  deps.store.crashPoints.hit('approval.request.after');
  return { kind: 'requires_action' };
}
