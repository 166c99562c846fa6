/** Tasks in `config.json`, synchronized at each start and change. GT-04 */
import type { FileTask } from '../../../shared/settings/file-tasks';
import { channelNamed } from '../../../shared/channel-names';
import type { TaskRow } from '../../ports/journal/schedule';
import type { Audit, Log } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import { toHoldfastError } from '../kernel/errors';
import type { Tasks, TaskWish } from './tasks';

/** A task created from the file, by its key. */
interface MadeTask {
  readonly key: string;
  readonly task: TaskRow;
}

type FileStep =
  | { readonly kind: 'add'; readonly name: string; readonly key: string; readonly wish: TaskWish }
  | {
      readonly kind: 'update';
      readonly name: string;
      readonly taskId: number;
      readonly wish: TaskWish;
    }
  | { readonly kind: 'cancel'; readonly name: string; readonly taskId: number };

const FILE_KEY = 'config:';
const nameIn = (key: string): string => key.slice(FILE_KEY.length, key.lastIndexOf(':'));
const isOpen = ({ state }: TaskRow): boolean => state !== 'cancelled' && state !== 'completed';

/**
 * The required changes. A key identifies a task in advance: after a kill between two steps, the
 * rest is planned again and nothing is created twice. Pure.
 */
export function planFileTasks(
  wanted: Readonly<Record<string, FileTask>>,
  made: readonly MadeTask[],
): readonly FileStep[] {
  const latest = new Map<string, TaskRow>();
  for (const { key, task } of made.toSorted((one, other) => one.task.id - other.task.id))
    latest.set(nameIn(key), task);
  const gone = [...latest].flatMap(([name, task]) =>
    isOpen(task) && !Object.hasOwn(wanted, name)
      ? [{ kind: 'cancel', name, taskId: task.id } as const]
      : [],
  );
  return [
    ...gone,
    ...Object.entries(wanted).flatMap(([name, one]) => stepsFor(name, one, latest.get(name))),
  ];
}

function stepsFor(name: string, one: FileTask, before: TaskRow | undefined): readonly FileStep[] {
  const add = {
    kind: 'add',
    name,
    key: `${FILE_KEY}${name}:${String(before?.id ?? 0)}`,
    wish: { ...one, name },
  } as const;
  if (before === undefined || before.state === 'cancelled') return [add];
  // A task's session belongs to its agent, so another agent means another task.
  if (one.agent !== undefined && one.agent !== before.agent)
    return [{ kind: 'cancel', name, taskId: before.id }, add];
  const wish = changesOf(name, one, before);
  const isDone = before.state === 'completed' && wish.schedule === undefined;
  return isDone || Object.keys(wish).length === 0
    ? []
    : [{ kind: 'update', name, taskId: before.id, wish }];
}

function changesOf(name: string, one: FileTask, before: TaskRow): TaskWish {
  const origin =
    one.channel !== undefined &&
    (channelNamed(one.channel) !== before.channel || one.peer !== before.peer);
  const check = one.check?.trim() ?? '';
  return {
    ...(name === before.name ? {} : { name }),
    ...(one.prompt === before.prompt ? {} : { prompt: one.prompt }),
    ...(one.schedule.trim() === before.schedule ? {} : { schedule: one.schedule }),
    ...(one.zone === undefined || one.zone === before.zone ? {} : { zone: one.zone }),
    ...((one.catchup ?? 'default') === before.catchup ? {} : { catchup: one.catchup ?? 'default' }),
    ...(check === (before.check ?? '') ? {} : { check }),
    ...(origin ? { channel: one.channel, peer: one.peer } : {}),
  };
}

/**
 * Applies the file, one version at a time; a failing entry is reported and does not stop the rest.
 */
export function createFileTasks(deps: {
  readonly settings: SettingsPort;
  readonly reads: { fileTasks(start: string): readonly MadeTask[] };
  readonly tasks: Pick<Tasks, 'add' | 'update' | 'cancel'>;
  readonly audit: Audit;
  readonly log: Log;
}): { sync(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  const apply = async (step: FileStep): Promise<void> => {
    switch (step.kind) {
      case 'add':
        await deps.tasks.add(step.wish, { by: 'user', key: step.key });
        return;
      case 'update':
        await deps.tasks.update(step.taskId, step.wish, { by: 'user' });
        return;
      case 'cancel':
        await deps.tasks.cancel(step.taskId, 'config');
    }
  };
  const sync = async (): Promise<void> => {
    const wanted = deps.settings.get('tasks.own');
    for (const step of planFileTasks(wanted, deps.reads.fileTasks(FILE_KEY))) {
      try {
        await apply(step);
      } catch (error) {
        const { message, code } = toHoldfastError(error);
        deps.audit.record('file_task_refused', { name: step.name, code });
        deps.log.warn('tasks.not_in_line', { name: step.name, error: message });
      }
    }
  };
  return {
    sync: () => (last = last.then(sync, sync)),
  };
}
