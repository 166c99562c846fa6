import type { CronDates } from '../../ports/dates';
import { countSlots, newestSlot, nextSlot, type Rule } from './rule';

/** One check of what is due. */
export interface Moment {
  readonly nowMs: number;
  /** Holdfast was running until now, so a due slot is on time, not missed. */
  readonly isLive: boolean;
}

/** The task fields that the planner needs. */
interface PlannedTask {
  readonly rule: Rule;
  /** Unknown values act as `default`. */
  readonly catchup: string;
  readonly isActive: boolean;
  /** The next slot by the stored state; absent if there is none left. */
  readonly nextRunAtMs: number | undefined;
}

/** The result for several missed slots: one run, one skip, or nothing. */
export type CatchupPlan =
  | { readonly action: 'none'; readonly nextRunAtMs: number | undefined }
  | ({ readonly action: 'fire'; readonly why: 'on_time' | 'in_window' | 'always' } & Missed)
  | ({ readonly action: 'skip'; readonly why: 'window' | 'never' } & Missed);

interface Missed {
  /** The newest missed slot; the run or skip is recorded under it. */
  readonly slotMs: number;
  readonly oldestMs: number;
  /** The number of slots it covers; counted up to 100 for cron expressions. */
  readonly missed: number;
  readonly lateMs: number;
  /** Absent for a one-time task: it is over. */
  readonly nextRunAtMs: number | undefined;
}

/**
 * One task at one instant. `windowMs`: maximum age of a missed slot that is caught up, inclusive; 0
 * means never. While Holdfast runs (`isLive`), a due slot is simply on time. `due-tasks.ts` carries
 * the plan out. Pure; constant time for intervals. Source: S0-22..S0-28, S0-35, R11.
 */
export function planCatchup(
  task: PlannedTask,
  at: Moment & { readonly windowMs: number; readonly dates: CronDates },
): CatchupPlan {
  const { nowMs, dates } = at;
  const dueMs = task.nextRunAtMs;
  if (!task.isActive || dueMs === undefined || dueMs > nowMs)
    return { action: 'none', nextRunAtMs: task.isActive ? dueMs : undefined };
  const slotMs = newestSlot(task.rule, dueMs, nowMs, dates);
  const missed: Missed = {
    slotMs,
    oldestMs: dueMs,
    missed: countSlots(task.rule, dueMs, slotMs, dates),
    lateMs: nowMs - slotMs,
    nextRunAtMs: nextSlot(task.rule, nowMs, dates),
  };
  if (at.isLive) return { action: 'fire', why: 'on_time', ...missed };
  if (task.catchup === 'never') return { action: 'skip', why: 'never', ...missed };
  if (task.catchup === 'always') return { action: 'fire', why: 'always', ...missed };
  return at.windowMs > 0 && missed.lateMs <= at.windowMs
    ? { action: 'fire', why: 'in_window', ...missed }
    : { action: 'skip', why: 'window', ...missed };
}
