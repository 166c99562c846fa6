import type { JournalEntry } from '../../ports/journal/entries';
import type { TaskRow } from '../../ports/journal/schedule';
import { nextSlot } from './rule';
import type { TasksDeps } from './task-types';

/** All tasks at once, each as if it were asked for alone, but in one commit. */
export interface AllTasks {
  /** Those that are active; their rules stay. */
  pauseAll(by: string): Promise<{ readonly changed: number }>;
  /** Those that are paused go on from now; of a one-shot whose time has passed nothing is left to run. */
  resumeAll(by: string): Promise<{ readonly changed: number; readonly missed: number }>;
}

/** Rows read together. */
const PAGE = 500;

export function createAllTasks(deps: TasksDeps): AllTasks {
  const { reads, clock } = deps;

  const inState = (state: TaskRow['state']): readonly TaskRow[] => {
    const found: TaskRow[] = [];
    for (let afterId = 0; ;) {
      const rows = reads.tasks({ isOpen: true, afterId, limit: PAGE });
      found.push(...rows.filter((task) => task.state === state));
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return found;
      afterId = last.id;
    }
  };

  const commit = async (entries: readonly JournalEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    deps.crashPoints.hit('task.set.before');
    await deps.journal.commit(entries);
    deps.crashPoints.hit('task.set.after');
    deps.onChange();
  };

  return {
    pauseAll: (by) =>
      deps.inTurn(async () => {
        const active = inState('active');
        await commit(
          active.map(({ id }) => ({ kind: 'task.state', taskId: id, state: 'paused', by })),
        );
        deps.audit.record('tasks_paused', { count: active.length, by });
        return { changed: active.length };
      }),
    resumeAll: (by) =>
      deps.inTurn(async () => {
        const paused = inState('paused');
        const dates = await deps.dates();
        const nowMs = clock.nowMs();
        const next = paused.map(({ id, rule }) => ({ id, atMs: nextSlot(rule, nowMs, dates) }));
        await commit(
          next.map(({ id, atMs }) =>
            atMs === undefined
              ? { kind: 'task.state', taskId: id, state: 'missed', by }
              : { kind: 'task.state', taskId: id, state: 'active', nextRunAtMs: atMs, by },
          ),
        );
        const missed = next.filter(({ atMs }) => atMs === undefined).length;
        deps.audit.record('tasks_resumed', { count: next.length - missed, missed, by });
        return { changed: next.length - missed, missed };
      }),
  };
}
