import { because } from '../../../shared/reason';
import type { Clock } from '../../ports/clock';
import type { LeftBehind } from '../../ports/instance-lock';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { StartRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import { decideRestartReason, type RestartReason } from './decide-restart-reason';

interface MarkerDeps extends Pick<Basics, 'journal' | 'crashPoints'> {
  readonly reads: Pick<JournalReads, 'starts' | 'lastEntryAtMs' | 'openTurns'>;
}

/** Records this start and its reason, derived from what the previous run left. S0-32 */
export async function writeStartMarker(
  deps: MarkerDeps & { readonly clock: Clock },
  current: {
    readonly machine: { readonly bootId: string | null; readonly machineId: string | null };
    readonly version: string;
    readonly instanceId: string;
    readonly leftBehind: LeftBehind;
    /** The journal's last entry time; undefined if it has to be read. */
    readonly lastEntryAtMs: number | undefined;
  },
): Promise<{ readonly reason: RestartReason; readonly startId: number }> {
  const { journal, reads, crashPoints, clock } = deps;
  const { version, instanceId } = current;
  const { bootId, machineId } = current.machine;
  const [last] = reads.starts(1);
  const lastStopped = last?.stoppedAtMs === undefined ? undefined : last;
  const reason = decideRestartReason({
    marker: last === undefined ? null : previousRun(last, lastStopped),
    current: { bootId, machineId, version, startedAtMs: clock.nowMs() },
    leftBehind: withJournalLife(current.leftBehind, current.lastEntryAtMs ?? reads.lastEntryAtMs()),
  });
  const startId = journal.allocate('start');
  crashPoints.hit('marker.started.before');
  await journal.commit([
    {
      kind: 'marker.started',
      startId,
      reason: reason.kind,
      ...(reason.kind === 'first_start' ? {} : { downSinceMs: reason.downSinceMs }),
      bootId: bootId ?? '',
      instanceId,
      machineId: machineId ?? '',
      version,
    },
  ]);
  crashPoints.hit('marker.started.after');
  return { reason, startId };
}

/** `run/alive` is touched only every 30 s; a later journal entry proves a later time. */
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

/** Records that this run stops gracefully, and which turns it interrupts. */
export async function writeStopMarker(
  { journal, reads, crashPoints }: MarkerDeps,
  stop: {
    readonly startId: number;
    readonly reason: Extract<JournalEntry, { kind: 'marker.stopped' }>['reason'];
    readonly restoreSkipped: boolean;
  },
): Promise<void> {
  const { startId, reason } = stop;
  // After a start without restore, the older turns were not running, so this stop does not
  // interrupt them (S4-29).
  const sinceMs = stop.restoreSkipped ? (reads.starts(1)[0]?.startedAtMs ?? 0) : 0;
  const interrupted = reads
    .openTurns()
    .filter((turn) => turn.state === 'running' && turn.acceptedAtMs >= sinceMs);
  const entries: JournalEntry[] = interrupted.map((turn) => ({
    kind: 'turn.state',
    turnId: turn.id,
    state: 'running',
    reason: because('reason.shutdown'),
  }));
  crashPoints.hit('marker.stopped.before');
  await journal.commit([...entries, { kind: 'marker.stopped', startId, reason }]);
  crashPoints.hit('marker.stopped.after');
}
