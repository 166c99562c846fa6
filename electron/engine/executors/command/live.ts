import { reasonText } from '../../../../shared/reason';
import { durationMs } from '../../../../shared/settings';
import type {
  CommandAnswer,
  CommandDialect,
  CommandEnd,
  CommandEvent,
} from '../../../ports/command-agent';
import { claudeCall } from './call';
import { createCommandCalls } from './calls';
import { beginAnswer, endRun } from './end';
import { createCommandPermission, type HookCall, type HookVerdict } from './permission';
import { REFUSALS_UNTIL_STOP } from './plan';
import type { CommandRunDeps } from './deps';
import { agentProvider } from '../program/agent-outage';
import { createEnding } from '../program/watch';
import { createQuestions } from '../program/permission';
import { createWorkClock, watchRun } from '../program/watch';
import type { RunEnd } from '../../turns/run-ends';
import { limitReached } from '../../turns/run-limits';
import type { TurnRun } from '../../turns/run-record';
import type { CommandAgentSettings } from '../../../../shared/settings';
import type { LedgerLine } from '../../recovery/ledger';

export type { HookVerdict } from './permission';

/** Everything that one run of a turn starts with. */
export interface CommandJob {
  readonly spec: CommandAgentSettings;
  readonly run: TurnRun;
  readonly lines: readonly LedgerLine[];
  readonly prompt: string;
}

/** A running program's hook report, over the control socket. */
export type HookEvent =
  { readonly kind: 'session'; readonly ref: string } | (HookCall & { readonly kind: 'call' });

/** One process while it runs. */
export interface Live {
  readonly run: TurnRun;
  /** Ends the process. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: CommandEvent) => void;
  onHook(event: HookEvent): Promise<HookVerdict>;
  /** It has made no call and printed nothing: perhaps only a rejection. */
  hasDoneNothing(): boolean;
  /** It ended before it did anything; the turn continues. */
  nothingDone(why: string): Promise<void>;
  finish(end: CommandEnd): Promise<RunEnd>;
  dispose(): void;
}

export const GONE: HookVerdict = {
  decision: 'deny',
  reason:
    'Holdfast no longer runs this turn. The tool call was not run. Stop here; the turn continues in another attempt.',
};

const HEARD = 'Started. Its hooks report every tool call before it runs.';

export function createLive(
  deps: CommandRunDeps,
  init: {
    readonly job: CommandJob;
    readonly step: number;
    readonly program: string;
    readonly dialect: CommandDialect;
    readonly skipped: ReadonlySet<number>;
    readonly signal: AbortSignal;
  },
): Live {
  const { step, program, dialect } = init;
  const { run } = init.job;
  const { turn } = run;
  const ending = createEnding(init.signal);
  const { signal } = ending;
  const clock = createWorkClock(deps.store.clock);
  const calls = createCommandCalls(deps, run);
  const questions = createQuestions(deps, { run, clock, signal });
  const askPermission = createCommandPermission(deps, {
    run,
    calls,
    questions,
    skipped: init.skipped,
    signal,
  });
  /** Calls that were answered, so that a hook that comes twice has no second effect. */
  const answered = new Map<string, Promise<HookVerdict>>();
  let answer: CommandAnswer | undefined;
  let answerStep: number | undefined;
  let hearing: Promise<void> | undefined;
  let refusals = 0;
  let knownRef: string | undefined;
  let work: Promise<void> = Promise.resolve();
  let isOver = false;
  let hasSpoken = false;
  /** Calls held at their start until the process ends: a shutdown has started. */
  let heldBack = 0;
  let letGo: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    letGo = resolve;
  });

  // Without one, only the turn's limit applies.
  const deadline = deps.commandOf(turn.agent)?.deadline;
  const watch = watchRun(deps, {
    run,
    ending,
    clock,
    ranBeforeMs: run.ranBeforeMs,
    deadlineMs: deadline === undefined ? undefined : durationMs(deadline),
    costUsd: () => 0,
    // Until a hook reports, the process itself is the open call.
    isAtWork: () => answerStep === undefined || calls.hasOpen(),
    // A shutdown waits for running calls, but not for held ones.
    isBusy: () => heldBack === 0 || calls.hasOpen(),
    isCallAtWork: () => answerStep === undefined || (calls.hasOpen() && !clock.isWaiting()),
  });

  const stopAtLimit = (): string | undefined => {
    const over = limitReached(deps, run, run.ranBeforeMs + clock.activeMs());
    if (over !== undefined) ending.stop({ kind: 'limit', ...over });
    return over === undefined ? undefined : reasonText(over.reason);
  };

  /** The hooks work: the process is no longer the unknown, only its calls are. */
  const heard = (): Promise<void> =>
    (hearing ??= (async () => {
      const content = { kind: 'inline' as const, text: HEARD };
      run.end(step, { state: 'completed', content, isError: false });
      answerStep = await beginAnswer(deps, run, program);
    })());

  const remember = async (ref: string): Promise<void> => {
    if (knownRef === ref) return;
    knownRef = ref;
    const entries = deps.conversations.remember(turn, ref);
    if (entries.length > 0) await deps.store.journal.commit(entries);
    deps.store.crashPoints.hit('command.session.after');
  };

  const decide = async (call: HookCall): Promise<HookVerdict> => {
    await heard();
    const gate = deps.limits.stepGate.opened(signal, deps.limits.draining);
    if (gate !== undefined) await clock.waiting(() => gate);
    if (deps.limits.draining.aborted && !signal.aborted) {
      heldBack += 1;
      watch.look();
      await ended;
    }
    if (signal.aborted || isOver) return GONE;
    const reason = stopAtLimit();
    return reason === undefined ? askPermission(call) : { decision: 'deny', reason };
  };

  /**
   * A program that Holdfast is ending gets no answer: if denied, it would continue without the
   * call, and its turn would look complete. S0-03
   */
  const judge = async (call: HookCall): Promise<HookVerdict> => {
    try {
      const verdict = await decide(call);
      if (!signal.aborted) return verdict;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await ended;
    return GONE;
  };

  /**
   * Without hooks a call is reported after it started: a fact for the timeline, not a permission.
   */
  const takeCall = async ({ callId, tool, input }: HookCall): Promise<void> => {
    if (hearing !== undefined || calls.has(callId)) return;
    const call = claudeCall(tool, input, {
      workspace: run.frame.workspace,
      shell: deps.shell,
      agentHosts: deps.agentHosts(),
    });
    if (call === undefined) return;
    stopAtLimit();
    await calls.begin(callId, call, input, {});
  };

  const take = async (event: CommandEvent): Promise<void> => {
    switch (event.kind) {
      case 'session':
        return remember(event.ref);
      case 'call':
        return takeCall(event);
      case 'result':
        // A program that is being ended reports interrupted commands as finished.
        if (signal.aborted) return;
        return calls.end(event.callId, event.content, event.isError);
      case 'answer':
        answer = event.answer;
        return;
      case 'limit':
        deps.model.outages.noteWindow(agentProvider(run), event.notice);
        return;
      case 'retry':
      case 'text':
      case 'sign':
        return;
    }
  };

  const onRetry = ({ attempt, status, error }: Extract<CommandEvent, { kind: 'retry' }>): void => {
    deps.store.audit.record('agent_retry', { turnId: turn.id, attempt, status: status ?? 0 });
    // With a rejected key the program would retry for minutes.
    if (status === 401 || status === 403) refusals += 1;
    if (refusals >= REFUSALS_UNTIL_STOP && status !== undefined)
      ending.stop({ kind: 'refused', status, error });
  };

  /** All its output is handled. */
  const settled = async (): Promise<void> => {
    watch.stop();
    await work;
    await hearing;
  };

  /** A hook may outlive its program: nothing it requested is written after the run's end. */
  const over = async (): Promise<void> => {
    isOver = true;
    ending.dispose();
    letGo();
    await Promise.allSettled(answered.values());
  };

  return {
    run,
    signal,
    onEvent(event) {
      run.alive();
      if (event.kind === 'text') hasSpoken = true;
      if (event.kind === 'text' && run.isHeld()) deps.notify.onText(turn.id, event.text);
      if (event.kind === 'retry') onRetry(event);
      work = work
        .then(() => take(event))
        .then(watch.look)
        .catch((error: unknown) => ending.stop({ kind: 'broken', error }));
    },
    async onHook(event) {
      run.alive();
      if (isOver) return GONE;
      if (event.kind === 'session') {
        await heard();
        await remember(event.ref);
        return { decision: 'none', reason: '' };
      }
      const before = answered.get(event.callId);
      if (before !== undefined) return before;
      const verdict = judge(event).finally(watch.look);
      answered.set(event.callId, verdict);
      return verdict;
    },
    hasDoneNothing: () => !calls.hasBegun() && !hasSpoken && answer?.isError !== false,
    async nothingDone(why) {
      await settled();
      await over();
      await calls.endOpen(why);
      run.end(answerStep ?? step, { state: 'failed', error: why, isCutOff: false });
    },
    async finish(end) {
      await settled();
      const why = ending.why();
      const isStopped = init.signal.aborted;
      await over();
      if (why?.kind === 'broken') throw why.error;
      return endRun(deps, {
        run,
        calls,
        program,
        dialect,
        step,
        answerStep,
        end,
        answer,
        isStopped,
        workedMs: Math.round(clock.activeMs()),
        why,
      });
    },
    dispose() {
      isOver = true;
      watch.stop();
      ending.dispose();
      letGo();
    },
  };
}
