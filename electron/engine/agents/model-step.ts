import { decodeAnswer, encodeAnswer } from '../../ports/journal';
import type { Refusal } from '../../ports/breakers';
import type { ContactKind } from '../../ports/contacts';
import type { ModelAnswer, ModelRequest, ProviderFailure } from '../../ports/provider';
import { toHoldfastError } from '../kernel/errors';
import { modelKey } from '../journal/memo-keys';
import type { LedgerLine } from '../recovery/ledger';
import type { TurnRun, TurnRunDeps } from './turn-run';

/** One model answer with the step that holds it, or why there is none. */
export type ModelStepEnd =
  | {
      readonly kind: 'answer';
      readonly step: number;
      readonly answer: Pick<ModelAnswer, 'parts' | 'finish'>;
    }
  /** Every try failed, or it is not tried again: one verdict (S2-23). */
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  | WaitForProvider
  | { readonly kind: 'stopped' };

/** The turn has to wait for its provider, on disk: nothing sleeps for it. */
export type WaitForProvider =
  /** The breaker is not closed and this was no trial: nothing was asked, nothing was judged. */
  | { readonly kind: 'refused'; readonly provider: string; readonly refusal: Refusal }
  /** The provider named a time that is too far for a sleep: its quota comes back, or it wants quiet. */
  | {
      readonly kind: 'later';
      readonly provider: string;
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly failure: ProviderFailure;
    };

/**
 * One model call: answered from the journal where the exact request was answered before (no
 * request, no cost), else written down, sent and kept. A cut stream is never an answer. S4-10.
 */
export async function runModelStep(
  deps: TurnRunDeps,
  run: TurnRun,
  signal: AbortSignal,
): Promise<ModelStepEnd> {
  const request = requestOf(run);
  const key = modelKey(deps.hasher, request, run.scope);
  const line = run.cursor.take(key);
  if (line?.fate === 'finished') {
    const remembered = await fromMemo(run, line);
    if (remembered !== undefined) return remembered;
  }
  return send(deps, run, { request, key, again: line }, signal);
}

/** The same run state gives the same request, before and after a crash. */
export function requestOf(run: Pick<TurnRun, 'frame' | 'messages'>): ModelRequest {
  const { provider, model, system, tools } = run.frame;
  return { provider, model, system, messages: run.messages, tools };
}

async function fromMemo(run: TurnRun, line: LedgerLine): Promise<ModelStepEnd | undefined> {
  const end = line.last.end;
  if (end?.state !== 'completed') return undefined;
  const text = await run.load(end.content);
  const answer = text === undefined ? undefined : decodeAnswer(text);
  if (answer === undefined) return undefined; // the file is gone: counts as not recorded (S4-+05)
  run.reuse(line.last.step, end.usage);
  return { kind: 'answer', step: line.last.step, answer };
}

async function send(
  deps: TurnRunDeps,
  run: TurnRun,
  job: {
    readonly request: ModelRequest;
    readonly key: string;
    readonly again: LedgerLine | undefined;
  },
  signal: AbortSignal,
): Promise<ModelStepEnd> {
  const { request, key, again } = job;
  const turnId = run.turn.id;
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
  deps.crashPoints.hit('provider.request.before');
  const outcome = await providerOutcome(deps, run, request, signal);
  deps.crashPoints.hit('provider.answer.after');
  if (outcome.kind === 'answer') {
    const { answer } = outcome;
    run.end(step, {
      state: 'completed',
      content: await run.store(encodeAnswer(answer), 'answer'),
      isError: false,
      usage: answer.usage,
    });
    report(deps, run, 'success');
    return { kind: 'answer', step, answer };
  }
  if (run.isHeld()) deps.onTextWithdrawn(turnId);
  run.end(step, { state: 'failed', error: outcome.failure.message, isCutOff: signal.aborted });
  if (signal.aborted) {
    await run.flush();
    return { kind: 'stopped' };
  }
  const { failure } = outcome;
  report(deps, run, contactKind(failure), failure);
  if (failure.kind !== 'quota' || failure.retryAfterMs === undefined)
    return { kind: 'failure', failure };
  const untilMs = deps.clock.nowMs() + failure.retryAfterMs;
  return { kind: 'later', provider: request.provider, cause: 'quota', untilMs, failure };
}

function contactKind(failure: ProviderFailure): ContactKind {
  return failure.kind === 'config' || failure.kind === 'quota' ? failure.kind : 'failure';
}

function report(
  deps: TurnRunDeps,
  run: TurnRun,
  kind: ContactKind,
  failure?: ProviderFailure,
): void {
  deps.contacts.report({
    provider: run.frame.provider,
    kind,
    ...(failure === undefined ? {} : { failure }),
    source: 'turn',
    turnId: run.turn.id,
    atMs: deps.clock.nowMs(),
  });
}

async function providerOutcome(
  deps: TurnRunDeps,
  run: TurnRun,
  request: ModelRequest,
  signal: AbortSignal,
): ReturnType<Awaited<ReturnType<TurnRunDeps['providers']['get']>>['stream']> {
  try {
    const provider = await deps.providers.get(request.provider);
    return await provider.stream(request, {
      signal,
      onText: (delta) => {
        run.alive();
        if (run.isHeld()) deps.onText(run.turn.id, delta);
      },
    });
  } catch (error) {
    const known = toHoldfastError(error);
    return {
      kind: 'failure',
      failure: {
        kind: 'config',
        message: known.message,
        hint: known.hint ?? 'Check the provider in the settings, then go on with this turn.',
        isRetryable: known.retryable,
      },
    };
  }
}
