/** Formats times, durations, and money. Pure; the locale is passed in. */
import { t } from '../../shared/messages';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Locale of clock times, dates, decimals, and money; undefined means the system's. */
let userLocale: string | undefined = 'en-US';

/**
 * Set once when a window starts. Until then it is English, so that tests get the same text
 * everywhere.
 */
export function setUserLocale(locale: string | undefined): void {
  userLocale = locale;
}

/** The locale of a window, for formats that only one page needs. */
export const formatsHere = (): string | undefined => userLocale;

/** "0.4 s", "42 s", "4 min 13 s", "1 h 29 min", "2 d 3 h", in the digits of the locale. */
export function durationText(ms: number, locale = userLocale): string {
  const whole = (value: number): string => decimal(value, locale);
  const safe = Math.max(0, ms);
  if (safe < 100) return t('time.underTenth', { count: decimal(0.1, locale) });
  if (safe < 10 * SECOND) {
    const tenths = Math.round(safe / 100) / 10;
    return t('time.seconds', { count: decimal(tenths, locale) });
  }
  const seconds = Math.round(safe / SECOND);
  if (seconds < 60) return t('time.seconds', { count: whole(seconds) });
  if (safe < HOUR) {
    const rest = seconds % 60;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) {
      return rest === 0
        ? t('time.minutes', { count: whole(minutes) })
        : t('time.minutesSeconds', { minutes: whole(minutes), seconds: whole(rest) });
    }
  }
  const minutes = Math.round(safe / MINUTE);
  if (minutes < 24 * 60) {
    const rest = minutes % 60;
    const hours = Math.floor(minutes / 60);
    return rest === 0
      ? t('time.hours', { count: whole(hours) })
      : t('time.hoursMinutes', { hours: whole(hours), minutes: whole(rest) });
  }
  const hours = Math.round(safe / HOUR);
  const rest = hours % 24;
  const days = Math.floor(hours / 24);
  return rest === 0
    ? t('time.days', { count: whole(days) })
    : t('time.daysHours', { days: whole(days), hours: whole(rest) });
}

/** Short age for a list: "now", "29 min", "8 h", "3 d". */
export function ageText(atMs: number, nowMs: number, locale = userLocale): string {
  const age = Math.max(0, nowMs - atMs);
  const whole = (ms: number): string => decimal(Math.floor(age / ms), locale);
  if (age < MINUTE) return t('time.now');
  if (age < HOUR) return t('time.minutes', { count: whole(MINUTE) });
  if (age < DAY) return t('time.hours', { count: whole(HOUR) });
  return t('time.days', { count: whole(DAY) });
}

/** Time left until a moment: "in 42 s", above two minutes without seconds; "now" when due. */
export function untilText(atMs: number, nowMs: number, locale = userLocale): string {
  const left = atMs - nowMs;
  if (left <= 0) return t('time.now');
  if (left <= 2 * MINUTE) {
    const count = decimal(Math.ceil(left / SECOND), locale);
    return t('time.in', { text: t('time.seconds', { count }) });
  }
  return t('time.in', { text: durationText(Math.ceil(left / MINUTE) * MINUTE, locale) });
}

/** Creating one costs more than using it a hundred times, and a table of times uses many. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const formatted = (
  at: Date,
  locale: string | undefined,
  options: Intl.DateTimeFormatOptions,
): string => {
  const key = `${locale ?? ''} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, known);
  return known.format(at);
};

/** A day in the user's format. */
export const dayOf = (
  atMs: number,
  options: Intl.DateTimeFormatOptions,
  locale = userLocale,
): string => formatted(new Date(atMs), locale, options);

/** The same for a date like `2026-10-07`. */
export const dateText = (date: string, locale = userLocale): string =>
  dayOf(Date.parse(`${date}T12:00`), { dateStyle: 'medium' }, locale);

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** Clock time, with the date if it is not today. */
export function clockText(
  atMs: number,
  nowMs: number,
  locale = userLocale,
  withSeconds = false,
): string {
  const at = new Date(atMs);
  const now = new Date(nowMs);
  // The style lets the locale decide between 14:02 and 2:02 PM.
  const time = formatted(at, locale, { timeStyle: withSeconds ? 'medium' : 'short' });
  if (isSameDay(at, now)) return time;
  return t('time.dayAndTime', { day: dayName(atMs, nowMs, locale), time });
}

/** The weekday within a week, or else the date. */
function dayName(atMs: number, nowMs: number, locale: string | undefined, withYear = true): string {
  return Math.abs(nowMs - atMs) < 6 * DAY
    ? dayOf(atMs, { weekday: 'long' }, locale)
    : dayOf(
        atMs,
        { day: 'numeric', month: 'short', ...(withYear ? { year: 'numeric' } : {}) },
        locale,
      );
}

/** The time if it is today, or else the date: for a line without room for both. */
export function roughlyText(atMs: number, nowMs: number, locale = userLocale): string {
  const isOtherYear = new Date(atMs).getFullYear() !== new Date(nowMs).getFullYear();
  return isSameDay(new Date(atMs), new Date(nowMs))
    ? clockText(atMs, nowMs, locale)
    : dayName(atMs, nowMs, locale, isOtherYear);
}

const CLOCK = /(?<![+\-\d:])\b([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?\b/g;

/**
 * A sentence of the engine with its clock times in this window's format: the engine knows no locale
 * and always writes "17:42". Not for texts from a user or a model.
 */
export function localClocks(sentence: string, locale = userLocale): string {
  return sentence.replace(CLOCK, (_all, hour: string, minute: string, second?: string) =>
    formatted(new Date(2000, 0, 1, Number(hour), Number(minute), Number(second ?? 0)), locale, {
      timeStyle: second === undefined ? 'short' : 'medium',
    }),
  );
}

/** Date and time in full, for the tooltip. */
export function fullTimeText(atMs: number, locale = userLocale): string {
  return formatted(new Date(atMs), locale, { dateStyle: 'full', timeStyle: 'medium' });
}

const numbers = new Map<string, Intl.NumberFormat>();
const numberFormat = (
  locale: string | undefined,
  options: Intl.NumberFormatOptions,
): Intl.NumberFormat => {
  const key = `${locale ?? ''} ${JSON.stringify(options)}`;
  const known = numbers.get(key) ?? new Intl.NumberFormat(locale, options);
  numbers.set(key, known);
  return known;
};

/** "<0.1 s", for a narrow column. */
export const instantText = (locale = userLocale): string =>
  t('timeline.instant', { count: decimal(0.1, locale) });

const decimal = (value: number, locale: string | undefined): string =>
  numberFormat(locale, { maximumFractionDigits: 1 }).format(value);

/** "84K" in the locale's format. */
export const compactText = (value: number, locale = userLocale): string =>
  numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

/** "$3.86" in the locale's format; below one cent "under $0.01"; zero is "$0.00". */
export function moneyText(usd: number, locale = userLocale): string {
  const dollars = numberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  });
  if (usd > 0 && usd < 0.01) return t('money.underCent', { cost: dollars.format(0.01) });
  return dollars.format(usd);
}

/** Local midnight at the start of a moment's day. */
export function dayStartMs(nowMs: number): number {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** A local day as the lines of the usage name it: "2026-03-24". */
export const isoDay = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
