import { parseCheck } from '../../../shared/schedule/check';
import type { CheckResult, TaskChecks } from '../../ports/checks';
import type { Basics } from '../kernel/basics';
import type { ScheduleReads, TaskRow } from '../../ports/journal/schedule';
import { judgeCheck, type CheckVerdict } from './judge-check';
import type { ScheduleEdits, SchedulePolicy } from './tasks';

interface CheckedTasksDeps extends Pick<Basics, 'journal' | 'clock' | 'log' | 'hasher'> {
  readonly reads: Pick<ScheduleReads, 'task'>;
  readonly policy: () => SchedulePolicy;
  readonly edits: ScheduleEdits;
  readonly checks: () => Promise<TaskChecks>;
}

/** Due slots whose check is running; nothing else decides them. */
export interface CheckedTasks {
  /** Tasks whose slot is being checked. */
  ids(): readonly number[];
  /**
   * Runs the check of a due task, then decides its slot by the verdict. `decide` runs with no other
   * change of the schedule; false: the decision was not stored and is retried. A task that changed
   * in the meantime is due again instead.
   */
  begin(task: TaskRow, decide: (verdict: CheckVerdict) => Promise<boolean>): void;
  /** Its events wait until another turn has ended: its last run is still in progress. */
  postpone(taskId: number): void;
  /** Ends running checks, which then decide nothing. */
  stop(): void;
}

/** Checks that run at the same time; others wait. */
const AT_ONCE = 4;
/** Delay before a decision that was not stored is retried. */
const RETRY_MS = 2_000;
/** The same for a check that could not even begin: its slot stays due, and the reason may last. */
const AGAIN_MS = 60_000;

/** The checks of due tasks, run in parallel to the loop that decides what is due. Source: GT-01. */
export function createCheckedTasks(deps: CheckedTasksDeps): CheckedTasks {
  const checking = new Map<number, AbortController>();
  const postponed = new Set<number>();
  deps.journal.onCommitted(
    (entries) => {
      if (postponed.size === 0 || !entries.some(({ kind }) => mayFree(kind))) return;
      postponed.clear();
      deps.edits.changed();
    },
    { skipsSteps: true },
  );
  const waiting: (() => void)[] = [];
  let running = 0;

  const place = async (): Promise<void> => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  const look = async (task: TaskRow, signal: AbortSignal): Promise<CheckResult> => {
    const parsed = parseCheck(task.check ?? '');
    if (!parsed.ok) return { kind: 'failed', why: parsed.error };
    await place();
    try {
      if (signal.aborted) return { kind: 'failed', why: 'stopped' };
      const owner = { agent: task.agent, by: task.checkBy ?? 'user' } as const;
      return await (await deps.checks()).run(parsed.check, owner, signal);
    } finally {
      leave();
    }
  };

  const isSame = (task: TaskRow): boolean => {
    const now = deps.reads.task(task.id);
    return (
      now?.state === 'active' &&
      now.updatedAtMs === task.updatedAtMs &&
      now.nextRunAtMs === task.nextRunAtMs
    );
  };

  const follow = async (
    task: TaskRow,
    decide: (verdict: CheckVerdict) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> => {
    const result = await look(task, signal);
    const verdict = judgeCheck(result, {
      seen: task.checkSeen,
      onFailure: deps.policy().onCheckFailure,
      hash: (text) => deps.hasher.sha256Hex(text),
    });
    while (!signal.aborted) {
      const isDone = await deps.edits.inTurn(async () => !isSame(task) || (await decide(verdict)));
      if (isDone) return;
      await deps.clock.sleep(RETRY_MS, signal);
    }
  };

  return {
    ids: () => [...checking.keys(), ...postponed],
    postpone(taskId) {
      postponed.add(taskId);
    },
    begin(task, decide) {
      if (checking.has(task.id)) return;
      const controller = new AbortController();
      checking.set(task.id, controller);
      void follow(task, decide, controller.signal)
        .catch(async (error: unknown) => {
          if (controller.signal.aborted) return;
          deps.log.warn('task.check_not_decided', { taskId: task.id, error });
          await deps.clock.sleep(AGAIN_MS, controller.signal).catch(() => undefined);
        })
        .finally(() => {
          // After a stop the slot stays as it is: the next start finds it due.
          if (controller.signal.aborted) return;
          checking.delete(task.id);
          deps.edits.changed();
        });
    },
    stop() {
      for (const controller of checking.values()) controller.abort();
    },
  };
}

/** A run has ended, or now waits for a person. */
const mayFree = (kind: string): boolean => kind === 'turn.closed' || kind === 'turn.state';
