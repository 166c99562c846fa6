/** A snapshot of a quiet engine; tests change what they are about. */
import type { StatusSnapshot } from '../../shared/types';

export const AT_MS = Date.UTC(2026, 2, 24, 14, 31);

export function quietSnapshot(over: Partial<StatusSnapshot> = {}): StatusSnapshot {
  return {
    phase: 'running',
    version: '0.1.0',
    pid: 4242,
    dataDir: '/data',
    startedAtMs: AT_MS - 60_000,
    nowMs: AT_MS,
    tray: 'idle',
    counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
    recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped: false },
    journal: { seq: 1, appliedSeq: 1 },
    inbound: { accepted: 0, filtered: 0 },
    configProblems: [],
    kept: { stepsReusedToday: 0, savedUsdToday: 0 },
    ...over,
  } as StatusSnapshot;
}
