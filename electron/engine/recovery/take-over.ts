import type { TurnRow } from '../../ports/journal';
import { afterwards, cutEnd, judge, type RecoverDeps } from './recover-at-start';

/** A run that was overtaken. */
interface LostRun {
  readonly turnId: number;
  readonly attempt: number;
  readonly silentMs: number;
}

/** Running, or overtaken before the disk had taken even its first step: nobody else has it queued. */
function isLeftOpen(turn: TurnRow, attempt: number): boolean {
  return turn.state === 'running' || (turn.state === 'queued' && turn.attempt < attempt);
}

/**
 * Takes a turn from a run that has lost its lease, as a start would take it from a dead process: the
 * steps that it had begun end as unknown or cut off, the turn is judged by the same rules and counts
 * one end without progress. The first commit is a barrier: everything the run wrote while it still
 * held the lease is on disk after it, and nothing of it can come later. S3-18, S3-19.
 *
 * @returns the turn where it may go on under the next epoch
 */
export async function takeOver(
  deps: RecoverDeps,
  lost: LostRun,
): Promise<{ readonly turn: TurnRow; readonly delayMs: number } | undefined> {
  const { journal, reads } = deps;
  const before = reads.turn(lost.turnId);
  if (before === undefined || before.endedAtMs !== undefined) return undefined;
  const silent = `no sign of life for ${String(Math.round(lost.silentMs / 1000))} s`;
  // Facts that have happened: a refusing disk keeps them until it takes them.
  await journal.commit(
    [
      {
        kind: 'turn.abandoned',
        turnId: lost.turnId,
        attempt: lost.attempt,
        why: 'wake_lease_renew_failed',
        message: `lease lost: ${silent}`,
        crashes: before.crashes + 1,
      },
    ],
    { isOutcome: true },
  );
  deps.crashPoints.hit('lease.lost.after');
  deps.audit.record('lease_lost', { turnId: lost.turnId, attempt: lost.attempt });
  const turn = reads.turn(lost.turnId);
  // Its last own commit won: closed, held, parked or waiting to be tried again.
  if (turn === undefined || !isLeftOpen(turn, lost.attempt)) return undefined;
  const { plan, cut, settled } = judge(deps, turn, { isUnexpected: false, wasAlone: true });
  await journal.commit(
    [
      ...settled,
      ...cut.map((step) => ({
        kind: 'step.ended' as const,
        turnId: turn.id,
        step: step.step,
        end: cutEnd(step, {
          unknown: `The run that made this call was overtaken: ${silent}.`,
          cut: `Cut off: ${silent}.`,
        }),
      })),
      ...afterwards(deps, turn, plan, `Taken over: ${silent}.`),
    ],
    { isOutcome: true },
  );
  deps.audit.record('turn_recovered', {
    turnId: turn.id,
    action: plan.action,
    reason: plan.reason,
  });
  const after = reads.turn(turn.id);
  return plan.action === 'resume' && after !== undefined
    ? { turn: after, delayMs: plan.delayMs }
    : undefined;
}
