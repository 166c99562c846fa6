import type {
  CatchupRule,
  CheckSaid,
  FireReason,
  Rule,
  SkipReason,
  TaskState,
} from '../../../shared/schedule/states';

/** All editable fields of a task, as currently valid. */
export interface TaskFacts {
  readonly name: string;
  readonly prompt: string;
  /** As the user wrote it. */
  readonly schedule: string;
  readonly rule: Rule;
  readonly zone: string;
  readonly catchup: CatchupRule;
  readonly agent: string;
  readonly channel: string;
  readonly peer: string;
  /** Other computers have it too: each of its times is run once, by one of them. DW-24 */
  readonly isShared?: true;
  /** Absent for a task that waits for an event. */
  readonly nextRunAtMs?: number;
  /** Its check, as written. */
  readonly check?: string;
  /** Author of the check: agents' commands have fewer permissions. */
  readonly checkBy?: 'user' | 'agent';
}

/** Outcome of a scheduled run, and of earlier ones that it represents. */
export interface SlotFacts {
  readonly taskId: number;
  /** The slot; unique forever together with the task. */
  readonly slotMs: number;
  readonly lateMs: number;
  /** Number of scheduled runs that it represents, including itself. */
  readonly missed: number;
  /** The first of them, if there are several. */
  readonly oldestMs?: number;
  /** The catch-up window at that time, if it mattered. */
  readonly windowMs?: number;
  /** Absent for a one-time task: it is over. */
  readonly nextRunAtMs?: number;
  /** It waits for the next event, so it is not over. */
  readonly waits?: true;
  /** Its check result, if it has a check that ran. */
  readonly check?: CheckSaid;
  /** Hash of the check's output, if the next one is compared with it. */
  readonly checkSeen?: string;
}

/** Journal entries about schedules (kinds 80..94 and 129..131). */
export type ScheduleEntry =
  /** A task is created, or changes to these values. */
  | ({
      readonly kind: 'task.set';
      readonly taskId: number;
      readonly by: 'user' | 'agent';
      /** The external agent that created it, by the name it gives itself. */
      readonly author?: string;
      /** The call that created it: repeated after a crash, it gives the same task. */
      readonly key?: string;
      /** The session in which an agent created it: the task's own session is started there. */
      readonly sessionId?: number;
      /** Current state of what it watches: later changes are events. */
      readonly eventSeen?: string;
    } & TaskFacts)
  /** An event that a task waits for; the same ID again changes nothing. */
  | {
      readonly kind: 'task.event';
      readonly taskId: number;
      readonly eventId: string;
      /** When its run is due, unless an earlier event has set that. */
      readonly dueAtMs: number;
      /** Description of the event, for the prompt. */
      readonly what: string;
      /** Current state of what it watches. */
      readonly seen?: string;
    }
  | {
      readonly kind: 'task.state';
      readonly taskId: number;
      readonly state: TaskState;
      readonly nextRunAtMs?: number;
      readonly by: string;
    }
  /** Shares the commit of the message that the slot becomes. */
  | ({
      readonly kind: 'task.fired';
      readonly turnId: number;
      readonly why: FireReason;
    } & SlotFacts)
  | ({ readonly kind: 'task.skipped'; readonly why: SkipReason } & SlotFacts)
  /** A session's timer; replaces one with the same ID. */
  | {
      readonly kind: 'timer.set';
      readonly sessionId: number;
      readonly timerId: string;
      readonly dueAtMs: number;
      readonly seconds: number;
      readonly message: string;
      /** The turn that requested it. */
      readonly turnId: number;
      /** The call that set it: repeated after a crash, it sets nothing more. */
      readonly key?: string;
    }
  | {
      readonly kind: 'timer.ended';
      readonly sessionId: number;
      readonly timerId: string;
      /** `run`: a missed one that the user ran; a later item with its ID continues. */
      readonly how: 'fired' | 'cancelled' | 'missed' | 'run';
      /** The turn created from it. */
      readonly turnId?: number;
      readonly lateMs?: number;
    }
  /** One per session; session 0 has the default heartbeat. */
  | {
      readonly kind: 'heartbeat.set';
      readonly sessionId: number;
      readonly rule: Rule;
      readonly message: string;
      readonly nextAtMs: number;
      readonly turnId?: number;
      /** Key of the call that requested it. */
      readonly key?: string;
    }
  /** Without `turnId`: the previous tick has not been answered yet, so this one is only counted. */
  | {
      readonly kind: 'heartbeat.ticked';
      readonly sessionId: number;
      readonly nextAtMs: number;
      readonly turnId?: number;
      /** Further ticks that this one represents. */
      readonly skipped: number;
    }
  | { readonly kind: 'heartbeat.stopped'; readonly sessionId: number; readonly by: string }
  /** The clock was set back: upcoming times follow the new time. */
  | { readonly kind: 'task.moved'; readonly taskId: number; readonly nextRunAtMs: number }
  | {
      readonly kind: 'timer.moved';
      readonly sessionId: number;
      readonly timerId: string;
      readonly dueAtMs: number;
    }
  | { readonly kind: 'heartbeat.moved'; readonly sessionId: number; readonly nextAtMs: number };

/** A task, read from its table row. */
export interface TaskRow extends Omit<TaskFacts, 'nextRunAtMs'> {
  readonly id: number;
  readonly state: TaskState;
  /** Absent if there is no further run, or while it is paused. */
  readonly nextRunAtMs: number | undefined;
  readonly madeBy: 'user' | 'agent';
  /** For an external agent's task: the name it gives itself. */
  readonly author: string | undefined;
  /** The session in which an agent created it. */
  readonly sessionId: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly runCount: number;
  /** The turn of its last run. */
  readonly lastTurnId: number | undefined;
  /** The newest slot that was decided. */
  readonly lastSlotMs: number | undefined;
  /** Hash of the last check output that started a run. */
  readonly checkSeen: string | undefined;
  /** State of what it watches at the last event. */
  readonly eventSeen: string | undefined;
}

/** One recorded decision. */
export interface SlotRow extends Omit<SlotFacts, 'checkSeen'> {
  readonly atMs: number;
  readonly why: FireReason | SkipReason;
  readonly turnId: number | undefined;
}

export type TimerSet = Omit<Extract<ScheduleEntry, { kind: 'timer.set' }>, 'kind'>;

export interface TimerRow extends Omit<TimerSet, 'key'> {
  readonly sessionKey: string;
  readonly setAtMs: number;
}

export interface HeartbeatRow {
  readonly sessionId: number;
  readonly rule: Rule;
  readonly message: string;
  readonly startedAtMs: number;
  readonly nextAtMs: number;
  readonly ticks: number;
  readonly skipped: number;
  readonly lastTurnId: number | undefined;
  /** The turn that started it. */
  readonly turnId: number | undefined;
}

/**
 * Turns created by schedules.
 * Implemented by adapters/sqlite/tables/schedule.ts.
 */
export interface MadeByTimeReads {
  /** The source of a turn that a schedule created. */
  madeBy(
    turnId: number,
  ):
    | { readonly kind: 'task'; readonly taskId: number }
    | { readonly kind: 'timer' }
    | { readonly kind: 'heartbeat'; readonly isSystem: boolean }
    | undefined;
  /**
   * Scheduled runs that came due while this scheduled turn was not over and have no separate turn.
   * R13
   */
  mergedInto(turnId: number): number;
}

/** Tasks, their decided slots, and the events that they wait for. */
interface TaskReads {
  task(id: number): TaskRow | undefined;
  /** By ID; `isOpen` leaves out finished tasks, `words` those that lack any of the words. */
  tasks(filter: {
    readonly isOpen: boolean;
    readonly words?: readonly string[];
    readonly afterId?: number;
    readonly limit: number;
  }): readonly TaskRow[];
  /** Active and due, the longest due first. */
  dueTasks(dueByMs: number, limit: number, except?: readonly number[]): readonly TaskRow[];
  /** Unfinished tasks that were decided or set by a clock that was ahead of `nowMs`. */
  tasksAhead(nowMs: number): readonly TaskRow[];
  /** Number of unfinished tasks that agents of this name have created. */
  countTasksOf(agent: string): number;
  countTasks(): Readonly<Record<TaskState, number>>;
  /** Decisions, newest first. */
  slots(filter: {
    readonly taskId?: number;
    readonly beforeMs?: number;
    readonly limit: number;
  }): readonly SlotRow[];
  /** The task that a call has created. */
  taskByKey(key: string): TaskRow | undefined;
  /** Tasks whose key starts like this, with their keys, in any state. */
  fileTasks(start: string): readonly { readonly key: string; readonly task: TaskRow }[];
  hasSlot(taskId: number, slotMs: number): boolean;
  /** Unfinished shared tasks. */
  sharedTasks(): readonly TaskRow[];
  /** Active tasks that wait for events. */
  eventTasks(): readonly TaskRow[];
  /** Tasks that wait for events, active or paused. */
  openEventTasks(): readonly TaskRow[];
  hasEvent(taskId: number, eventId: string): boolean;
  /** The id of the event that a task had last. */
  newestEvent(taskId: number): string | undefined;
  /** Tasks that had this event in the last 30 days, those that are over included. */
  tasksWithEvent(eventId: string): readonly TaskRow[];
  /** Events without a run yet: their number, and the newest of them. */
  pendingEvents(
    taskId: number,
    limit: number,
  ): { readonly count: number; readonly what: readonly string[] };
}

/** Timers and heartbeats of sessions. */
interface TimerReads {
  timer(sessionId: number, timerId: string): TimerRow | undefined;
  /** The timer that a call has set, even if it has fired or was canceled since. */
  timerOfCall(sessionId: number, timerId: string, key: string): TimerRow | undefined;
  timers(filter: { readonly sessionId?: number; readonly limit: number }): readonly TimerRow[];
  countTimers(sessionId: number): number;
  dueTimers(dueByMs: number, limit: number): readonly TimerRow[];
  heartbeat(sessionId: number): HeartbeatRow | undefined;
  /** The call that set a session's last one, whether it is still active or not. */
  heartbeatCall(sessionId: number): string | undefined;
  heartbeats(): readonly HeartbeatRow[];
  dueHeartbeats(dueByMs: number, limit: number): readonly HeartbeatRow[];
}

/** How long an event of a task is known again once a run has had it. */
export const EVENTS_KNOWN_MS = 30 * 86_400_000;

/**
 * Reads of the schedule; each is indexed, none grows with runs that are over.
 * Implemented by adapters/sqlite/tables/schedule.ts.
 */
export interface ScheduleReads extends MadeByTimeReads, TaskReads, TimerReads {
  /** The next instant at which anything except these tasks is due. */
  nextDueMs(except?: readonly number[]): number | undefined;
}
