import type { WallDate } from '../../shared/limits/zone-time';

/**
 * Dates of cron expressions, each in its zone. At clock changes, a fixed time in a gap runs at the
 * first instant after it, a fixed time that occurs twice counts once, and an interval pattern runs
 * through both passes. All instants are epoch ms. Answers are cached; none is slow.
 * Implemented by adapters/dates/cron-dates.ts.
 */
export interface CronDates {
  /** An IANA name that this computer knows. */
  isZone(zone: string): boolean;
  /** First run after `afterMs`, exclusive; undefined if there is none. */
  next(cron: string, zone: string, afterMs: number): number | undefined;
  /** Last run before `beforeMs`, exclusive. */
  previous(cron: string, zone: string, beforeMs: number): number | undefined;
  /** Runs after `afterMs` until `toMs`, inclusive; counted at most up to `most`. */
  count(cron: string, zone: string, span: { afterMs: number; toMs: number; most: number }): number;
  wallOf(zone: string, atMs: number): WallDate;
  /** The instant of a local time; undefined if it is outside the range of dates. */
  instantOf(zone: string, wall: WallDate): number | undefined;
}
