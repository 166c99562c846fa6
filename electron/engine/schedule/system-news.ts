import type { ScheduleReads, TaskRow } from '../../ports/journal/schedule';

const DAY_MS = 86_400_000;
const MOST = 20;

/** What the agent answers where nothing needs doing; such an answer goes to nobody. */
const IDLE = 'IDLE';

/** True for an answer that says that there is nothing to say. Pure. S1-38. */
export const isIdle = (answer: string): boolean => answer.trim().toUpperCase() === IDLE;

/** The prompt of the system heartbeat: what is overdue, and what comes within 24 hours. S1-38. */
export function systemNews(reads: ScheduleReads, nowMs: number): string {
  const due = reads.dueTasks(nowMs + DAY_MS, 1_000);
  const line = (task: TaskRow): string =>
    `- task ${String(task.id)}, ${new Date(task.nextRunAtMs ?? nowMs).toISOString()}: ${task.name}`;
  const list = (tasks: readonly TaskRow[]): string =>
    tasks.length === 0
      ? '- none'
      : [
          ...tasks.slice(0, MOST).map(line),
          ...(tasks.length > MOST ? [`- and ${String(tasks.length - MOST)} more`] : []),
        ].join('\n');
  const isOverdue = (task: TaskRow): boolean => (task.nextRunAtMs ?? 0) <= nowMs;
  return [
    `[system heartbeat, ${new Date(nowMs).toISOString()}]`,
    '',
    'Overdue tasks:',
    list(due.filter(isOverdue)),
    '',
    'Tasks of the next 24 hours:',
    list(due.filter((task) => !isOverdue(task))),
    '',
    `Look whether anything needs doing. If nothing does, answer only ${IDLE}: then nobody is disturbed.`,
  ].join('\n');
}
