/** Days, weeks and months in a time zone, with its clock changes. Pure. BU-01 */
import { instantOf, wallOf } from '../../../shared/limits/zone-time';
import type { BudgetPeriod } from '../../../shared/settings/budgets';

export interface Span {
  readonly startMs: number;
  /** Excluded. */
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
const FIRST_DAYS = { sunday: 0, monday: 1, saturday: 6 } as const;
type WeekStart = keyof typeof FIRST_DAYS;

/** The first instant of a day in the zone; where midnight is skipped, the first one after it. */
function startOfDay(zone: string, dayMs: number): number {
  const date = new Date(dayMs);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return instantOf(zone, { year, month, day, hour: 0, minute: 0 });
}

/** When periods start. */
interface Starts {
  readonly weekStart: WeekStart;
  /** 1 to 31; a shorter month starts on its last day. */
  readonly monthDay: number;
}

/** The first day of the period that starts in a month, counted from January of its year as 0. */
function monthStart(year: number, month: number, monthDay: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(monthDay, lastDay));
}

/** The period that contains an instant. A turn is no period: it ends when it ends. BU-01, BU-05 */
export function periodAt(
  per: Exclude<BudgetPeriod, 'turn'>,
  nowMs: number,
  zone: string,
  { weekStart, monthDay }: Starts,
): Span {
  const today = wallOf(zone, nowMs);
  const startOf = (dayMs: number): number => startOfDay(zone, dayMs);
  const todayMs = Date.UTC(today.year, today.month - 1, today.day);
  switch (per) {
    case 'day':
      return { startMs: startOf(todayMs), endMs: startOf(todayMs + DAY_MS) };
    case 'week': {
      const since = (new Date(todayMs).getUTCDay() - FIRST_DAYS[weekStart] + 7) % 7;
      const firstMs = todayMs - since * DAY_MS;
      return { startMs: startOf(firstMs), endMs: startOf(firstMs + 7 * DAY_MS) };
    }
    case 'month': {
      const month = today.month - 1;
      const isBegun = todayMs >= monthStart(today.year, month, monthDay);
      const first = isBegun ? month : month - 1;
      return {
        startMs: startOf(monthStart(today.year, first, monthDay)),
        endMs: startOf(monthStart(today.year, first + 1, monthDay)),
      };
    }
  }
}
