/**
 * Named instants around every durable write. The crash suite kills the process at each of them in
 * each recovery mode; production passes a no-op. Keep the list in the order of a turn's life.
 */
export const CRASH_POINTS = [
  'lock.file.beforeRename',
  'migrate.afterBackup',
  'migrate.beforeCommit',
  'marker.started.before',
  'marker.started.after',
  'turn.accept.before',
  'turn.accept.after',
  'turn.start.after',
  'journal.commit.before',
  'journal.commit.inside',
  'journal.commit.after',
  'provider.request.before',
  'provider.answer.after',
  'command.hooks.after',
  'command.session.after',
  'command.call.after',
  'step.effect.before',
  'step.effect.after',
  'step.result.after',
  'run.start.after',
  'phase.end.before',
  'phase.end.after',
  'run.end.after',
  'spill.beforeRename',
  'spill.afterRename',
  'files.write.beforeRename',
  'files.write.afterRename',
  'draft.stage.beforeRename',
  'draft.stage.afterRename',
  'draft.promote.beforeRename',
  'draft.promote.afterRename',
  'draft.promote.after',
  'draft.restore.staged',
  'draft.discard.before',
  'draft.discard.after',
  'call.retry.before',
  'call.retry.after',
  'breaker.move.before',
  'breaker.move.after',
  'turn.requeue.before',
  'turn.requeue.after',
  'turn.close.before',
  'turn.close.after',
  'reply.deliver.before',
  'reply.deliver.after',
  'recovery.plan.before',
  'recovery.decide.before',
  'recovery.decide.after',
  'decision.record.before',
  'decision.record.after',
  'approval.request.before',
  'approval.request.after',
  'approval.answer.before',
  'approval.answer.after',
  'wake.queue.before',
  'wake.queue.after',
  'wake.consume.before',
  'wake.consume.after',
  'lease.lost.after',
  'turn.cancel.after',
  'run.discard.before',
  'run.discard.after',
  'prune.batch.after',
  'settings.write.beforeRename',
  'pause.write.before',
  'pause.write.after',
  'marker.stopped.before',
  'marker.stopped.after',
] as const;

/** One of {@link CRASH_POINTS}. */
export type CrashPointName = (typeof CRASH_POINTS)[number];

/** Port that a crash test replaces; in production `hit` does nothing. */
export interface CrashPoints {
  hit(name: CrashPointName): void;
}

/** The production port. */
export const noCrashPoints: CrashPoints = { hit: () => undefined };
