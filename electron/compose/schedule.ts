import { timerMs } from '../../shared/durations';
import { once } from '../../shared/once';
import { everyTenSeconds } from '../adapters/cron/cron-ticks';
import { computerZone } from '../adapters/clock/system-clock';
import { fromHome } from '../adapters/files/from-home';
import type { Agents } from '../engine/executors/agents';
import type { Channels } from '../engine/replies/channels';
import { createSchedule, type Schedule } from '../engine/schedule/schedule';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Outbox } from '../engine/outbox/outbox';
import type { ShareRoom } from '../engine/sharing/share-room';
import type { Core } from './core';
import { subjectsBySettings } from '../adapters/nats/by-settings';
import { shellTools, type Tools } from './tools';

/** The libraries of dates and ticks are loaded with the first use. */
export function createSchedulePart(
  core: Core,
  {
    sessions,
    agents,
    channels,
    tools,
    share,
    outbox,
  }: {
    readonly sessions: SessionsRoom;
    readonly agents: Agents;
    readonly channels: Channels;
    readonly tools: Tools;
    readonly share: () => ShareRoom;
    readonly outbox: () => Pick<Outbox, 'tellSubjects'>;
  },
): Schedule {
  const checks = once(async () =>
    (await import('../engine/turns/task-checks')).createTaskChecks({
      settings: core.settings,
      frameOf: (agent) => agents.frameOf(agent),
      shell: shellTools(core, tools.shell, () => undefined),
      shellLoaded: () => tools.shell.loaded(),
      registry: tools.registry,
      pages: tools.pages.host,
      fromHome,
      timeLimit: (ms) => AbortSignal.timeout(timerMs(ms)),
    }),
  );
  const sources = once(async () =>
    (await import('../adapters/triggers/trigger-sources')).createTriggerSources({
      checks,
      loadSubjects: () =>
        subjectsBySettings(core, core.reads.databaseId(), (problem) =>
          outbox().tellSubjects(problem),
        ),
    }),
  );
  const dates = once(async () => (await import('../adapters/dates/cron-dates')).createCronDates());
  return createSchedule({
    ...core,
    runs: {
      sessions,
      checks,
      sources,
      hasher: core.hasher,
    },
    agents: { ...agents, whyNotShared: (agent) => share().whyNotShared(agent) },
    channels: { names: () => channels.names(), defaultName: () => channels.defaultName() },
    time: {
      dates,
      zone: computerZone,
      ticks: core.compose.ticker ?? everyTenSeconds,
    },
  });
}
