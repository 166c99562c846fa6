import type { SleepVerdict } from '../engine/shell-policy/sleep-guard';
import { answerOf } from '../engine/journal/stored-text';
import { createDueLoop, type DueLoop } from '../engine/schedule/due-loop';
import { createDueTasks } from '../engine/schedule/due-tasks';
import { createDueWakes } from '../engine/schedule/due-wakes';
import { createSetBack } from '../engine/schedule/plan-set-back';
import type { Families } from '../engine/api/handlers';
import { createKeyedMutex } from '../engine/kernel/keyed-mutex';
import {
  createHeartbeats,
  type Heartbeats,
  type SystemHeartbeat,
} from '../engine/schedule/heartbeats';
import { systemNews } from '../engine/schedule/system-news';
import { createTasks, type Tasks } from '../engine/schedule/tasks';
import type { SchedulePolicy } from '../engine/schedule/task-types';
import { createTimers, missedTimer, type Timers } from '../engine/schedule/timers';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Ticker } from '../ports/clock';
import type { CronDates } from '../ports/dates';
import type { TurnRow } from '../ports/journal/rows';
import type { InboxRow } from '../ports/journal/inbox';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { StatusSnapshot } from '../../shared/types';
import { durationMs } from '../../shared/settings';
import { missedTask } from '../engine/status/views';
import type { PartDeps } from './basis';
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

/** Every ten seconds: coarse looks; what comes sooner has a timer of its own. */
const LOOK = '*/10 * * * * *';
const NOTICES_AT_ONCE = 1_000;
const MOST_TASKS = 20_000;
/** Tasks that everybody sees coming. */
const SHOWN_NEXT = 4;

/** Channels that everybody can be answered on; others come with the host. */
const OWN_CHANNELS = ['window', 'cli'];

/** What tasks, timers, heartbeats and the loop all stand on. */
function sharedOf(deps: SchedulePartDeps, onChange: () => void) {
  const { settings } = deps;
  let loading: Promise<CronDates> | undefined;
  const oneByOne = createKeyedMutex<'schedule'>();
  return {
    journal: deps.journal,
    reads: deps.scheduleReads,
    clock: deps.clock,
    crashPoints: deps.crashPoints,
    audit: deps.audit,
    log: deps.log,
    policy: (): SchedulePolicy => policyOf(settings),
    system: (): SystemHeartbeat => systemOf(settings),
    dates: (): Promise<CronDates> =>
      (loading ??= import('../adapters/dates/cron-dates').then(({ createCronDates }) =>
        createCronDates(),
      )),
    turn: (id: number): TurnRow | undefined => deps.reads.turn(id),
    accept: (due: Parameters<SessionsRoom['acceptDue']>[0]) => deps.sessions().acceptDue(due),
    onChange,
    inTurn: <T>(work: () => Promise<T>): Promise<T> => oneByOne('schedule', work),
    defaultAgent: deps.defaultAgent,
    defaultChannel: deps.defaultChannel,
    missedNotice: (taskId: number): number | undefined =>
      openNotice(deps.reads, ({ facts }) => missedTask(facts) === taskId)?.id,
  };
}
type Shared = ReturnType<typeof sharedOf>;

const timersRoom = (deps: SchedulePartDeps, shared: Shared): Timers =>
  createTimers({
    ...shared,
    missed: (ofSession, timerId) =>
      openNotice(
        deps.reads,
        ({ sessionId, facts }) =>
          sessionId === ofSession && missedTimer(facts)?.timerId === timerId,
      ),
  });

/** Decides what is due, and brings it in line with a clock that was set back. */
function loopOf(
  deps: SchedulePartDeps,
  shared: Shared,
  tasks: Tasks,
): { readonly loop: DueLoop; readonly mendSetBack: () => Promise<void> } {
  const { reads } = shared;
  const dueTasks = createDueTasks({ ...shared, isBusy: (task) => tasks.isBusy(task) });
  const dueWakes = createDueWakes({ ...shared, systemNews: (nowMs) => systemNews(reads, nowMs) });
  const setBack = createSetBack(shared);
  const mendSetBack = (): Promise<void> => setBack.mend();
  const loop = createDueLoop({
    ...shared,
    nextDueMs: () => reads.nextDueMs(),
    async fireDue(moment) {
      const areWakesDone = await dueWakes.fireDue(moment);
      return (await dueTasks.fireDue(moment)) && areWakesDone;
    },
    mendSetBack,
    ticks: deps.clockwork ?? everyTick,
  });
  return { loop, mendSetBack };
}

export function createSchedulePart(deps: SchedulePartDeps): SchedulePart {
  const { settings, scheduleReads: reads } = deps;
  const shared = sharedOf(deps, () => {
    loop.changed();
  });
  const tasks = createTasks({
    ...shared,
    hasAgent: deps.hasAgent,
    hasChannel: (name) => [...OWN_CHANNELS, ...deps.channels()].includes(name),
  });
  const timers = timersRoom(deps, shared);
  const heartbeats = createHeartbeats({
    ...shared,
    hasSession: (key) => deps.reads.session({ key }) !== undefined,
  });
  const { loop, mendSetBack } = loopOf(deps, shared, tasks);
  const sync = (): Promise<void> =>
    heartbeats.syncSystem().catch((error: unknown) => {
      deps.log.warn('heartbeat.not_set', { error });
    });
  let stopFollowing: (() => void) | undefined;
  return {
    tasks,
    timers,
    heartbeats,
    loop,
    reads,
    policy: shared.policy,
    verbs: createScheduleVerbs({
      ...shared,
      tasks,
      timers,
      heartbeats,
      guard: deps.guard,
      isGuardOn: deps.isGuardOn,
      session: (ref) => deps.sessions().find(ref),
      lastTurnOf: (sessionId) => deps.reads.turns({ sessionId, limit: 1 })[0]?.id,
      sessionOf: (id) => deps.reads.session({ id }),
      resultOf: (turn) => resultOf(deps, turn),
    }),
    outlook: outlookReader(deps),
    async catchUp() {
      if (settings.get('heartbeat.enabled') || reads.heartbeat(0) !== undefined) await sync();
      await mendSetBack();
      await loop.catchUp();
    },
    start() {
      loop.start();
      stopFollowing = settings.onChange((keys) => {
        if (keys.some(isOfHeartbeat)) void sync();
      });
    },
    stop() {
      stopFollowing?.();
      loop.stop();
    },
  };
}

/** Tasks are counted when they have changed, not whenever somebody asks how everything stands. */
function outlookReader({
  journal,
  scheduleReads: reads,
}: SchedulePartDeps): SchedulePart['outlook'] {
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

const policyOf = (settings: SchedulePartDeps['settings']): SchedulePolicy => ({
  catchupWindowMs: windowMs(settings.get('resilience.scheduler.catchup_window')),
  zone: settings.get('resilience.scheduler.time_zone') || computerZone(),
  maxTasksPerAgent: settings.get('resilience.scheduler.max_tasks_per_agent'),
  maxTasks: MOST_TASKS,
  catchupSpacingMs: durationMs(settings.get('resilience.scheduler.catchup_spacing')),
});

/** The heartbeat of the settings. */
const systemOf = (settings: SchedulePartDeps['settings']): SystemHeartbeat => ({
  isEnabled: settings.get('heartbeat.enabled'),
  interval: settings.get('heartbeat.interval'),
  contextId: settings.get('heartbeat.contextId'),
  zone: policyOf(settings).zone,
});

/** What everybody sees coming; undefined without a task that may run. */
function outlookOf(
  reads: ScheduleReads,
  { active, paused, missed }: ReturnType<ScheduleReads['countTasks']>,
): ReturnType<SchedulePart['outlook']> {
  if (active + paused + missed === 0) return undefined;
  const next = reads
    .dueTasks(Number.MAX_SAFE_INTEGER, SHOWN_NEXT)
    .map(({ id, name, rule, nextRunAtMs = 0 }) => ({
      taskId: id,
      name,
      atMs: nextRunAtMs,
      isOnce: rule.kind === 'once',
    }));
  return { active, paused, missed, next };
}

/** The answer of a run, in words. */
async function resultOf(
  { reads, blobs }: Pick<SchedulePartDeps, 'reads' | 'blobs'>,
  turn: TurnRow,
): Promise<string | undefined> {
  if (turn.answerStep === undefined) return undefined;
  const end = reads.steps(turn.id).find((step) => step.step === turn.answerStep)?.end;
  return end?.state === 'completed' ? answerOf(blobs, end.content) : undefined;
}

/** The first notice that waits for a person and is what is looked for. */
function openNotice(
  reads: SchedulePartDeps['reads'],
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

/** The clockwork, loaded when there is something to wait for. */
function everyTick(onTick: () => void): { stop(): void } {
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
}
