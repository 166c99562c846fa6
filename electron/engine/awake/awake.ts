import type { AwakeHold, AwakeHolder, PowerSource, ReadPowerSource } from '../../ports/awake';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { Basics } from '../kernel/basics';
import type { SettingsPort } from '../../ports/settings';
import { durationMs } from '../../../shared/settings';
import type { StatusSnapshot } from '../../../shared/types';
import { createCoalesced } from '../kernel/coalesce';
import { type AwakeFacts, type AwakePlan, planAwake, workOf } from './plan-awake';

interface AwakeDeps extends Pick<Basics, 'clock' | 'settings' | 'audit' | 'log'> {
  readonly holder: AwakeHolder;
  readonly readPower: ReadPowerSource;
  /** Number of turns that are working now, counted up to `upTo`. */
  readonly turnsAtWork: (upTo?: number) => number;
  readonly nextDueAtMs: () => number | undefined;
  readonly onChange: () => void;
}

export interface Awake {
  start(): void;
  /** Call after a change that may affect whether the computer must stay awake. */
  look(): void;
  /**
   * Lets the computer sleep until the current work is over. False if nothing held it awake. KA-05
   */
  letSleep(by: string): boolean;
  view(): StatusSnapshot['awake'];
  stop(): void;
}

/**
 * Holds off automatic sleep while agents work. One hold lasts over all turns that follow each other
 * (KA-02). Nothing of it is on disk: the system drops the hold with this process (KA-03).
 */
export function createAwake(deps: AwakeDeps): Awake {
  const { clock, settings, audit } = deps;
  let hold:
    { readonly sinceMs: number; readonly cause: 'turns' | 'due'; it: AwakeHold } | undefined;
  let letGo: AwakeFacts['letGo'];
  let lastCauseAtMs: number | undefined;
  let hadWork = false;
  /** The system rejected the hold: reported once, and not retried until there is new work. */
  let refusal: string | undefined;
  let power: PowerSource = { kind: 'unknown' };
  let timer = new AbortController();
  let isUp = false;
  let isLooking = false;
  let again = false;

  const release = (reason: string): void => {
    if (hold === undefined) return;
    hold.it.release();
    audit.record('awake_released', { reason, heldMs: clock.nowMs() - hold.sinceMs });
    hold = undefined;
    deps.onChange();
  };

  const take = (cause: 'turns' | 'due'): void => {
    if (refusal !== undefined) return;
    if (hold !== undefined) {
      if (hold.cause !== cause) {
        hold = { ...hold, cause };
        deps.onChange();
      }
      return;
    }
    const it = deps.holder.hold(reasonFor(cause, deps.turnsAtWork(2)));
    hold = { sinceMs: clock.nowMs(), cause, it };
    audit.record('awake_held', { cause });
    deps.onChange();
    void it.lost.then(({ reason }) => {
      if (hold?.it !== it) return;
      deps.log.warn('awake.refused', { reason: reason.slice(0, 300) });
      refusal = reason.slice(0, 300);
      release('refused');
    });
  };

  // A single turn decides.
  const facts = (turnsAtWork = deps.turnsAtWork(1)): AwakeFacts => ({
    nowMs: clock.nowMs(),
    mode: settings.get('power.keep_awake'),
    turnsAtWork,
    nextDueAtMs: deps.nextDueAtMs(),
    power,
    batteryFloorPercent: settings.get('power.battery_floor'),
    maxAwakeMs: durationMs(settings.get('power.max_awake')),
    heldSinceMs: hold?.sinceMs,
    lastCauseAtMs,
    letGo,
  });

  const act = (plan: AwakePlan): void => {
    switch (plan.kind) {
      case 'hold':
        take(plan.cause);
        break;
      case 'rest':
        letGo = undefined;
        refusal = undefined;
        release('no_work');
        break;
      case 'sleep':
        if (plan.cause === 'ceiling' || plan.cause === 'let_go') letGo = plan.cause;
        release(plan.cause);
        break;
    }
  };

  /** The power source is read only where it decides: there is work, and the setting allows a hold. */
  const decide = async (): Promise<void> => {
    const first = facts();
    const hasWork = workOf(first) !== undefined;
    // The work continued until this check, however long ago the previous one was.
    if (hasWork || hadWork) lastCauseAtMs = first.nowMs;
    hadWork = hasWork;
    if (hasWork && first.mode !== 'off') power = await deps.readPower();
    if (!isUp) return;
    const now = facts(first.turnsAtWork);
    const plan = planAwake(now);
    act(plan);
    wakeAt(plan.lookAtMs);
  };

  const wakeAt = (atMs: number | undefined): void => {
    timer.abort();
    timer = new AbortController();
    if (atMs === undefined || !isUp) return;
    clock
      .sleep(Math.max(1, atMs - clock.nowMs()), timer.signal)
      .then(look)
      .catch(() => undefined);
  };

  const look = (): void => {
    if (!isUp) return;
    if (isLooking) {
      again = true;
      return;
    }
    isLooking = true;
    decide()
      .catch((error: unknown) => deps.log.warn('awake.look_failed', { message: String(error) }))
      .finally(() => {
        isLooking = false;
        if (!again) return;
        again = false;
        look();
      });
  };

  return {
    start() {
      isUp = true;
      look();
    },
    look,
    letSleep(by) {
      if (hold === undefined) return false;
      letGo = 'let_go';
      audit.record('awake_let_go', { by });
      release('let_go');
      look();
      return true;
    },
    view: () =>
      hold === undefined
        ? undefined
        : { sinceMs: hold.sinceMs, cause: hold.cause, turns: deps.turnsAtWork() },
    stop() {
      isUp = false;
      timer.abort();
      release('stopped');
    },
  };
}

/** Shown by the system as the reason why the computer stays awake. */
function reasonFor(cause: 'turns' | 'due', turns: number): string {
  if (cause === 'due') return 'A task is due within 5 minutes';
  return turns === 1 ? 'An agent is working' : 'Agents are working';
}

/** Many changes arrive together; a hold may be that much late. */
const SOON_MS = 200;

/** Looks again after each commit that may start or end work, and after a change of the settings. KA-01 */
export function followWork(
  { look }: Pick<Awake, 'look'>,
  deps: {
    readonly journal: Pick<Journal, 'onCommitted'>;
    readonly settings: Pick<SettingsPort, 'onChange'>;
    readonly clock: Pick<Clock, 'sleep'>;
  },
): void {
  const lookSoon = createCoalesced(look, (work) => {
    void deps.clock.sleep(SOON_MS).then(work);
  });
  deps.journal.onCommitted(lookSoon, { skipsSteps: true });
  deps.settings.onChange((keys) => {
    if (keys.some((key) => key.startsWith('power.'))) lookSoon();
  });
}
