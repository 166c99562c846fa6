import type { HeldItem, OutageRecord, ProviderHealth } from '../../../shared/types/outage';
import { NOW_MS } from '../control/fake-holdfast';
import { breaker } from './work-samples';

/** A provider that is down, what waits for it, and an outage that is over. */

export const health: ProviderHealth = {
  provider: 'anthropic',
  state: 'down',
  failedTurns: 3,
  outageThreshold: 3,
  breaker,
  downSinceMs: NOW_MS - 240_000,
  nextTryAtMs: NOW_MS + 6_000,
  nextProbeAtMs: NOW_MS + 3_360_000,
  waiting: 2,
  lastError: 'anthropic reports an internal error (503).',
  lastErrorAtMs: NOW_MS - 4_000,
  sentence: 'Anthropic down since 09:56, next try 10:00:06, 2 turns wait.',
};

const waits = (position: number, turnId: number, more: Partial<HeldItem> = {}): HeldItem => ({
  position,
  turnId,
  sessionId: turnId,
  sessionKey: `notes-${String(turnId)}`,
  provider: 'anthropic',
  agent: 'coder',
  channel: 'cli',
  source: 'user',
  promptStart: 'Draft the offer\u001b[2J',
  cause: 'outage',
  sinceMs: NOW_MS - 180_000,
  keptSteps: 4,
  merged: 0,
  isCanary: false,
  ...more,
});

export const outageQueue = {
  items: [
    waits(1, 12, { isCanary: true }),
    waits(2, 13, { source: 'heartbeat', merged: 3, keptSteps: 0 }),
  ],
  total: 2,
};

export const pastOutage: OutageRecord = {
  outageId: 1,
  provider: 'anthropic',
  startedAtMs: NOW_MS - 7_200_000,
  resolvedAtMs: NOW_MS - 3_600_000,
  failedTurns: 3,
  reason: '3 turns in a row failed: anthropic reports an internal error (503).',
  drained: 31,
};
