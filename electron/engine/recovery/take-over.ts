import { because, reasonText, type Reason } from '../../../shared/reason';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import { afterward, cutEnd, judge, type RecoverDeps } from './recover-at-start';

/** A run that was taken over, or whose end could not be written. */
interface LostRun {
  readonly turnId: number;
  readonly attempt: number;
  readonly cause: LostCause;
}

/** Why the run is gone. */
export type LostCause =
  | { readonly kind: 'silent'; readonly silentMs: number }
  /** The disk rejected a write while a call was running whose end is not recorded. */
  | { readonly kind: 'disk' }
  /** The program files changed under Holdfast: it resumes after a restart. */
  | { readonly kind: 'program' };

/** The journal text, and whether this was an end without progress (S0-+04). */
function wordsOf(cause: LostCause): {
  readonly abandoned: Pick<Extract<JournalEntry, { kind: 'turn.abandoned' }>, 'why' | 'message'>;
  readonly end: Parameters<typeof cutEnd>[1];
  readonly resumes: Reason;
  readonly ends: number;
} {
  if (cause.kind === 'disk') {
    return {
      abandoned: { why: 'wake_failed', message: 'a write to the disk failed' },
      end: {
        unknown:
          'A write to the disk failed while this tool call was running: its end is not recorded.',
        cut: 'Interrupted: a write to the disk failed.',
      },
      resumes: because('reason.diskBack'),
      // A full disk is not the turn's fault, so it is no reason to park it.
      ends: 0,
    };
  }
  if (cause.kind === 'program') {
    return {
      abandoned: { why: 'wake_failed', message: 'the program files changed' },
      end: {
        unknown:
          "Holdfast's program files changed while this tool call was running: its end is not recorded.",
        cut: "Interrupted: Holdfast's program files changed.",
      },
      resumes: because('reason.restarted'),
      ends: 0,
    };
  }
  const silent = `not responding for ${String(Math.round(cause.silentMs / 1000))} s`;
  return {
    abandoned: { why: 'wake_lease_renew_failed', message: `lease lost: ${silent}` },
    end: {
      unknown: `Another attempt took over from the run that made this tool call: ${silent}.`,
      cut: `Interrupted: ${silent}.`,
    },
    resumes: because('reason.takenOver', { text: silent }),
    ends: 1,
  };
}

/** Running, or taken over before its first step was on disk: it is not queued anywhere. */
function isLeftOpen(turn: TurnRow, attempt: number): boolean {
  return turn.state === 'running' || (turn.state === 'queued' && turn.attempt < attempt);
}

/**
 * Takes a turn from a run that lost its lease, as a start takes it from a dead process: its open
 * steps end as unknown or interrupted, the turn is judged by the same rules and counts one end
 * without progress. The first commit is a barrier: everything the run wrote under its lease is on
 * disk before it, and nothing can follow. S3-18, S3-19. The same applies to a run that a failed
 * disk interrupted, once the disk accepts writes again; that does not count as an end. R17 @returns
 * the turn if it may continue under the next epoch
 */
export async function takeOver(
  deps: RecoverDeps,
  lost: LostRun,
): Promise<{ readonly turn: TurnRow; readonly delayMs: number } | undefined> {
  const { journal, reads } = deps;
  const before = reads.turn(lost.turnId);
  if (before === undefined || before.endedAtMs !== undefined) return undefined;
  const words = wordsOf(lost.cause);
  // Facts that happened: they wait if the disk rejects them.
  await journal.commit(
    [
      {
        kind: 'turn.abandoned',
        turnId: lost.turnId,
        attempt: lost.attempt,
        ...words.abandoned,
        crashes: before.crashes + words.ends,
      },
    ],
    { isOutcome: true },
  );
  deps.crashPoints.hit('lease.lost.after');
  if (lost.cause.kind === 'silent')
    deps.audit.record('lease_lost', { turnId: lost.turnId, attempt: lost.attempt });
  const turn = reads.turn(lost.turnId);
  // Its own last commit won: closed, held, parked or waiting for a retry.
  if (turn === undefined || !isLeftOpen(turn, lost.attempt)) return undefined;
  const { plan, cut, settled } = judge(deps, turn, { isUnexpected: false, wasAlone: true });
  await journal.commit(
    [
      ...settled,
      ...cut.map((step) => ({
        kind: 'step.ended' as const,
        turnId: turn.id,
        step: step.step,
        end: cutEnd(step, words.end),
      })),
      ...afterward(deps, turn, plan, words.resumes),
    ],
    { isOutcome: true },
  );
  deps.audit.record('turn_recovered', {
    turnId: turn.id,
    action: plan.action,
    reason: reasonText(plan.reason),
  });
  const after = reads.turn(turn.id);
  return plan.action === 'resume' && after !== undefined
    ? { turn: after, delayMs: plan.delayMs }
    : undefined;
}
