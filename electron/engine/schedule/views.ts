import type {
  DueTask,
  HeartbeatView,
  ScheduleSlot,
  TaskForecast,
  TaskRun,
  TaskView,
  TimerView,
} from '../../../shared/schedule/model';
import type { StatusSnapshot } from '../../../shared/types';
import { isNothingToDo } from '../../../shared/schedule/states';
import { checkAhead, ruleWords, slotWords } from '../../../shared/schedule/words';
import type { Blobs } from '../../ports/blobs';
import type { CronDates } from '../../ports/dates';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type {
  HeartbeatRow,
  ScheduleReads,
  SlotRow,
  TaskRow,
  TimerRow,
} from '../../ports/journal/schedule';
import { answerOf } from '../journal/stored-text';
import { HoldfastError } from '../kernel/errors';
import { FORECAST_SLOTS, forecastOf, monthlySlots, pastRuns } from './forecast';
import { SYSTEM_HEARTBEAT, type SystemHeartbeat } from './heartbeats';
import { planCatchup } from './plan-catchup';
import { taskSession } from './task-message';
import type { SchedulePolicy } from './tasks';

const SHOWN_RESULT = 200;
/** Maximum number of upcoming tasks shown. */
const SHOWN_NEXT = 4;
const DAY_MS = 86_400_000;
const KNOWN_RATES = 1_000;

interface ScheduleViewsDeps {
  readonly reads: ScheduleReads;
  readonly work: TurnReads & SessionReads;
  readonly blobs: Blobs;
  readonly policy: () => SchedulePolicy;
  readonly system: () => SystemHeartbeat;
  readonly isBusy: (task: TaskRow) => boolean;
  /** Loaded with the first expression. */
  readonly dates: () => Promise<CronDates>;
  readonly nowMs: () => number;
}

export const timerView = (timer: TimerRow): TimerView => ({
  id: timer.timerId,
  session: timer.sessionKey,
  message: timer.message,
  seconds: timer.seconds,
  setAtMs: timer.setAtMs,
  dueAtMs: timer.dueAtMs,
});

/** Schedule rows for display. Reads only. */
export function createScheduleViews(deps: ScheduleViewsDeps) {
  const { reads } = deps;

  const run = async (slot: SlotRow, zone?: string): Promise<TaskRun> => {
    const turn = slot.turnId === undefined ? undefined : deps.work.turn(slot.turnId);
    const result = turn === undefined ? undefined : await resultOf(deps, turn);
    return {
      ...decision(slot, zone),
      ...(result === undefined ? {} : { result: result.slice(-SHOWN_RESULT) }),
    };
  };

  /** Without the answer, which may have to be read from disk. */
  const decision = (slot: SlotRow, ofZone?: string): ScheduleSlot => {
    const turn = slot.turnId === undefined ? undefined : deps.work.turn(slot.turnId);
    const isFired = slot.turnId !== undefined;
    const isEvent = reads.task(slot.taskId)?.rule.kind === 'event';
    const isOver =
      !isEvent &&
      slot.nextRunAtMs === undefined &&
      slot.why !== 'by_hand' &&
      !isNothingToDo(slot.why);
    const ended = turn?.endedAtMs;
    const { windowMs, oldestMs } = slot;
    const zone = ofZone ?? zoneOf(slot.taskId);
    return {
      taskId: slot.taskId,
      slotMs: slot.slotMs,
      atMs: slot.atMs,
      outcome: isFired ? 'ran' : isOver ? 'missed' : 'skipped',
      why: slot.why,
      lateMs: slot.lateMs,
      slots: slot.missed,
      ...(oldestMs === undefined ? {} : { oldestMs }),
      words: slotWords({
        why: slot.why,
        lateMs: slot.lateMs,
        missed: slot.missed,
        ...(oldestMs === undefined ? {} : { span: { fromMs: oldestMs, toMs: slot.slotMs, zone } }),
        ...(windowMs === undefined ? {} : { windowMs }),
        ...(isOver ? { isMissed: true } : {}),
        ...(isEvent ? { isEvent } : {}),
        ...(slot.check === undefined ? {} : { check: slot.check }),
        ...(slot.nextRunAtMs === undefined || isFired
          ? {}
          : { next: { atMs: slot.nextRunAtMs, zone } }),
      }),
      ...(slot.turnId === undefined ? {} : { turnId: slot.turnId }),
      ...(turn === undefined ? {} : { status: turn.state }),
      ...(turn === undefined || ended === undefined
        ? {}
        : { durationMs: Math.max(0, ended - (turn.startedAtMs ?? turn.acceptedAtMs)) }),
      ...(turn === undefined || turn.reason === '' || turn.state === 'completed'
        ? {}
        : { error: turn.reason.slice(0, 500) }),
    };
  };

  const zoneOf = (taskId: number): string => reads.task(taskId)?.zone ?? deps.policy().zone;

  /** The rate of an expression changes slowly, so it is computed once a day. */
  const rates = new Map<string, number | undefined>();
  const rateOf = async ({ rule }: TaskRow, nowMs: number): Promise<number | undefined> => {
    if (rule.kind !== 'cron' && rule.kind !== 'interval') return undefined;
    const key = `${String(Math.floor(nowMs / DAY_MS))} ${JSON.stringify(rule)}`;
    if (rates.has(key)) return rates.get(key);
    if (rates.size >= KNOWN_RATES) rates.clear();
    const dates = rule.kind === 'cron' ? await deps.dates() : undefined;
    const rate = monthlySlots(rule, nowMs, dates);
    rates.set(key, rate);
    return rate;
  };
  const forecast = async (row: TaskRow): Promise<TaskForecast | undefined> => {
    if (row.state !== 'active' || row.rule.kind === 'once' || row.runCount === 0) return undefined;
    const runs = pastRuns(
      reads.slots({ taskId: row.id, limit: FORECAST_SLOTS }),
      deps.work.turn.bind(deps.work),
    );
    if (runs.length === 0) return undefined;
    const nowMs = deps.nowMs();
    const slots = await rateOf(row, nowMs);
    return forecastOf({ kind: row.rule.kind, slots }, runs, nowMs);
  };

  const task = async (row: TaskRow, isWhole: boolean): Promise<TaskView> => {
    const last = reads.slots({ taskId: row.id, limit: 1 })[0];
    const expected = await forecast(row);
    return {
      id: row.id,
      name: row.name,
      prompt: isWhole ? row.prompt : row.prompt.slice(0, 500),
      schedule: row.schedule,
      words: ruleWords(row.rule, row.zone),
      kind: row.rule.kind,
      zone: row.zone,
      catchup: row.catchup,
      ...(row.check === undefined ? {} : { check: row.check }),
      ...(row.isShared === true ? { shared: true as const } : {}),
      state: row.state,
      agent: row.agent,
      channel: row.channel,
      peer: row.peer,
      session: taskSession(row),
      madeBy: row.madeBy,
      ...(row.author === undefined ? {} : { author: row.author }),
      createdAtMs: row.createdAtMs,
      updatedAtMs: row.updatedAtMs,
      ...(row.nextRunAtMs === undefined || row.state !== 'active'
        ? {}
        : { nextRunAtMs: row.nextRunAtMs }),
      runs: row.runCount,
      ...(last === undefined ? {} : { lastRun: await run(last, row.zone) }),
      ...(expected === undefined ? {} : { forecast: expected }),
    };
  };

  const due = (row: TaskRow, nowMs: number, dates: CronDates | undefined): DueTask => {
    const dueAtMs = row.nextRunAtMs ?? nowMs;
    return {
      id: row.id,
      name: row.name,
      prompt: row.prompt.slice(0, 60),
      schedule: row.schedule,
      dueAtMs,
      overdueMs: Math.max(0, nowMs - dueAtMs),
      ...(dates === undefined ? {} : { plan: plan(row, nowMs, dates) }),
    };
  };

  /** What a start would decide now: uses the same function and writes nothing. */
  const plan = (row: TaskRow, nowMs: number, dates: CronDates): NonNullable<DueTask['plan']> => {
    const { catchupWindowMs: windowMs } = deps.policy();
    const decided = planCatchup(
      { rule: row.rule, catchup: row.catchup, isActive: true, nextRunAtMs: row.nextRunAtMs },
      { nowMs, windowMs, isLive: false, dates },
    );
    if (decided.action === 'none') throw new HoldfastError('INTERNAL', 'A due task is not due.');
    const isBusy = decided.action === 'fire' && deps.isBusy(row);
    const why = isBusy ? 'overlap' : decided.why;
    const next = decided.nextRunAtMs;
    const isEvent = row.rule.kind === 'event';
    const gate = decided.action === 'fire' && !isBusy ? row.check : undefined;
    const words = slotWords({
      why,
      lateMs: decided.lateMs,
      missed: decided.missed,
      span: { fromMs: decided.oldestMs, toMs: decided.slotMs, zone: row.zone },
      windowMs,
      ...(next === undefined
        ? isEvent
          ? { isEvent }
          : { isMissed: true }
        : { next: { atMs: next, zone: row.zone } }),
    });
    return {
      action:
        decided.action === 'fire' && !isBusy
          ? 'fire'
          : next === undefined && !isEvent
            ? 'missed'
            : 'skip',
      why,
      words: gate === undefined ? words : `${words} ${checkAhead(gate)}`,
      slots: decided.missed,
      ...(gate === undefined ? {} : { check: gate }),
      ...(next === undefined ? {} : { nextRunAtMs: next }),
    };
  };

  const heartbeat = (row: HeartbeatRow): HeartbeatView => {
    const isSystem = row.sessionId === SYSTEM_HEARTBEAT;
    const session = isSystem
      ? deps.system().contextId
      : deps.work.session({ id: row.sessionId })?.key;
    return {
      ...(session === undefined ? {} : { session }),
      isSystem,
      every: ruleWords(row.rule, deps.policy().zone).slice(0, 200),
      message: isSystem ? '' : row.message,
      ticks: row.ticks,
      skipped: row.skipped,
      startedAtMs: row.startedAtMs,
      nextAtMs: row.nextAtMs,
    };
  };

  return { run, decision, task, due, heartbeat };
}

/** A run's answer as text. */
async function resultOf(
  { work, blobs }: Pick<ScheduleViewsDeps, 'work' | 'blobs'>,
  turn: TurnRow,
): Promise<string | undefined> {
  if (turn.answerStep === undefined) return undefined;
  const end = work.steps(turn.id).find((step) => step.step === turn.answerStep)?.end;
  return end?.state === 'completed' ? answerOf(blobs, end.content) : undefined;
}

/** The number of tasks and the next run; undefined if there are no tasks. */
export function outlookOf(
  reads: ScheduleReads,
  { active, paused, missed }: ReturnType<ScheduleReads['countTasks']>,
): StatusSnapshot['schedule'] {
  if (active + paused + missed === 0) return undefined;
  const next = reads
    .dueTasks(Number.MAX_SAFE_INTEGER, SHOWN_NEXT)
    .map(({ id, name, rule, nextRunAtMs = 0 }) => ({
      taskId: id,
      name,
      atMs: nextRunAtMs,
      isOnce: rule.kind === 'once',
    }));
  return { active, paused, missed, next };
}
