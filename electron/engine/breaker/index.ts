export { createAttempts } from '../retry/saved-attempts';
export { createBreakerBook, MAX_HTTP_BREAKERS, type BreakerBookDeps } from './registry';
export {
  callWithRetries,
  type LadderDeps,
  type LadderEnd,
  type LadderJob,
  type LadderRetry,
} from '../retry/retrying-call';
export { TRIAL_TIMEOUT_MS, type BreakerPolicy, type BreakerSnapshot } from './circuit-breaker';
export { classifyFailure, type FailureClass } from '../retry/classify';
export { guardCall, type CallVerdict } from './guard-call';
export { breakerNames, isAgentName } from './names';
export { createTrials, type Trial, type Trials } from './probes';
export {
  NO_TRIES,
  planRetry,
  type LadderPolicy,
  type RetryPolicy,
  type Tries,
} from '../retry/plan-retry';
