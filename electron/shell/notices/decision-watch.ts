/**
 * Notifies of new open questions once, grouped. The restart notice covers the questions it names;
 * the others follow a few seconds later.
 */
import type { ApprovalView, InboxItem, ReplayDecision } from '../../../shared/types';
import { waitingTurns } from './notices';
import type { RestartNotice } from '../../../shared/types';

export interface DecisionWatch {
  /** The restart notice was shown. */
  toldByRestart(restart: RestartNotice | undefined): void;
  /** The new questions among the open ones; each is returned once per process. */
  fresh(open: readonly ReplayDecision[]): readonly ReplayDecision[];
  /**
   * The same for calls that wait for permission. The restart notice never names these: a request
   * that was open before a crash is notified once more, so that a late answer still finds it.
   */
  freshApprovals(open: readonly ApprovalView[]): readonly ApprovalView[];
  /**
   * Tasks and timers that were missed since then, the same way. A restart after a sudden end
   * includes older ones, too: whether they were notified is unknown.
   */
  freshMissed(open: readonly InboxItem[], sinceMs: number): readonly InboxItem[];
  /** A notice about questions of these turns was held back. */
  holdBack(turnIds: readonly number[]): void;
  /** The turns of held-back notices, each once. */
  takeHeldBack(): ReadonlySet<number>;
}

export function createDecisionWatch(): DecisionWatch {
  const told = new Set<string>();
  const turnsTold = new Set<number>();
  let heldBack = new Set<number>();
  return {
    toldByRestart(restart) {
      if (restart !== undefined) for (const turn of waitingTurns(restart)) turnsTold.add(turn);
    },
    fresh(open) {
      const fresh = open.filter(({ inboxId, turnId }) => {
        const key = `${inboxId}`;
        if (told.has(key)) return false;
        told.add(key);
        // Only the question that the restart asked: a later one about the same turn is new.
        return !turnsTold.delete(turnId);
      });
      return fresh;
    },
    freshApprovals: (open) =>
      open.filter(({ requestId, answer }) => {
        // Questions and decisions share one numbering, because both are items of the inbox.
        const key = String(requestId);
        if (answer !== undefined || told.has(key)) return false;
        told.add(key);
        return true;
      }),
    freshMissed: (open, sinceMs) =>
      open.filter(({ id, taskId, timerId, settledAtMs, createdAtMs }) => {
        const isMissed = (taskId ?? timerId) !== undefined && settledAtMs === undefined;
        if (!isMissed || createdAtMs < sinceMs || told.has(String(id))) return false;
        told.add(String(id));
        return true;
      }),
    holdBack(turnIds) {
      for (const turn of turnIds) heldBack.add(turn);
    },
    takeHeldBack() {
      const taken = heldBack;
      heldBack = new Set();
      return taken;
    },
  };
}
