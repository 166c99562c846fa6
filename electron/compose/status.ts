import type { RestartNotice, StatusSnapshot } from '../../shared/types';
import { withReadErrorNamed } from '../adapters/sqlite/damage';
import { toHoldfastError } from '../engine/kernel/errors';
import { statusModel, type StatusFacts } from '../engine/status/status-rules';
import { deliveryStatus } from './delivery';
import type { Core } from './core';
import type { Rooms } from './rooms-type';

/** The state of everything in one snapshot, and what a start says of itself. */
interface StatusPart {
  readonly status: () => StatusSnapshot;
  readonly setRestart: (notice: RestartNotice | undefined, restoreSkipped: boolean) => void;
}

export function createStatus(
  core: Core,
  house: Pick<Rooms, 'scheduler' | 'quitWhenDone' | 'outage' | 'inbound' | 'delivery' | 'schedule'>,
): StatusPart {
  const { compose, settings, clock, reads, journal, readSense, ports } = core;
  let restart: RestartNotice | undefined;
  let restoreSkipped = false;
  const shownRestart = (): RestartNotice | undefined => {
    const item = restart?.inboxId === undefined ? undefined : reads.inboxItem(restart.inboxId);
    return restart && { ...restart, isDismissed: item?.settledAtMs !== undefined };
  };
  /** What nothing goes on with before the next normal start: nobody may take it for work that runs. */
  const cutOff = (): number => {
    if (core.phase() !== 'stopped' && !restoreSkipped) return 0;
    const atWork = new Set(house.scheduler.running());
    return reads.openTurns().filter(({ id, state }) => state === 'running' && !atWork.has(id))
      .length;
  };
  /** What really runs, not what the rows of an unrestored turn still say; of another process these. */
  const states = (): ReturnType<typeof reads.countByState> => {
    const byState = reads.countByState();
    return core.isAnswering() ? { ...byState, running: house.scheduler.running().length } : byState;
  };
  const look = (): StatusFacts => ({
    phase: core.phase(),
    version: compose.version,
    pid: core.pid,
    dataDir: compose.dataDir,
    startedAtMs: core.startedAtMs,
    nowMs: clock.nowMs(),
    states: states(),
    cutOff: cutOff(),
    lostRuns: house.scheduler.lostRuns(),
    retrying: core.workReads.countRetrying(),
    outside: house.outage.outside(),
    paused: house.scheduler.paused(),
    quitsBehind: house.quitWhenDone.isWanted() ? house.quitWhenDone.steps() : undefined,
    inbound: house.inbound.counts(),
    mode: settings.get('resilience.recovery.mode'),
    sideEffectTools: settings.get('resilience.recovery.side_effect_tools'),
    restoreSkipped,
    restart: shownRestart(),
    seq: journal.seq(),
    appliedSeq: journal.appliedSeq(),
    refusal: journal.refusal() ?? readSense.refusal(),
    ...openPorts(ports),
    configProblems: settings.problems(),
    delivery: deliveryStatus(house.delivery),
    schedule: house.schedule.outlook(),
    kept: reads.keptSince(new Date(clock.nowMs()).setHours(0, 0, 0, 0)),
  });
  let last: StatusFacts | undefined;
  return {
    status() {
      try {
        last = look();
      } catch (error) {
        const refusal = isReadRefusal(error, core.db.name) ? readSense.failed() : undefined;
        if (last === undefined || refusal === undefined) throw error;
        // What was known before, and that it is not known now.
        return statusModel({ ...last, phase: core.phase(), nowMs: clock.nowMs(), refusal });
      }
      return statusModel(last);
    },
    setRestart(notice, isSkipped) {
      restart = notice;
      restoreSkipped = isSkipped;
    },
  };
}

const openPorts = (ports: StatusSnapshot['ports'] = {}): Pick<StatusSnapshot, 'ports'> =>
  Object.keys(ports).length === 0 ? {} : { ports: { ...ports } };

/** Named here, so it is a read: a write that the disk refuses has its name from the journal. */
function isReadRefusal(error: unknown, file: string): boolean {
  const named = withReadErrorNamed(error, file);
  return named !== error && toHoldfastError(named).code === 'DISK_FAILED';
}
