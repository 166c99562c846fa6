/** Keeps the computer from going to sleep automatically. KA-01..KA-05 */

/** How the computer is powered right now. */
export type PowerSource =
  /** Plugged in, or a computer without a battery. */
  | { readonly kind: 'plugged_in'; readonly hasBattery: boolean }
  | { readonly kind: 'battery'; readonly percent: number | undefined }
  /** Unknown; counts as plugged in. */
  | { readonly kind: 'unknown' };

/** One hold. The system drops it when this process ends, for any reason (KA-03). */
export interface AwakeHold {
  /** Idempotent; never throws. */
  release(): void;
  /** Resolves if the system ended or rejected the hold; never rejects. */
  readonly lost: Promise<{ readonly reason: string }>;
}

/**
 * Holds off automatic sleep. The screen may go dark, and closing the lid or choosing Suspend is
 * never blocked, only delayed by up to 5 s so that a step can end (KA-04).
 * Implemented by adapters/power/awake-holder.ts.
 */
export interface AwakeHolder {
  /** `why`: the reason that the system shows to users. */
  hold(why: string): AwakeHold;
}

/**
 * Reads the power source; resolves within 3 s, never rejects.
 * Implemented by adapters/power/power-source.ts.
 */
export type ReadPowerSource = () => Promise<PowerSource>;

/**
 * The desktop's own way to hold off sleep.
 * Implemented by shell/system/stay-awake.ts.
 */
export interface DesktopHolder extends AwakeHolder {
  /**
   * False: no service on this desktop responds, so the system's own program must hold off sleep.
   */
  readonly isHeard: boolean;
}
