import { breakerNames } from '../../breaker/names';
import { guardCall } from '../../breaker/guard-call';
import { toHoldfastError } from '../../kernel/errors';
import { classifyFailure } from '../../retry/classify';
import type { Breakers } from '../../../ports/breakers';
import type { Clock } from '../../../ports/clock';
import type { ProviderOutcome, Providers } from '../../../ports/provider';

interface CheckProviderDeps {
  readonly providers: Providers;
  readonly breakers: Pick<Breakers, 'of'>;
  readonly clock: Clock;
  /** A signal that aborts after `ms`. */
  readonly timeout: (ms: number) => AbortSignal;
}

interface CheckResult {
  readonly ok: boolean;
  readonly message: string;
  readonly tookMs: number;
}

/** Checks once whether a provider responds and describes the result. Never throws. */
export interface CheckProvider {
  /** A small request to a model, through the breaker of its provider. */
  ask(provider: string, model: string): Promise<CheckResult>;
  timed(check: () => Promise<Omit<CheckResult, 'tookMs'>>): Promise<CheckResult>;
}

const TEST_TIMEOUT_MS = 30_000;

export function createCheckProvider(deps: CheckProviderDeps): CheckProvider {
  const timed: CheckProvider['timed'] = async (check) => {
    const startedMs = deps.clock.monotonicMs();
    const outcome = await check();
    return { ...outcome, tookMs: Math.round(deps.clock.monotonicMs() - startedMs) };
  };
  return { ask: (provider, model) => timed(() => askOnce(deps, provider, model)), timed };
}

/** One guarded call without retries; returns a sentence if the breaker rejects it. */
async function guarded(
  deps: CheckProviderDeps,
  provider: string,
  make: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome | string> {
  return guardCall<ProviderOutcome | string>(
    deps.breakers.of(breakerNames.provider(provider), 'provider'),
    {
      make,
      refused: ({ reason }) =>
        `${reason} To retry now: holdfast breakers reset ${breakerNames.provider(provider)}`,
      judge: (outcome) => {
        if (typeof outcome === 'string') return { kind: 'neither' };
        if (outcome.kind === 'answer') return { kind: 'ok' };
        const { failure } = outcome;
        return classifyFailure(failure).contact === 'failure'
          ? { kind: 'failed', error: failure.message }
          : { kind: 'neither' };
      },
      judgeError: () => ({ kind: 'neither' }),
    },
  );
}

async function askOnce(
  deps: CheckProviderDeps,
  provider: string,
  model: string,
): Promise<{ ok: boolean; message: string }> {
  try {
    const client = await deps.providers.get(provider);
    const outcome = await guarded(deps, provider, () =>
      client.stream(
        {
          provider,
          model,
          system: 'Answer with one word.',
          messages: [{ role: 'user', text: 'echo ready' }],
          tools: [],
          maxOutputTokens: 16,
        },
        { signal: deps.timeout(TEST_TIMEOUT_MS), onText: () => undefined },
      ),
    );
    if (typeof outcome === 'string') return { ok: false, message: outcome };
    if (outcome.kind === 'answer') return { ok: true, message: `${provider} answers (${model}).` };
    return {
      ok: false,
      message: `${outcome.failure.message} ${outcome.failure.hint}`.slice(0, 1000),
    };
  } catch (error) {
    const known = toHoldfastError(error);
    return { ok: false, message: `${known.message} ${known.hint ?? ''}`.trim().slice(0, 1000) };
  }
}
