import type { ComposeOptions } from './options';
import { openUnanswered } from '../engine/inbox/unanswered';
import {
  queueAtStart,
  recoverAtStart,
  type RecoveryReport,
} from '../engine/recovery/recover-at-start';
import { announceRestart } from '../engine/replies/restart-notice';
import type { Events } from '../engine/api/events';
import { need, type Run } from './run';

const NOTHING: RecoveryReport = { resumed: [], held: [], parked: [], stale: [], discarded: [] };

/** Handles what the last run left open, in a fixed order. */
export async function recover(
  { flags }: Pick<ComposeOptions, 'flags'>,
  run: Run,
  events: Events,
): Promise<void> {
  const { core, leftOpen, runners, outbound, setRestart } = need(run.rooms);
  const reason = need(run.restartReason);
  const { startId } = run;
  const base = { ...core.world, ...core.disk, ...core.records, policy: core.policy };
  // Which of two files is in place is a fact, not a decision: also without restore.
  await leftOpen.drafts.settle();
  let report = NOTHING;
  // Without restore nothing that waits is touched, the inbox included (S4-29).
  if (!flags.noRestore) {
    await leftOpen.commands.settle();
    const isUnexpected = reason.kind !== 'first_start' && reason.isUnexpected;
    report = await recoverAtStart(base, { startId, isUnexpected });
    await leftOpen.leftProcesses.tidy({
      isQuiet: Object.values<readonly unknown[]>({ ...report }).every(
        (turns) => turns.length === 0,
      ),
      resumed: new Set(report.resumed.map(({ turn }) => turn.id)),
      settlesItself: (agent) => leftOpen.agents.acpOf(agent) !== undefined,
    });
    queueAtStart({ ...base, scheduler: runners.scheduler }, report);
    await openUnanswered(base);
  }
  const notice = await announceRestart(
    { ...base, replies: outbound.replies, setRestart },
    { startId, reason, report, restoreSkipped: flags.noRestore },
  );
  if (notice !== undefined) events.emit('restart.noticed', notice);
}
