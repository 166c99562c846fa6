import type { TurnPlace } from '../../../shared/runs-on';
import type { StatusSnapshot } from '../../../shared/types';
import { durationMs } from '../../../shared/settings';
import type { Hasher } from '../../ports/blobs';
import type { TaskChecks } from '../../ports/checks';
import type { TriggerSources, WatchedTrigger } from '../../ports/triggers';
import type { Ticker } from '../../ports/clock';
import type { CronDates } from '../../ports/dates';
import type { InboxRow } from '../../ports/journal/inbox';
import type { Basics } from '../kernel/basics';
import type { InboxReads, SessionReads, TurnReads } from '../../ports/journal/reads';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { SettingsPort } from '../../ports/settings';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import { createCheckedTasks, type CheckedTasks } from './checked-tasks';
import { createDueLoop, type DueLoop } from './due-loop';
import { createDueTasks } from './due-tasks';
import { createDueWakes } from './due-wakes';
import { createHeartbeats, type Heartbeats, type SystemHeartbeat } from './heartbeats';
import { createSetBack } from './plan-set-back';
import { missedTask } from './task-message';
import { createTasks, type Tasks } from './tasks';
import type { SessionsRoom } from '../sessions/intake';
import type { SchedulePolicy } from './tasks';
import { createTimers, missedTimer, type Timers } from './timers';
import { createFileTasks } from './file-tasks';
import { createTriggers, type Triggers } from './triggers';
import { outlookOf } from './views';

export interface ScheduleDeps extends Pick<
  Basics,
  'journal' | 'clock' | 'crashPoints' | 'audit' | 'log' | 'settings'
> {
  readonly reads: TurnReads & SessionReads & InboxReads;
  readonly scheduleReads: ScheduleReads;
  readonly runs: {
    readonly sessions: Pick<SessionsRoom, 'acceptDue'>;
    /** Loaded with the first check. */
    readonly checks: () => Promise<TaskChecks>;
    readonly hasher: Hasher;
    /** Loaded with the first task that watches something. */
    readonly sources: () => Promise<TriggerSources>;
  };
  readonly agents: {
    readonly has: (name: string) => boolean;
    readonly defaultName: () => string;
    /** Why turns of this agent cannot be shared. Undefined if they can. */
    readonly whyNotShared: (name: string) => string | undefined;
    /** Where its shared turns run. */
    readonly placeOf: (name: string) => TurnPlace;
  };
  readonly channels: {
    readonly names: () => readonly string[];
    readonly defaultName: () => string;
  };
  readonly time: {
    readonly dates: () => Promise<CronDates>;
    /** Time zone of this computer. */
    readonly zone: () => string;
    readonly ticks: Ticker;
  };
}

/** Tasks, timers and heartbeats, and the loop that decides what is due. */
export interface Schedule {
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly heartbeats: Heartbeats;
  readonly loop: DueLoop;
  /** Triggers that start tasks, besides time. */
  readonly triggers: Triggers;
  readonly reads: ScheduleReads;
  readonly policy: () => SchedulePolicy;
  /** The default heartbeat. */
  readonly system: () => SystemHeartbeat;
  readonly dates: () => Promise<CronDates>;
  /** The number of tasks and the next run; undefined if there are no tasks. */
  readonly outlook: () => StatusSnapshot['schedule'];
  /**
   * Decides what was missed while nothing ran, with the current settings. Runs before the start.
   */
  catchUp(): Promise<void>;
  /** Starts handling future due times. */
  start(): void;
  stop(): void;
}

const NOTICES_AT_ONCE = 1_000;
const MAX_TASKS = 20_000;

/** Channels that exist for every user; the host adds others. */
const OWN_CHANNELS = ['window', 'cli'];

/** Shared by tasks, timers, heartbeats and the loop. */
function sharedOf(deps: ScheduleDeps, changed: () => void) {
  const { settings, agents, channels } = deps;
  const oneByOne = createKeyedMutex<'schedule'>();
  const policy = (): SchedulePolicy => policyOf(settings, deps.time.zone);
  return {
    journal: deps.journal,
    reads: deps.scheduleReads,
    clock: deps.clock,
    crashPoints: deps.crashPoints,
    audit: deps.audit,
    log: deps.log,
    policy,
    system: (): SystemHeartbeat => ({
      isEnabled: settings.get('heartbeat.enabled'),
      interval: settings.get('heartbeat.interval'),
      contextId: settings.get('heartbeat.contextId'),
      zone: policy().zone,
    }),
    dates: deps.time.dates,
    checks: deps.runs.checks,
    hasher: deps.runs.hasher,
    sources: deps.runs.sources,
    turn: (id: number) => deps.reads.turn(id),
    isSessionThere: (id: number) => deps.reads.session({ id })?.isDeleted === false,
    sessions: deps.runs.sessions,
    names: {
      hasAgent: agents.has,
      defaultAgent: agents.defaultName,
      hasBroker: () => deps.settings.get('nats.url') !== '',
      whyNotShared: agents.whyNotShared,
      placeOf: agents.placeOf,
      hasChannel: (name: string) => [...OWN_CHANNELS, ...channels.names()].includes(name),
      defaultChannel: channels.defaultName,
      stateOf: async (trigger: WatchedTrigger, agent: string) =>
        (await deps.runs.sources()).look(trigger, agent, new AbortController().signal),
      checkRefusal: async (...asked: Parameters<TaskChecks['refusal']>) =>
        (await deps.runs.checks()).refusal(...asked),
    },
    edits: {
      inTurn: <T>(work: () => Promise<T>): Promise<T> => oneByOne('schedule', work),
      changed,
    },
    missedNotice: (taskId: number): number | undefined =>
      openNotice(deps.reads, ({ facts }) => missedTask(facts) === taskId)?.id,
  };
}
type Shared = ReturnType<typeof sharedOf>;

/** Decides what is due, and adjusts upcoming times after the clock was set back. */
function loopOf(
  shared: Shared,
  tasks: Tasks,
  ticks: Ticker,
): {
  readonly loop: DueLoop;
  readonly checked: CheckedTasks;
  readonly triggers: Triggers;
  readonly mendSetBack: () => Promise<void>;
} {
  const { reads } = shared;
  const checked = createCheckedTasks(shared);
  const triggers = createTriggers(shared);
  const dueTasks = createDueTasks({
    ...shared,
    checked,
    isBusy: (task) => tasks.isBusy(task),
    isMissed: (taskId) => triggers.isMissed(taskId),
  });
  const dueWakes = createDueWakes(shared);
  const setBack = createSetBack(shared);
  const mendSetBack = (): Promise<void> => setBack.mend();
  const loop = createDueLoop({
    ...shared,
    nextDueMs: () => reads.nextDueMs(checked.ids()),
    dueWakes,
    dueTasks,
    mendSetBack,
    ticks,
  });
  return { loop, checked, triggers, mendSetBack };
}

export function createSchedule(deps: ScheduleDeps): Schedule {
  const { settings, scheduleReads: reads } = deps;
  const shared = sharedOf(deps, () => {
    loop.changed();
  });
  const tasks = createTasks(shared);
  const timers = createTimers({
    ...shared,
    missed: (ofSession, timerId) =>
      openNotice(
        deps.reads,
        ({ sessionId, facts }) =>
          sessionId === ofSession && missedTimer(facts)?.timerId === timerId,
      ),
  });
  const heartbeats = createHeartbeats({
    ...shared,
    hasSession: (key) => deps.reads.session({ key }) !== undefined,
  });
  const { loop, checked, triggers, mendSetBack } = loopOf(shared, tasks, deps.time.ticks);
  const sync = (): Promise<void> =>
    heartbeats.syncSystem().catch((error: unknown) => {
      deps.log.warn('heartbeat.not_set', { error });
    });
  const fileTasks = createFileTasks({ ...deps, reads, tasks });
  let stopFollowing: (() => void) | undefined;
  return {
    tasks,
    timers,
    heartbeats,
    loop,
    triggers,
    reads,
    policy: shared.policy,
    system: shared.system,
    dates: shared.dates,
    outlook: outlookReader(deps),
    async catchUp() {
      if (settings.get('heartbeat.enabled') || reads.heartbeat(0) !== undefined) await sync();
      await mendSetBack();
      await fileTasks.sync();
      await loop.catchUp();
    },
    start() {
      loop.start();
      triggers.start();
      stopFollowing = settings.onChange((keys) => {
        if (keys.some(isOfHeartbeat)) void sync();
        if (keys.includes('tasks.own')) void fileTasks.sync();
      });
    },
    stop() {
      stopFollowing?.();
      checked.stop();
      triggers.stop();
      loop.stop();
    },
  };
}

/** Counts tasks when they change, not with each status query. */
function outlookReader({ journal, scheduleReads: reads }: ScheduleDeps): Schedule['outlook'] {
  let counts: ReturnType<ScheduleReads['countTasks']> | undefined;
  journal.onCommitted(
    (entries) => {
      if (entries.some(({ kind }) => kind.startsWith('task.'))) counts = undefined;
    },
    { skipsSteps: true },
  );
  return () => {
    counts ??= reads.countTasks();
    return outlookOf(reads, counts);
  };
}

const policyOf = (settings: SettingsPort, zone: () => string): SchedulePolicy => ({
  catchupWindowMs: windowMs(settings.get('resilience.scheduler.catchup_window')),
  zone: settings.get('resilience.scheduler.time_zone') || zone(),
  maxTasksPerAgent: settings.get('resilience.scheduler.max_tasks_per_agent'),
  maxTasks: MAX_TASKS,
  catchupSpacingMs: durationMs(settings.get('resilience.scheduler.catchup_spacing')),
  onCheckFailure: settings.get('resilience.scheduler.check_failed'),
});

/** The first matching open notice. */
function openNotice(
  reads: ScheduleDeps['reads'],
  isIt: (item: InboxRow) => boolean,
): InboxRow | undefined {
  for (let afterId = 0; ;) {
    const batch = reads.inbox({ includeSettled: false, limit: NOTICES_AT_ONCE, afterId });
    const found = batch.find(isIt);
    if (found !== undefined || batch.length < NOTICES_AT_ONCE) return found;
    afterId = batch.at(-1)?.id ?? afterId;
  }
}

const isOfHeartbeat = (key: string): boolean =>
  key.startsWith('heartbeat.') || key === 'resilience.scheduler.time_zone';

/** "0" and "off" mean never. */
function windowMs(value: string | number): number {
  return value === 'off' ? 0 : durationMs(value);
}
