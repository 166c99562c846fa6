/** Turns by the settings, read at each decision, so that a change applies at once. S3-+02 */
import { durationMs } from '../../../shared/settings';
import type { Ids } from '../../ports/ids';
import type { PauseStore } from '../../ports/pause';
import type { SettingsPort } from '../../ports/settings';
import type { Outages } from '../outage/outages';
import type { ShareGate } from '../sharing/share-gate';
import type { LeasePolicy } from './lease-rules';
import { createLeaseTable } from './lease-table';
import type { RequeuePolicy } from './plan-requeue';
import type { QuitWhenDone } from './quit-when-done';
import type { TurnRunDeps } from './run-record';
import { createTurnScheduler, type TurnScheduler, type TurnSchedulerDeps } from './scheduler';

export const requeueBySettings =
  (settings: Pick<SettingsPort, 'get'>): (() => RequeuePolicy) =>
  () => ({
    delayMs: durationMs(settings.get('work.requeue_delay')),
    maxDelayMs: durationMs(settings.get('work.requeue_max_delay')),
    maxRequeues: settings.get('work.max_requeues'),
  });

export const turnLimitsBySettings = (
  settings: Pick<SettingsPort, 'get' | 'onChange'>,
): Pick<TurnRunDeps['limits'], 'ofTurn' | 'onChange'> => ({
  ofTurn: () => ({
    steps: settings.get('limits.turn_steps'),
    timeMs: durationMs(settings.get('limits.turn_time')),
    costUsd: settings.get('limits.turn_cost_usd'),
  }),
  onChange: (listener) =>
    settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('limits.'))) listener();
    }),
});

interface SchedulerBySettingsDeps extends Omit<TurnSchedulerDeps, 'starts' | 'leases'> {
  readonly settings: SettingsPort;
  readonly ids: Pick<Ids, 'newId'>;
  readonly runId: string;
  readonly isReadOnly: boolean;
  readonly pauseStore: PauseStore;
  readonly outage: Pick<Outages, 'look' | 'started' | 'ended'>;
  readonly gate: Pick<ShareGate, 'isFenced'>;
  readonly quitWhenDone: Pick<QuitWhenDone, 'isWanted'>;
}

export function createSchedulerBySettings(deps: SchedulerBySettingsDeps): TurnScheduler {
  const { settings, clock } = deps;
  const policy = (): LeasePolicy => ({
    renewMs: durationMs(settings.get('work.lease_renew')),
    staleMs: durationMs(settings.get('work.lease_stale')),
  });
  const scheduler = createTurnScheduler({
    ...deps,
    starts: {
      cap: () => settings.get('limits.max_running_turns'),
      pauseStore: deps.pauseStore,
      gate: deps.outage,
      isHeldBack: () => deps.quitWhenDone.isWanted(),
    },
    leases: {
      table: createLeaseTable({
        monotonicMs: () => clock.monotonicMs(),
        newId: () => deps.ids.newId(),
        instance: deps.runId,
        policy,
        isFenced: (turnId) => deps.gate.isFenced(turnId),
      }),
      policy,
    },
  });
  if (!deps.isReadOnly)
    settings.onChange((changed) => {
      if (changed.some((key) => key.startsWith('work.lease'))) scheduler.lookAtLeases();
      // More may run from now on, not only when the next one ends.
      if (changed.includes('limits.max_running_turns')) scheduler.lookAgain();
    });
  return scheduler;
}
