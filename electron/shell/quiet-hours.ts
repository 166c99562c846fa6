/** The hours in which no notification comes, by the clock on the wall. */

/** Looks again at least so often: computers sleep, and clocks are changed. */
const LOOK_AGAIN_MS = 60_000;

/**
 * When the quiet hours in force at `nowMs` end, ms since the epoch; undefined outside of them.
 * `span` is local time, `22:00-07:00`, its end excluded; empty or without length means none. Pure.
 */
export function quietUntilMs(span: string, nowMs: number): number | undefined {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(span);
  if (found === null) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number);
  // The night that started yesterday, and the one that starts today.
  for (const back of [1, 0]) {
    const from = new Date(nowMs);
    from.setHours(0, 0, 0, 0);
    from.setDate(from.getDate() - back);
    const to = new Date(from);
    from.setHours(fromHour, fromMinute);
    const isOverMidnight = fromHour * 60 + fromMinute > toHour * 60 + toMinute;
    to.setDate(to.getDate() + (isOverMidnight ? 1 : 0));
    to.setHours(toHour, toMinute);
    if (from.getTime() <= nowMs && nowMs < to.getTime()) return to.getTime();
  }
  return undefined;
}

interface QuietDeps {
  /** Do not disturb, as set by the user. */
  readonly isSwitchedOn: () => boolean;
  /** The setting; read each time, so that a change counts at once. */
  readonly span: () => string;
  /** Once after quiet hours in which a notice was held; not while the switch is on. */
  readonly onEnd: () => void;
  /** Wall ms. */
  readonly nowMs: () => number;
}

/** Whether the user is not to be disturbed now, for either reason. */
export function createQuiet({ isSwitchedOn, span, onEnd, nowMs }: QuietDeps): {
  readonly isQuiet: () => boolean;
} {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (watch()) return;
    if (!isSwitchedOn()) onEnd();
  };
  /** Sets the alarm for the end; not needed if nothing was held. */
  const watch = (): boolean => {
    const untilMs = quietUntilMs(span(), nowMs());
    if (untilMs === undefined) return false;
    timer ??= setTimeout(look, Math.min(untilMs - nowMs(), LOOK_AGAIN_MS));
    // It keeps no process alive.
    timer.unref();
    return true;
  };
  return {
    isQuiet() {
      const isNight = watch();
      return isSwitchedOn() || isNight;
    },
  };
}
