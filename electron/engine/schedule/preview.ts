import type { VerbInput, VerbOutput } from '../../../shared/contract';
import { parseSchedule, type ParsedSchedule } from '../../../shared/schedule/grammar';
import type { ScheduleSlot } from '../../../shared/schedule/model';
import { ruleWords } from '../../../shared/schedule/words';
import type { CronDates } from '../../ports/dates';
import type { ScheduleReads, SlotRow, TaskRow } from '../../ports/journal/schedule';
import { bindRule, nextSlot, nextSlots } from './rule';

const MAX_SLOTS = 1_000;
/** Maximum number of slots that fit side by side in a picture. */
const PLACES = 240;
/** Dates of cron expressions that one answer computes; they are not free. */
const MAX_DATES = 5_000;
/** Days of a range; a month is as much as a picture can hold. */
const MAX_MS = 31 * 86_400_000;

/** Decided and upcoming slots of a time range. Reads only. */
export async function scheduleLines(
  range: VerbInput<'schedule.lines'>,
  at: {
    readonly reads: ScheduleReads;
    readonly nowMs: number;
    readonly dates: () => Promise<CronDates>;
    readonly shown: (slot: SlotRow) => ScheduleSlot;
  },
): Promise<VerbOutput<'schedule.lines'>> {
  const { reads, nowMs } = at;
  const { fromMs } = range;
  const toMs = Math.max(fromMs, Math.min(range.toMs, fromMs + MAX_MS));
  const newest = reads.slots({ beforeMs: Math.min(toMs, nowMs + 1), limit: MAX_SLOTS + 1 });
  const inside = newest.filter((slot) => slot.atMs >= fromMs).slice(0, MAX_SLOTS);
  const isCut = newest.length > MAX_SLOTS && inside.length === MAX_SLOTS;
  const tasks = range.taskIds.flatMap((id) => reads.task(id) ?? []);
  const dates = tasks.some((task) => task.rule.kind === 'cron') ? await at.dates() : undefined;
  let left = MAX_DATES;
  return {
    nowMs,
    fromMs,
    toMs,
    knownFromMs: isCut ? (inside.at(-1)?.atMs ?? fromMs) : fromMs,
    slots: inside.map((slot) => at.shown(slot)),
    coming: tasks.map((task) => {
      const found = comingOf(task, { fromMs, toMs, dates, most: left });
      if (task.rule.kind === 'cron') left = Math.max(0, left - found.atMs.length);
      return { taskId: task.id, ...found };
    }),
  };
}

/** Upcoming slots, never closer together than a picture can show. */
function comingOf(
  task: TaskRow,
  at: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly dates: CronDates | undefined;
    readonly most: number;
  },
): { atMs: number[]; isThinned: boolean } {
  const first = task.state === 'active' ? task.nextRunAtMs : undefined;
  if (first === undefined || first >= at.toMs) return { atMs: [], isThinned: false };
  const { rule } = task;
  const next = (afterMs: number): number | undefined =>
    rule.kind === 'once' || (rule.kind === 'cron' && at.dates === undefined)
      ? undefined
      : // An interval needs no dates.
        nextSlot(rule, afterMs, at.dates as CronDates);
  const gapMs = Math.floor((at.toMs - at.fromMs) / PLACES);
  const slots: number[] = [];
  let isThinned = false;
  let slot: number | undefined = first;
  while (slot !== undefined && slot < at.toMs) {
    if (slots.length >= Math.min(at.most, 500)) return { atMs: slots, isThinned: true };
    slots.push(slot);
    const after = next(slot);
    if (after === undefined || after >= slot + gapMs) slot = after;
    else {
      isThinned ||= after < at.toMs;
      slot = next(slot + gapMs - 1);
    }
  }
  return { atMs: slots, isThinned };
}

/** The meaning of a schedule text and its next instants, or why it is invalid. S1-06..S1-10. */
export async function previewSchedule(
  wish: {
    readonly expr: string;
    readonly zone: string;
    readonly fromMs: number;
    readonly count: number;
  },
  loadDates: () => Promise<CronDates>,
): Promise<VerbOutput<'schedule.parse'>> {
  const parsed = parseSchedule(wish.expr);
  if (!parsed.ok) return { ok: false, error: parsed.error };
  const dates = await loadDates();
  const rule = bindRule(parsed, {
    input: wish.expr,
    nowMs: wish.fromMs,
    zone: wish.zone,
    dates,
  });
  if ('ok' in rule) return { ok: false, error: rule.error };
  return {
    ok: true,
    kind: parsed.kind,
    ...meaning(parsed),
    tz: wish.zone,
    words: ruleWords(rule, wish.zone),
    next: nextSlots(rule, wish.fromMs, wish.count, dates).map((at) => isoText(at)),
  };
}

function meaning(parsed: Extract<ParsedSchedule, { ok: true }>): {
  readonly ms?: number;
  readonly cron?: string;
} {
  if ('ms' in parsed) return { ms: parsed.ms };
  return 'cron' in parsed ? { cron: parsed.cron } : {};
}

const isoText = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');
