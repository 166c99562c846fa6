import type { Clock } from '../../ports/clock';
import { createAlarm } from '../kernel/alarm';
import { wasAsleep, type LeasePolicy } from './lease-rules';
import type { Lease, LeaseTable } from './lease-table';

/** One timer for the next instant at which a lease has to be renewed or taken. */
export function createLeaseWatch(
  clock: Clock,
  leases: { readonly table: LeaseTable; readonly policy: () => LeasePolicy },
  onStale: (lease: Lease, silentMs: number) => void,
) {
  let isStopped = false;
  let dueMs = 0;
  const alarm = createAlarm(clock, () => {
    if (wasAsleep(dueMs, clock.monotonicMs(), leases.policy())) leases.table.renewAll();
    look();
  });
  const look = (): void => {
    alarm.clear();
    if (isStopped) return;
    const nowMs = clock.monotonicMs();
    const { stale, lookAtMs } = leases.table.look(nowMs);
    for (const { lease, silentMs } of stale) onStale(lease, silentMs);
    if (lookAtMs === undefined) return;
    dueMs = lookAtMs;
    alarm.set(Math.max(0, lookAtMs - nowMs));
  };
  return {
    look,
    /** There is a lease: from here on it is watched. */
    start(): void {
      if (!alarm.isSet) look();
    },
    stop(): void {
      isStopped = true;
      alarm.clear();
    },
  };
}
