import type {
  CatchupRule,
  CheckSaid,
  FireReason,
  Rule,
  SkipReason,
  TaskState,
} from '../../../shared/schedule/states';

/** Everything about a task that can be edited; what is stored is what is in force. */
export interface TaskFacts {
  readonly name: string;
  readonly prompt: string;
  /** As it was written. */
  readonly schedule: string;
  readonly rule: Rule;
  readonly zone: string;
  readonly catchup: CatchupRule;
  readonly agent: string;
  readonly channel: string;
  readonly peer: string;
  /** Other computers have it, too: each of its times is run once, by one of them. DW-24 */
  readonly isShared?: true;
  /** Absent for a task that waits for an event. */
  readonly nextRunAtMs?: number;
  /** What it looks at before it runs, as it was written. */
  readonly check?: string;
  /** Who wrote the check: commands of agents are allowed less. */
  readonly checkBy?: 'user' | 'agent';
}

/** Outcome of a scheduled run, and of the earlier ones that it represents. */
interface SlotFacts {
  readonly taskId: number;
  /** The slot: with the task it is unique for ever. */
  readonly slotMs: number;
  readonly lateMs: number;
  /** Scheduled runs that it represents, itself included. */
  readonly missed: number;
  /** The first of them, if there are several. */
  readonly oldestMs?: number;
  /** The window in force, where it decided. */
  readonly windowMs?: number;
  /** Absent for a one-shot: it is over. */
  readonly nextRunAtMs?: number;
  /** It waits for the next event: it is not over. */
  readonly waits?: true;
  /** Its check result, if it has a check that ran. */
  readonly check?: CheckSaid;
  /** Hash of the check's output, where the next one is compared with it. */
  readonly checkSeen?: string;
}

/** Entries of the journal about schedules (kinds 80..94 and 129..131). */
export type ScheduleEntry =
  /** A task exists, or changes to these values. */
  | ({
      readonly kind: 'task.set';
      readonly taskId: number;
      readonly by: 'user' | 'agent';
      /** The agent outside of Holdfast that made it, by the name it gives itself. */
      readonly author?: string;
      /** The call that made it: made again after a crash, it is the same task. */
      readonly key?: string;
      /** The session in which an agent created it: the task's own session is started there. */
      readonly sessionId?: number;
      /** How what it watches is now: later changes are events. */
      readonly eventSeen?: string;
    } & TaskFacts)
  /** Something happened that a task waits for; the same id again changes nothing. */
  | {
      readonly kind: 'task.event';
      readonly taskId: number;
      readonly eventId: string;
      /** When its run is due, unless an earlier event has set that. */
      readonly dueAtMs: number;
      /** What happened, for the prompt. */
      readonly what: string;
      /** How what it watches is now. */
      readonly seen?: string;
    }
  | {
      readonly kind: 'task.state';
      readonly taskId: number;
      readonly state: TaskState;
      readonly nextRunAtMs?: number;
      readonly by: string;
    }
  /** Rides in the commit of the message that the slot becomes. */
  | ({
      readonly kind: 'task.fired';
      readonly turnId: number;
      readonly why: FireReason;
    } & SlotFacts)
  | ({ readonly kind: 'task.skipped'; readonly why: SkipReason } & SlotFacts)
  /** A timer of a session; the same id again replaces it. */
  | {
      readonly kind: 'timer.set';
      readonly sessionId: number;
      readonly timerId: string;
      readonly dueAtMs: number;
      readonly seconds: number;
      readonly message: string;
      /** The turn that requested it. */
      readonly turnId: number;
      /** The call that set it: made again after a crash, it sets nothing more. */
      readonly key?: string;
    }
  | {
      readonly kind: 'timer.ended';
      readonly sessionId: number;
      readonly timerId: string;
      /** `run`: a missed one, run by a person; a later item with its id continues. */
      readonly how: 'fired' | 'cancelled' | 'missed' | 'run';
      /** The turn that it became. */
      readonly turnId?: number;
      readonly lateMs?: number;
    }
  /** One a session; session 0 is the one of the settings. */
  | {
      readonly kind: 'heartbeat.set';
      readonly sessionId: number;
      readonly rule: Rule;
      readonly message: string;
      readonly nextAtMs: number;
      readonly turnId?: number;
      /** Of the call that requested it. */
      readonly key?: string;
    }
  /** Absent `turnId`: the tick before has not been answered yet, this one is only counted. */
  | {
      readonly kind: 'heartbeat.ticked';
      readonly sessionId: number;
      readonly nextAtMs: number;
      readonly turnId?: number;
      /** Further ticks that this one represents. */
      readonly skipped: number;
    }
  | { readonly kind: 'heartbeat.stopped'; readonly sessionId: number; readonly by: string }
  /** The clock was set back: what comes next is by the new time. */
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
  /** Of an agent outside of Holdfast: the name it gives itself. */
  readonly author: string | undefined;
  /** The session in which an agent made it. */
  readonly sessionId: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly runCount: number;
  /** The turn of its last run. */
  readonly lastTurnId: number | undefined;
  /** The newest slot that was decided. */
  readonly lastSlotMs: number | undefined;
  /** Hash of the output that its check gave last, where that started a run. */
  readonly checkSeen: string | undefined;
  /** How what it watches was at the last event. */
  readonly eventSeen: string | undefined;
}

/** One decision of the ledger. */
export interface SlotRow extends Omit<SlotFacts, 'checkSeen'> {
  readonly atMs: number;
  readonly why: FireReason | SkipReason;
  readonly turnId: number | undefined;
}

export interface TimerRow {
  readonly sessionId: number;
  readonly sessionKey: string;
  readonly timerId: string;
  readonly dueAtMs: number;
  readonly seconds: number;
  readonly message: string;
  readonly setAtMs: number;
  readonly turnId: number;
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

/** What time made of its own accord. */
export interface MadeByTimeReads {
  /** What made a turn, where time did. */
  madeBy(
    turnId: number,
  ):
    | { readonly kind: 'task'; readonly taskId: number }
    | { readonly kind: 'timer' }
    | { readonly kind: 'heartbeat'; readonly isSystem: boolean }
    | undefined;
  /**
   * Scheduled runs that came due while this scheduled turn was not over, and have no turn of their
   * own. R13
   */
  mergedInto(turnId: number): number;
}

/** Tasks, the slots that they were decided for, and the events that they wait for. */
interface TaskReads {
  task(id: number): TaskRow | undefined;
  /** By number; `isOpen` leaves out finished tasks, `words` those that lack any of the words. */
  tasks(filter: {
    readonly isOpen: boolean;
    readonly words?: readonly string[];
    readonly afterId?: number;
    readonly limit: number;
  }): readonly TaskRow[];
  /** Active and due, the longest due first. */
  dueTasks(dueByMs: number, limit: number, except?: readonly number[]): readonly TaskRow[];
  /** Tasks that are not over and were decided or set by a clock that was ahead of `nowMs`. */
  tasksAhead(nowMs: number): readonly TaskRow[];
  /** Tasks that agents of this name have made and that are not over. */
  countTasksOf(agent: string): number;
  countTasks(): Readonly<Record<TaskState, number>>;
  /** Decisions, newest first. */
  slots(filter: {
    readonly taskId?: number;
    readonly beforeMs?: number;
    readonly limit: number;
  }): readonly SlotRow[];
  /** The task that a call has made. */
  taskByKey(key: string): TaskRow | undefined;
  /** Tasks whose key begins so, with their keys, whatever their state. */
  fileTasks(start: string): readonly { readonly key: string; readonly task: TaskRow }[];
  hasSlot(taskId: number, slotMs: number): boolean;
  /** Shared tasks that are not over. */
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
  /** Events that no run has had yet: how many, and the newest of them. */
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
  /** The call that set the last one of a session, whether it is still on or not. */
  heartbeatCall(sessionId: number): string | undefined;
  heartbeats(): readonly HeartbeatRow[];
  dueHeartbeats(dueByMs: number, limit: number): readonly HeartbeatRow[];
}

/** How long an event of a task is known again once a run has had it. */
export const EVENTS_KNOWN_MS = 30 * 86_400_000;

/** Reads of the schedule; each is indexed, none grows with runs that are over. */
export interface ScheduleReads extends MadeByTimeReads, TaskReads, TimerReads {
  /** The next instant at which anything is due but these tasks. */
  nextDueMs(except?: readonly number[]): number | undefined;
}
