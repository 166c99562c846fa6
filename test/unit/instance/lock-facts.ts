import { LOCK_TIMINGS } from '../../../electron/engine/instance/decide-lock';
import type { AgentLockRecord, LockFacts } from '../../../electron/ports/instance-lock';
import type { ProcessFacts } from '../../../electron/ports/process-facts';

export const NOW_MS = 1_740_000_000_000;

export function aRecord(change: Partial<AgentLockRecord> = {}): AgentLockRecord {
  return {
    pid: 4321,
    startTicks: '777',
    bootId: 'boot-a',
    instanceId: 'instance-a',
    machineId: 'machine-a',
    host: 'here',
    uid: 1000,
    exe: '/opt/holdfast/holdfast',
    argvMarker: 'holdfast start',
    version: '0.1.0',
    phase: 'running',
    phaseAtMs: NOW_MS - 600_000,
    stopReason: null,
    socketPath: '/d/run/control.sock',
    tokenHash: null,
    startedAtMs: NOW_MS - 600_000,
    dataDir: '/d',
    ...change,
  };
}

export function aHolder(
  change: Partial<Extract<ProcessFacts, { kind: 'alive' }>> = {},
): Extract<ProcessFacts, { kind: 'alive' }> {
  return {
    kind: 'alive',
    startTicks: '777',
    ppid: 1,
    uid: 1000,
    exe: '/opt/holdfast/holdfast',
    commandLine: '/opt/holdfast/holdfast start --headless',
    ...change,
  };
}

/** A headless start that finds the lock held by a healthy Holdfast of the same user. */
export function someFacts(change: Partial<LockFacts> = {}): LockFacts {
  return {
    self: {
      pid: 5000,
      ppid: 4999,
      uid: 1000,
      machine: { platform: 'linux', host: 'here', machineId: 'machine-a', bootId: 'boot-a' },
    },
    dataDir: '/d',
    policy: 'takeover',
    isExplicitTakeover: false,
    timings: LOCK_TIMINGS,
    kernelLock: 'held',
    content: { kind: 'record', record: aRecord() },
    holder: aHolder(),
    kernelHolderPid: 4321,
    heartbeatAgeMs: 1_000,
    nowMs: NOW_MS,
    beganAtMs: NOW_MS - 50,
    heldForMs: 0,
    asked: null,
    politeForMs: null,
    killedForMs: null,
    isSignalRefused: false,
    ...change,
  };
}
