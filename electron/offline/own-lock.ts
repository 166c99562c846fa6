/** The lock of a data directory for one command, which does not count as a run. */
import { createSystemClock } from '../adapters/clock/system-clock';
import { lockPaths, prepareDataDir } from '../adapters/instance/data-dir';
import { touchFile } from '../adapters/instance/held-lock';
import { argvMarker, createSystemInstanceLock } from '../adapters/instance/instance-lock';
import { askHolder } from '../control/ask-holder';
import { lockRules } from '../engine/instance/decide-lock';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';
import type { HeldLock, InstanceLock } from '../ports/instance-lock';

export const acquireLock = (
  dataDir: string,
  rules = lockRules,
): ReturnType<InstanceLock['acquire']> => {
  const clock = createSystemClock();
  prepareDataDir(dataDir);
  const lock = createSystemInstanceLock({ rules, clock, crashPoints: noCrashPoints });
  return lock.acquire({
    dataDir,
    mode: 'command',
    takeover: false,
    onConflict: null,
    version: '',
    socketPath: null,
    tokenPath: null,
    argvMarker: argvMarker(),
    beganAtMs: clock.nowMs(),
    askHolder,
  });
};

/** @throws LOCK_HELD */
export async function acquireQuietly(dataDir: string): Promise<HeldLock> {
  const acquired = await acquireLock(dataDir);
  if (acquired.kind === 'acquired') {
    const { lock: held, leftBehind } = acquired;
    const { lastAliveAtMs } = leftBehind;
    return {
      ...held,
      release() {
        // A command is not a run: downtime counts from the end of the last run.
        if (lastAliveAtMs !== null) touchFile(lockPaths(dataDir).alive, lastAliveAtMs);
        held.release();
      },
    };
  }
  throw heldElsewhere();
}

export const heldElsewhere = (): HoldfastError =>
  new HoldfastError('LOCK_HELD', 'Holdfast is running on this data directory.', {
    hint: 'Use the running Holdfast.',
  });
