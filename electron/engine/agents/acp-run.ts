import type { AcpAgentSettings } from '../../../shared/settings';
import type { JournalEntry, TurnRow } from '../../ports/journal';
import { encodeAnswer } from '../../ports/journal';
import type {
  OutsideAgent,
  OutsideAgents,
  OutsideEvent,
  OutsideFailure,
  OutsideOrphans,
  OutsidePermission,
  OutsidePermissionAnswer,
  OutsidePromptEnd,
  OutsideResult,
  OutsideToolReport,
} from '../../ports/outside-agent';
import type { CallRisk } from '../../ports/tools';
import { isListed } from '../journal/side-effect-list';
import { textOf } from '../journal/stored-text';
import { isEffect } from '../recovery/ledger';
import type { Lease } from '../work/lease-book';
import { grantOf } from '../work/judge-call';
import {
  chooseOption,
  commandOf,
  hintOfCall,
  identityText,
  mergeReport,
  planPermission,
  purityOfKind,
  riskOfCall,
  storedAnswer,
  toolOf,
  type CallState,
  type Repeat,
} from './acp-facts';
import {
  continuePrompt,
  createRepeats,
  endsFromReplay,
  endsOfLeftovers,
  firstPrompt,
  knownCalls,
  planLadder,
  type KnownCall,
} from './acp-plan';
import {
  close,
  hold,
  limitReached,
  open,
  park,
  pause,
  requeueOrPark,
  type RunEnd,
} from './turn-runner';
import type { TurnRun, TurnRunDeps } from './turn-run';

/** What a run of an outside agent needs besides what every run needs. */
export interface AcpRunDeps extends TurnRunDeps {
  readonly outside: OutsideAgents;
  /** The agent as it is set now; undefined where it is not one of these any more. */
  readonly specOf: (agent: string) => AcpAgentSettings | undefined;
  readonly orphanPolicy: () => 'wait' | 'end';
  readonly commandHasEffects: (command: string) => boolean;
  readonly commandRisk: (command: string) => CallRisk;
}

/** An answer is text of an agent that nobody bounds: more than this is not kept. */
const MAX_ANSWER_CHARS = 1_000_000;
const INPUT_CHARS = 32 * 1024;
/** How often the limits of time are looked at while the agent works. */
const LOOK_MS = 1_000;
/** A person may take a day to answer; the run stays alive and quiet meanwhile. */
const ASKING_MS = 7 * 24 * 3_600_000;
/** After a cancel the agent may still say how its calls ended. */
const CANCEL_MS = 5_000;

const TOLD_UNKNOWN =
  '(The result of this call is not known. The agent was told so when it was asked again.)';
const NOT_REPORTED =
  '(The agent ended its turn without saying how this call ended. It may have happened.)';

/**
 * Drives turns of agents that speak the Agent Client Protocol: one prompt turn, every tool call in
 * the journal before it may begin, as far as the agent lets that be known: its question for leave
 * is the write-ahead point. A run after a crash climbs the resume ladder. Rows S0-09..S0-12,
 * S4-19..S4-25 in spirit; guide/agents part 3.
 */
export function createAcpRunner(deps: AcpRunDeps): {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
} {
  const frames = new Map<string, Promise<number>>();
  return {
    async run(turn, signal, lease) {
      try {
        const opened = await open(deps, frames, turn, lease);
        lease.assertHeld();
        if (opened.kind === 'refused') return await park(deps, turn, opened.reason, []);
        const spec = deps.specOf(turn.agent);
        if (spec === undefined) {
          const gone = `The agent "${turn.agent}" is not one of another program any more. Change it back, then go on.`;
          return await park(deps, turn, gone, [], opened.run);
        }
        return await drive(deps, opened.run, spec, signal);
      } catch (error) {
        if (!lease.isHeld()) return { kind: 'lost' };
        if (signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  };
}

async function drive(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  signal: AbortSignal,
): Promise<RunEnd> {
  const over = limitReached(deps, run, 0);
  if (over !== undefined) return pause(deps, run, over);
  const ladder = await climb(deps, run, spec, signal);
  if (ladder.kind === 'end') return ladder.end;
  const { agent } = ladder;
  try {
    const prepared = await enterSession(deps, run, ladder);
    if (prepared.kind === 'failure') return await failEarly(deps, run, prepared.failure);
    if (signal.aborted || deps.isDraining()) return await stopped(run);
    const talk = createTalk(deps, run, spec, agent, prepared.value, signal);
    return await talk.run();
  } finally {
    await agent.stop();
  }
}

interface Ladder {
  readonly kind: 'ready';
  readonly agent: OutsideAgent;
  readonly known: readonly KnownCall[];
  readonly ref: string | undefined;
  readonly orphans: OutsideOrphans | undefined;
}

/** Steps 1 and 2: what an earlier run left behind, on disk and at work; then the agent itself. */
async function climb(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  signal: AbortSignal,
): Promise<Ladder | { readonly kind: 'end'; readonly end: RunEnd }> {
  const { turn } = run;
  const args = spec.args ?? [];
  const id = deps.outside.identify(spec.command, args);
  const session = deps.reads.outsideSession(turn.sessionId, turn.agent);
  const plan = planLadder({ agent: id, attempt: run.attempt, session, nowMs: deps.clock.nowMs() });
  const calls = deps.reads.outsideCalls(turn.id);
  if (run.attempt > 1) {
    for (const { step, end } of endsOfLeftovers(deps.reads.steps(turn.id), calls))
      run.end(step, end);
  }
  // The start of this attempt is on disk before anything of it happens outside.
  await run.flush();
  run.alive(deps.limits().timeMs);
  let orphans: OutsideOrphans | undefined;
  if (plan.findsOrphans) {
    orphans = await deps.outside.settleOrphans(turn.id, deps.orphanPolicy());
    if (orphans.found > 0)
      await run.flush([{ kind: 'outside.orphans', turnId: turn.id, ...orphans }]);
    if (orphans.left > 0) {
      const reason =
        'Something that this turn started before the restart still runs and could not be ended. Look at it, then go on.';
      return { kind: 'end', end: await park(deps, turn, reason, [], run) };
    }
  }
  if (plan.backsUp && session !== undefined) await deps.outside.backUp(id, session.ref, turn.id);
  if (plan.waitMs > 0) await deps.clock.sleep(plan.waitMs, signal);
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
  if (started.kind === 'failure') {
    if (signal.aborted) return { kind: 'end', end: await stopped(run) };
    return { kind: 'end', end: await failEarly(deps, run, started.failure) };
  }
  return {
    kind: 'ready',
    agent: started.value,
    known: run.attempt === 1 ? [] : knownCalls(deps.reads.steps(turn.id), calls),
    ref: plan.opens === 'earlier' ? session?.ref : undefined,
    orphans,
  };
}

interface Prepared {
  readonly ref: string;
  readonly prompt: string;
  readonly repeatOf: (identity: string) => Repeat;
}

/** Steps 3 to 6: the earlier session, or a new one that is told what happened; then the prompt. */
async function enterSession(
  deps: AcpRunDeps,
  run: TurnRun,
  ladder: Ladder,
): Promise<OutsideResult<Prepared>> {
  const { turn, messages } = run;
  const { agent } = ladder;
  const replay: OutsideEvent[] = [];
  let ref: string | undefined;
  if (ladder.ref !== undefined && (agent.facts.canLoad || agent.facts.canResume)) {
    const loaded = await agent.loadSession(ladder.ref, (event) => {
      if (event.kind === 'tool') replay.push(event);
    });
    if (loaded.kind === 'ok') ref = ladder.ref;
    else if (loaded.failure.kind !== 'session_unknown' && loaded.failure.kind !== 'refused')
      return loaded;
  }
  const knowsPast = ref !== undefined;
  if (ref === undefined) {
    const made = await agent.newSession();
    if (made.kind === 'failure') return made;
    ref = made.value;
  }
  await run.flush([
    { kind: 'outside.session', sessionId: turn.sessionId, agent: turn.agent, ref, turnId: turn.id },
  ]);
  const merged = await mergeReplay(deps, run, ladder.known, replay);
  const repeatOf = createRepeats(merged);
  const wasPrompted = deps.reads
    .steps(turn.id)
    .some((step) => step.purity === 'llm' && step.attempt < run.attempt);
  if (!wasPrompted)
    return { kind: 'ok', value: { ref, repeatOf, prompt: firstPrompt(messages, knowsPast) } };
  // From here on the agent knows of them: they are no open questions any more (step 5).
  for (const call of merged.filter((one) => one.fate === 'unknown')) {
    run.end(call.step, {
      state: 'ambiguous',
      error: 'Holdfast ended before the result was recorded.',
      content: { kind: 'inline', text: TOLD_UNKNOWN },
    });
  }
  const calls = await withOutputs(deps, run, merged);
  const prompt = continuePrompt({ messages, knowsPast, calls, orphans: ladder.orphans });
  return { kind: 'ok', value: { ref, repeatOf, prompt } };
}

/** Step 4: the union of what we saw and what the agent remembers. */
async function mergeReplay(
  deps: AcpRunDeps,
  run: TurnRun,
  known: readonly KnownCall[],
  replay: readonly OutsideEvent[],
): Promise<readonly KnownCall[]> {
  const ends = endsFromReplay(known, replay);
  for (const { step, output } of ends) {
    run.end(step, {
      state: 'completed',
      content: await run.store(output, 'result'),
      isError: false,
    });
  }
  if (ends.length === 0) return known;
  await run.flush();
  return knownCalls(deps.reads.steps(run.turn.id), deps.reads.outsideCalls(run.turn.id));
}

async function withOutputs(
  deps: AcpRunDeps,
  run: TurnRun,
  known: readonly KnownCall[],
): Promise<readonly (KnownCall & { readonly output?: string })[]> {
  const steps = new Map(deps.reads.steps(run.turn.id).map((step) => [step.step, step]));
  return Promise.all(
    known.map(async (call) => {
      const end = steps.get(call.step)?.end;
      if (call.fate !== 'done' || end === undefined || end.state === 'failed') return call;
      if (end.content === undefined) return call;
      return { ...call, output: await textOf(deps.blobs, end.content) };
    }),
  );
}

async function stopped(run: TurnRun): Promise<RunEnd> {
  await run.flush();
  return { kind: 'stopped' };
}

/** Nothing of this attempt has happened yet: a person is told what to do about it. */
function failEarly(deps: AcpRunDeps, run: TurnRun, failure: OutsideFailure): Promise<RunEnd> {
  return park(deps, run.turn, `${failure.message} ${failure.hint}`, [], run);
}

/** A call of this run. */
interface LiveCall {
  state: CallState;
  step: number | undefined;
  identity: string;
  asking: 'asked' | 'allowed' | 'refused' | undefined;
  isEnded: boolean;
}

/** One prompt and everything that happens during it. */
function createTalk(
  deps: AcpRunDeps,
  run: TurnRun,
  spec: AcpAgentSettings,
  agent: OutsideAgent,
  prepared: Prepared,
  signal: AbortSignal,
): { run(): Promise<RunEnd> } {
  const { turn } = run;
  const calls = new Map<string, LiveCall>();
  const usedAnswers = new Set<number>();
  const answer: string[] = [];
  let answerChars = 0;
  let isNewPart = true;
  let costUsd: number | undefined;
  let overLimit: string | undefined;
  let broken: unknown;
  let waitingSince: number | undefined;
  let waitedMs = 0;
  let openQuestions = 0;
  /** Ends the prompt: a limit, an error, a person, the end of the process. */
  const ending = new AbortController();
  const onAbort = (): void => {
    ending.abort(signal.reason);
  };

  // Everything the agent says is handled one after the other, in its order.
  let queue: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(work).catch((error: unknown) => {
      broken ??= error;
      ending.abort(error);
    });
    return queue;
  };

  const textOfCall = (call: LiveCall): string => identityText(call.state);
  const identify = (call: LiveCall): string =>
    deps.hasher.sha256Hex(`outside\n${turn.agent}\n${textOfCall(call)}`);

  const callEntry = (call: LiveCall, step: number): JournalEntry => ({
    kind: 'outside.call',
    turnId: turn.id,
    step,
    callId: call.state.callId,
    tool: call.state.kind,
    title: hintOfCall(call.state),
    input: JSON.stringify(call.state.input ?? {}).slice(0, INPUT_CHARS),
    identity: call.identity,
  });
  const askingEntry = (
    call: LiveCall,
    state: 'asked' | 'allowed' | 'refused',
    by: string,
    requestId?: number,
  ): JournalEntry => ({
    kind: 'outside.asking',
    turnId: turn.id,
    step: call.step ?? 0,
    state,
    by,
    ...(requestId === undefined ? {} : { requestId }),
  });

  const hasEffects = (call: CallState): boolean => {
    const command = commandOf(call);
    if (command !== undefined) return deps.commandHasEffects(command);
    return purityOfKind(call.kind) === 'side_effect';
  };

  /** A call is on disk as soon as it is known of, with what is known of it (S4-19). */
  const take = async (report: OutsideToolReport): Promise<LiveCall> => {
    const known = calls.get(report.callId);
    const state = mergeReport(known?.state, report);
    if (known !== undefined) {
      known.state = state;
      const identity = identify(known);
      if (identity !== known.identity && known.asking === undefined && known.step !== undefined) {
        known.identity = identity;
        run.note(callEntry(known, known.step));
      }
      return known;
    }
    const call: LiveCall = {
      state,
      step: undefined,
      identity: '',
      asking: undefined,
      isEnded: false,
    };
    call.identity = identify(call);
    calls.set(report.callId, call);
    const over = limitReached(deps, run, activeMs());
    if (over !== undefined) {
      overLimit = over;
      ending.abort(over);
    }
    run.note(callEntry(call, run.step() + 1));
    call.step = await run.begin({
      tool: toolOf(turn.agent, state),
      purity: purityOfKind(state.kind),
      key: call.identity,
      hint: hintOfCall(state),
      hasEffects: hasEffects(state),
      isWorkspaceRead: state.kind === 'read' || state.kind === 'search',
      isIdempotent: false,
    });
    return call;
  };

  const activeMs = (): number => {
    const now = deps.clock.monotonicMs();
    const waiting = waitingSince === undefined ? 0 : now - waitingSince;
    return now - startedMs - waitedMs - waiting;
  };
  const startedMs = deps.clock.monotonicMs();

  const onTool = async (report: OutsideToolReport): Promise<void> => {
    isNewPart = true;
    const call = await take(report);
    const { step, state } = call;
    if (step === undefined || call.isEnded) return;
    if (state.status !== 'completed' && state.status !== 'failed') return;
    call.isEnded = true;
    deps.crashPoints.hit('step.effect.after');
    if (state.status === 'failed' && call.asking === 'asked') {
      run.end(step, { state: 'failed', error: 'It was not allowed.', isCutOff: false });
    } else if (state.status === 'failed' && ending.signal.aborted && isEffectKind(state)) {
      // Interrupted is never "did not happen".
      run.end(step, { state: 'ambiguous', error: 'It was interrupted while it ran.' });
    } else {
      const text = state.output ?? (state.status === 'failed' ? '(it failed)' : '(no output)');
      const isError = state.status === 'failed';
      run.end(step, { state: 'completed', content: await run.store(text, 'result'), isError });
    }
    // The agent may think for long before its next call: the outcome does not wait for it.
    await run.flush();
    run.alive(deps.limits().timeMs);
  };

  const onText = (text: string): void => {
    if (text === '' || answerChars > MAX_ANSWER_CHARS) return;
    answerChars += text.length;
    const part = isNewPart && answer.length > 0 ? `\n\n${text}` : text;
    isNewPart = false;
    answer.push(part);
    run.alive();
    deps.onText(turn.id, part);
  };

  const onEvent = (event: OutsideEvent): void => {
    switch (event.kind) {
      case 'text':
        void inOrder(() => Promise.resolve(onText(event.text)));
        return;
      case 'tool':
        void inOrder(() => onTool(event.report));
        return;
      case 'cost':
        costUsd = event.costUsd;
        return;
      case 'user_text':
        return;
    }
  };

  /** The write-ahead point: whatever the answer, it is on disk before the agent hears it. */
  const onPermission = async (permission: OutsidePermission): Promise<OutsidePermissionAnswer> => {
    let call: LiveCall | undefined;
    await inOrder(async () => {
      call = await take(permission.report);
      // What is asked for now is what an answer is about, whatever was said before.
      call.identity = deps.hasher.sha256Hex(
        `outside\n${turn.agent}\n${identityText({ ...call.state, ...asAsked(permission.report) })}`,
      );
    });
    if (call?.step === undefined || call.isEnded || ending.signal.aborted)
      return { kind: 'cancelled' };
    try {
      return await decide(call, permission);
    } catch (error) {
      if (!ending.signal.aborted) {
        broken ??= error;
        ending.abort(error);
      }
      return { kind: 'cancelled' };
    }
  };

  const decide = async (
    call: LiveCall,
    permission: OutsidePermission,
  ): Promise<OutsidePermissionAnswer> => {
    const { state } = call;
    const facts = {
      tool: toolOf(turn.agent, state),
      purity: purityOfKind(state.kind),
      hasEffects: hasEffects(state),
      risk: riskOfCall(state, deps.commandRisk),
    };
    const plan = planPermission({
      verdict: deps.approvals.judge(turn.sessionId, facts),
      stored: storedAnswer(
        deps.reads.requestsOfTurn(turn.id),
        deps.reads.outsideCalls(turn.id),
        usedAnswers,
        call.identity,
      ),
      repeat: prepared.repeatOf(call.identity),
      ask: spec.ask ?? 'policy',
      isEffect: isEffectKind(state),
    });
    switch (plan.kind) {
      case 'allow':
        return allow(call, permission, plan.by);
      case 'deny':
        return refuse(call, permission, 'policy', plan.reason);
      case 'stored':
        usedAnswers.add(plan.requestId);
        return plan.isAllowed
          ? allow(call, permission, 'stored', plan.requestId)
          : refuse(call, permission, 'stored', 'You refused it.', plan.requestId);
      case 'ask':
        return askPerson(call, permission, plan.reason, grantOf(facts));
    }
  };

  const askPerson = async (
    call: LiveCall,
    permission: OutsidePermission,
    reason: string,
    grant: string,
  ): Promise<OutsidePermissionAnswer> => {
    const { state } = call;
    const { requestId, entries } = await deps.approvals.opening({
      turn,
      request: 'approval',
      tool: toolOf(turn.agent, state),
      inputKey: call.identity,
      input: JSON.stringify(state.input ?? { title: state.title }, null, 1),
      hint: hintOfCall(state),
      reason,
      grant,
    });
    call.asking = 'asked';
    await run.flush([callEntry(call, call.step ?? 0), askingEntry(call, 'asked', ''), ...entries]);
    deps.crashPoints.hit('approval.request.after');
    openQuestions += 1;
    waitingSince ??= deps.clock.monotonicMs();
    run.alive(ASKING_MS);
    try {
      const row = await deps.approvals.waitAnswer(requestId, ending.signal);
      usedAnswers.add(requestId);
      if (row.answer === 'allowed') return await allow(call, permission, 'person', requestId);
      if (row.answer === 'denied')
        return await refuse(call, permission, 'person', row.note ?? 'You refused it.', requestId);
      return { kind: 'cancelled' };
    } finally {
      openQuestions -= 1;
      if (openQuestions === 0 && waitingSince !== undefined) {
        waitedMs += deps.clock.monotonicMs() - waitingSince;
        waitingSince = undefined;
      }
      run.alive(deps.limits().timeMs);
    }
  };

  const allow = async (
    call: LiveCall,
    permission: OutsidePermission,
    by: string,
    requestId?: number,
  ): Promise<OutsidePermissionAnswer> => {
    const optionId = chooseOption(permission.options, true);
    if (optionId === undefined) return { kind: 'cancelled' };
    await run.flush([
      ...(call.asking === undefined ? [callEntry(call, call.step ?? 0)] : []),
      askingEntry(call, 'allowed', by, requestId),
    ]);
    call.asking = 'allowed';
    // A person may have stopped the turn while this was on its way to the disk.
    if (ending.signal.aborted) return { kind: 'cancelled' };
    deps.crashPoints.hit('step.effect.before');
    return { kind: 'selected', optionId };
  };

  const refuse = async (
    call: LiveCall,
    permission: OutsidePermission,
    by: string,
    reason: string,
    requestId?: number,
  ): Promise<OutsidePermissionAnswer> => {
    call.asking = 'refused';
    call.isEnded = true;
    run.end(call.step ?? 0, {
      state: 'completed',
      content: { kind: 'inline', text: `Not done: ${reason}` },
      isError: true,
    });
    await run.flush([callEntry(call, call.step ?? 0), askingEntry(call, 'refused', by, requestId)]);
    const optionId = chooseOption(permission.options, false);
    return optionId === undefined ? { kind: 'cancelled' } : { kind: 'selected', optionId };
  };

  /** Time passes without a word of the agent: its limit is looked at all the same. */
  const watch = async (done: AbortSignal): Promise<void> => {
    for (;;) {
      await deps.clock.sleep(LOOK_MS, done);
      if (ending.signal.aborted) return;
      const over = limitReached(deps, run, activeMs());
      const hasRoom = run.step() < deps.limits().steps;
      if (over !== undefined && hasRoom) {
        overLimit = over;
        ending.abort(over);
      } else if (deps.isDraining() && !isBusy()) ending.abort('draining');
    }
  };

  /** A call that may be doing something at this moment. */
  const isBusy = (): boolean =>
    [...calls.values()].some(
      (call) => !call.isEnded && call.asking !== 'asked' && isEffectKind(call.state),
    );

  const prompt = async (): Promise<OutsideResult<OutsidePromptEnd>> => {
    const asked = agent.prompt(prepared.ref, prepared.prompt, { onEvent, onPermission });
    const isOver = new AbortController();
    const watching = watch(isOver.signal).catch(() => undefined);
    const cancelled = new Promise<'ending'>((resolve) => {
      ending.signal.addEventListener('abort', () => resolve('ending'), { once: true });
      if (ending.signal.aborted) resolve('ending');
    });
    const first = await Promise.race([asked, cancelled]);
    let end: OutsideResult<OutsidePromptEnd> | 'late' = first === 'ending' ? 'late' : first;
    if (first === 'ending') {
      // Open questions are answered "cancelled" by the same signal: an agent hangs without that.
      await agent.cancel(prepared.ref);
      const late = deps.clock.sleep(CANCEL_MS, isOver.signal).then(
        () => 'late' as const,
        () => 'late' as const,
      );
      end = await Promise.race([asked, late]);
    }
    isOver.abort();
    await watching;
    await queue;
    return end === 'late' ? { kind: 'ok', value: NO_END } : end;
  };

  /** What is left open when the prompt is over. @returns steps whose result nobody knows */
  const endLeftCalls = (hasEndedByItself: boolean): readonly LiveCall[] => {
    const unknown: LiveCall[] = [];
    for (const call of calls.values()) {
      if (call.isEnded || call.step === undefined) continue;
      call.isEnded = true;
      if (call.asking === 'asked') {
        run.end(call.step, {
          state: 'failed',
          error: 'Nobody had allowed it before the run ended: it did not begin.',
          isCutOff: true,
        });
      } else if (!isEffectKind(call.state)) {
        run.end(call.step, { state: 'failed', error: 'Its end was not told.', isCutOff: true });
      } else {
        unknown.push(call);
        run.end(call.step, {
          state: 'ambiguous',
          error: 'The agent did not say how it ended.',
          ...(hasEndedByItself ? { content: { kind: 'inline', text: NOT_REPORTED } } : {}),
        });
      }
    }
    return unknown;
  };

  const finish = async (step: number, end: OutsidePromptEnd): Promise<RunEnd> => {
    endLeftCalls(true);
    const isRefused = [...calls.values()].some((call) => call.asking === 'refused');
    const text = answer.join('');
    const said =
      text !== ''
        ? text
        : isRefused
          ? '(The agent ended its turn after a call was refused.)'
          : end.stop === 'refusal'
            ? '(The agent declined the request.)'
            : '(The agent ended its turn without an answer.)';
    const ended = STOP_FINISH[end.stop];
    const usage = {
      inputTokens: end.inputTokens,
      outputTokens: end.outputTokens,
      ...(costUsd === undefined ? {} : { costUsd }),
    };
    const parts = [{ kind: 'text' as const, text: said }];
    run.end(step, {
      state: 'completed',
      content: await run.store(encodeAnswer({ parts, finish: ended, usage }), 'answer'),
      isError: false,
      usage,
    });
    return close(deps, run, { kind: 'answer', step, answer: { parts, finish: ended } });
  };

  const cutOff = (step: number, error: string): void => {
    deps.onTextWithdrawn(turn.id);
    run.end(step, { state: 'failed', error: error.slice(0, 2_000), isCutOff: true });
  };

  const fail = async (step: number, failure: OutsideFailure): Promise<RunEnd> => {
    const unknown = endLeftCalls(false);
    cutOff(step, failure.message);
    const policy = deps.policy();
    const listed = unknown.filter((call) =>
      isListed(toolOf(turn.agent, call.state), hasEffects(call.state), policy.sideEffectTools),
    );
    if (listed.length > 0 && policy.mode === 'safe_only') {
      const names = listed.map((call) => hintOfCall(call.state)).join(', ');
      return hold(deps, run, `${names} (started, result unknown): ${failure.message}`);
    }
    if (failure.kind === 'provider' && unknown.length === 0) {
      return requeueOrPark(deps, run, {
        kind: 'server',
        message: failure.message,
        hint: failure.hint,
        isRetryable: true,
      });
    }
    return park(deps, turn, `${failure.message} ${failure.hint}`, [], run);
  };

  return {
    async run() {
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      const step = await run.begin({
        tool: `${turn.agent.replaceAll('.', '_')}.prompt`,
        purity: 'llm',
        key: deps.hasher.sha256Hex(`outside\n${prepared.ref}\n${prepared.prompt}`),
        hint: `${agent.facts.name} ${agent.facts.version}`.trim(),
        hasEffects: false,
        isWorkspaceRead: false,
        isIdempotent: true,
      });
      run.alive(deps.limits().timeMs);
      deps.crashPoints.hit('provider.request.before');
      const end = await prompt();
      deps.crashPoints.hit('provider.answer.after');
      signal.removeEventListener('abort', onAbort);
      if (broken !== undefined && !signal.aborted) {
        endLeftCalls(false);
        cutOff(step, 'An error of Holdfast ended the run.');
        await run.flush();
        throw broken instanceof Error ? broken : new Error(String(broken));
      }
      if (overLimit !== undefined) {
        endLeftCalls(false);
        cutOff(step, overLimit);
        return pause(deps, run, overLimit);
      }
      if (ending.signal.aborted) {
        endLeftCalls(false);
        cutOff(step, 'Stopped.');
        return stopped(run);
      }
      return end.kind === 'ok' ? finish(step, end.value) : fail(step, end.failure);
    },
  };
}

const NO_END: OutsidePromptEnd = { stop: 'cancelled', inputTokens: 0, outputTokens: 0 };
const STOP_FINISH = {
  end_turn: 'stop',
  cancelled: 'stop',
  max_turn_requests: 'length',
  max_tokens: 'length',
  refusal: 'content_filter',
} as const;

const isEffectKind = (call: Pick<CallState, 'kind'>): boolean =>
  isEffect({ purity: purityOfKind(call.kind) });

/** What the question itself says; the rest comes from what was said before. */
const asAsked = (report: OutsideToolReport): Partial<CallState> => ({
  ...(report.input === undefined ? {} : { input: report.input }),
  ...(report.title === undefined ? {} : { title: report.title }),
  ...(report.kind === undefined ? {} : { kind: report.kind }),
});
