/** The hours without notifications, in local time. */
import { quietUntilMs } from '../../../shared/quiet-hours';

/** Checks at least this often, because computers sleep and clocks are changed. */
const LOOK_AGAIN_MS = 60_000;

interface QuietDeps {
  /** "Do not disturb", as set by the user. */
  readonly isSwitchedOn: () => boolean;
  /** The setting, read each time, so that a change applies at once. */
  readonly span: () => string;
  /**
   * Called once after quiet hours in which a notice was held back; not while "do not disturb" is
   * on.
   */
  readonly onEnd: () => void;
  /** Wall ms. */
  readonly nowMs: () => number;
}

/** Whether notifications are held back now, by the switch or by quiet hours. */
export function createQuiet({ isSwitchedOn, span, onEnd, nowMs }: QuietDeps): {
  readonly isQuiet: () => boolean;
} {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (watch()) return;
    if (!isSwitchedOn()) onEnd();
  };
  /** Sets the timer for the end; not needed if nothing was held back. */
  const watch = (): boolean => {
    const untilMs = quietUntilMs(span(), nowMs());
    if (untilMs === undefined) return false;
    timer ??= setTimeout(look, Math.min(untilMs - nowMs(), LOOK_AGAIN_MS));
    // The timer must not keep the process alive.
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
