import type { CallOutcomeKind } from '../../ports/call-outcomes';
import type { ProviderFailure, ProviderFailureKind } from '../../ports/provider';

/** What a failure means for the retries, the breaker and the provider's outage. */
interface FailureClass {
  /** The class that counts its tries; `none` is not retried. */
  readonly retriedAs: 'rate_limited' | 'server' | 'none';
  /** Meaning for the provider's health once retries end; undefined if it has none. */
  readonly contact: CallOutcomeKind | undefined;
}

/**
 * The class of each failure (R4, S0-14..S0-16, S2-29). The adapter puts every status and network
 * code into one of the kinds: 408, 409, 425 and all of 5xx are `server`; 413 and every other 4xx,
 * known or not, `config`; 402 and hard limits `quota`.
 */
const CLASSES: Readonly<Record<ProviderFailureKind, FailureClass>> = {
  network: { retriedAs: 'server', contact: 'failure' },
  timeout: { retriedAs: 'server', contact: 'failure' },
  server: { retriedAs: 'server', contact: 'failure' },
  // An interrupted stream: its provisional text is withdrawn, and no tool runs before an answer is
  // complete, so it is an ordinary network failure (S2-26).
  cut: { retriedAs: 'server', contact: 'failure' },
  malformed: { retriedAs: 'server', contact: 'failure' },
  rate_limited: { retriedAs: 'rate_limited', contact: 'failure' },
  quota: { retriedAs: 'none', contact: 'quota' },
  config: { retriedAs: 'none', contact: 'config' },
  aborted: { retriedAs: 'none', contact: undefined },
};

/** The class of a failure; a permanent failure is not retried. Pure. */
export function classifyFailure(
  failure: Pick<ProviderFailure, 'kind' | 'isRetryable'>,
): FailureClass {
  const found = CLASSES[failure.kind];
  return failure.isRetryable ? found : { ...found, retriedAs: 'none' };
}
