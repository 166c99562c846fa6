import { isNothingToDo, type SkipReason } from '../../../shared/schedule/states';
import { slotWords } from '../../../shared/schedule/words';
import type { CronDates } from '../../ports/dates';
import type { Basics } from '../kernel/basics';
import type { JournalEntry } from '../../ports/journal/entries';
import type { ScheduleReads, TaskRow } from '../../ports/journal/schedule';
import { freeSlot, isRhythm } from './rule';
import { taskMessage } from './task-message';
import type { SessionsRoom } from '../sessions/intake';
import type { ScheduleEdits, SchedulePolicy } from './tasks';
import { NO_DATES } from './rule';
import { planCatchup, type CatchupPlan, type Moment } from './plan-catchup';
import type { CheckedTasks } from './checked-tasks';
import { outputPart, type CheckVerdict } from './judge-check';
import { eventPart } from './triggers';
import { openItem } from '../inbox/entries';

interface DueTasksDeps extends Pick<Basics, 'journal' | 'crashPoints' | 'audit' | 'log'> {
  readonly reads: ScheduleReads;
  readonly policy: () => SchedulePolicy;
  readonly dates: () => Promise<CronDates>;
  readonly isBusy: (task: TaskRow) => boolean;
  readonly sessions: Pick<SessionsRoom, 'acceptDue'>;
  readonly edits: ScheduleEdits;
  readonly checked: CheckedTasks;
  /** Its events happened while nothing ran. */
  readonly isMissed: (taskId: number) => boolean;
}

type Fire = Extract<CatchupPlan, { action: 'fire' }>;
type SkipFacts = Omit<Extract<JournalEntry, { kind: 'task.skipped' }>, 'kind' | 'taskId'>;

/** Tasks decided together: their skips are one commit, their runs share commits. */
const BATCH = 500;

/** Maximum events in a prompt. */
const SHOWN_EVENTS = 5;
const NO_EVENTS = { count: 0, what: [] } as const;
const ofEvents = (count: number) => ({ waits: true, missed: Math.max(1, count) }) as const;

/** Decides every due slot: a run, or a skip with its reason, in the ledger either way. */
export interface DueTasks {
  /** True if nothing is due now; false if something was rejected and is still due. */
  fireDue(moment: Moment): Promise<boolean>;
}

export function createDueTasks(deps: DueTasksDeps): DueTasks {
  const { reads } = deps;

  const decide = async (
    due: readonly TaskRow[],
    moment: Moment,
    first: number,
  ): Promise<number> => {
    const dates = due.some((task) => task.rule.kind === 'cron') ? await deps.dates() : NO_DATES;
    const { catchupWindowMs: windowMs, catchupSpacingMs } = deps.policy();
    const skips: JournalEntry[] = [];
    const fires: Promise<boolean>[] = [];
    let taken = first;
    for (const task of due) {
      const planned = planCatchup(
        { rule: task.rule, catchup: task.catchup, isActive: true, nextRunAtMs: task.nextRunAtMs },
        {
          nowMs: moment.nowMs,
          windowMs,
          isLive: moment.isLive && !deps.isMissed(task.id),
          dates,
        },
      );
      if (planned.action === 'none') continue;
      const hasSlot = (slotMs: number): boolean => reads.hasSlot(task.id, slotMs);
      // A clock that was set back reaches the same slots again. A daily time was already decided
      // and only moves on; an interval runs, as a separate slot.
      const { slotMs } = planned;
      const plan = isRhythm(task.rule)
        ? { ...planned, slotMs: freeSlot(slotMs, hasSlot) }
        : planned;
      const isDecided = hasSlot(plan.slotMs);
      const isEvent = task.rule.kind === 'event';
      const events = isEvent ? reads.pendingEvents(task.id, SHOWN_EVENTS) : NO_EVENTS;
      const facts = { ...factsOf(plan, windowMs), ...(isEvent ? ofEvents(events.count) : {}) };
      // An event during a run is not lost: it starts the next run.
      if (isEvent && plan.action === 'fire' && deps.isBusy(task)) {
        deps.checked.postpone(task.id);
        continue;
      }
      if (plan.action === 'skip' || isDecided || deps.isBusy(task)) {
        const why = plan.action === 'skip' ? plan.why : 'overlap';
        skips.push(...skipOf(task, plan, { ...facts, why }, isDecided));
        continue;
      }
      const delayMs = moment.isLive ? undefined : taken * catchupSpacingMs;
      taken += 1;
      const slot = {
        ...facts,
        why: plan.why,
        ...(delayMs === undefined ? {} : { delayMs }),
        parts: [eventPart(events)],
      };
      if (task.check === undefined) fires.push(fire(task, taskMessage(task, slot), plan));
      else deps.checked.begin(task, (verdict) => decideChecked(task, plan, slot, verdict));
    }
    await commitSkips(skips);
    const done = await Promise.all(fires);
    return done.includes(false) ? -1 : taken;
  };

  const skipOf = (
    task: TaskRow,
    plan: Fire | Extract<CatchupPlan, { action: 'skip' }>,
    facts: SkipFacts,
    isDecided: boolean,
  ): readonly JournalEntry[] => {
    const { why } = facts;
    deps.audit.record('task_skipped', { taskId: task.id, why, lateMs: plan.lateMs });
    const isOver = plan.nextRunAtMs === undefined && facts.waits !== true;
    const isMissed = isOver && !isDecided && !isNothingToDo(why);
    return [
      { kind: 'task.skipped', taskId: task.id, ...facts },
      ...(isMissed ? [missedItem(deps, task, plan, why)] : []),
    ];
  };

  const commitSkips = async (skips: readonly JournalEntry[]): Promise<void> => {
    if (skips.length === 0) return;
    deps.crashPoints.hit('task.skip.before');
    await deps.journal.commit(skips);
    deps.crashPoints.hit('task.skip.after');
  };

  /** A slot whose check is done; the task is still as it was when it came due. */
  const decideChecked = async (
    task: TaskRow,
    plan: Fire,
    due: Parameters<typeof taskMessage>[1],
    verdict: CheckVerdict,
  ): Promise<boolean> => {
    const { delayMs: _delay, parts = [], ...facts } = due;
    const { skip: why, said: check, seen } = verdict;
    // A run that does not start sees no output, so the next check still compares with the previous
    // one.
    if (deps.isBusy(task)) {
      await commitSkips(skipOf(task, plan, { ...facts, why: 'overlap' }, false));
      return true;
    }
    if (why !== undefined) {
      await commitSkips(skipOf(task, plan, { ...facts, why, check }, false));
      return true;
    }
    const message = taskMessage(task, {
      ...due,
      check,
      ...(seen === undefined ? {} : { checkSeen: seen }),
      parts: [...parts, outputPart(task.check ?? '', verdict)],
    });
    return fire(task, message, plan);
  };

  /** A failing one does not delay the others: it stays due. */
  const fire = async (
    task: TaskRow,
    message: ReturnType<typeof taskMessage>,
    plan: Fire,
  ): Promise<boolean> => {
    try {
      const turn = await deps.sessions.acceptDue(message);
      if (turn === undefined) return false;
      deps.audit.record('task_fired', {
        taskId: task.id,
        turnId: turn.id,
        why: plan.why,
        lateMs: plan.lateMs,
      });
      return true;
    } catch (error) {
      deps.log.warn('task.not_fired', { taskId: task.id, error });
      return false;
    }
  };

  return {
    async fireDue(moment) {
      let fired = 0;
      for (;;) {
        const next = await deps.edits.inTurn(async () => {
          const due = reads.dueTasks(moment.nowMs, BATCH, deps.checked.ids());
          return due.length === 0 ? undefined : decide(due, moment, fired);
        });
        if (next === undefined) return true;
        if (next < 0) return false;
        fired = next;
      }
    },
  };
}

function factsOf(plan: Exclude<CatchupPlan, { action: 'none' }>, windowMs: number) {
  return {
    slotMs: plan.slotMs,
    lateMs: plan.lateMs,
    missed: plan.missed,
    ...(plan.missed > 1 ? { oldestMs: plan.oldestMs } : {}),
    ...(plan.why === 'window' || plan.why === 'in_window' ? { windowMs } : {}),
    ...(plan.nextRunAtMs === undefined ? {} : { nextRunAtMs: plan.nextRunAtMs }),
  };
}

/** A one-time task that ended without a run goes to the inbox (R11). */
function missedItem(
  deps: DueTasksDeps,
  task: TaskRow,
  plan: Extract<CatchupPlan, { action: 'fire' | 'skip' }>,
  why: SkipReason,
): JournalEntry {
  const { catchupWindowMs: windowMs } = deps.policy();
  return openItem(deps.journal.allocate('inbox'), 'problem', {
    title: `Missed: ${task.name}`,
    detail: `${slotWords({ why, lateMs: plan.lateMs, missed: 1, windowMs, isMissed: true })} Run it now with "holdfast tasks run ${String(task.id)}".`,
    facts: { taskId: task.id },
  });
}
