import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { Clock } from '../../ports/clock';
import type { InstanceLock, LockRules } from '../../ports/instance-lock';
import { createInstanceLock } from './instance-lock';
import { openKernelLock } from './kernel-lock';
import { createSystemProcessTable } from './process-table';

/** The lock of this process on this computer. */
export function createSystemInstanceLock(deps: {
  readonly rules: LockRules;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
}): InstanceLock {
  return createInstanceLock({
    ...deps,
    processes: createSystemProcessTable(),
    openKernelLock,
    self: { pid: process.pid, ppid: process.ppid, uid: process.getuid?.() ?? null },
  });
}

/** Text in our own command line by which a later start knows the process. */
export function argvMarker(): string {
  return process.argv[1] ?? process.execPath;
}
