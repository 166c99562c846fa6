import type { LockRules } from '../../ports/instance-lock';
import { conflictPolicyOf, decideLock, LOCK_TIMINGS } from './decide-lock';
import { formatLockRecord, parseLockRecord, parseTakeoverNote } from './lock-record';

export { conflictPolicyOf, decideLock, identifyHolder, LOCK_TIMINGS } from './decide-lock';
export type { IdentityVerdict } from './decide-lock';
export { decideRestartReason } from './decide-restart-reason';
export type {
  Downtime,
  PreviousRunMarker,
  RestartFacts,
  RestartReason,
} from './decide-restart-reason';
export { formatLockRecord, parseLockRecord, parseTakeoverNote } from './lock-record';
export { COME_BACK_LIMIT, COME_BACK_WINDOW_MS, planRelaunch } from './plan-relaunch';
export type { RelaunchPlan } from './plan-relaunch';

/** The room's rules as the lock adapter takes them. */
export const lockRules: LockRules = {
  timings: LOCK_TIMINGS,
  parse: parseLockRecord,
  format: formatLockRecord,
  parseTakeoverNote,
  policyOf: conflictPolicyOf,
  decide: decideLock,
};
