import type { ScheduleReads } from '../../ports/journal/schedule';
import { HoldfastError } from '../kernel/errors';

/** @throws TASK_LIMIT */
export function needRoom(
  reads: Pick<ScheduleReads, 'countTasks' | 'countTasksOf'>,
  { maxTasks, maxTasksPerAgent }: { readonly maxTasks: number; readonly maxTasksPerAgent: number },
  author: { readonly by: 'user' } | { readonly by: 'agent'; readonly agent: string },
): void {
  const counts = reads.countTasks();
  const isFull = counts.active + counts.paused + counts.missed >= maxTasks;
  const isAgentFull = author.by === 'agent' && reads.countTasksOf(author.agent) >= maxTasksPerAgent;
  if (!isFull && !isAgentFull) return;
  throw new HoldfastError(
    'TASK_LIMIT',
    isAgentFull
      ? `The agent "${author.agent}" has ${String(maxTasksPerAgent)} tasks, which is the limit.`
      : `There are ${String(maxTasks)} tasks, which is the limit.`,
    { hint: 'Nothing was added. Cancel one that is no longer needed.' },
  );
}
