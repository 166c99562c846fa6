import { reasonOf, storedText } from '../../../shared/reason';
import type { ActivationEvent } from '../../../shared/types/work';
import type { HeldCause } from '../../../shared/types/outage';
import type { ActivationRow, QueuedWake } from '../../ports/journal/work';

const iso = (atMs: number): string => new Date(atMs).toISOString();
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Clean ends of a process: nothing was interrupted by a failure. */
const ORDERLY: ReadonlySet<string> = new Set(['clean', 'update', 'takeover', 'os_shutdown']);

/** A history row in the terms of the documents. Pure. S3-22..S3-29. */
export function activationView(
  row: ActivationRow,
  wakesQueuedBy: (turnId: number) => readonly QueuedWake[],
): ActivationEvent {
  const { body, wake, event } = row;
  const dueAtMs = typeof body['dueAtMs'] === 'number' ? body['dueAtMs'] : row.atMs;
  // The event of a queued turn has no run yet.
  const isOfRun = event !== 'ready' && row.attempt > 0;
  return {
    seq: row.seq,
    createdAt: iso(row.atMs),
    kind: event,
    ...(isOfRun && row.claimId !== undefined ? { claimId: row.claimId } : {}),
    agentId: row.agent.slice(0, 64),
    sessionId: row.sessionId,
    session: row.sessionKey.slice(0, 200),
    ...(row.turnId === undefined ? {} : { turnId: row.turnId }),
    attempt: row.attempt,
    activationKind: wake === undefined ? 'pending_events' : 'queued_wake',
    priority: wake?.priority ?? 'normal',
    dueAt: iso(dueAtMs),
    reason: storedText(body['reason']).slice(0, 500),
    note: (wake?.note ?? '').slice(0, 2000),
    dueWakeIds: wake === undefined ? [] : [wake.wakeId],
    ...(isOfRun && row.owner !== undefined ? { leaseOwner: row.owner.slice(0, 200) } : {}),
    ...outcomeOf(row, wakesQueuedBy),
  };
}

function outcomeOf(
  row: ActivationRow,
  wakesQueuedBy: (turnId: number) => readonly QueuedWake[],
): Partial<ActivationEvent> {
  const { body, turnId } = row;
  // Excludes what a later run of the turn requested.
  const queued = (turnId === undefined ? [] : wakesQueuedBy(turnId)).filter(
    ({ queuedAtMs }) => queuedAtMs <= row.atMs,
  );
  const queuedWakeIds = queued.map(({ wakeId }) => wakeId);
  switch (row.event) {
    case 'acked':
      return {
        wakeId: wakeIdOf(row),
        stopReason: [textOf(body['state']), storedText(body['reason'])].filter(Boolean).join(': '),
        queuedWakeIds,
        processedEventIds: row.promptSeq === undefined ? [] : [row.promptSeq],
      };
    case 'requeued': {
      const dueAtMs = Number(body['dueAtMs'] ?? row.atMs);
      const nextWakeMs = nextWakeAfter(row, dueAtMs, queued);
      return {
        wakeId: wakeIdOf(row),
        immediateRetryAt: iso(dueAtMs),
        ...(nextWakeMs === undefined ? {} : { nextQueuedWakeAt: iso(nextWakeMs) }),
        queuedWakeIds,
        errorMessage: textOf(body['error']).slice(0, 1000),
      };
    }
    case 'blocked':
      return { blockedReason: blockedReason(row) };
    case 'abandoned':
      return abandoned(row);
    case 'ready':
    case 'leased':
      return {};
  }
}

/** The earliest pending wake-up: its own, moved to its retry, or one that it requested. */
function nextWakeAfter(
  row: ActivationRow,
  retryAtMs: number,
  queued: readonly QueuedWake[],
): number | undefined {
  const toCome = queued.map(({ dueAtMs }) => dueAtMs).filter((dueAtMs) => dueAtMs > row.atMs);
  const all = row.wake === undefined ? toCome : [...toCome, retryAtMs];
  return all.length === 0 ? undefined : Math.min(...all);
}

/** Causes that block all requests to the provider; the others are limits and settings. */
const WAITS_OUT: ReadonlySet<unknown> = new Set<HeldCause>(['outage', 'breaker']);

/** Names one run of a turn: `12.2` is the second run of turn 12. */
const wakeIdOf = (row: ActivationRow): string =>
  `${String(row.turnId ?? 0)}.${String(row.attempt)}`;

function blockedReason(row: ActivationRow): NonNullable<ActivationEvent['blockedReason']> {
  if (row.entryKind === 'turn.waits')
    return WAITS_OUT.has(row.body['cause']) ? 'outage' : 'waiting';
  if (row.entryKind !== 'turn.state') return 'lease_contended';
  switch (row.body['state']) {
    case 'waiting':
      // A turn of the shared queue waits for a computer: no limit was reached.
      return reasonOf(row.body['reason']).key.startsWith('reason.shared') ? 'waiting' : 'limit';
    case 'requires_action':
      return row.asks === 'agent' ? 'permission' : 'requires_action';
    case 'parked':
      return 'parked';
    default:
      return 'held';
  }
}

function abandoned(row: ActivationRow): Partial<ActivationEvent> {
  const { body } = row;
  switch (row.entryKind) {
    case 'turn.abandoned':
      return {
        abandonReason:
          body['why'] === 'wake_failed' || body['why'] === 'idle'
            ? body['why']
            : 'wake_lease_renew_failed',
        errorMessage: textOf(body['message']).slice(0, 1000),
      };
    case 'turn.recovered':
      return ORDERLY.has(row.startReason ?? '')
        ? { abandonReason: 'idle', errorMessage: 'Holdfast was stopped cleanly meanwhile.' }
        : {
            abandonReason: 'wake_failed',
            errorMessage: `The process that ran it has ended (${(row.startReason ?? 'unknown').replaceAll('_', ' ')}).`,
          };
    case 'wake.cancelled':
      return { abandonReason: 'idle', errorMessage: storedText(body['reason']).slice(0, 1000) };
    default:
      return {
        abandonReason: 'wake_failed',
        errorMessage: storedText(body['reason']).slice(0, 1000),
      };
  }
}
