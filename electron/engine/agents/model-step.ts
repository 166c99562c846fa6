import { decodeAnswer, encodeAnswer } from '../../ports/journal';
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
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  | { readonly kind: 'stopped' };

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
    return { kind: 'answer', step, answer };
  }
  if (run.isHeld()) deps.onTextWithdrawn(turnId);
  run.end(step, { state: 'failed', error: outcome.failure.message, isCutOff: signal.aborted });
  if (signal.aborted) {
    await run.flush();
    return { kind: 'stopped' };
  }
  return { kind: 'failure', failure: outcome.failure };
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
