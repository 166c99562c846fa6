/**
 * How long history is kept. upkeep.ts orders the removal; adapters/sqlite/retention.ts removes the rows.
 */

const DAY_MS = 86_400_000;
const NIGHT_HOUR = 3;
const OVERDUE_MS = 26 * 3_600_000;
const MAX_PROBLEMS = 600;

/** A clock must run this long before a jump of it is believed. */
const BELIEVED_MS = 7 * DAY_MS;
const LEAP_MS = 2 * BELIEVED_MS;

/**
 * An instant at which Holdfast ran proves the time only after the clock ran this long from there.
 */
export const believedMs = (nowMs: number): number => nowMs - BELIEVED_MS;

/**
 * Data of work that ended before this may be removed: `resilience.recovery.retention_days`. Open
 * work always stays. `seenMs`: instants at which Holdfast ran, including the newest one that is a
 * week old. A clock jump is believed only after a week; until then the earlier time counts, so that
 * a start with the wrong year removes nothing. Pure. S0-+02
 */
export function keptSinceMs(facts: {
  readonly nowMs: number;
  readonly days: number;
  readonly seenMs: readonly number[];
}): number {
  const { nowMs, days } = facts;
  const settledMs = Math.max(...facts.seenMs.filter((atMs) => atMs <= believedMs(nowMs)));
  const isLeap = Number.isFinite(settledMs) && nowMs - settledMs > LEAP_MS;
  return (isLeap ? settledMs : nowMs) - days * DAY_MS;
}

/**
 * Due at night, or during the day if the computer was off every night. A clock that was set back
 * has no last run. Pure.
 */
export const isUpkeepDue = (at: {
  readonly lastMs: number;
  readonly nowMs: number;
  /** Hour of the local time. */
  readonly hour: number;
}): boolean => at.hour === NIGHT_HOUR || at.nowMs < at.lastMs || at.nowMs - at.lastMs >= OVERDUE_MS;

/** The notice after a full check found the database damaged. */
export const damageFound = (report: {
  readonly isUnread: boolean;
  readonly problems: readonly string[];
}): { readonly title: string; readonly detail: string } => ({
  title: report.isUnread
    ? 'The disk reports an error when the database is read'
    : 'The database is damaged',
  detail: `${report.problems.join('; ').slice(0, MAX_PROBLEMS)}. Run "holdfast doctor --full".`,
});
