import type { CronDates } from '../../ports/dates';
import type { Rule } from '../../../shared/schedule/states';
import type { ParsedSchedule } from '../../../shared/schedule/grammar';
import { MAX_COUNTED } from '../../../shared/schedule/limits';
import { quoted, refuse, type Refusal } from '../../../shared/schedule/refusal';

export type { Rule } from '../../../shared/schedule/states';

/** The latest supported date, with room for arithmetic. */
const LATEST_MS = 8.64e15 - 366 * 86_400_000;

/**
 * Binds a schedule to the instant and zone of its creation. `daily` stores the local time of day,
 * so clock changes do not move it. A past instant is rejected. S1-08, S1-10.
 */
export function bindRule(
  parsed: Extract<ParsedSchedule, { ok: true }>,
  at: {
    readonly input: string;
    readonly nowMs: number;
    readonly zone: string;
    readonly dates: CronDates;
  },
): Rule | Refusal {
  const { input, nowMs, zone, dates } = at;
  if (!dates.isZone(zone))
    return {
      ok: false,
      code: 'unknown_zone',
      error: `${quoted(zone)} is not a time zone: use a name such as "Europe/Berlin".`,
    };
  switch (parsed.kind) {
    case 'interval':
      return { kind: 'interval', everyMs: parsed.ms, anchorMs: nowMs };
    case 'once': {
      const atMs =
        'ms' in parsed
          ? nowMs + parsed.ms
          : 'atMs' in parsed
            ? parsed.atMs
            : dates.instantOf(zone, parsed.wall);
      if (atMs === undefined || atMs > LATEST_MS)
        return refuse(
          'too_large',
          input,
          'that time cannot be computed; write it as in "2027-06-01T09:00".',
        );
      return atMs <= nowMs
        ? refuse('past', input, 'that time has passed; specify one in the future.')
        : { kind: 'once', atMs };
    }
    case 'daily': {
      if ('cron' in parsed) return { kind: 'cron', cron: parsed.cron, zone };
      const { hour, minute, second } = dates.wallOf(zone, nowMs);
      return { kind: 'cron', cron: `${[second, minute, hour].join(' ')} * * *`, zone };
    }
    case 'cron':
      return { kind: 'cron', cron: parsed.cron, zone };
    case 'event':
      return { kind: 'event', trigger: parsed.trigger, debounceMs: parsed.debounceMs };
  }
}

/**
 * Whether the rule states how often rather than when: an interval, or a cron expression with a
 * wildcard or a step in seconds, minutes or hours. Any other rule names daily times. Pure.
 */
export const isRhythm = (rule: Rule): boolean =>
  rule.kind === 'interval' ||
  rule.kind === 'event' ||
  (rule.kind === 'cron' && rule.cron.trim().split(/\s+/).slice(0, -3).some(isOften));

const isOften = (field: string): boolean => field.includes('*') || field.includes('/');

/** The slot, or the first later instant that is not recorded yet. Pure. */
export function freeSlot(slotMs: number, hasSlot: (slotMs: number) => boolean): number {
  let free = slotMs;
  while (hasSlot(free)) free += 1;
  return free;
}

/** First slot after `afterMs`, that instant excluded; constant time for intervals. Pure. S0-35. */
export function nextSlot(rule: Rule, afterMs: number, dates: CronDates): number | undefined {
  switch (rule.kind) {
    case 'interval': {
      const next = Math.floor((afterMs - rule.anchorMs) / rule.everyMs) + 1;
      // Only a clock that was set back can be before the anchor; if it is a little earlier, the
      // first slot stays.
      const isLongBefore = rule.anchorMs - afterMs > rule.everyMs;
      return rule.anchorMs + (isLongBefore ? next : Math.max(1, next)) * rule.everyMs;
    }
    case 'once':
      return rule.atMs > afterMs ? rule.atMs : undefined;
    case 'event':
      return undefined;
    case 'cron':
      return dates.next(rule.cron, rule.zone, afterMs);
  }
}

/** The newest slot at or before `nowMs`, never before `dueMs`, which is a slot. */
export function newestSlot(rule: Rule, dueMs: number, nowMs: number, dates: CronDates): number {
  switch (rule.kind) {
    case 'interval':
      return dueMs + Math.floor((nowMs - dueMs) / rule.everyMs) * rule.everyMs;
    case 'once':
    case 'event':
      return dueMs;
    case 'cron': {
      // Cron has a resolution of seconds: the second that contains `nowMs` counts.
      const after = (Math.floor(nowMs / 1_000) + 1) * 1_000;
      return Math.max(dueMs, dates.previous(rule.cron, rule.zone, after) ?? dueMs);
    }
  }
}

/** The next `count` slots after `afterMs`. */
export function nextSlots(
  rule: Rule,
  afterMs: number,
  count: number,
  dates: CronDates,
): readonly number[] {
  const slots: number[] = [];
  let at = afterMs;
  while (slots.length < count) {
    const next = nextSlot(rule, at, dates);
    if (next === undefined) break;
    slots.push(next);
    at = next;
  }
  return slots;
}

/**
 * How many slots lie from `dueMs` to `newestMs`, both included; of an expression `MAX_COUNTED` at
 * most.
 */
export function countSlots(rule: Rule, dueMs: number, newestMs: number, dates: CronDates): number {
  switch (rule.kind) {
    case 'interval':
      return Math.round((newestMs - dueMs) / rule.everyMs) + 1;
    case 'once':
    case 'event':
      return 1;
    case 'cron': {
      const span = { afterMs: dueMs, toMs: newestMs, most: MAX_COUNTED - 1 };
      return 1 + dates.count(rule.cron, rule.zone, span);
    }
  }
}

/** The smallest distance between the next slots after `afterMs`; undefined for one-time tasks. */
export function smallestGapMs(rule: Rule, afterMs: number, dates: CronDates): number | undefined {
  if (rule.kind === 'once') return undefined;
  if (rule.kind === 'interval') return rule.everyMs;
  if (rule.kind === 'event') return rule.debounceMs;
  const slots = nextSlots(rule, afterMs, 10, dates);
  const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? slot));
  return gaps.length === 0 ? undefined : Math.min(...gaps);
}

/** A placeholder if no rule is an expression: the date library loads only on demand. */
export const NO_DATES: CronDates = {
  isZone: () => true,
  next: () => undefined,
  previous: () => undefined,
  count: () => 0,
  wallOf: () => ({ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 }),
  instantOf: () => undefined,
};
