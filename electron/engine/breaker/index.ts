export { createAttempts } from '../retry/saved-attempts';
export { createBreakerRegistry, MAX_HTTP_BREAKERS, type BreakerRegistryDeps } from './registry';
export {
  callWithRetries,
  type RetryingCallDeps,
  type RetryingCallEnd,
  type RetryingCall,
  type CallRetry,
} from '../retry/retrying-call';
export { TRIAL_TIMEOUT_MS, type BreakerPolicy, type BreakerSnapshot } from './circuit-breaker';
export { classifyFailure, type FailureClass } from '../retry/classify';
export { guardCall, type CallVerdict } from './guard-call';
export { breakerNames, isAgentName } from './names';
export { createBreakerProbes, type BreakerProbe, type BreakerProbes } from './probes';
export {
  NO_TRIES,
  planRetry,
  type LadderPolicy,
  type RetryPolicy,
  type Tries,
} from '../retry/plan-retry';
