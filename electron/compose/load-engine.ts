/** Everything that the ordered start loads in one bundle once it owns the data directory. */
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

export { isFoldBehind } from '../adapters/sqlite/applied';
export { openDatabase } from '../adapters/sqlite/open-database';
export { createControlServer } from '../control/server';
export { writeStartMarker, writeStopMarker } from '../engine/instance/restart-marker';
export { createRooms } from './rooms';

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
  // Which of two files is in place is a fact, not a decision: also without restore.
  await leftOpen.drafts.settle();
  let report = NOTHING;
  // Without restore nothing that waits is touched, the inbox included (S4-29).
  if (!flags.noRestore) {
    await leftOpen.commands.settle();
    const isUnexpected = reason.kind !== 'first_start' && reason.isUnexpected;
    report = await recoverAtStart(
      { ...core, hasReply: leftOpen.hasReply },
      { startId, isUnexpected },
    );
    await leftOpen.leftProcesses.tidy({
      isQuiet: Object.values<readonly unknown[]>({ ...report }).every(
        (turns) => turns.length === 0,
      ),
      resumed: new Set(report.resumed.map(({ turn }) => turn.id)),
      settlesItself: (agent) => leftOpen.agents.acpOf(agent) !== undefined,
    });
    queueAtStart({ ...core, scheduler: runners.scheduler }, report);
    await openUnanswered(core);
  }
  const notice = await announceRestart(
    { ...core, replies: outbound.replies, setRestart },
    { startId, reason, report, restoreSkipped: flags.noRestore },
  );
  if (notice !== undefined) events.emit('restart.noticed', notice);
}
