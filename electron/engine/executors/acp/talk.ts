import { hostOfAgent } from '../../../../shared/own-hosts';
import type { AcpAgentSettings } from '../../../../shared/settings';
import type {
  ExternalAgent,
  ExternalEvent,
  ExternalPermission,
  ExternalPermissionAnswer,
  ExternalPromptEnd,
  ExternalResult,
} from '../../../ports/external-agent';
import { createAcpCalls, type AcpCall } from './calls';
import { endTalk } from './end';
import { createAcpPermission } from './permission';
import { costOfPrompt } from './plan';
import type { Entered } from './open';
import type { AcpRunDeps } from './deps';
import { agentProvider } from '../program/agent-outage';
import { createEnding } from '../program/watch';
import { createQuestions } from '../program/permission';
import { createWorkClock, watchRun, type RunWatch } from '../program/watch';
import { NO_USAGE } from '../../recovery/plan-resume';
import type { RunEnd } from '../../turns/run-ends';
import { limitReached } from '../../turns/run-limits';
import type { TurnRun } from '../../turns/run-record';

/** Agents may send answers of any length; Holdfast stores at most this much. */
const MAX_ANSWER_CHARS = 1_000_000;
/** After a cancel the agent may still report how its calls ended. */
const CANCEL_MS = 5_000;
/** Most agents report a prompt's cost right before they end it: do not interrupt that. */
const COST_GRACE_MS = 1_000;
const NO_END: ExternalPromptEnd = { stop: 'cancelled', ...NO_USAGE };

/** One prompt and everything that happens during it. */
export function createTalk(
  deps: AcpRunDeps,
  init: {
    readonly run: TurnRun;
    readonly spec: AcpAgentSettings;
    readonly agent: ExternalAgent;
    readonly entered: Entered;
    readonly signal: AbortSignal;
  },
): { run(): Promise<RunEnd> } {
  const { run, agent, entered } = init;
  const { turn } = run;
  const ending = createEnding(init.signal);
  const clock = createWorkClock(deps.store.clock);
  const calls = createAcpCalls(deps, { run, onBegin: stopAtLimit });
  const questions = createQuestions(deps, { run, clock, signal: ending.signal });
  const decide = createAcpPermission(deps, { ...init, calls, questions, signal: ending.signal });
  const answer = createAnswerText((part) => deps.notify.onText(turn.id, part));
  let toldUsd: number | undefined;
  let watch: RunWatch | undefined;
  const look = (): void => watch?.look();

  const costUsd = (): number => costOfPrompt(toldUsd, entered.costBeforeUsd) ?? 0;

  function stopAtLimit(): void {
    const over = limitReached(deps, run, run.ranBeforeMs + clock.activeMs(), costUsd());
    if (over !== undefined) ending.stop({ kind: 'limit', ...over });
  }

  const tookCost = (sumUsd: number): void => {
    toldUsd = sumUsd;
    if (limitReached(deps, run, 0, costUsd()) === undefined) return;
    deps.store.clock.sleep(COST_GRACE_MS, ending.signal).then(look, () => undefined);
  };

  /** The agent's questions that are being answered. */
  const leaving = new Set<Promise<unknown>>();

  // Handles everything the agent sends one at a time, in order.
  let queue: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(work).catch((error: unknown) => ending.stop({ kind: 'broken', error }));
    return queue;
  };

  const onEvent = (event: ExternalEvent): void => {
    run.alive();
    switch (event.kind) {
      case 'text':
        void inOrder(() => Promise.resolve(answer.add(event.text)));
        return;
      case 'tool':
        void inOrder(() => {
          answer.breakHere();
          return calls.told(event.report, ending.signal.aborted);
        }).then(look);
        return;
      case 'cost':
        tookCost(event.costUsd);
        return;
      case 'limit':
        deps.model.outages.noteWindow(agentProvider(run), event.notice);
        return;
      case 'user_text':
      case 'sign':
        return;
    }
  };

  const onPermission = (permission: ExternalPermission): Promise<ExternalPermissionAnswer> => {
    const answering = judge(permission).finally(() => leaving.delete(answering));
    leaving.add(answering);
    return answering;
  };

  const judge = async (permission: ExternalPermission): Promise<ExternalPermissionAnswer> => {
    run.alive();
    const gate = deps.limits.stepGate.opened(ending.signal);
    if (gate !== undefined) {
      // Announced before it asks: a quit waiting for this call would wait forever.
      const goOn = calls.rest(permission.report.callId);
      look();
      await clock.waiting(() => gate).finally(goOn);
    }
    let call: AcpCall | undefined;
    await inOrder(async () => {
      call = await calls.takeAsked(permission.report);
    });
    look();
    if (call?.step === undefined || call.isEnded || ending.signal.aborted) {
      // It is asking, so it has not started, and permission can no longer be given.
      if (call !== undefined) call.asking ??= 'asked';
      return { kind: 'cancelled' };
    }
    try {
      return await decide(call, permission);
    } catch (error) {
      if (!ending.signal.aborted) ending.stop({ kind: 'broken', error });
      return { kind: 'cancelled' };
    } finally {
      look();
    }
  };

  const ended = new Promise<'ending'>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve('ending'), { once: true });
    if (ending.signal.aborted) resolve('ending');
  });

  const prompt = async (): Promise<ExternalResult<ExternalPromptEnd>> => {
    const isOver = new AbortController();
    const asked = agent.prompt(entered.ref, entered.prompt, { onEvent, onPermission });
    watch = watchRun(deps, {
      run,
      ending,
      clock,
      ranBeforeMs: run.ranBeforeMs,
      deadlineMs: undefined,
      costUsd,
      isAtWork: () => calls.hasOpen(),
      isBusy: () => calls.isBusy(),
    });
    const first = await Promise.race([asked, ended]);
    const end = first === 'ending' ? await cancel(asked, isOver.signal) : first;
    isOver.abort();
    watch.stop();
    await queue;
    return end;
  };

  /** The same signal answers open questions with `cancelled`: an agent hangs without that. */
  const cancel = async (
    asked: Promise<ExternalResult<ExternalPromptEnd>>,
    isOver: AbortSignal,
  ): Promise<ExternalResult<ExternalPromptEnd>> => {
    await agent.cancel(entered.ref);
    const none = (): ExternalResult<ExternalPromptEnd> => ({ kind: 'ok', value: NO_END });
    return Promise.race([asked, deps.store.clock.sleep(CANCEL_MS, isOver).then(none, none)]);
  };

  return {
    async run() {
      const step = await run.begin({
        tool: `${hostOfAgent(turn.agent)}.prompt`,
        purity: 'llm',
        key: deps.store.hasher.sha256Hex(`outside\n${entered.ref}\n${entered.prompt}`),
        hint: `${agent.facts.name} ${agent.facts.version}`.trim(),
        hasEffects: false,
        isWorkspaceRead: false,
        isIdempotent: true,
      });
      deps.store.crashPoints.hit('provider.request.before');
      const end = await prompt();
      deps.store.crashPoints.hit('provider.answer.after');
      const workedMs = clock.activeMs();
      const why = ending.why();
      const isStopped = ending.signal.aborted;
      ending.dispose();
      // Their remaining writes come before the end of the turn, never after it.
      await Promise.allSettled(leaving);
      return endTalk(deps, {
        run,
        calls,
        step,
        end,
        why,
        isStopped,
        isStoppedOutside: init.signal.aborted,
        workedMs,
        text: answer.text(),
        cost: { toldUsd, beforeUsd: entered.costBeforeUsd },
        ref: entered.ref,
      });
    },
  };
}

/** The answer's text in parts: text after a call starts a new paragraph. */
function createAnswerText(onPart: (part: string) => void): {
  add(text: string): void;
  breakHere(): void;
  text(): string;
} {
  const parts: string[] = [];
  let chars = 0;
  let isNewPart = true;
  return {
    add(text) {
      if (text === '' || chars > MAX_ANSWER_CHARS) return;
      chars += text.length;
      const part = isNewPart && parts.length > 0 ? `\n\n${text}` : text;
      isNewPart = false;
      parts.push(part);
      onPart(part);
    },
    breakHere: () => void (isNewPart = true),
    text: () => parts.join(''),
  };
}
