import type { EventName, EventPayload, Verb, VerbInput, VerbOutput } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/types';
import { EVENT_NAMES } from '../../shared/verbs';
import { withReadErrorNamed } from '../adapters/sqlite/damage';
import type { ComposeOptions } from './options';
import type { CallOrigin, Holdfast } from '../engine/api/facade';
import { HoldfastError, stoppingError, toHoldfastError } from '../engine/kernel/errors';
import type { Clock } from '../ports/clock';
import type { JournalEntry } from '../ports/journal/entries';
import type { Rooms } from './rooms-type';
import type { Run } from './run';

/** Status events are computed at most this often. */
const STATUS_EVERY_MS = 100;

export interface Events {
  readonly emit: (event: EventName, payload: never) => void;
  readonly on: Holdfast['on'];
  follow(rooms: Rooms): void;
}

/** Events after their commit; the status is computed at most ten times a second, and only if heard. */
export function createEvents(clock: Clock, status: () => StatusSnapshot | undefined): Events {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  let isStatusDue = false;
  const send = (event: EventName, payload: unknown): void => {
    for (const listener of listeners.get(event) ?? []) listener(payload as never);
  };
  const isHeard = (event: EventName): boolean => (listeners.get(event)?.size ?? 0) > 0;
  /** A disk that refuses reads keeps it from being told; whoever asks for it hears why. */
  const tryStatus = (): StatusSnapshot | undefined => {
    try {
      return status();
    } catch {
      return undefined;
    }
  };
  const sendStatusSoon = (): void => {
    if (isStatusDue || !isHeard('status.changed')) return;
    isStatusDue = true;
    void clock.sleep(STATUS_EVERY_MS).then(() => {
      isStatusDue = false;
      const snapshot = tryStatus();
      if (snapshot !== undefined) send('status.changed', snapshot);
    });
  };
  const emit = (event: EventName, payload: never): void => {
    if (event === 'status.changed') sendStatusSoon();
    else if (isHeard(event)) send(event, payload);
  };
  return {
    emit,
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      const mine = (payload: never): void => {
        listener(payload);
      };
      set.add(mine);
      return () => set.delete(mine);
    },
    follow(rooms) {
      rooms.journal.onCommitted((entries) => {
        if (listeners.size === 0) return;
        publish(rooms, entries, isHeard, send);
        sendStatusSoon();
      });
    },
  };
}

function publish(
  rooms: Rooms,
  entries: readonly JournalEntry[],
  isHeard: (event: EventName) => boolean,
  send: <E extends EventName>(event: E, payload: EventPayload<E>) => void,
): void {
  const turns = new Set<number>();
  let isInboxChanged = false;
  let isScheduleChanged = false;
  for (const entry of entries) {
    if ('turnId' in entry && entry.turnId !== undefined) turns.add(entry.turnId);
    if (isOfInbox(entry)) isInboxChanged = true;
    isScheduleChanged ||= isHeard('schedule.changed') && isOfSchedule(rooms, entry);
    if ('draftId' in entry && !('turnId' in entry) && isHeard('session.changed')) {
      const sessionId = rooms.reads.draft(entry.draftId)?.sessionId;
      if (sessionId !== undefined) send('session.changed', { sessionId, seq: rooms.journal.seq() });
    }
    if (
      entry.kind === 'session.created' ||
      entry.kind === 'session.interrupted' ||
      entry.kind === 'wake.queued' ||
      entry.kind === 'wake.cancelled'
    ) {
      if (isHeard('session.changed'))
        send('session.changed', { sessionId: entry.sessionId, seq: rooms.journal.seq() });
    }
  }
  if (isScheduleChanged) send('schedule.changed', {});
  if (turns.size > 0 && (isHeard('turn.changed') || isHeard('session.changed'))) {
    for (const turnId of turns) {
      const turn = rooms.reads.turn(turnId);
      if (turn === undefined) continue;
      send('turn.changed', { turnId, state: turn.state, sessionId: turn.sessionId });
      send('session.changed', { sessionId: turn.sessionId, seq: rooms.journal.seq() });
    }
  }
  if (isInboxChanged && isHeard('inbox.changed')) {
    send('inbox.changed', {
      open: rooms.reads.inbox({ includeSettled: false, limit: 1000 }).length,
    });
  }
}

const isOfInbox = ({ kind }: JournalEntry): boolean =>
  kind === 'inbox.opened' || kind === 'inbox.settled' || kind === 'process.decided';

/** A turn that time made is part of the picture: it begins, waits and ends there, too. */
function isOfSchedule(rooms: Rooms, entry: JournalEntry): boolean {
  switch (entry.kind) {
    case 'task.set':
    case 'task.state':
    case 'task.fired':
    case 'task.skipped':
    case 'timer.set':
    case 'timer.ended':
    case 'heartbeat.set':
    case 'heartbeat.ticked':
    case 'heartbeat.stopped':
    case 'task.moved':
    case 'timer.moved':
    case 'heartbeat.moved':
      return true;
    case 'turn.started':
    case 'turn.state':
    case 'turn.waits':
    case 'turn.closed':
      return rooms.schedule.reads.madeBy(entry.turnId) !== undefined;
    default:
      return false;
  }
}

async function loadDoor() {
  const [{ callVerb }, { VERBS }] = await Promise.all([
    import('../engine/api/call-verb'),
    import('../../shared/contract'),
  ]);
  return { callVerb, VERBS };
}

export function createFacade(run: Run, events: Events, starting: () => StatusSnapshot): Holdfast {
  let door: Awaited<ReturnType<typeof loadDoor>> | undefined;
  return {
    async call<V extends Verb>(
      verb: V,
      input: VerbInput<V>,
      origin: CallOrigin,
    ): Promise<VerbOutput<V>> {
      const { rooms } = run;
      if (rooms === undefined) {
        if (verb === 'status.get') return starting() as VerbOutput<V>;
        if (run.phase === 'stopping' || run.phase === 'stopped')
          throw stoppingError('Nothing was done. Start Holdfast again and repeat it.');
        throw new HoldfastError('STARTING', 'Holdfast is still starting.', {
          hint: 'Nothing was done. Try again in a moment.',
          retryable: true,
        });
      }
      // Only the first call waits for the schemas; later ones act before this returns.
      door ??= await loadDoor();
      return door.callVerb(door.VERBS, rooms.verbs, verb, input, origin).catch((error: unknown) => {
        const named = withReadErrorNamed(error, run.db?.name ?? 'the database');
        // A write that the disk refuses has its name from the journal: what is named here is a read.
        if (named !== error && toHoldfastError(named).code === 'DISK_FAILED')
          rooms.readSense.failed();
        throw named;
      });
    },
    status: () => run.rooms?.status() ?? starting(),
    on: (event, listener) => {
      if (!EVENT_NAMES.includes(event))
        throw new HoldfastError('VERB_UNKNOWN', `There is no event "${event as string}".`);
      return events.on(event, listener);
    },
  };
}

export function startingSnapshot(
  options: ComposeOptions,
  run: Run,
  startedAtMs: number,
  clock: Clock,
): StatusSnapshot {
  return {
    phase: run.phase,
    version: options.version,
    pid: process.pid,
    dataDir: options.dataDir,
    startedAtMs,
    nowMs: clock.nowMs(),
    tray: 'stopped',
    counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
    recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped: options.flags.noRestore },
    journal: { seq: 0, appliedSeq: 0 },
    inbound: { accepted: 0, filtered: 0 },
    configProblems: [],
    kept: { stepsReusedToday: 0, savedUsdToday: 0 },
  };
}
