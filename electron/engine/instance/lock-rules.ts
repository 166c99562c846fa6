import type { LockRules } from '../../ports/instance-lock';
import { conflictPolicyOf, decideLock, LOCK_TIMINGS } from './decide-lock';
import { formatLockRecord, parseLockRecord, parseTakeoverNote } from './lock-record';

/** This folder's rules as the lock adapter needs them. */
export const lockRules: LockRules = {
  timings: LOCK_TIMINGS,
  parse: parseLockRecord,
  format: formatLockRecord,
  parseTakeoverNote,
  policyOf: conflictPolicyOf,
  decide: decideLock,
};
