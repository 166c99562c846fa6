import type { EventName, EventPayload } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import type { Clock } from '../../ports/clock';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { Holdfast } from './facade';

/** Status events are computed at most this often. */
const STATUS_EVERY_MS = 100;

/** Sends an event to its listeners. The status is computed when it is sent, so its change carries none. */
export type Emit = <E extends EventName>(
  event: E,
  payload: E extends 'status.changed' ? undefined : EventPayload<E>,
) => void;

export interface Events {
  readonly emit: Emit;
  readonly on: Holdfast['on'];
  follow(rooms: Followed): void;
}

/** Sources of changes and the queries about them. */
interface Followed {
  readonly journal: Pick<Journal, 'onCommitted' | 'seq'>;
  readonly reads: Pick<JournalReads, 'draft' | 'inbox' | 'turn'>;
  readonly schedule: { readonly reads: Pick<ScheduleReads, 'madeBy'> };
}

/**
 * Sends events after their commit; computes the status at most ten times a second, and only with
 * listeners.
 */
export function createEvents(clock: Clock, status: () => StatusSnapshot | undefined): Events {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  let isStatusDue = false;
  const send = (event: EventName, payload: unknown): void => {
    for (const listener of listeners.get(event) ?? []) listener(payload as never);
  };
  const isHeard = (event: EventName): boolean => (listeners.get(event)?.size ?? 0) > 0;
  /** A disk that rejects reads suppresses the event; a direct query returns the error. */
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
  const emit: Emit = (event, payload) => {
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
  rooms: Followed,
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
      entry.kind === 'session.set' ||
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
  kind === 'inbox.opened' ||
  kind === 'inbox.retold' ||
  kind === 'inbox.settled' ||
  kind === 'process.decided';

/** A timed turn is part of the schedule's picture: its start, waits and end. */
function isOfSchedule(rooms: Followed, entry: JournalEntry): boolean {
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
    case 'task.event':
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
