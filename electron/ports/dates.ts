/** A date and time as a clock on the wall of a zone shows it. */
export interface WallDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Dates of cron expressions, in the zone of each. At a change of the clocks: a fixed time in a gap
 * comes at the first instant after it, a fixed time that comes twice counts once, an interval
 * pattern runs through both passes. All instants are epoch ms. Answers are cached; none is slow.
 */
export interface CronDates {
  /** An IANA name that this computer knows. */
  isZone(zone: string): boolean;
  /** First run after `afterMs`, that instant excluded; undefined if there is none. */
  next(cron: string, zone: string, afterMs: number): number | undefined;
  /** Last run before `beforeMs`, that instant excluded. */
  previous(cron: string, zone: string, beforeMs: number): number | undefined;
  /** Runs after `afterMs` up to and with `toMs`; counted at most up to `most`. */
  count(cron: string, zone: string, span: { afterMs: number; toMs: number; most: number }): number;
  wallOf(zone: string, atMs: number): WallDate;
  /** The instant of a wall time; undefined if it is outside the range of dates. */
  instantOf(zone: string, wall: WallDate): number | undefined;
}
