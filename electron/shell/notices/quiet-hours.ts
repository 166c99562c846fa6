/** The hours in which no notification comes, by the clock on the wall. */
import { quietUntilMs } from '../../../shared/quiet-hours';

/** Looks again at least so often: computers sleep, and clocks are changed. */
const LOOK_AGAIN_MS = 60_000;

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
