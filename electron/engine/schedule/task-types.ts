import type { DueTurn } from '../../ports/due-turn';
import type { TurnRow } from '../../ports/journal/rows';
import type { Journal } from '../../ports/journal/journal';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { Clock } from '../../ports/clock';
import type { CrashPoints } from '../kernel/crash-points';
import type { Audit } from '../../ports/log';
import type { CronDates } from '../../ports/dates';

export interface TasksDeps {
  readonly journal: Journal;
  readonly reads: ScheduleReads;
  readonly turn: (id: number) => TurnRow | undefined;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly policy: () => SchedulePolicy;
  readonly dates: () => Promise<CronDates>;
  readonly hasAgent: (name: string) => boolean;
  readonly defaultAgent: () => string;
  /** The open notice that says that a task was missed. */
  readonly missedNotice: (taskId: number) => number | undefined;
  readonly hasChannel: (name: string) => boolean;
  readonly defaultChannel: () => string;
  readonly accept: AcceptDue;
  /** Something about what is due has changed. */
  readonly onChange: () => void;
  /** One change of tasks after the other: a slot must not be decided on a task that is being edited. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What the settings say about schedules, read at the time of the decision. */
export interface SchedulePolicy {
  /** Age up to which a missed slot is caught up; 0: never. */
  readonly catchupWindowMs: number;
  /** Zone of tasks that name none. */
  readonly zone: string;
  readonly maxTasksPerAgent: number;
  readonly maxTasks: number;
  /** Between two runs that are caught up together. */
  readonly catchupSpacingMs: number;
}

/** Undefined while nothing is accepted. @throws DISK_* */
export type AcceptDue = (due: DueTurn) => Promise<TurnRow | undefined>;
