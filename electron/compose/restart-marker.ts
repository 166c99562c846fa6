import type { createSystemProcessTable } from '../adapters/instance';
import type { ComposeOptions, StopReason } from './options';
import { decideRestartReason } from '../engine/instance';
import type { Clock } from '../ports/clock';
import type { LeftBehind } from '../ports/instance-lock';
import type { StartRow } from '../ports/journal/rows';
import type { JournalEntry } from '../ports/journal/entries';
import { takeLastEntry } from '../adapters/instance/last-entry';
import { need, type Run } from './run';

type Machine = Awaited<ReturnType<ReturnType<typeof createSystemProcessTable>['machine']>>;

export async function writeStartMarker(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: ComposeOptions['crashPoints'],
  machine: Machine,
): Promise<void> {
  const rooms = need(run.rooms);
  const [last] = rooms.reads.starts(1);
  const lastStopped = last?.stoppedAtMs === undefined ? undefined : last;
  const reason = decideRestartReason({
    marker: last === undefined ? null : previousRun(last, lastStopped),
    current: {
      bootId: machine.bootId,
      machineId: machine.machineId,
      version: options.version,
      startedAtMs: clock.nowMs(),
    },
    leftBehind: withJournalLife(
      need(run.leftBehind),
      takeLastEntry(options.dataDir) ?? rooms.reads.lastEntryAtMs(),
    ),
  });
  run.restartReason = reason;
  run.startId = rooms.journal.allocate('start');
  crashPoints?.hit('marker.started.before');
  await rooms.journal.commit([
    {
      kind: 'marker.started',
      startId: run.startId,
      reason: reason.kind,
      ...(reason.kind === 'first_start' ? {} : { downSinceMs: reason.downSinceMs }),
      bootId: machine.bootId ?? '',
      instanceId: need(run.lock).instanceId,
      machineId: machine.machineId ?? '',
      version: options.version,
    },
  ]);
  crashPoints?.hit('marker.started.after');
}

/** `run/alive` is touched every 30 s only; what was written later was alive later. */
function withJournalLife(left: LeftBehind, lastEntryAtMs: number | undefined): LeftBehind {
  const lastAliveAtMs = Math.max(left.lastAliveAtMs ?? 0, lastEntryAtMs ?? 0);
  return { ...left, lastAliveAtMs: lastAliveAtMs === 0 ? null : lastAliveAtMs };
}

function previousRun(
  last: StartRow,
  stopped: StartRow | undefined,
): Parameters<typeof decideRestartReason>[0]['marker'] {
  return {
    lastStartedAtMs: last.startedAtMs,
    lastCleanStopAtMs: stopped?.stoppedAtMs ?? null,
    cleanStopInstanceId: stopped?.instanceId ?? null,
    lastStopReason: stopped?.stopReason ?? null,
    bootId: last.bootId === '' ? null : last.bootId,
    version: last.version,
    instanceId: last.instanceId,
    machineId: last.machineId === '' ? null : last.machineId,
  };
}

export async function writeStopMarker(
  run: Run,
  reason: StopReason,
  crashPoints: ComposeOptions['crashPoints'],
): Promise<void> {
  const rooms = run.rooms;
  if (rooms === undefined || run.startId === 0 || reason === 'crash') return;
  // After a start without restore the older turns were not ours to interrupt: they stay as they
  // were (S4-29).
  const { restoreSkipped } = rooms.status().recovery;
  const sinceMs = restoreSkipped ? (rooms.reads.starts(1)[0]?.startedAtMs ?? 0) : 0;
  const interrupted = rooms.reads
    .openTurns()
    .filter((turn) => turn.state === 'running' && turn.acceptedAtMs >= sinceMs);
  const entries: JournalEntry[] = interrupted.map((turn) => ({
    kind: 'turn.state',
    turnId: turn.id,
    state: 'running',
    reason: 'Interrupted by shutdown; goes on at the next start.',
  }));
  crashPoints?.hit('marker.stopped.before');
  await rooms.journal.commit([
    ...entries,
    { kind: 'marker.stopped', startId: run.startId, reason },
  ]);
  crashPoints?.hit('marker.stopped.after');
}
