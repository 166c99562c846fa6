import { spanText } from '../../../shared/durations';
import { ruleWords } from '../../../shared/schedule/words';
import type { ScheduleReads, TaskRow } from '../../ports/journal-schedule';

const MOST = 200;
const SHOWN_PROMPT = 60;

/** True for a message that is answered here, whoever the agent of its conversation is. Pure. */
export const isTaskCommand = (text: string): boolean => /^\/tasks(?:\s|$)/.test(text.trimStart());

/**
 * The answer to `/tasks due` and `/tasks list` in a conversation, as the command line gives it; no
 * model is asked. Undefined for any other message. S1-34
 */
export function taskCommand(text: string, reads: ScheduleReads, nowMs: number): string | undefined {
  const match = /^\/tasks(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (match === null) return undefined;
  switch ((match[1] ?? 'list').trim()) {
    case 'due':
      return lines(
        reads.dueTasks(nowMs, MOST),
        (task) => `overdue ${spanText(Math.max(0, nowMs - (task.nextRunAtMs ?? nowMs)))}`,
        'No overdue tasks.',
      );
    case 'list':
    case '':
      return lines(reads.tasks({ isOpen: true, limit: MOST }), nextOf, 'No tasks yet.');
    default:
      return 'Nothing was done. Say "/tasks due" or "/tasks list".';
  }
}

const nextOf = (task: TaskRow): string =>
  task.state === 'active' && task.nextRunAtMs !== undefined
    ? `next ${new Date(task.nextRunAtMs).toISOString()}`
    : task.state;

function lines(tasks: readonly TaskRow[], when: (task: TaskRow) => string, none: string): string {
  const line = (task: TaskRow): string => {
    const prompt = task.prompt.replace(/\s+/g, ' ').trim().slice(0, SHOWN_PROMPT);
    return `Task ${String(task.id)}, ${when(task)}, ${ruleWords(task.rule, task.zone)}: ${prompt}`;
  };
  return tasks.map(line).join('\n') || none;
}
