import { QUEUE_NEARLY_FULL } from '../../../shared/states';
import type { RestartNotice, StatusSnapshot } from '../../../shared/types';
import type { Basics } from '../kernel/basics';
import type { DiskRefusal } from '../../ports/journal/journal';
import type { InboxReads, TurnReads } from '../../ports/journal/reads';
import type { SharedReads } from '../../ports/journal/shared';
import type { WorkReads } from '../../ports/journal/work';
import type { Outbox } from '../outbox/outbox';
import type { QuitWhenDone } from '../turns/quit-when-done';
import type { TurnScheduler } from '../turns/scheduler';
import type { RoomFacts, StatusFacts } from './status-facts';
import { statusModel } from './status-model';

export interface StatusDeps extends Pick<Basics, 'clock' | 'settings' | 'journal'> {
  /** The process that holds the data; no pid if there is none or it is unknown. */
  readonly self: {
    readonly version: string;
    readonly dataDir: string;
    readonly pid: number | undefined;
    readonly startedAtMs: number;
    readonly ports?: StatusSnapshot['ports'];
  };
  readonly phase: () => StatusSnapshot['phase'];
  /** False if another process holds the data and does not respond: its work is unknown. */
  readonly isAnswering: () => boolean;
  readonly isProgramChanged: () => boolean;
  readonly reads: InboxReads & SharedReads & TurnReads;
  readonly workReads: WorkReads;
  /** The disk's state while it rejects reads, and whether that caused an error. */
  readonly readRefusal: {
    now(): DiskRefusal | undefined;
    of(error: unknown): DiskRefusal | undefined;
  };
  readonly rooms: {
    readonly awake: { view(): StatusSnapshot['awake'] };
    readonly hosts: { outlook(): StatusSnapshot['hosts'] };
    readonly scheduler: TurnScheduler;
    readonly quitWhenDone: QuitWhenDone;
    readonly outage: {
      outside(): StatusSnapshot['outside'];
      limits(): StatusSnapshot['limits'];
    };
    readonly inbound: { counts(): StatusSnapshot['inbound'] };
    readonly outbox: Pick<Outbox, 'status'>;
    readonly schedule: { outlook(): StatusSnapshot['schedule'] };
    readonly updates: { brief(): StatusSnapshot['update'] };
    readonly share: { outlook(): StatusSnapshot['shared'] };
  };
}

/** The complete status in one snapshot, including the start's report. */
interface Status {
  readonly status: () => StatusSnapshot;
  readonly setRestart: (notice: RestartNotice | undefined, restoreSkipped: boolean) => void;
}

export function createStatus(deps: StatusDeps): Status {
  const { rooms, settings, clock, reads, journal } = deps;
  const { version, dataDir, pid, startedAtMs, ports } = deps.self;
  let restart: RestartNotice | undefined;
  let restoreSkipped = false;
  const shownRestart = (): RestartNotice | undefined => {
    const item = restart?.inboxId === undefined ? undefined : reads.inboxItem(restart.inboxId);
    return restart && { ...restart, isDismissed: item?.settledAtMs !== undefined };
  };
  /** Turns that resume only at the next normal start must not look like running work. */
  const cutOff = (): number => {
    if (deps.phase() !== 'stopped' && !restoreSkipped) return 0;
    const atWork = new Set(rooms.scheduler.running());
    return reads.openTurns().filter(({ id, state }) => state === 'running' && !atWork.has(id))
      .length;
  };
  /**
   * Turns that really run, not what the rows of an unrestored turn claim; for another process, its
   * rows.
   */
  const states = (): ReturnType<typeof reads.countByState> => {
    const byState = reads.countByState();
    return deps.isAnswering() ? { ...byState, running: rooms.scheduler.running().length } : byState;
  };
  /**
   * After leaving the store, this computer gets no news of these turns: then a person must decide.
   */
  const elsewhere = (): number =>
    rooms.share.outlook() === undefined ? 0 : reads.countSharedAway();
  const roomFacts = (): RoomFacts => ({
    outside: rooms.outage.outside(),
    limits: rooms.outage.limits(),
    awake: rooms.awake.view(),
    hosts: rooms.hosts.outlook(),
    paused: rooms.scheduler.paused(),
    programChanged: deps.isProgramChanged() || undefined,
    quitsBehind: rooms.quitWhenDone.isWanted() ? [...rooms.quitWhenDone.steps()] : undefined,
    inbound: rooms.inbound.counts(),
    delivery: deliveryStatus(rooms.outbox),
    schedule: rooms.schedule.outlook(),
    update: rooms.updates.brief(),
    shared: rooms.share.outlook(),
  });
  const look = (): StatusFacts => ({
    phase: deps.phase(),
    nowMs: clock.nowMs(),
    self: { version, dataDir, pid, startedAtMs, ports: openPorts(ports) },
    turns: {
      states: states(),
      cutOff: cutOff(),
      lostRuns: rooms.scheduler.lostRuns(),
      retrying: deps.workReads.countRetrying() + elsewhere(),
    },
    rooms: roomFacts(),
    recovery: {
      mode: settings.get('resilience.recovery.mode'),
      sideEffectTools: [...settings.get('resilience.recovery.side_effect_tools')],
      restoreSkipped,
    },
    restart: shownRestart(),
    journal: {
      seq: journal.seq(),
      appliedSeq: journal.appliedSeq(),
      refusal: journal.refusal() ?? deps.readRefusal.now(),
    },
    configProblems: settings.problems(),
    kept: reads.keptSince(new Date(clock.nowMs()).setHours(0, 0, 0, 0)),
  });
  let last: StatusFacts | undefined;
  return {
    status() {
      try {
        last = look();
      } catch (error) {
        const refusal = deps.readRefusal.of(error);
        if (last === undefined || refusal === undefined) throw error;
        // The last known status, marked as outdated.
        const journalThen = { ...last.journal, refusal };
        return statusModel({
          ...last,
          phase: deps.phase(),
          nowMs: clock.nowMs(),
          journal: journalThen,
        });
      }
      return statusModel(last);
    },
    setRestart(notice, isSkipped) {
      restart = notice;
      restoreSkipped = isSkipped;
    },
  };
}

/** Events on their way. */
function deliveryStatus(outbox: Pick<Outbox, 'status'>): StatusSnapshot['delivery'] {
  const { broker, depth, deadLetters, shed, fill } = outbox.status();
  const counts = { broker, depth, deadLetters, shed: shed.kept };
  return fill > QUEUE_NEARLY_FULL ? { ...counts, isNearlyFull: true } : counts;
}

/** The current ports: the object itself changes while they open and close. */
const openPorts = (ports: StatusSnapshot['ports'] = {}): StatusSnapshot['ports'] =>
  Object.keys(ports).length === 0 ? undefined : { ...ports };
