import { createAwakeHolder } from '../adapters/power/awake-holder';
import { createPowerSource } from '../adapters/power/power-source';
import { type Awake, createAwake } from '../engine/awake/awake';
import { turnsAtWork } from '../engine/awake/turns-at-work';
import { createCoalesced } from '../engine/kernel/coalesce';
import type { Schedule } from '../engine/schedule/schedule';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { AwakeHolder } from '../ports/awake';
import type { Core } from './core';

/** Many changes arrive together; a hold may be that much late. */
const SOON_MS = 200;

/** Keeps the computer awake while turns run: by the desktop's own means in the app. KA-01 */
export function createAwakePart(
  core: Core,
  rooms: { readonly scheduler: TurnScheduler; readonly schedule: Pick<Schedule, 'outlook'> },
): Awake {
  const { settings, compose } = core;
  const { reads, journal } = core.disk;
  const { clock } = core.world;
  const platform = process.platform;
  const awake = createAwake({
    ...core.world,
    ...core.records,
    settings: core.settings,
    holder: holderOf(compose, platform),
    readPower: createPowerSource(platform),
    turnsAtWork: () => turnsAtWork(reads, rooms.scheduler.running(), clock.nowMs()),
    nextDueAtMs: () => rooms.schedule.outlook()?.next[0]?.atMs,
    onChange: core.told.changed,
  });
  const lookSoon = createCoalesced(
    () => awake.look(),
    (work) => {
      void clock.sleep(SOON_MS).then(work);
    },
  );
  journal.onCommitted(lookSoon, { skipsSteps: true });
  settings.onChange((keys) => {
    if (keys.some((key) => key.startsWith('power.'))) lookSoon();
  });
  return awake;
}

/**
 * In the app the desktop holds, and on Linux the system's program adds the short delay before a
 * sleep that a person asks for, and the hold itself where no session manager listens. KA-04
 */
export function holderOf(
  { desktop, env }: Pick<Core['compose'], 'desktop' | 'env'>,
  platform: NodeJS.Platform,
): AwakeHolder {
  const shown = desktop?.awake;
  if (shown === undefined) return createAwakeHolder({ platform, env });
  if (platform !== 'linux') return shown;
  const system = createAwakeHolder({ platform, env, holdsIdle: !shown.isHeard });
  return {
    hold(why) {
      const holds = [shown.hold(why), system.hold(why)] as const;
      return {
        release() {
          for (const hold of holds) hold.release();
        },
        lost: shown.isHeard ? holds[0].lost : holds[1].lost,
      };
    },
  };
}
