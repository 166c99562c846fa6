import { computerZone } from '../adapters/clock/system-clock';
import { createSchedule, type Schedule } from '../engine/schedule/schedule';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Ticker } from '../ports/clock';
import type { CronDates } from '../ports/dates';
<<<<<<< HEAD
import type { Agents } from './agents';
import type { ChannelsPart } from './channels';
import type { Ground } from './ground';
=======
import type { TurnRow } from '../ports/journal/rows';
import type { InboxRow } from '../ports/journal/inbox';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { StatusSnapshot } from '../../shared/types';
import { durationMs } from '../../shared/settings';
import { missedTask } from '../engine/status/views';
import type { PartDeps } from './core';
import { computerZone } from './schedule-preview';
import { createScheduleVerbs } from './schedule-verbs';

interface SchedulePartDeps extends PartDeps<
  | 'journal'
  | 'reads'
  | 'scheduleReads'
  | 'blobs'
  | 'clock'
  | 'crashPoints'
  | 'audit'
  | 'log'
  | 'settings'
> {
  readonly sessions: () => SessionsRoom;
  readonly hasAgent: (name: string) => boolean;
  readonly defaultAgent: () => string;
  readonly channels: () => readonly string[];
  readonly defaultChannel: () => string;
  readonly isGuardOn: () => boolean;
  readonly guard: (command: string) => Promise<SleepVerdict>;
  /** node-cron where absent. */
  readonly clockwork?: Ticker | undefined;
}

/** Schedules of one start, wired. */
export interface SchedulePart {
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly heartbeats: Heartbeats;
  readonly loop: DueLoop;
  readonly reads: ScheduleReads;
  readonly policy: () => SchedulePolicy;
  readonly verbs: Families['schedule'];
  /** How many tasks there are and what runs next; undefined where there is none. */
  readonly outlook: () => StatusSnapshot['schedule'];
  /** Decides what was missed while nothing ran, by the settings of today. Before the start. */
  catchUp(): Promise<void>;
  /** What is due in the future is done from here on. */
  start(): void;
  stop(): void;
}
>>>>>>> 44dd1137 (Build every part over one core: three types of context lay on each other, and a function handed out what did not exist yet by the name of later)

/** Every ten seconds: coarse looks; what comes sooner has a timer of its own. */
const LOOK = '*/10 * * * * *';

/** The schedule, wired; the libraries of dates and ticks are loaded with the first use. */
export function schedulePart(house: {
  readonly ground: Ground;
  readonly sessions: SessionsRoom;
  readonly agents: Agents;
  readonly channels: ChannelsPart;
}): Schedule {
  const { ground, sessions, agents, channels } = house;
  let loading: Promise<CronDates> | undefined;
  return createSchedule({
    ...ground,
    accept: (due) => sessions.acceptDue(due),
    agents: { has: (name) => agents.has(name), defaultName: () => agents.defaultName() },
    channels: { names: () => channels.names(), defaultName: () => channels.defaultName() },
    time: {
      dates: () => (loading ??= loadDates()),
      zone: computerZone,
      ticks: ground.compose.clockwork ?? everyTick,
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
