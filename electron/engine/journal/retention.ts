const DAY_MS = 86_400_000;
const NIGHT_HOUR = 3;
const OVERDUE_MS = 26 * 3_600_000;
const MAX_PROBLEMS = 600;

/** What ended before it may go: `resilience.recovery.retention_days`. Open work always stays. Pure. S0-+02 */
export const keptSinceMs = (nowMs: number, days: number): number => nowMs - days * DAY_MS;

/**
 * Due at night, or by day if the computer was off every night. A clock that was set back has no
 * last run. Pure.
 */
export const isUpkeepDue = (at: {
  readonly lastMs: number;
  readonly nowMs: number;
  /** Of the local time. */
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
