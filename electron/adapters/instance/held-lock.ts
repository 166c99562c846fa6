import fs from 'node:fs';
import { removeDurablySync } from '../../disk/durable-file';
import { readSmallFile } from '../../disk/small-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import type { AgentLockRecord, HeldLock, LockPhase, LockRules } from '../../ports/instance-lock';
import type { LockPaths } from './data-dir';
import { unusable } from './data-dir';
import type { KernelLock } from './kernel-lock';
import { readLockContent, writeLockText } from './lock-file';

/** Parts of a held lock. The kernel lock is already held. */
interface HeldLockDeps {
  readonly rules: LockRules;
  readonly kernelLock: KernelLock;
  readonly paths: LockPaths;
  readonly crashPoints: CrashPoints;
  readonly nowMs: () => number;
  readonly record: AgentLockRecord;
}

/** Identity of the file version we wrote; a different one means another writer. */
interface FileVersion {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly size: bigint;
}

function versionOf(target: string): FileVersion | null {
  const stat = fs.lstatSync(target, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : { ino: stat.ino, mtimeNs: stat.mtimeNs, size: stat.size };
}

function isSameVersion(left: FileVersion | null, right: FileVersion | null): boolean {
  if (left === null || right === null) return false;
  return left.ino === right.ino && left.mtimeNs === right.mtimeNs && left.size === right.size;
}

/**
 * Writes the first record and returns the lock. Rows S2-45..S2-47; security L4, L5.
 *
 * Loss is final: once another owner may have written, this process must not, even if the facts
 * turn again.
 */
export function createHeldLock(deps: HeldLockDeps): HeldLock {
  const { rules, kernelLock, paths, crashPoints } = deps;
  const { instanceId } = deps.record;
  let record = deps.record;
  let version: FileVersion | null = null;
  let lostReason: string | null = null;
  let isReleased = false;
  // If the kernel reports our lock now, its later absence means that it was lost.
  const firstHolderPid = kernelLock.holderPid();

  const write = (): void => {
    try {
      writeLockText(paths.agentLock, rules.format(record), crashPoints);
    } catch (error) {
      throw unusable(paths.agentLock, error);
    }
    version = versionOf(paths.agentLock);
  };

  const fail = (reason: string): never => {
    lostReason ??= reason;
    throw new HoldfastError(
      'LOCK_LOST',
      `This Holdfast no longer owns ${paths.dataDir} (${lostReason}). It stopped writing; everything it had saved is safe.`,
      {
        hint: 'It ends now. Start Holdfast again, or use the one that took over.',
        facts: { dataDir: paths.dataDir, reason: lostReason },
      },
    );
  };

  const assertStillOwner = (): void => {
    if (lostReason !== null) fail(lostReason);
    if (isReleased) fail('it was released');
    if (!kernelLock.isSameFile()) fail('its lock file was removed or replaced');
    if (isSameVersion(versionOf(paths.agentLock), version)) return;
    const content = readLockContent(paths.agentLock, rules);
    if (content.kind === 'record' && content.record.instanceId !== instanceId) {
      fail(`process ${content.record.pid} owns it`);
    }
    // Removed, garbled or changed by a process without the kernel lock: our content is correct.
    write();
  };

  const update = (change: Partial<AgentLockRecord>): void => {
    assertStillOwner();
    record = { ...record, ...change };
    write();
  };

  write();
  return {
    instanceId,
    dataDir: paths.dataDir,
    record: () => record,
    setPhase(phase: LockPhase, stopReason?: string) {
      update({
        phase,
        phaseAtMs: deps.nowMs(),
        stopReason: phase === 'stopping' ? (stopReason ?? record.stopReason) : null,
      });
    },
    announce: (control) => {
      update({ socketPath: control.socketPath, tokenHash: control.tokenHash });
    },
    assertStillOwner,
    async touchAlive() {
      assertStillOwner();
      try {
        touchFile(paths.alive, deps.nowMs());
      } catch (error) {
        throw unusable(paths.alive, error);
      }
      if ((await firstHolderPid) !== process.pid) return;
      const holderPid = await kernelLock.holderPid();
      if (!isReleased && holderPid !== process.pid) fail('the kernel no longer holds its lock');
    },
    takeoverNote() {
      const file = readSmallFile(paths.takeoverNote);
      const note = file.kind === 'text' ? rules.parseTakeoverNote(file.text) : null;
      return note?.targetInstanceId === instanceId ? note : null;
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      try {
        const content = readLockContent(paths.agentLock, rules);
        if (
          lostReason === null &&
          kernelLock.isSameFile() &&
          content.kind === 'record' &&
          content.record.instanceId === instanceId
        ) {
          removeDurablySync(paths.agentLock);
        }
      } finally {
        // The file goes first: after this line another process may own the data directory.
        kernelLock.unlock();
      }
    },
  };
}

/** Writes the heartbeat without a disk sync: a lost one only makes a downtime look longer. */
export function touchFile(target: string, atMs: number): void {
  const seconds = atMs / 1_000;
  try {
    fs.utimesSync(target, seconds, seconds);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    fs.closeSync(fs.openSync(target, 'a', 0o600));
    fs.utimesSync(target, seconds, seconds);
  }
}
