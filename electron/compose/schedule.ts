import { computerZone } from '../adapters/clock/system-clock';
import { createSchedule, type Schedule } from '../engine/schedule/schedule';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Ticker } from '../ports/clock';
import type { CronDates } from '../ports/dates';
import type { Agents } from '../engine/executors/agents';
import type { Channels } from '../engine/replies/channels';
import type { Core } from './core';

/** A coarse check every ten seconds; anything sooner has a separate timer. */
const LOOK = '*/10 * * * * *';

/** The schedule, wired; the libraries of dates and ticks are loaded with the first use. */
export function schedulePart(house: {
  readonly core: Core;
  readonly sessions: SessionsRoom;
  readonly agents: Agents;
  readonly channels: Channels;
}): Schedule {
  const { core, sessions, agents, channels } = house;
  let loading: Promise<CronDates> | undefined;
  return createSchedule({
    ...core,
    accept: (due) => sessions.acceptDue(due),
    agents: { has: (name) => agents.has(name), defaultName: () => agents.defaultName() },
    channels: { names: () => channels.names(), defaultName: () => channels.defaultName() },
    time: {
      dates: () => (loading ??= loadDates()),
      zone: computerZone,
      ticks: core.compose.clockwork ?? everyTick,
    },
  });
}

const loadDates = async (): Promise<CronDates> =>
  (await import('../adapters/dates/cron-dates')).createCronDates();

const everyTick: Ticker = (onTick) => {
  let isStopped = false;
  let tick: { stop(): void } | undefined;
  void import('../adapters/cron/cron-ticks').then(({ createCronTicks }) => {
    if (!isStopped) tick = createCronTicks().every(LOOK, onTick);
  });
  return {
    stop() {
      isStopped = true;
      tick?.stop();
    },
  };
};
