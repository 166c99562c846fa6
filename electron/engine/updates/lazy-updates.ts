import type { UpdateMode } from '../../../shared/settings/updates';
import type { Clock, Ticker } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { SettingsPort } from '../../ports/settings';
import type { Updates } from './updates';

/** Updates of this program. Costs nothing while they are off and no one requests one. */
export interface LazyUpdates {
  loaded(): Promise<Updates>;
  brief: Updates['brief'];
  start(): void;
  stop(): void;
}

interface LazyUpdatesDeps {
  readonly load: () => Promise<Updates>;
  readonly settings: Pick<SettingsPort, 'get' | 'onChange'>;
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly isReadOnly: boolean;
  /** Aborted when the shutdown starts. */
  readonly draining: AbortSignal;
  /** A version that was downloaded earlier is waiting. */
  readonly isOneReady: () => boolean;
  readonly ticks: Ticker;
  readonly onChange: () => void;
}

const DAY_MS = 86_400_000;

/** Once a day. Pure. */
export const isCheckDue = (facts: {
  readonly mode: UpdateMode;
  readonly nowMs: number;
  /** When this process last checked; undefined if it has not. */
  readonly checkedMs: number | undefined;
}): boolean =>
  facts.mode !== 'off' &&
  (facts.checkedMs === undefined || facts.nowMs - facts.checkedMs >= DAY_MS);

/** Loaded if `updates.mode` is not `off`, or with the first request about updates. UP-02, W4 */
export function createLazyUpdates(deps: LazyUpdatesDeps): LazyUpdates {
  const { settings } = deps;
  let made: Updates | undefined;
  let loading: Promise<Updates> | undefined;
  const load = async (): Promise<Updates> => (made = await deps.load());
  const loaded = (): Promise<Updates> => (loading ??= load());
  if (!deps.isReadOnly) deps.journal.onCommitted(() => made?.look(), { skipsSteps: true });
  let checkedMs: number | undefined;
  const check = (): void => {
    const nowMs = deps.clock.monotonicMs();
    if (!isCheckDue({ mode: settings.get('updates.mode'), nowMs, checkedMs })) return;
    checkedMs = nowMs;
    loaded()
      .then((updates) => updates.check())
      .catch(() => undefined); // it is in its status, and in the log
  };
  let ticks: { stop(): void } | undefined;
  const beginIfOn = (): void => {
    if (settings.get('updates.mode') === 'off' || deps.draining.aborted) return;
    ticks ??= deps.ticks(check);
  };
  return {
    loaded,
    brief: () => made?.brief(),
    start() {
      // Shows a version that is already waiting, without a request.
      if (deps.isOneReady()) void loaded().then(deps.onChange, () => undefined);
      beginIfOn();
      settings.onChange((keys) => {
        if (keys.includes('updates.mode')) beginIfOn();
      });
    },
    stop() {
      ticks?.stop();
    },
  };
}
