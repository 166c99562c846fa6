import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { Clock } from '../../ports/clock';
import type { InstanceLock, LockRules } from '../../ports/instance-lock';
import { createInstanceLock } from './instance-lock';
import { openKernelLock } from './kernel-lock';
import { createSystemProcessTable } from './process-table';

export { lockPaths, prepareDataDir } from './data-dir';
export type { LockPaths } from './data-dir';
export { createInstanceLock } from './instance-lock';
export type { InstanceLockDeps } from './instance-lock';
export { touchFile } from './held-lock';
export { writeCrashNote } from './lock-file';
export { createProcessTable, createSystemProcessTable } from './process-table';
export { openKernelLock } from './kernel-lock';

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
