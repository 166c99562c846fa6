import type { ComposeOptions } from './options';
import { openUnanswered } from '../engine/inbox/unanswered';
import {
  queueAtStart,
  recoverAtStart,
  type RecoveryReport,
} from '../engine/recovery/recover-at-start';
import { announceRestart } from '../engine/replies/restart-notice';
import type { Clock } from '../ports/clock';
import type { Events } from '../engine/api/events';
import { need, type Run } from './run';

const NOTHING: RecoveryReport = { resumed: [], held: [], parked: [], stale: [], discarded: [] };

/** Handles what the last run left open, in a fixed order. */
export async function recover(
  { flags }: Pick<ComposeOptions, 'flags'>,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
  events: Events,
): Promise<void> {
  const rooms = need(run.rooms);
  const reason = need(run.restartReason);
  const { startId } = run;
  const deps = { ...rooms, clock, crashPoints, audit: need(run.audit) };
  // Which of two files is in place is a fact, not a decision: also without restore.
  await rooms.drafts.settle();
  let report = NOTHING;
  // Without restore nothing that waits is touched, the inbox included (S4-29).
  if (!flags.noRestore) {
    await rooms.commands.settle();
    const isUnexpected = reason.kind !== 'first_start' && reason.isUnexpected;
    report = await recoverAtStart(deps, { startId, isUnexpected });
    await rooms.leftProcesses.tidy({
      isQuiet: Object.values<readonly unknown[]>({ ...report }).every(
        (turns) => turns.length === 0,
      ),
      resumed: new Set(report.resumed.map(({ turn }) => turn.id)),
      settlesItself: (agent) => rooms.agents.acpOf(agent) !== undefined,
    });
    queueAtStart(deps, report);
    await openUnanswered(deps);
  }
  const notice = await announceRestart(deps, {
    startId,
    reason,
    report,
    restoreSkipped: flags.noRestore,
  });
  if (notice !== undefined) events.emit('restart.noticed', notice as never);
}
