import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { Basics } from '../../engine/kernel/basics';
import type {
  ModelRequest,
  Provider,
  ProviderFailure,
  ProviderOutcome,
} from '../../ports/provider';
import type { Dialect } from './base-url';
import { createAnswerCollector, type AnswerCollector } from './answer-collector';
import { toCallOptions } from './call-options';
import { classifyProviderError } from './classify-provider-error';
import type { FailureVerdict } from './failure-words';
import { failureOf } from './failure-words';
import { openGuardedCall } from './guarded-fetch';
import type { CallTimeouts, GuardedCall } from './guarded-fetch';
import type { Prices } from '../../../shared/prices/prices';

/** Makes the client library's model for one call. */
export type OpenModel = (call: {
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
  /** IDs for calls to which the provider assigned none; the n-th call gets the n-th ID. */
  readonly generateId: () => string;
}) => LanguageModelV3;

interface HttpProviderDeps extends Pick<Basics, 'clock' | 'log'> {
  readonly name: string;
  readonly dialect: Dialect;
  readonly host: string;
  /** Values that must not appear in any text. */
  readonly secrets: readonly string[];
  /** Price of one of its models. */
  readonly pricesOf: (model: string) => Prices | undefined;
  readonly openModel: OpenModel;
  readonly probe: Provider['probe'];
  readonly timeouts: CallTimeouts;
  readonly fetch: typeof globalThis.fetch;
  readonly userAgent: string;
}

/**
 * Settles like the promise, or rejects at the abort, so that a stuck stream does not block the
 * caller.
 */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => {
      reject(new Error('aborted'));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** A provider over HTTP, in any of the three dialects. One `stream` is one request (S2-25). */
export function createHttpProvider(deps: HttpProviderDeps): Provider {
  const { clock, log } = deps;

  async function readAnswer(
    request: ModelRequest,
    call: GuardedCall,
    collector: AnswerCollector,
    onText: (delta: string) => void,
  ): Promise<ProviderOutcome | { readonly kind: 'verdict'; readonly verdict: FailureVerdict }> {
    const place = String(request.messages.length);
    let ids = 0;
    const model = deps.openModel({
      model: request.model,
      fetch: call.fetch,
      generateId: () => `call_${place}_${String(ids++)}`,
    });
    const options = { ...toCallOptions(request, deps.dialect), abortSignal: call.signal };
    const { stream } = await unlessAborted(Promise.resolve(model.doStream(options)), call.signal);
    const reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> = stream.getReader();
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), call.signal);
      if (done) break;
      const { text, isVoid } = collector.add(value);
      if (text !== undefined) onText(text);
      if (isVoid === true) break;
    }
    const collected = collector.result();
    switch (collected.kind) {
      case 'answer':
        return collected;
      case 'error':
        throw collected.error;
      case 'unusable': {
        const { reason, said } = collected;
        return { kind: 'verdict', verdict: { reason, ...(said === undefined ? {} : { said }) } };
      }
    }
  }

  return {
    name: deps.name,
    probe: deps.probe,

    async stream(request, { signal, onText, onAlive = () => undefined }) {
      const startedMs = clock.monotonicMs();
      const facts = {
        provider: deps.name,
        model: request.model,
        host: deps.host,
        secrets: deps.secrets,
      };
      const collector = createAnswerCollector({
        request,
        dialect: deps.dialect,
        prices: deps.pricesOf(request.model),
      });
      const fail = (verdict: FailureVerdict): ProviderFailure => {
        const usage = collector.used();
        const failure = {
          ...failureOf(verdict, facts),
          ...(usage === undefined ? {} : { usage }),
        };
        // Without the message, because the provider may quote the prompt (R3).
        log.warn('provider.failure', {
          provider: deps.name,
          model: request.model,
          kind: failure.kind,
          reason: verdict.reason,
          status: failure.status,
          retryAfterMs: failure.retryAfterMs,
          durationMs: Math.round(clock.monotonicMs() - startedMs),
        });
        return failure;
      };
      if (signal.aborted) return { kind: 'failure', failure: fail({ reason: 'aborted' }) };
      const call = openGuardedCall({
        signal,
        clock,
        timeouts: deps.timeouts,
        userAgent: deps.userAgent,
        fetch: deps.fetch,
        onAlive,
      });
      try {
        const outcome = await readAnswer(request, call, collector, onText);
        if (outcome.kind === 'verdict') return { kind: 'failure', failure: fail(outcome.verdict) };
        if (outcome.kind === 'answer') {
          const { usage, finish } = outcome.answer;
          log.info('provider.answer', {
            provider: deps.name,
            model: request.model,
            finish,
            inputTokens: usage.inputTokens,
            outputTokens: usage.outputTokens,
            durationMs: Math.round(clock.monotonicMs() - startedMs),
          });
        }
        return outcome;
      } catch (error) {
        const verdict = classifyProviderError(error, {
          wire: call.facts(),
          isAborted: signal.aborted,
          nowMs: clock.nowMs(),
        });
        return { kind: 'failure', failure: fail(verdict) };
      } finally {
        call.close();
      }
    },
  };
}
