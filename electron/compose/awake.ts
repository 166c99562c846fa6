import { holderOf } from '../adapters/power/awake-holder';
import { createPowerSource } from '../adapters/power/power-source';
import { type Awake, createAwake, followWork } from '../engine/awake/awake';
import { turnsAtWork } from '../engine/awake/turns-at-work';
import type { Schedule } from '../engine/schedule/schedule';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { Core } from './core';

/** Keeps the computer awake while turns run: by the desktop's own means in the app. KA-01 */
export function createAwakePart(
  core: Core,
  rooms: { readonly scheduler: TurnScheduler; readonly schedule: Pick<Schedule, 'outlook'> },
): Awake {
  const { settings, compose } = core;
  const { platform } = process;
  const awake = createAwake({
    ...core.world,
    ...core.records,
    settings,
    holder: holderOf(compose.desktop?.awake, { platform, env: compose.env }),
    readPower: createPowerSource(platform),
    turnsAtWork: () =>
      turnsAtWork(core.disk.reads, rooms.scheduler.running(), core.world.clock.nowMs()),
    nextDueAtMs: () => rooms.schedule.outlook()?.next[0]?.atMs,
    onChange: core.told.changed,
  });
  followWork(awake, { ...core.world, ...core.disk, settings });
  return awake;
}
