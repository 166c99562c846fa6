import { sharedFact } from './shared-tasks';
import { settle } from '../inbox/entries';
import { parseSchedule } from '../../../shared/schedule/grammar';
import type { CronDates } from '../../ports/dates';
import type { Basics } from '../kernel/basics';
import type { JournalEntry } from '../../ports/journal/entries';
import type { HeartbeatRow, ScheduleReads, TaskRow, TimerRow } from '../../ports/journal/schedule';
import { freeSlot, isRhythm, nextSlot, type Rule } from './rule';
import { NO_DATES } from './rule';
import type { ScheduleEdits } from './tasks';

/**
 * A smaller change is a correction: a daily time that already ran does not run again. After a
 * larger change the new time applies at once; otherwise a computer that started with next year's
 * date would do nothing for a year. Cron has the same limit. An interval continues at once in both
 * cases.
 */
const FAR_MS = 3 * 3_600_000;
/**
 * Slots, decided while the clock was ahead, that are skipped at once; any further ones are skipped
 * one by one.
 */
const MAX_PASSED = 1_000;
const MAX_TIMERS = 100_000;

/** What a clock that was set back changes about a task. */
type SetBackPlan =
  | { readonly kind: 'stays' }
  | { readonly kind: 'next'; readonly nextRunAtMs: number }
  /** A one-time task whose time is in the future. */
  | { readonly kind: 'once'; readonly atMs: number };

const STAYS: SetBackPlan = { kind: 'stays' };

/**
 * The next run of a task after a clock was set back, never later than the planned one. An interval
 * continues by the current time. A daily time waits for its first undecided slot, or after a mere
 * correction for the planned one. `hasSlot` reports which slots were decided. Pure.
 */
export function planSetBack(
  task: Pick<TaskRow, 'rule' | 'state' | 'schedule' | 'nextRunAtMs' | 'lastSlotMs' | 'updatedAtMs'>,
  at: {
    readonly nowMs: number;
    readonly dates: CronDates;
    readonly hasSlot: (slotMs: number) => boolean;
  },
): SetBackPlan {
  const { rule } = task;
  if (rule.kind === 'once') return planOnce(task, rule.atMs, at);
  const { nextRunAtMs } = task;
  if (task.state !== 'active' || nextRunAtMs === undefined) return STAYS;
  if (rule.kind === 'event') {
    const soonestAt = at.nowMs + rule.debounceMs;
    return soonestAt < nextRunAtMs ? { kind: 'next', nextRunAtMs: soonestAt } : STAYS;
  }
  if (isRhythm(rule)) {
    const goesOnAtMs = soonestAtMs(rule, nextRunAtMs, at.nowMs, at.dates);
    return goesOnAtMs < nextRunAtMs ? { kind: 'next', nextRunAtMs: goesOnAtMs } : STAYS;
  }
  if (Math.max(task.lastSlotMs ?? 0, task.updatedAtMs) <= at.nowMs + FAR_MS) return STAYS;
  let next = nextSlot(rule, at.nowMs, at.dates);
  for (let n = 0; n < MAX_PASSED && next !== undefined && at.hasSlot(next); n += 1)
    next = nextSlot(rule, next, at.dates);
  return next !== undefined && next < nextRunAtMs ? { kind: 'next', nextRunAtMs: next } : STAYS;
}

function planOnce(
  task: Pick<TaskRow, 'state' | 'schedule'>,
  atMs: number,
  { nowMs, hasSlot }: { readonly nowMs: number; readonly hasSlot: (slotMs: number) => boolean },
): SetBackPlan {
  if (task.state === 'missed' && atMs > nowMs) {
    // Its slot is recorded as missed, and stays so.
    return { kind: 'once', atMs: freeSlot(atMs, hasSlot) };
  }
  // "in 30m" meant half an hour from its creation, whatever the clock showed.
  const parsed = task.state === 'active' ? parseSchedule(task.schedule) : undefined;
  if (parsed?.ok !== true || parsed.kind !== 'once' || !('ms' in parsed)) return STAYS;
  return nowMs + parsed.ms < atMs ? { kind: 'once', atMs: nowMs + parsed.ms } : STAYS;
}

/** The latest time at which a timer is due: it never waits longer than it was set for. Pure. */
export const timerDueMs = (timer: Pick<TimerRow, 'dueAtMs' | 'seconds'>, nowMs: number): number =>
  Math.min(timer.dueAtMs, nowMs + timer.seconds * 1_000);

/** The next tick. Pure. */
export const beatAtMs = (
  { rule, nextAtMs }: Pick<HeartbeatRow, 'rule' | 'nextAtMs'>,
  nowMs: number,
  dates: CronDates,
): number => soonestAtMs(rule, nextAtMs, nowMs, dates);

/**
 * If two slots fit before the planned one, that is too far away, and the first of them is next.
 * Otherwise a run that just finished would repeat after a small correction.
 */
function soonestAtMs(rule: Rule, nextAtMs: number, nowMs: number, dates: CronDates): number {
  const first = nextSlot(rule, nowMs, dates);
  const second = first === undefined ? undefined : nextSlot(rule, first, dates);
  return first !== undefined && second !== undefined && second < nextAtMs ? first : nextAtMs;
}

interface SetBackDeps extends Pick<Basics, 'journal' | 'clock' | 'audit'> {
  readonly reads: ScheduleReads;
  readonly dates: () => Promise<CronDates>;
  /** The open notice of a missed task. */
  readonly missedNotice: (taskId: number) => number | undefined;
  readonly edits: ScheduleEdits;
}

/**
 * Adjusts upcoming slots after the clock was set back. It decides by what is on disk, so it does
 * the same at a start as during operation, and repeating it changes nothing.
 */
export function createSetBack(deps: SetBackDeps): { mend(): Promise<void> } {
  const { reads } = deps;

  const taskEntries = (task: TaskRow, nowMs: number, dates: CronDates): readonly JournalEntry[] => {
    const hasSlot = (slotMs: number): boolean => reads.hasSlot(task.id, slotMs);
    const plan = planSetBack(task, { nowMs, dates, hasSlot });
    const taskId = task.id;
    switch (plan.kind) {
      case 'stays':
        return [];
      case 'next':
        return [{ kind: 'task.moved', taskId, nextRunAtMs: plan.nextRunAtMs }];
      case 'once': {
        const { name, prompt, schedule, zone, catchup, agent, channel, peer, madeBy } = task;
        const { check, checkBy = 'user' } = task;
        const gate = {
          ...(check === undefined ? {} : { check, checkBy }),
          ...sharedFact(undefined, task),
        };
        const facts = { name, prompt, schedule, zone, catchup, agent, channel, peer, ...gate };
        const rule = { kind: 'once', atMs: plan.atMs } as const;
        const next = { nextRunAtMs: plan.atMs };
        const inboxId = task.state === 'missed' ? deps.missedNotice(taskId) : undefined;
        return [
          { kind: 'task.set', taskId, by: madeBy, ...facts, rule, ...next },
          ...(task.state === 'missed'
            ? [{ kind: 'task.state', taskId, state: 'active', ...next, by: 'clock' } as const]
            : []),
          ...(inboxId === undefined ? [] : [settle(inboxId, 'set again')]),
        ];
      }
    }
  };

  const wakeEntries = (nowMs: number, dates: CronDates): readonly JournalEntry[] => [
    ...reads.timers({ limit: MAX_TIMERS }).flatMap((timer) => {
      const dueAtMs = timerDueMs(timer, nowMs);
      const { sessionId, timerId } = timer;
      return dueAtMs === timer.dueAtMs
        ? []
        : [{ kind: 'timer.moved', sessionId, timerId, dueAtMs } as const];
    }),
    ...reads.heartbeats().flatMap((beat) => {
      const nextAtMs = beatAtMs(beat, nowMs, dates);
      return nextAtMs === beat.nextAtMs
        ? []
        : [{ kind: 'heartbeat.moved', sessionId: beat.sessionId, nextAtMs } as const];
    }),
  ];

  return {
    mend: () =>
      deps.edits.inTurn(async () => {
        const nowMs = deps.clock.nowMs();
        const ahead = reads.tasksAhead(nowMs);
        const needsDates = [...ahead, ...reads.heartbeats()].some(
          ({ rule }) => rule.kind === 'cron',
        );
        const dates = needsDates ? await deps.dates() : NO_DATES;
        const entries = [
          ...ahead.flatMap((task) => taskEntries(task, nowMs, dates)),
          ...wakeEntries(nowMs, dates),
        ];
        if (entries.length === 0) return;
        await deps.journal.commit(entries);
        deps.audit.record('clock_mended', { changed: entries.length });
      }),
  };
}
