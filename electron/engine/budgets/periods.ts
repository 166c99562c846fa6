/** Days, weeks and months in a time zone, with its clock changes. Pure. BU-01 */
import type { BudgetPeriod } from '../../../shared/settings/budgets';

export interface Span {
  readonly startMs: number;
  /** Excluded. */
  readonly endMs: number;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAY_MS = 86_400_000;
const FIRST_DAYS = { sunday: 0, monday: 1, saturday: 6 } as const;
type WeekStart = keyof typeof FIRST_DAYS;

/** Making one costs more than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** What a clock on the wall of the zone shows, as if it were UTC. */
function wallMs(zone: string, atMs: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** The first instant of a day in the zone; where midnight is skipped, the first one after it. */
function startOfDay(zone: string, { year, month, day }: Day): number {
  const midnightMs = Date.UTC(year, month - 1, day);
  const guess = midnightMs - (wallMs(zone, midnightMs) - midnightMs);
  // The offset may be another one at the guess than at the midnight of UTC.
  const second = midnightMs - (wallMs(zone, guess) - guess);
  const found = [guess, second].toSorted((a, b) => a - b);
  return found.find((atMs) => wallMs(zone, atMs) >= midnightMs) ?? second;
}

const dayOf = (ms: number): Day => {
  const date = new Date(ms);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};

/** The period that contains an instant. A turn is no period: it ends when it ends. */
export function periodAt(
  per: Exclude<BudgetPeriod, 'turn'>,
  nowMs: number,
  zone: string,
  weekStart: WeekStart,
): Span {
  const wall = wallMs(zone, nowMs);
  const today = dayOf(wall);
  const startOf = (ms: number): number => startOfDay(zone, dayOf(ms));
  const todayMs = Date.UTC(today.year, today.month - 1, today.day);
  switch (per) {
    case 'day':
      return { startMs: startOf(todayMs), endMs: startOf(todayMs + DAY_MS) };
    case 'week': {
      const since = (new Date(todayMs).getUTCDay() - FIRST_DAYS[weekStart] + 7) % 7;
      const firstMs = todayMs - since * DAY_MS;
      return { startMs: startOf(firstMs), endMs: startOf(firstMs + 7 * DAY_MS) };
    }
    case 'month':
      return {
        startMs: startOf(Date.UTC(today.year, today.month - 1, 1)),
        endMs: startOf(Date.UTC(today.year, today.month, 1)),
      };
  }
}
