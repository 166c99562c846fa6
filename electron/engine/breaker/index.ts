export { createAttempts } from './attempts';
export { createBreakerBook, MAX_HTTP_BREAKERS, type BreakerBookDeps } from './breaker-book';
export {
  callWithRetries,
  type LadderDeps,
  type LadderEnd,
  type LadderJob,
  type LadderRetry,
} from './call-ladder';
export { TRIAL_TIMEOUT_MS, type BreakerPolicy, type BreakerSnapshot } from './circuit-breaker';
export { classifyFailure, type FailureClass } from './classify';
export { guardCall, type CallVerdict } from './guard-call';
export { breakerNames, isAgentName } from './names';
export { createTrials, type Trial, type Trials } from './trials';
export {
  NO_TRIES,
  planRetry,
  type LadderPolicy,
  type RetryPolicy,
  type Tries,
} from './retry-model';
