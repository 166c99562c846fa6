/** Whether the computer has to stay awake. Pure. KA-01..KA-03 */
import type { PowerSource } from '../../ports/awake';

/** A task due this soon keeps the computer awake until it runs. KA-01 */
export const DUE_SOON_MS = 5 * 60_000;
/** Two turns that follow each other within this time are held by one hold. KA-02 */
export const LINGER_MS = 10_000;
/** How often the battery is checked while its level matters. */
const BATTERY_LOOK_MS = 60_000;

/** What keeps the computer awake. */
type AwakeCause = 'turns' | 'due';

/** Why the computer may sleep although there is work. */
type SleepCause = 'off' | 'on_battery' | 'battery_low' | 'ceiling' | 'let_go';

export interface AwakeFacts {
  readonly nowMs: number;
  readonly mode: 'off' | 'plugged_in' | 'always';
  /** Turns that do something now: none that waits for a person, a limit or an outage. */
  readonly turnsAtWork: number;
  /** When the next task, timer or heartbeat is due. */
  readonly nextDueAtMs: number | undefined;
  readonly power: PowerSource;
  readonly batteryFloorPercent: number;
  readonly maxAwakeMs: number;
  /** Since when the computer is held awake; undefined if it is not. */
  readonly heldSinceMs: number | undefined;
  /** When there was last a cause to hold it. */
  readonly lastCauseAtMs: number | undefined;
  /**
   * Why the computer was allowed to sleep during this stretch of work; stays set until the work is
   * over.
   */
  readonly letGo: 'let_go' | 'ceiling' | undefined;
}

/** `lookAtMs`: when to decide again although nothing has changed. */
export type AwakePlan =
  | { readonly kind: 'hold'; readonly cause: AwakeCause; readonly lookAtMs: number | undefined }
  /** There is no work. */
  | { readonly kind: 'rest'; readonly lookAtMs: number | undefined }
  | { readonly kind: 'sleep'; readonly cause: SleepCause; readonly lookAtMs: number | undefined };

/** What to do about sleep, and when to look again. */
export function planAwake(facts: AwakeFacts): AwakePlan {
  const { nowMs, mode, power } = facts;
  if (mode === 'off') return { kind: 'sleep', cause: 'off', lookAtMs: undefined };
  const cause = causeOf(facts);
  const dueLookMs = dueLook(facts);
  if (cause === undefined) return { kind: 'rest', lookAtMs: dueLookMs };
  if (facts.letGo !== undefined)
    return { kind: 'sleep', cause: facts.letGo, lookAtMs: lingerEnd(facts) };
  const batteryLookMs =
    power.kind === 'battery' || (power.kind === 'plugged_in' && power.hasBattery)
      ? nowMs + BATTERY_LOOK_MS
      : undefined;
  if (power.kind === 'battery') {
    if (mode === 'plugged_in')
      return { kind: 'sleep', cause: 'on_battery', lookAtMs: batteryLookMs };
    if (power.percent !== undefined && power.percent <= facts.batteryFloorPercent)
      return { kind: 'sleep', cause: 'battery_low', lookAtMs: batteryLookMs };
  }
  const ceilingAtMs = (facts.heldSinceMs ?? nowMs) + facts.maxAwakeMs;
  if (ceilingAtMs <= nowMs) return { kind: 'sleep', cause: 'ceiling', lookAtMs: lingerEnd(facts) };
  return {
    kind: 'hold',
    cause,
    lookAtMs: soonest(ceilingAtMs, batteryLookMs, lingerEnd(facts)),
  };
}

/** Work now; or work that ended a moment ago, so that the next turn finds the hold in place. */
function causeOf(facts: AwakeFacts): AwakeCause | undefined {
  const { nowMs, lastCauseAtMs } = facts;
  const work = workOf(facts);
  if (work !== undefined) return work;
  const isStretch = facts.heldSinceMs !== undefined || facts.letGo !== undefined;
  const isLingering = isStretch && lastCauseAtMs !== undefined && nowMs - lastCauseAtMs < LINGER_MS;
  return isLingering ? 'turns' : undefined;
}

/** Current work, without work that has just ended. */
export function workOf({
  turnsAtWork,
  nextDueAtMs,
  nowMs,
}: Pick<AwakeFacts, 'turnsAtWork' | 'nextDueAtMs' | 'nowMs'>): AwakeCause | undefined {
  if (turnsAtWork > 0) return 'turns';
  // A long overdue task waits for something other than the time.
  return nextDueAtMs !== undefined && Math.abs(nextDueAtMs - nowMs) <= DUE_SOON_MS
    ? 'due'
    : undefined;
}

function lingerEnd(facts: AwakeFacts): number | undefined {
  return workOf(facts) !== undefined || facts.lastCauseAtMs === undefined
    ? undefined
    : facts.lastCauseAtMs + LINGER_MS;
}

function dueLook({ nextDueAtMs, nowMs }: AwakeFacts): number | undefined {
  const atMs = nextDueAtMs === undefined ? undefined : nextDueAtMs - DUE_SOON_MS;
  return atMs !== undefined && atMs > nowMs ? atMs : undefined;
}

function soonest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
