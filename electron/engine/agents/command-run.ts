import type { CommandAgentSettings } from '../../../shared/settings';
import type {
  CommandAgents,
  CommandAnswer,
  CommandEnd,
  CommandEvent,
} from '../../ports/command-agent';
import { encodeAnswer, type JournalEntry, type StepEnd, type TurnRow } from '../../ports/journal';
import type { JsonValue } from '../../ports/provider';
import { canonicalJson } from '../kernel/canonical';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import { INLINE_CHARS, idempotencyKey, toolKey } from '../journal/memo-keys';
import { isListed } from '../journal/side-effect-list';
import {
  buildLedger,
  createLedgerCursor,
  isEffect,
  workedMs,
  type LedgerLine,
} from '../recovery/ledger';
import { cutEnd } from '../recovery/recover-at-start';
import { grantOf } from '../work/judge-call';
import type { Lease } from '../work/lease-book';
import { handedBack } from './adopt-plan';
import {
  canHook,
  canResume,
  claudeCall,
  failureOf,
  isProcess,
  isSessionUnknown,
  planCommandLine,
  processTool,
  REFUSALS_UNTIL_STOP,
  resumePrompt,
  settleByHooks,
  type CommandCall,
  type ShellVerdicts,
} from './command-plan';
import {
  frameFor,
  hold,
  limitReached,
  park,
  pause,
  requeueOrPark,
  type RunEnd,
} from './turn-runner';
import { createTurnRun, type TurnRun, type TurnRunDeps } from './turn-run';

export interface CommandRunDeps extends TurnRunDeps {
  readonly commands: CommandAgents;
  /** The settings of an agent that is a command line; undefined for all others. */
  readonly commandOf: (agent: string) => CommandAgentSettings | undefined;
  /** Ms of the agent's own `deadline`; undefined where the limit of the turn counts alone. */
  readonly deadlineMs: (agent: string) => number | undefined;
  readonly shell: ShellVerdicts;
}

/** What a hook of a running program reports, over the control socket. */
export interface HookReport {
  readonly turnId: number;
  readonly attempt: number;
  readonly event:
    | { readonly kind: 'session'; readonly ref: string }
    | {
        readonly kind: 'call';
        readonly callId: string;
        readonly tool: string;
        readonly input: JsonValue;
      };
}

/** `none`: the program's own rules decide. */
export interface HookVerdict {
  readonly decision: 'allow' | 'deny' | 'none';
  readonly reason: string;
}

export interface CommandRunner {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
  /**
   * Answers a hook. An effect is in the journal, committed and synced, before this resolves with
   * leave; where a person is asked it waits for the answer. Rejects only where nothing may go on.
   */
  hook(report: HookReport): Promise<HookVerdict>;
  /** Before open turns are judged: what the hooks of the turn wrote while nobody read it. */
  settle(turnId: number): Promise<void>;
}

const GONE: HookVerdict = {
  decision: 'deny',
  reason:
    'Holdfast does not run this turn any more. The call was not made. Stop here; the turn goes on in another run.',
};
const TICK_MS = 5_000;
const WAITING_ALIVE_MS = 60_000;

/** Why a run was ended from inside. */
type Ending =
  | { readonly kind: 'deadline'; readonly afterMs: number }
  | { readonly kind: 'limit'; readonly reason: string }
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  | { readonly kind: 'broken'; readonly error: unknown };

/**
 * Drives turns of the `command` executor: one process a turn. Where the program calls our hooks,
 * each of its calls is a step whose intent is on disk before the program may make it; after a kill
 * only a call that was open is unknown. Where it does not, the process is one step with one
 * question. Source: S0-09..S0-12, S4-19..S4-25.
 */
export function createCommandRunner(deps: CommandRunDeps): CommandRunner {
  const frames = new Map<string, Promise<number>>();
  const lives = new Map<number, Live>();

  const settle = async (turnId: number): Promise<void> => {
    const records = await deps.commands.records(turnId);
    if (records === undefined || records.length === 0) return;
    const entries = settleByHooks({
      turnId,
      steps: deps.reads.steps(turnId),
      calls: deps.reads.outsideCalls(turnId),
      records,
    });
    if (entries.length > 0) await deps.journal.commit(entries, { isOutcome: true });
  };

  return {
    settle,
    async hook({ turnId, attempt, event }) {
      const live = lives.get(turnId);
      if (live === undefined || live.run.attempt !== attempt) return GONE;
      return live.onHook(event);
    },
    async run(turn, signal, lease) {
      try {
        const opened = await open(deps, frames, turn, lease, settle);
        lease.assertHeld();
        if (opened.kind === 'refused') return await park(deps, turn, opened.reason, []);
        const end = await drive(deps, opened.job, signal, lives);
        if (end.kind === 'closed') await deps.commands.forget(turn.id);
        return end;
      } catch (error) {
        if (!lease.isHeld()) return { kind: 'lost' };
        if (signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  };
}

/** Everything that one run of a turn starts with. */
interface Job {
  readonly spec: CommandAgentSettings;
  readonly run: TurnRun;
  readonly lines: readonly LedgerLine[];
  readonly prompt: string;
}

async function open(
  deps: CommandRunDeps,
  frames: Map<string, Promise<number>>,
  turn: TurnRow,
  lease: Lease,
  settle: CommandRunner['settle'],
): Promise<
  | { readonly kind: 'open'; readonly job: Job }
  | { readonly kind: 'refused'; readonly reason: string }
> {
  try {
    const spec = deps.commandOf(turn.agent);
    if (spec === undefined) {
      throw new HoldfastError(
        'AGENT_INVALID',
        `The agent "${turn.agent}" is no command any more.`,
        {
          hint: 'The turn is kept. Change the agent back, or discard the turn.',
        },
      );
    }
    const away = handedBack(deps.reads.outsideSession(turn.sessionId, turn.agent));
    if (away !== undefined) return { kind: 'refused', reason: away };
    const framed = await frameFor(deps, frames, turn);
    const cut: JournalEntry[] = [];
    if (turn.attempt > 0) {
      const orphans = await deps.commands.settleOrphans(turn.id);
      if (orphans.found > 0)
        await deps.journal.commit([{ kind: 'outside.orphans', turnId: turn.id, ...orphans }]);
      if (orphans.left > 0) {
        return {
          kind: 'refused',
          reason: `A process of an earlier run is still at work and could not be ended: ${orphans.commands[0] ?? ''}`,
        };
      }
      await settle(turn.id);
      for (const step of deps.reads.steps(turn.id)) {
        if (step.state !== 'started') continue;
        cut.push({ kind: 'step.ended', turnId: turn.id, step: step.step, end: cutEnd(step) });
      }
      if (cut.length > 0) await deps.journal.commit(cut, { isOutcome: true });
    }
    const steps = turn.attempt === 0 ? [] : deps.reads.steps(turn.id);
    const lines = buildLedger(steps);
    const attempt = turn.attempt + 1;
    const { frameId, framedAtMs, frame } = framed;
    const run = createTurnRun(deps, {
      turn,
      attempt,
      frame,
      cursor: createLedgerCursor(lines),
      messages: [],
      lastStep: turn.stepCount,
      ranBeforeMs: workedMs(steps),
      lease,
      opening: [
        {
          kind: 'turn.started',
          turnId: turn.id,
          attempt,
          frameId,
          framedAtMs,
          claimId: lease.claimId,
          owner: lease.owner,
        },
      ],
    });
    const prompt = (await run.load(deps.reads.prompt(turn))) ?? '';
    return { kind: 'open', job: { spec, run, lines, prompt } };
  } catch (error) {
    const known = toHoldfastError(error);
    return {
      kind: 'refused',
      reason: known.hint === undefined ? known.message : `${known.message} ${known.hint}`,
    };
  }
}

async function drive(
  deps: CommandRunDeps,
  job: Job,
  signal: AbortSignal,
  lives: Map<number, Live>,
): Promise<RunEnd> {
  const { run, lines, spec } = job;
  const { turn } = run;
  const program = processTool(spec.command);
  const dialect = deps.commands.dialectOf(spec.command);
  const isResumable = canResume(spec, dialect);
  const whole = lines.findLast((line) => isProcess(line.first.tool));
  // The whole run is one unknown: nobody but a person can say what it did.
  if (whole?.fate === 'open' && !turn.isAnswered && deps.policy().mode !== 'always')
    return hold(deps, run, wholeRun(program));
  const told = whole?.last.end;
  if (!isResumable && (told?.state === 'confirmed' || told?.state === 'skipped')) {
    return close(
      deps,
      run,
      { text: (await run.load(told.content)) ?? '', isError: false, usage: NO_USAGE },
      'completed',
    );
  }
  if (signal.aborted || deps.isDraining()) {
    await run.flush();
    return { kind: 'stopped' };
  }
  const skipped = await skipByPolicy(deps, run, lines);
  let ref = isResumable ? deps.reads.outsideSession(turn.sessionId, turn.agent)?.ref : undefined;
  for (;;) {
    const hasHooks = canHook(spec, dialect);
    const hookArgs = hasHooks ? await deps.commands.prepareHooks(turn.id, run.attempt) : undefined;
    deps.crashPoints.hit('command.hooks.after');
    const isAgain = lines.length > 0;
    const line = planCommandLine({
      spec,
      dialect,
      prompt: isAgain
        ? resumePrompt({ prompt: job.prompt, lines, skipped, isContinued: ref !== undefined })
        : job.prompt,
      ref,
      hookArgs: hookArgs ?? [],
    });
    const step = await run.begin({
      tool: program,
      purity: 'side_effect',
      key: toolKey(deps.hasher, program, { prompt: job.prompt, args: [...(spec.args ?? [])] }),
      hint: job.prompt.replace(/\s+/g, ' ').trim().slice(0, 200),
      ...(whole?.fate === 'open' || whole?.fate === 'again' ? { againOf: whole.root } : {}),
      hasEffects: true,
      isWorkspaceRead: false,
      isIdempotent: false,
    });
    if (signal.aborted) {
      run.end(step, { state: 'failed', error: 'Stopped before it began.', isCutOff: true });
      await run.flush();
      return { kind: 'stopped' };
    }
    const live = createLive(deps, { job, step, program, dialect, skipped, signal });
    lives.set(turn.id, live);
    try {
      deps.crashPoints.hit('step.effect.before');
      const end = await deps.commands.run(
        {
          dialect,
          program: spec.command,
          ...line,
          workspace: run.frame.workspace,
          env: run.frame.env,
          turnId: turn.id,
          step,
          idempotencyKey: idempotencyKey(deps.reads.databaseId(), turn.id, whole?.root ?? step),
          signal: live.signal,
        },
        live.onEvent,
      );
      deps.crashPoints.hit('step.effect.after');
      if (ref !== undefined && !signal.aborted && isSessionUnknown(end)) {
        // Its own record of the conversation is gone: begun anew, with the facts of ours.
        await live.nothingDone(`It does not know the conversation ${ref} any more.`);
        ref = undefined;
        continue;
      }
      return await live.finish(end);
    } finally {
      live.dispose();
      lives.delete(turn.id);
    }
  }
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

const wholeRun = (program: string): string =>
  `${program.slice('command.'.length)} was cut off, and nothing reported what it had done by then. Look at its folder, then say whether it happened or let it run again.`;

/** With `skip` a call without a known result counts as done, with an empty result. S4-25. */
async function skipByPolicy(
  deps: CommandRunDeps,
  run: TurnRun,
  lines: readonly LedgerLine[],
): Promise<ReadonlySet<number>> {
  const skipped = new Set<number>();
  if (deps.policy().stepPolicy !== 'skip' || run.turn.isAnswered) return skipped;
  for (const line of lines) {
    if (line.fate !== 'open' || isProcess(line.first.tool)) continue;
    skipped.add(line.root);
    run.end(line.last.step, {
      state: 'skipped',
      by: 'policy',
      content: { kind: 'inline', text: SKIPPED },
    });
  }
  return skipped;
}

const SKIPPED = '(skipped after a crash: this step has an empty result)';

/** One process while it runs. */
interface Live {
  readonly run: TurnRun;
  readonly signal: AbortSignal;
  readonly onEvent: (event: CommandEvent) => void;
  onHook(event: HookReport['event']): Promise<HookVerdict>;
  nothingDone(why: string): Promise<void>;
  finish(end: CommandEnd): Promise<RunEnd>;
  dispose(): void;
}

interface OpenCall {
  readonly step: number;
  readonly call: CommandCall;
}

function createLive(
  deps: CommandRunDeps,
  init: {
    readonly job: Job;
    readonly step: number;
    readonly program: string;
    readonly dialect: 'claude' | 'plain';
    readonly skipped: ReadonlySet<number>;
    readonly signal: AbortSignal;
  },
): Live {
  const { job, step, program, dialect } = init;
  const { run } = job;
  const { turn } = run;
  const inner = new AbortController();
  const done = new AbortController();
  const calls = new Map<string, OpenCall>();
  /** Calls that were answered, so that a hook that comes twice has no second effect. */
  const answered = new Map<string, Promise<HookVerdict>>();
  let ending: Ending | undefined;
  let answer: CommandAnswer | undefined;
  let answerStep: number | undefined;
  let hearing: Promise<void> | undefined;
  let refusals = 0;
  let waiting = 0;
  let waitedMs = 0;
  let waitingSinceMs = 0;
  let knownRef: string | undefined;
  let work: Promise<void> = Promise.resolve();
  const startedMs = deps.clock.monotonicMs();

  const stopWith = (why: Ending): void => {
    ending ??= why;
    inner.abort(new Error(why.kind));
  };
  const onOuter = (): void => inner.abort(init.signal.reason);
  init.signal.addEventListener('abort', onOuter, { once: true });
  if (init.signal.aborted) onOuter();

  /** Waiting for a person is not work. */
  const activeMs = (): number => {
    const nowMs = deps.clock.monotonicMs();
    return nowMs - startedMs - waitedMs - (waiting > 0 ? nowMs - waitingSinceMs : 0);
  };
  const over = (): string | undefined => limitReached(deps, run, run.ranBeforeMs + activeMs());

  const deadlineMs = deps.deadlineMs(turn.agent);
  void (async () => {
    for (;;) {
      const leftMs = deadlineMs === undefined ? TICK_MS : deadlineMs - activeMs();
      run.alive(WAITING_ALIVE_MS);
      const limit = over();
      if (limit !== undefined) return stopWith({ kind: 'limit', reason: limit });
      if (deadlineMs !== undefined && leftMs <= 0)
        return stopWith({ kind: 'deadline', afterMs: deadlineMs });
      await deps.clock.sleep(Math.max(20, Math.min(leftMs, TICK_MS)), done.signal);
    }
  })().catch((error: unknown) => {
    if (!done.signal.aborted) stopWith({ kind: 'broken', error });
  });

  /** The hooks work: the process itself is no unknown any more, only its calls are. */
  const heard = (): Promise<void> =>
    (hearing ??= (async () => {
      run.end(step, {
        state: 'completed',
        content: {
          kind: 'inline',
          text: 'Started. Its hooks report every call before it is made.',
        },
        isError: false,
      });
      answerStep = await run.begin(answerStart(deps, run, program));
    })());

  const remember = async (ref: string): Promise<void> => {
    if (knownRef === ref) return;
    knownRef = ref;
    await deps.journal.commit([
      {
        kind: 'outside.session',
        sessionId: turn.sessionId,
        agent: turn.agent,
        ref,
        turnId: turn.id,
      },
    ]);
    deps.crashPoints.hit('command.session.after');
  };

  /** Writes a call down: its intent, and what the program calls it. */
  const begin = async (
    callId: string,
    call: CommandCall,
    input: JsonValue,
    more: { readonly againOf?: number; readonly requestId?: number },
  ): Promise<void> => {
    const key = toolKey(deps.hasher, call.tool, input);
    const mine = await run.begin({
      tool: call.tool,
      purity: call.purity,
      key,
      hint: call.hint,
      ...more,
      hasEffects: call.hasEffects,
      isWorkspaceRead: call.isWorkspaceRead,
      isIdempotent: false,
    });
    calls.set(callId, { step: mine, call });
    await deps.journal.commit([
      {
        kind: 'outside.call',
        turnId: turn.id,
        step: mine,
        callId,
        tool: call.kind,
        title: call.tool,
        input: canonicalJson(input).slice(0, INLINE_CHARS),
        identity: key,
      },
    ]);
    deps.crashPoints.hit('command.call.after');
  };

  const askPerson = async (
    request: Parameters<typeof deps.approvals.open>[0],
  ): Promise<{
    readonly isAllowed: boolean;
    readonly requestId: number;
    readonly note: string;
  }> => {
    const stored = deps.approvals.unusedAnswer(turn.id, request.inputKey);
    const fromRow = (row: NonNullable<typeof stored>) => ({
      isAllowed: row.answer === 'allowed',
      requestId: row.requestId,
      note: row.note ?? '',
    });
    if (stored !== undefined) return fromRow(stored);
    if (waiting === 0) waitingSinceMs = deps.clock.monotonicMs();
    waiting += 1;
    try {
      const requestId = await deps.approvals.open(request);
      return fromRow(await deps.approvals.waitAnswer(requestId, inner.signal));
    } finally {
      waiting -= 1;
      if (waiting === 0) waitedMs += deps.clock.monotonicMs() - waitingSinceMs;
    }
  };

  const judge = async (callId: string, name: string, input: JsonValue): Promise<HookVerdict> => {
    await heard();
    const limit = over();
    if (limit !== undefined) {
      stopWith({ kind: 'limit', reason: limit });
      return { decision: 'deny', reason: limit };
    }
    const call = claudeCall(name, input, { workspace: run.frame.workspace, shell: deps.shell });
    if (call === undefined) return { decision: 'none', reason: '' };
    const key = toolKey(deps.hasher, call.tool, input);
    const line = isEffect(call) ? run.cursor.take(key) : undefined;
    if (line !== undefined && init.skipped.has(line.root))
      return { decision: 'deny', reason: `${SKIPPED} Go on without it.` };
    const facts = {
      tool: call.tool,
      purity: call.purity,
      hasEffects: call.hasEffects,
      risk: call.risk,
    };
    const verdict = deps.approvals.judge(turn.sessionId, facts);
    if (verdict.kind === 'deny') {
      deps.audit.record('tool_denied', { turnId: turn.id, tool: call.tool });
      return { decision: 'deny', reason: `${verdict.reason} The call was not made.` };
    }
    const isRepeat = line?.fate === 'finished';
    let requestId: number | undefined;
    if (isRepeat || verdict.kind === 'ask') {
      const asked = await askPerson({
        turn,
        request: 'approval',
        tool: call.tool,
        inputKey: key,
        input: JSON.stringify(input, null, 1),
        hint: call.hint,
        reason: isRepeat
          ? 'It was done before the restart, with exactly this input. The agent wants to do it again.'
          : verdict.kind === 'ask'
            ? verdict.reason
            : '',
        grant: isRepeat ? `${call.tool} ${key.slice(0, 12)}` : grantOf(facts),
      });
      if (!asked.isAllowed) {
        const words = asked.note === '' ? '' : ` The user says: ${asked.note}`;
        return { decision: 'deny', reason: `The user refused this call. It was not made.${words}` };
      }
      requestId = asked.requestId;
    }
    inner.signal.throwIfAborted();
    await begin(callId, call, input, {
      ...(line !== undefined && !isRepeat ? { againOf: line.root } : {}),
      ...(requestId === undefined ? {} : { requestId }),
    });
    inner.signal.throwIfAborted();
    const isPlainRead = call.kind === 'read' || call.kind === 'search';
    return isPlainRead
      ? { decision: 'none', reason: '' }
      : { decision: 'allow', reason: 'Allowed by Holdfast.' };
  };

  const take = async (event: CommandEvent): Promise<void> => {
    switch (event.kind) {
      case 'session':
        return remember(event.ref);
      case 'call': {
        // Without hooks a call is told when it has begun: facts for people, no leave was given.
        if (hearing !== undefined || calls.has(event.callId)) return;
        const facts = { workspace: run.frame.workspace, shell: deps.shell };
        const call = claudeCall(event.tool, event.input, facts);
        if (call !== undefined) await begin(event.callId, call, event.input, {});
        return;
      }
      case 'result': {
        const known = calls.get(event.callId);
        if (known === undefined) return;
        const content = await run.store(event.content, 'result');
        if (!calls.delete(event.callId)) return;
        run.end(known.step, { state: 'completed', content, isError: event.isError });
        return run.flush();
      }
      case 'answer':
        answer = event.answer;
        return;
      case 'retry':
      case 'text':
        return;
    }
  };

  const onEvent = (event: CommandEvent): void => {
    if (event.kind === 'text' && run.isHeld()) deps.onText(turn.id, event.text);
    if (event.kind === 'retry') {
      deps.audit.record('agent_retry', {
        turnId: turn.id,
        attempt: event.attempt,
        status: event.status ?? 0,
      });
      // It would go on asking for minutes with a key that is refused.
      if (event.status === 401 || event.status === 403) refusals += 1;
      if (refusals >= REFUSALS_UNTIL_STOP && event.status !== undefined)
        stopWith({ kind: 'refused', status: event.status, error: event.error });
    }
    work = work
      .then(() => take(event))
      .catch((error: unknown) => stopWith({ kind: 'broken', error }));
  };

  /** Ends what has no end: from what the hooks wrote, else unknown. True where it must be held. */
  const settleOpen = async (why: string): Promise<OpenCall | undefined> => {
    const records = (await deps.commands.records(turn.id).catch(() => undefined)) ?? [];
    const policy = deps.policy();
    let heldCall: OpenCall | undefined;
    for (const [callId, known] of calls) {
      const after = records.find(
        (one) => one.kind === 'after' && one.attempt === run.attempt && one.callId === callId,
      );
      if (after?.kind === 'after') {
        const content = { kind: 'inline' as const, text: after.output };
        run.end(known.step, { state: 'completed', content, isError: after.isError });
        continue;
      }
      run.end(known.step, unknownEnd(known.call, why));
      const isHeld =
        isEffect(known.call) &&
        policy.mode === 'safe_only' &&
        isListed(known.call.tool, known.call.hasEffects, policy.sideEffectTools);
      if (isHeld) heldCall = known;
    }
    calls.clear();
    return heldCall;
  };

  /** The run is over without an answer: what is known stays, what is not is said. */
  const cutOff = async (why: string): Promise<OpenCall | undefined> => {
    if (run.isHeld()) deps.onTextWithdrawn(turn.id);
    const heldCall = await settleOpen(why);
    if (answerStep === undefined) run.end(step, { state: 'ambiguous', error: why });
    else run.end(answerStep, { state: 'failed', error: why, isCutOff: true });
    return heldCall;
  };

  /** It ended by itself and says that it failed: nothing about it is unknown. */
  const failedEnd = async (message: string): Promise<void> => {
    await settleOpen('The agent ended without a result of this call.');
    if (answerStep === undefined) {
      run.end(step, {
        state: 'completed',
        content: await run.store(message, 'result'),
        isError: true,
      });
    } else
      run.end(answerStep, { state: 'failed', error: message.slice(0, 2_000), isCutOff: false });
  };

  const finish = async (end: CommandEnd): Promise<RunEnd> => {
    done.abort();
    await work;
    await hearing;
    if (ending?.kind === 'broken') throw ending.error;
    if (end.kind === 'not_started') {
      run.end(step, { state: 'failed', error: end.message, isCutOff: false });
      return park(deps, turn, end.message, [], run);
    }
    // Its answer is there: that something was still running behind it changes nothing.
    const isAnswered = answer !== undefined && !answer.isError;
    if (init.signal.aborted && !isAnswered) {
      await cutOff('It was stopped.');
      await run.flush();
      return { kind: 'stopped' };
    }
    if (ending !== undefined && !isAnswered) return afterEnding(ending);
    if (answer !== undefined && answer.isError) {
      await failedEnd(answer.text);
      return requeueOrPark(deps, run, failureOf({ message: answer.text, status: answer.status }));
    }
    if (answer !== undefined) return succeed(answer);
    if (end.kind === 'killed') {
      const why = `${program} was ended by ${end.signal}.`;
      const heldCall = await cutOff(why);
      if (heldCall !== undefined) return hold(deps, run, unknownWords(heldCall.call, why));
      if (answerStep === undefined) return afterUnknown(why);
      return requeueOrPark(deps, run, {
        kind: 'cut',
        message: why,
        hint: 'It goes on where it was.',
        isRetryable: true,
      });
    }
    if (dialect === 'plain') {
      const text = end.output.trim() === '' && end.code !== 0 ? end.errors : end.output;
      const whole = { text, isError: end.code !== 0, usage: NO_USAGE };
      return end.code === 0
        ? succeed(whole)
        : failWith(whole, `It ended with exit code ${String(end.code)}.`);
    }
    const words = lastWords(end.errors === '' ? end.output : end.errors);
    const why = `${program.slice('command.'.length)} ended with exit code ${String(end.code)} and without a result${words}`;
    await failedEnd(why);
    return requeueOrPark(deps, run, failureOf({ message: why, status: undefined }));
  };

  const afterUnknown = (why: string): Promise<RunEnd> =>
    deps.policy().mode === 'always'
      ? requeueOrPark(deps, run, { kind: 'cut', message: why, hint: '', isRetryable: true })
      : hold(deps, run, `${why} ${wholeRun(program)}`);

  const afterEnding = async (why: Exclude<Ending, { kind: 'broken' }>): Promise<RunEnd> => {
    const words =
      why.kind === 'deadline'
        ? `It did not finish within ${spanWords(why.afterMs)} and was ended.`
        : why.kind === 'limit'
          ? why.reason
          : `Its provider refuses it (${String(why.status)}: ${why.error}).`;
    await cutOff(words);
    if (why.kind === 'limit') return pause(deps, run, words);
    if (answerStep === undefined) return hold(deps, run, `${words} ${wholeRun(program)}`);
    if (why.kind === 'refused')
      return requeueOrPark(deps, run, failureOf({ message: words, status: why.status }));
    return park(deps, turn, `${words} It can go on where it was.`, [], run);
  };

  const succeed = async (said: CommandAnswer): Promise<RunEnd> => {
    await settleOpen('The agent ended without a result of this call.');
    if (answerStep === undefined) {
      run.end(step, {
        state: 'completed',
        content: await run.store(said.text, 'result'),
        isError: false,
      });
      return close(deps, run, said, 'completed', program);
    }
    return closeWith(deps, run, answerStep, said, 'completed', '');
  };

  const failWith = async (said: CommandAnswer, reason: string): Promise<RunEnd> => {
    run.end(step, {
      state: 'completed',
      content: await run.store(said.text, 'result'),
      isError: true,
    });
    return close(deps, run, said, 'failed', program, reason);
  };

  return {
    run,
    signal: inner.signal,
    onEvent,
    async onHook(event) {
      if (event.kind === 'session') {
        await heard();
        await remember(event.ref);
        return { decision: 'none', reason: '' };
      }
      const { callId, tool, input } = event;
      const before = answered.get(callId);
      if (before !== undefined) return before;
      const verdict = judge(callId, tool, input);
      answered.set(callId, verdict);
      return verdict;
    },
    async nothingDone(why) {
      done.abort();
      await work;
      await hearing;
      await settleOpen(why);
      run.end(answerStep ?? step, { state: 'failed', error: why, isCutOff: false });
    },
    finish,
    dispose() {
      done.abort();
      inner.abort(new Error('over'));
      init.signal.removeEventListener('abort', onOuter);
    },
  };
}

function unknownEnd(call: CommandCall, why: string): StepEnd {
  return isEffect(call)
    ? { state: 'ambiguous', error: why }
    : { state: 'failed', error: why, isCutOff: true };
}

const unknownWords = (call: CommandCall, why: string): string =>
  `${call.tool.slice(call.tool.indexOf('.') + 1)} (started, result unknown): ${why}`;

const lastWords = (text: string): string => {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '.' : `: ${line.slice(0, 200)}`;
};

const spanWords = (ms: number): string =>
  ms < 120_000 ? `${String(Math.round(ms / 1_000))} s` : `${String(Math.round(ms / 60_000))} min`;

/** The step that becomes the answer: what it costs is counted there. */
function answerStart(
  deps: CommandRunDeps,
  run: TurnRun,
  program: string,
): Parameters<TurnRun['begin']>[0] {
  return {
    tool: 'model',
    purity: 'llm',
    key: toolKey(deps.hasher, 'answer', { turn: run.turn.id, attempt: run.attempt }),
    hint: program.slice('command.'.length),
    hasEffects: false,
    isWorkspaceRead: false,
    isIdempotent: true,
  };
}

async function close(
  deps: CommandRunDeps,
  run: TurnRun,
  said: CommandAnswer,
  state: 'completed' | 'failed',
  program = 'command.program',
  reason = '',
): Promise<RunEnd> {
  const step = await run.begin(answerStart(deps, run, program));
  return closeWith(deps, run, step, said, state, reason);
}

async function closeWith(
  deps: CommandRunDeps,
  run: TurnRun,
  step: number,
  said: CommandAnswer,
  state: 'completed' | 'failed',
  reason: string,
): Promise<RunEnd> {
  const { turn } = run;
  const text = encodeAnswer({
    parts: [{ kind: 'text', text: said.text }],
    finish: 'stop',
    usage: said.usage,
  });
  run.end(step, {
    state: 'completed',
    content: await run.store(text, 'answer'),
    isError: false,
    usage: said.usage,
  });
  deps.crashPoints.hit('turn.close.before');
  await run.flush([
    {
      kind: 'turn.closed',
      turnId: turn.id,
      sessionId: turn.sessionId,
      state,
      reason,
      answerStep: step,
      hasReply: turn.channel !== 'window' && turn.channel !== 'cli',
    },
  ]);
  deps.crashPoints.hit('turn.close.after');
  return { kind: 'closed', state };
}
