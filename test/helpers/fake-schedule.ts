/** Tasks of the fake engine: one that runs every weekday. Pages find the shapes of the contract. */
import type { Answer, VerbInput, VerbOutput, WindowVerb } from '../../shared/contract';
import type { TaskView } from '../../shared/schedule/model';

const HOUR = 3_600_000;

function seedTask(nowMs: number): TaskView {
  return {
    id: 1,
    name: 'Check the build',
    prompt: 'Check the build and tell me what is red.',
    schedule: '0 9 * * 1-5',
    words: 'Weekdays at 09:00, Europe/Berlin time',
    kind: 'cron',
    zone: 'Europe/Berlin',
    catchup: 'default',
    state: 'active',
    agent: 'Repo mender',
    channel: 'window',
    peer: '',
    session: 'task-1',
    madeBy: 'user',
    createdAtMs: nowMs - 100 * HOUR,
    updatedAtMs: nowMs - 100 * HOUR,
    nextRunAtMs: nowMs + 3 * HOUR,
    runs: 4,
  };
}

type ScheduleVerb = Extract<
  WindowVerb,
  `tasks.${string}` | `timers.${string}` | 'heartbeat.status' | 'schedule.parse' | 'guard.check'
>;

export function fakeScheduleVerbs(
  nowMs: number,
  refusal: (code: string, message: string) => Answer<never>,
): { [V in ScheduleVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never> } {
  let task = seedTask(nowMs);
  const one = (taskId: number, change: Partial<TaskView> = {}): TaskView | Answer<never> => {
    if (taskId !== task.id) return refusal('TASK_UNKNOWN', `Task not found: ${String(taskId)}`);
    task = { ...task, ...change };
    return task;
  };
  return {
    'tasks.list': () => ({ tasks: [task], hasMore: false }),
    'tasks.add': (wish) => ({ ...task, id: 2, prompt: wish.prompt, schedule: wish.schedule }),
    'tasks.show': ({ taskId }) => one(taskId),
    'tasks.due': () => ({ tasks: [] }),
    'tasks.next': () => ({ zone: task.zone, next: [nowMs + 3 * HOUR, nowMs + 27 * HOUR] }),
    'tasks.run': () => ({ turnId: 12 }),
    'tasks.pause': ({ taskId }) => one(taskId, { state: 'paused' }),
    'tasks.resume': ({ taskId }) => one(taskId, { state: 'active' }),
    'tasks.update': ({ taskId, ...wish }) =>
      one(taskId, {
        ...(wish.prompt === undefined ? {} : { prompt: wish.prompt }),
        ...(wish.schedule === undefined ? {} : { schedule: wish.schedule }),
      }),
    'tasks.cancel': ({ taskId }) => one(taskId, { state: 'cancelled' }),
    'tasks.history': () => ({ runs: [], hasMore: false }),
    'timers.list': () => ({ timers: [] }),
    'timers.cancel': () => ({ ok: true }),
    'heartbeat.status': () => ({ isEnabled: false, heartbeats: [] }),
    'schedule.parse': ({ expr }) => ({
      ok: true,
      kind: 'cron',
      cron: expr,
      tz: 'Europe/Berlin',
      words: expr,
      next: [],
    }),
    'guard.check': () => ({ blocked: false, isOn: true }),
  };
}
