import type { ContactKind } from '../../ports/call-outcomes';
import type { ProviderFailure, ProviderFailureKind } from '../../ports/provider';

/** What a failure means for the ladder, the breaker and the outage of a provider. */
interface FailureClass {
  /** Whose count of tries it is on; `none` is not tried again. */
  readonly ladder: 'rate_limited' | 'server' | 'none';
  /** Meaning for the provider's health once retries end; undefined if it has none. */
  readonly contact: ContactKind | undefined;
}

/**
 * The class of each failure (R4, S0-14..S0-16, S2-29). The adapter puts every status and network
 * code into one of the kinds: 408, 409, 425 and all of 5xx are `server`; 413 and every other 4xx,
 * known or not, `config`; 402 and hard limits `quota`.
 */
const CLASSES: Readonly<Record<ProviderFailureKind, FailureClass>> = {
  network: { ladder: 'server', contact: 'failure' },
  timeout: { ladder: 'server', contact: 'failure' },
  server: { ladder: 'server', contact: 'failure' },
  // A stream that broke off: what was shown is withdrawn, and no tool runs before an answer is
  // whole, so it is a blip of the network like any other (S2-26).
  cut: { ladder: 'server', contact: 'failure' },
  malformed: { ladder: 'server', contact: 'failure' },
  rate_limited: { ladder: 'rate_limited', contact: 'failure' },
  quota: { ladder: 'none', contact: 'quota' },
  config: { ladder: 'none', contact: 'config' },
  aborted: { ladder: 'none', contact: undefined },
};

/** The class of a failure; what cannot pass by asking again is on no ladder. Pure. */
export function classifyFailure(
  failure: Pick<ProviderFailure, 'kind' | 'isRetryable'>,
): FailureClass {
  const found = CLASSES[failure.kind];
  return failure.isRetryable ? found : { ...found, ladder: 'none' };
}
