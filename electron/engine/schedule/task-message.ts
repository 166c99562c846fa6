import type { FireReason } from '../../../shared/schedule/states';
import type { DueTurn } from '../../ports/due-turn';
import type { InboxRow } from '../../ports/journal/inbox';
import type { SlotFacts, TaskRow } from '../../ports/journal/schedule';
import { sharedSlot, sharedTaskSession } from './shared-tasks';

/** Session of a task: all of its runs share one. */
export const taskSession = ({
  id,
  name,
  isShared,
}: Pick<TaskRow, 'id' | 'name' | 'isShared'>): string =>
  isShared === true ? sharedTaskSession(name) : `task-${String(id)}`;

/** The message for a task's slot, with the entry that records it. Pure. */
export function taskMessage(
  task: TaskRow,
  slot: Omit<SlotFacts, 'taskId'> & {
    readonly why: FireReason;
    readonly delayMs?: number;
    /** Additions to the prompt from events and the check. */
    readonly parts?: readonly string[];
  },
): DueTurn {
  const { delayMs, parts = [], ...facts } = slot;
  const due = new Date(slot.slotMs).toISOString();
  const late = slot.why === 'on_time' || slot.why === 'by_hand' ? '' : `; it runs late`;
  const many =
    slot.missed > 1 && slot.waits !== true ? `; it covers ${String(slot.missed)} missed runs` : '';
  const head =
    slot.why === 'by_hand'
      ? `[scheduled task ${String(task.id)}, run manually]`
      : `[scheduled task ${String(task.id)}, due ${due}${late}${many}]`;
  return {
    session: {
      key: taskSession(task),
      title: task.name,
      agent: task.agent,
      ...(task.sessionId === undefined ? {} : { parentId: task.sessionId }),
    },
    text: [head, task.prompt, ...parts.filter((part) => part !== '')].join('\n\n'),
    promptStart: task.prompt,
    channel: task.channel,
    peer: task.peer,
    what: 'task',
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(task.isShared === true ? { shared: sharedSlot(task, slot.slotMs) } : {}),
    together: (turnId) => [{ kind: 'task.fired', taskId: task.id, turnId, ...facts }],
  };
}

/** The task that a notice is about. Pure. */
export function missedTask(facts: InboxRow['facts']): number | undefined {
  if (typeof facts !== 'object' || facts === null || !('taskId' in facts)) return undefined;
  return typeof facts.taskId === 'number' ? facts.taskId : undefined;
}
