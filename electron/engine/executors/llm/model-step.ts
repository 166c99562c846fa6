import type { Usage } from '../../../../shared/types';
import { cutText } from '../../../../shared/cut-text';
import { decodeAnswer, encodeAnswer } from '../../journal/answer-codec';
import type { BreakerMove } from '../../../ports/breakers';
import type { CallOutcomeKind } from '../../../ports/call-outcomes';
import type {
  ModelAnswer,
  ModelRequest,
  Provider,
  ProviderFailure,
  ProviderOutcome,
} from '../../../ports/provider';
import { isOfProgramFiles, toHoldfastError } from '../../kernel/errors';
import { breakerNames } from '../../breaker/names';
import { callWithRetries, type RetryingCallEnd, type CallRetry } from '../../retry/retrying-call';
import { addUsage } from '../../recovery/plan-resume';
import { NO_TRIES, type Tries } from '../../retry/plan-retry';
import { requestOf, type AnsweredBy } from './answerers';
import { isOverAfter } from './between-steps';
import { modelKey } from '../../journal/step-keys';
import { portableRequest } from '../../journal/portable-keys';
import type { StepRow } from '../../../ports/journal/rows';
import type { ConversationCut } from '../../../ports/journal/entries';
import type { LedgerLine } from '../../recovery/ledger';
import { cutWords, planShorter } from './shorten-conversation';
import { stopRun, type LastAnswer, type WaitForProvider } from '../../turns/run-ends';
import type { Over } from '../../turns/run-limits';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

/** A model answer with its step, or the reason why there is no answer. */
export type ModelStepEnd =
  | ({
      readonly kind: 'answer';
      /** Index in `run.models` of the model that gave it. */
      readonly by: number;
    } & LastAnswer)
  /** Every try failed, or the failure is permanent: one verdict (S2-23). */
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  | WaitForProvider
  /** The provider found the conversation too long: the turn continues with a shorter one. S2-29 */
  | { readonly kind: 'shorter'; readonly cut: ConversationCut }
  /** A budget is spent: no request was sent. BU-02 */
  | { readonly kind: 'over'; readonly over: Over }
  | { readonly kind: 'stopped' };

/**
 * One model request. An identical request is answered from the journal at no cost; any other is
 * recorded, sent and stored. An interrupted stream never counts as an answer. S4-10. `mayShorten`:
 * the conversation was not just shortened.
 */
export async function runModelStep(
  deps: TurnRunDeps,
  run: TurnRun,
  signal: AbortSignal,
  mayShorten: boolean,
  answeredBy: AnsweredBy = new WeakMap(),
): Promise<ModelStepEnd> {
  const last = run.models.length - 1;
  for (let by = 0; ; by += 1) {
    const request = requestOf(run, by, answeredBy);
    const key = modelKey(deps.store.hasher, portableRequest(request, run.portable), run.scope);
    const line = run.cursor.take(key);
    if (line?.outcome === 'finished') {
      const remembered = await recordedAnswer(run, line, by);
      if (remembered !== undefined) return remembered;
    }
    const end = line?.newest.end;
    if (end?.state === 'failed' && end.shorter !== undefined)
      return { kind: 'shorter', cut: end.shorter };
    // A request that an earlier model did not answer goes to the current one.
    if (by === last) return send(deps, run, { request, key, again: line, mayShorten }, signal);
  }
}

async function recordedAnswer(
  run: TurnRun,
  line: LedgerLine,
  by: number,
): Promise<ModelStepEnd | undefined> {
  const end = line.last.end;
  if (end?.state !== 'completed') return undefined;
  const text = await run.load(end.content);
  const answer = text === undefined ? undefined : decodeAnswer(text);
  if (answer === undefined) return undefined; // the file is gone: counts as not recorded (S4-+05)
  run.reuse(line.last, end.usage);
  return { kind: 'answer', step: line.last.step, answer, by };
}

interface ModelStepJob {
  readonly request: ModelRequest;
  readonly key: string;
  readonly again: LedgerLine | undefined;
  readonly mayShorten: boolean;
}

type NoAnswer = Exclude<RetryingCallEnd<ModelAnswer>, { kind: 'answer' }>;

async function send(
  deps: TurnRunDeps,
  run: TurnRun,
  job: ModelStepJob,
  signal: AbortSignal,
): Promise<ModelStepEnd> {
  const { request, key, again } = job;
  const turnId = run.turn.id;
  // A running turn sends no requests to a provider that is down.
  if (deps.model.outages.blocks(request.provider, turnId)) {
    const reason = `${request.provider} is not called right now.`;
    const refusal = { kind: 'refused', state: 'open', retryInMs: 0, reason } as const;
    return { kind: 'refused', provider: request.provider, refusal };
  }
  const entered = await enterBudgets(deps, run, request, signal);
  if (entered.kind !== 'go') return entered;
  const bill = createBill(run);
  const askOnce = async () => {
    const step = await run.begin({
      tool: 'model',
      purity: 'llm',
      key,
      hint: request.model,
      ...(again === undefined ? {} : { againOf: again.root }),
      hasEffects: false,
      isWorkspaceRead: false,
      isIdempotent: true,
    });
    return { step, ...(await ask(deps, run, { ...job, step, bill }, signal)) };
  };
  const asked = await askOnce().catch((error: unknown) => {
    // The reservation was not needed: others that wait for the budget would wait until this turn is
    // closed.
    entered.leave(undefined);
    throw error;
  });
  const { step, end } = asked;
  const usage = bill.with(end.kind === 'answer' ? end.answer.usage : undefined);
  // After a takeover the usage is written at once, because pending entries now belong to the next
  // run.
  entered.leave(run.isHeld() ? usage?.costUsd : undefined);
  if (end.kind === 'answer') {
    const { answer } = end;
    run.end(step, {
      state: 'completed',
      content: await run.store(encodeAnswer(answer), 'answer'),
      isError: false,
      usage: usage ?? answer.usage,
    });
    report(deps, run, end.isTrial, 'success');
    return { kind: 'answer', step, answer, by: run.models.length - 1 };
  }
  const paid = usage === undefined ? {} : { usage };
  return withoutAnswer(deps, run, { ...job, step, end, over: asked.over, paid }, signal);
}

/** Records why there is no answer, and the usage that was still billed. */
async function withoutAnswer(
  deps: TurnRunDeps,
  run: TurnRun,
  job: Pick<ModelStepJob, 'request' | 'mayShorten'> & {
    readonly step: number;
    readonly end: NoAnswer;
    readonly over: Over | undefined;
    readonly paid: { readonly usage?: Usage };
  },
  signal: AbortSignal,
): Promise<ModelStepEnd> {
  const { request, step, end, over, paid } = job;
  const isStopped = signal.aborted;
  const error = end.kind === 'refused' ? refusedWords(end) : end.failure.message;
  const cut = isStopped || !job.mayShorten ? undefined : planCut(end, request);
  if (cut !== undefined) {
    const words = `${error} ${cutWords(request.messages, cut)}`;
    run.end(step, { state: 'failed', error: words, isCutOff: false, ...paid, shorter: cut });
    deps.store.audit.record('conversation_shortened', {
      turnId: run.turn.id,
      step,
      dropped: cut.dropped,
    });
    return { kind: 'shorter', cut };
  }
  run.end(step, { state: 'failed', error, isCutOff: isStopped, ...paid });
  if (isStopped) return stopRun(run);
  if (over !== undefined) return { kind: 'over', over };
  const { provider } = request;
  if (end.kind === 'refused') return { kind: 'refused', provider, refusal: end.refusal };
  const { failure } = end;
  if (end.contact !== undefined) report(deps, run, end.isTrial, end.contact, failure);
  if (end.kind === 'failure') return { kind: 'failure', failure };
  const { cause, untilMs } = end;
  return { kind: 'later', provider, cause, untilMs, failure };
}

/** Waits for other turns' steps that may use up a budget. BU-04 */
async function enterBudgets(
  deps: TurnRunDeps,
  run: TurnRun,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<
  | { readonly kind: 'go'; leave(costUsd: number | undefined): void }
  | Extract<ModelStepEnd, { kind: 'over' | 'stopped' }>
> {
  const { budgets } = deps.limits;
  if (!budgets.hasAny()) return { kind: 'go', leave: () => undefined };
  for (;;) {
    const entry = budgets.enter(run.turn, request.provider, deps.model.mostCostUsd(request));
    if (entry.kind === 'go') return entry;
    if (entry.kind === 'stop')
      return { kind: 'over', over: { reason: entry.stop.reason, budget: entry.stop } };
    if (await isOverAfter(deps, run, entry.until, signal)) return { kind: 'stopped' };
  }
}

function overBudget(deps: TurnRunDeps, run: TurnRun, { provider }: ModelRequest): Over | undefined {
  const { budgets } = deps.limits;
  const stop = budgets.hasAny() ? budgets.over(run.turn, provider, 0) : undefined;
  return stop === undefined ? undefined : { reason: stop.reason, budget: stop };
}

/** Undefined if this is not the rejected conversation, or if hardly anything can be cut. */
function planCut(end: NoAnswer, request: ModelRequest): ConversationCut | undefined {
  return end.kind === 'failure' && end.failure.mend === 'too_long'
    ? planShorter(request.messages)
    : undefined;
}

/**
 * The step records why no request was sent, and which failure came first if the breaker ended a
 * chain.
 */
function refusedWords(end: Extract<RetryingCallEnd<ModelAnswer>, { kind: 'refused' }>): string {
  const { reason } = end.refusal;
  return end.failure === undefined ? reason : `${end.failure.message} ${reason}`;
}

/** Usage of tries whose answers could not be used, until an entry records it. BU-03 */
interface Bill {
  add(usage: Usage | undefined): void;
  /** Adds the usage that no entry has yet to the answer's own. */
  with(usage: Usage | undefined): Usage | undefined;
  /** The same for a try that is followed by another one: the turn has paid for it. */
  settle(): { readonly usage?: Usage };
}

function createBill(run: TurnRun): Bill {
  let open: Usage | undefined;
  const take = (more: Usage | undefined): Usage | undefined => {
    const all = open === undefined || more === undefined ? (open ?? more) : addUsage(open, more);
    open = undefined;
    return all;
  };
  return {
    add: (usage) => void (open = take(usage)),
    with: take,
    settle() {
      const usage = take(undefined);
      if (usage === undefined) return {};
      run.paid(usage);
      return { usage };
    },
  };
}

/** One chain of requests through the breaker of the provider; every wait of it is on disk first. */
async function ask(
  deps: TurnRunDeps,
  run: TurnRun,
  job: ModelStepJob & { readonly step: number; readonly bill: Bill },
  signal: AbortSignal,
): Promise<{ readonly end: RetryingCallEnd<ModelAnswer>; readonly over?: Over | undefined }> {
  const { request, step, bill } = job;
  const provider = await providerOf(deps, request.provider);
  if (provider.kind === 'failure')
    return { end: { ...provider, contact: 'config', isTrial: false } };
  const before = triesBefore(deps, run, job.again);
  const retries = {
    clock: deps.store.clock,
    onMoved: (listener: (move: BreakerMove) => void) => deps.model.breakers.onMoved(listener),
    policy: deps.model.retries,
    random: deps.model.random,
  };
  let used = provider.provider;
  let asked = request;
  let isKeyRenewed = false;
  let over: Over | undefined;
  let last: ProviderFailure | undefined;
  // A wait within a call is never longer than this; the clock may have been ahead when it was
  // written.
  const { rateLimited, server } = deps.model.retries();
  const longestMs = Math.max(rateLimited.maxWaitMs, server.maxWaitMs);
  const restMs = before.dueAtMs - deps.store.clock.nowMs();
  const firstWaitMs = Math.min(Math.max(0, restMs), longestMs);
  if (firstWaitMs > 0) run.alive(firstWaitMs);
  const sendOnce = async (alive: () => void): Promise<ProviderOutcome> => {
    const outcome = await stream(deps, run, used, asked, { signal, alive });
    if (outcome.kind === 'failure') bill.add(outcome.failure.usage);
    return outcome;
  };
  const end = await callWithRetries(retries, {
    breaker: deps.model.breakers.of(breakerNames.provider(request.provider), 'provider'),
    tries: before.tries,
    firstWaitMs,
    signal,
    async call(alive) {
      // Its own tries, or other turns meanwhile, may have used up this one's share. BU-04
      over = last === undefined ? undefined : overBudget(deps, run, request);
      if (over !== undefined && last !== undefined)
        return { kind: 'failure', failure: { ...last, kind: 'aborted', isRetryable: false } };
      deps.store.crashPoints.hit('provider.request.before');
      let outcome = await sendOnce(alive);
      deps.store.crashPoints.hit('provider.answer.after');
      if (outcome.kind === 'failure' && outcome.failure.mend === 'key' && !isKeyRenewed) {
        // The key's source may hold another key by now: one more request with that one, none with
        // the same.
        const renewed = await deps.model.providers.renewed(used);
        isKeyRenewed = true;
        if (renewed !== undefined) {
          used = renewed;
          outcome = await sendOnce(alive);
        }
      }
      const roomTokens = outcome.kind === 'failure' ? outcome.failure.roomTokens : undefined;
      if (roomTokens !== undefined && asked === request) {
        // A shorter answer costs less than a shortened conversation.
        asked = { ...request, maxOutputTokens: roomTokens };
        outcome = await sendOnce(alive);
      }
      if (outcome.kind === 'failure' && run.isHeld()) deps.notify.onTextWithdrawn(run.turn.id);
      return outcome;
    },
    onRetry: async (retry) => {
      await keepTry(deps, run, { step, ...bill.settle() }, retry);
      last = retry.failure;
      deps.model.outages.noteRetryAfter(request.provider, retry.failure);
    },
    quietMs() {
      const quietMs = deps.model.outages.quietMs(request.provider);
      if (quietMs > 0) run.alive(quietMs);
      return quietMs;
    },
  });
  return { end, over };
}

/** Written before the wait: after a kill, the count and the remaining wait continue. */
async function keepTry(
  deps: TurnRunDeps,
  run: TurnRun,
  of: { readonly step: number; readonly usage?: Usage },
  { tries, delayMs, dueAtMs, failure }: CallRetry,
): Promise<void> {
  deps.store.crashPoints.hit('call.retry.before');
  await run.flush([
    {
      kind: 'call.retried',
      turnId: run.turn.id,
      ...of,
      tries: [tries.rateLimited, tries.server],
      dueAtMs,
      failure: failure.kind,
      ...(failure.status === undefined ? {} : { status: failure.status }),
      message: cutText(failure.message, 500),
    },
  ]);
  deps.store.crashPoints.hit('call.retry.after');
  run.alive(delayMs);
}

/**
 * A retry chain that a crash or shutdown interrupted continues; an exhausted one starts over.
 * S2-25.
 */
function triesBefore(
  deps: TurnRunDeps,
  run: TurnRun,
  again: LedgerLine | undefined,
): { readonly tries: Tries; readonly dueAtMs: number } {
  const fresh = { tries: NO_TRIES, dueAtMs: 0 };
  if (again === undefined || !isCallCutOff(again.newest)) return fresh;
  const last = deps.store.reads.callTries(run.turn.id, again.newest.step).at(-1);
  if (last === undefined) return fresh;
  const [rateLimited, server] = last.tries;
  return { tries: { rateLimited, server }, dueAtMs: last.dueAtMs };
}

/** Wider than an unknown outcome: a model call has no effect, so one that was told as unknown counts too. */
function isCallCutOff({ state, end }: StepRow): boolean {
  return state === 'started' || state === 'ambiguous' || (end?.state === 'failed' && end.isCutOff);
}

function report(
  deps: TurnRunDeps,
  run: TurnRun,
  isTrial: boolean,
  kind: CallOutcomeKind,
  failure?: ProviderFailure,
): void {
  deps.model.outcomes.report({
    provider: run.frame.provider,
    kind,
    ...(failure === undefined ? {} : { failure }),
    source: isTrial ? 'trial' : 'turn',
    turnId: run.turn.id,
    atMs: deps.store.clock.nowMs(),
  });
}

async function providerOf(
  deps: TurnRunDeps,
  name: string,
): Promise<
  | { readonly kind: 'provider'; readonly provider: Provider }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
> {
  try {
    return { kind: 'provider', provider: await deps.model.providers.get(name) };
  } catch (error) {
    if (isOfProgramFiles(error)) throw error;
    const known = toHoldfastError(error);
    const hint = known.hint ?? 'Check the provider in the settings, then resume this turn.';
    const { message, retryable: isRetryable } = known;
    return {
      kind: 'failure',
      failure: { kind: isRetryable ? 'cut' : 'config', message, hint, isRetryable },
    };
  }
}

async function stream(
  deps: TurnRunDeps,
  run: TurnRun,
  provider: Provider,
  request: ModelRequest,
  { signal, alive }: { readonly signal: AbortSignal; readonly alive: () => void },
): Promise<ProviderOutcome> {
  const onAlive = (): void => {
    run.alive();
    alive();
  };
  return provider.stream(request, {
    signal,
    onAlive,
    onText: (delta) => {
      onAlive();
      if (run.isHeld()) deps.notify.onText(run.turn.id, delta);
    },
  });
}
