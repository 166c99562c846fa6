import { spanText } from '../durations';
import { EN_SCHEDULE } from '../messages/en-schedule';
import { sayWith, sentence, type MessageKey, type Sentence } from '../messages/sentence';
import { MAX_COUNTED } from './limits';
import { triggerText } from './trigger';
import type { CheckSaid, FireReason, Rule, SkipReason } from './states';

/** A date and time in a zone for lists: `Mon 7 Jun 2027, 09:00`. */
export function instantText(atMs: number, zone: string): string {
  const parts = new Map(
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
      .formatToParts(new Date(atMs))
      .map((part) => [part.type, part.value]),
  );
  const value = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${value('weekday')} ${value('day')} ${value('month')} ${value('year')}, ${value('hour')}:${value('minute')}`;
}

/**
 * A sentence of this part: loading the whole catalogue would slow a start more than the schedule
 * does.
 */
const say = (told: Sentence): string =>
  sayWith((key) => (EN_SCHEDULE as Partial<Record<MessageKey, string>>)[key] ?? key, told);

/** Describes when a task runs. */
export function ruleWords(rule: Rule, zone: string): string {
  switch (rule.kind) {
    case 'interval':
      return say(sentence('schedule.rule.interval', { duration: spanText(rule.everyMs) }));
    case 'once':
      return say(sentence('schedule.rule.once', { time: instantText(rule.atMs, zone) }));
    case 'event':
      return say(
        sentence(`schedule.rule.${rule.trigger.on}`, {
          name: triggerText(rule.trigger),
          duration: spanText(rule.debounceMs),
        }),
      );
    case 'cron':
      return say(sentence('schedule.rule.cron', { text: cronWords(rule.cron), name: rule.zone }));
  }
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Describes the plain daily and weekly forms; every other expression is returned as written. */
function cronWords(cron: string): string {
  const fields = cron.split(' ');
  const [minute = '', hour = '', dom, month, dow = ''] = fields.slice(-5);
  const second = fields.length === 6 ? (fields[0] ?? '') : '0';
  const isDaily = [second, minute, hour].every((field) => /^\d{1,2}$/.test(field));
  if (!isDaily || dom !== '*' || month !== '*') return cron;
  const two = (text: string): string => text.padStart(2, '0');
  const time = `${two(hour)}:${two(minute)}${Number(second) === 0 ? '' : `:${two(second)}`}`;
  if (dow === '*') return `Daily at ${time}`;
  if (dow === '1-5') return `Weekdays at ${time}`;
  const day = /^[0-7]$/.test(dow) ? DAYS[Number(dow) % 7] : undefined;
  return day === undefined ? cron : `${day}s at ${time}`;
}

/** The displayed facts of a scheduled run. */
interface SlotTold {
  readonly why: FireReason | SkipReason;
  readonly lateMs: number;
  readonly missed: number;
  /** From the first to the last of the slots. */
  readonly span?: { readonly fromMs: number; readonly toMs: number; readonly zone: string };
  readonly windowMs?: number;
  /** It runs once and its time has passed: it is not over but needs a person's decision. */
  readonly isMissed?: boolean;
  readonly next?: { readonly atMs: number; readonly zone: string };
  /** It was started by events: `missed` counts them. */
  readonly isEvent?: boolean;
  /** Result of its check. */
  readonly check?: CheckSaid;
}

/** The displayed number of runs: those of an expression are counted up to this limit. */
const slotCount = (missed: number): string | number =>
  missed === MAX_COUNTED ? `${String(missed)}+` : missed;

/** Why a slot ran or did not, in one or two sentences. */
export const slotWords = (slot: SlotTold): string => slotSentences(slot).map(say).join(' ');

/** The same, not yet in any language. */
export function slotSentences(slot: SlotTold): readonly Sentence[] {
  const duration = spanText(slot.lateMs);
  const parts = [whySentence(slot.why, duration, slot.windowMs, slot.isMissed === true)];
  const checked = slot.check === undefined ? undefined : checkSentence(slot.check, slot.why);
  if (checked !== undefined) parts.push(checked);
  const hasRun = ['in_window', 'always', 'on_time'].includes(slot.why);
  if (slot.isEvent === true) parts.push(sentence('schedule.slot.events', { count: slot.missed }));
  else if (slot.missed > 1 && slot.why !== 'overlap' && !BY_CHECK.has(slot.why))
    parts.push(
      slot.span === undefined || slot.why === 'on_time'
        ? sentence(hasRun ? 'schedule.slot.many' : 'schedule.slot.manySkipped', {
            count: slotCount(slot.missed),
          })
        : sentence(hasRun ? 'schedule.slot.manyBetween' : 'schedule.slot.skippedBetween', {
            count: slotCount(slot.missed),
            ...spanWords(slot.span),
          }),
    );
  if (slot.next !== undefined)
    parts.push(
      sentence('schedule.slot.next', { time: instantText(slot.next.atMs, slot.next.zone) }),
    );
  return parts;
}

/** Within one day, times are enough. */
function spanWords({ fromMs, toMs, zone }: NonNullable<SlotTold['span']>): {
  readonly first: string;
  readonly last: string;
} {
  const first = instantText(fromMs, zone);
  const last = instantText(toMs, zone);
  const time = (text: string): string => text.slice(-'09:00'.length);
  return first.slice(0, -5) === last.slice(0, -5)
    ? { first: time(first), last: time(last) }
    : { first, last };
}

/** Skips decided by the task's check. */
const BY_CHECK: ReadonlySet<string> = new Set(['unchanged', 'nothing', 'check_failed']);

/** A check decides about an upcoming run. */
export const checkAhead = (check: string): string =>
  say(sentence('schedule.check.ahead', { text: check }));

/** The check's addition to the reason; undefined if the reason already contains it. */
function checkSentence({ end, detail = '' }: CheckSaid, why: string): Sentence | undefined {
  if (BY_CHECK.has(why))
    return detail === '' ? undefined : sentence('schedule.check.why', { text: detail });
  if (end === 'failed') return sentence('schedule.check.failed', { text: detail });
  return end === 'first' || end === 'changed' ? sentence(`schedule.check.${end}`) : undefined;
}

function whySentence(
  why: FireReason | SkipReason,
  duration: string,
  windowMs: number | undefined,
  isMissed: boolean,
): Sentence {
  switch (why) {
    case 'on_time':
    case 'by_hand':
    case 'overlap':
    case 'unchanged':
    case 'nothing':
    case 'check_failed':
      return sentence(`schedule.slot.${why}`);
    case 'in_window':
    case 'always':
    case 'never':
      return sentence(`schedule.slot.${why}`, { duration });
    case 'window':
      return windowMs === undefined || windowMs === 0
        ? sentence(isMissed ? 'schedule.slot.missedOff' : 'schedule.slot.windowOff', { duration })
        : sentence(isMissed ? 'schedule.slot.missed' : 'schedule.slot.window', {
            duration,
            text: spanText(windowMs),
          });
  }
}
