import type { CrashPointName } from '../../electron/engine/kernel/crash-points';

/** Points that a workload of their own comes to; `crash-points.test.ts` walks all others. */
export const SKILL_POINTS = [
  'run.start.after',
  'phase.end.before',
  'phase.end.after',
  'run.end.after',
] as const satisfies readonly CrashPointName[];

export const DISCARD_POINTS = [
  'run.discard.before',
  'run.discard.after',
] as const satisfies readonly CrashPointName[];

export const WORK_POINTS = [
  'turn.requeue.before',
  'turn.requeue.after',
  'wake.queue.before',
  'wake.queue.after',
  'wake.consume.before',
  'wake.consume.after',
  'lease.lost.after',
] as const satisfies readonly CrashPointName[];

export const BREAKER_POINTS = [
  'call.retry.before',
  'call.retry.after',
  'breaker.move.before',
  'breaker.move.after',
] as const satisfies readonly CrashPointName[];

export const COMMAND_POINTS = [
  'command.hooks.after',
  'command.session.after',
  'command.call.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/command-points.test.ts`: before Holdfast ends what a program left at work. */
export const SEAL_POINTS = [
  'command.seal.before',
  'command.seal.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/command-points.test.ts`: a conversation that a terminal and Holdfast hand over. */
export const CONVERSATION_POINTS = [
  'conversation.take.before',
  'conversation.take.after',
  'conversation.return.before',
  'conversation.return.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/stray-wal.test.ts`: a backup that is put back beside the WAL of a killed process. */
export const ASIDE_POINTS = ['wal.aside.after'] as const satisfies readonly CrashPointName[];

/** `test/crash/share-points.test.ts`, with a real PostgreSQL. */
export const SHARE_POINTS = [
  'share.send.before',
  'share.send.after',
  'share.claim.before',
  'share.claim.after',
  'share.judge.before',
  'share.judge.after',
  'share.append.before',
  'share.append.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/share-files.test.ts`, with a real PostgreSQL and the real git. */
export const FILES_POINTS = [
  'share.files.sent',
  'share.files.made',
  'share.files.named',
] as const satisfies readonly CrashPointName[];
/** The same file. */
export const BACK_POINTS = [
  'share.files.laid',
  'share.files.placed',
] as const satisfies readonly CrashPointName[];

/** `test/crash/share-server.test.ts`, with the real programs of PostgreSQL. */
export const SERVER_POINTS = [
  'share.server.made',
  'share.server.named',
] as const satisfies readonly CrashPointName[];

/** There, too, with the real npm. */
export const FETCH_POINTS = ['share.server.fetched'] as const satisfies readonly CrashPointName[];

export const RESTORE_POINTS = ['draft.restore.staged'] as const satisfies readonly CrashPointName[];
/** `test/crash/schedule-points.test.ts` */
export const SCHEDULE_POINTS = [
  'task.set.before',
  'task.set.after',
  'task.fire.before',
  'task.fire.after',
  'task.skip.before',
  'task.skip.after',
  'task.event.before',
  'task.event.after',
  'timer.set.before',
  'timer.set.after',
  'timer.fire.before',
  'timer.fire.after',
  'heartbeat.set.before',
  'heartbeat.set.after',
  'heartbeat.fire.before',
  'heartbeat.fire.after',
] as const satisfies readonly CrashPointName[];

export const GATEWAY_POINTS = [
  'gateway.begin.before',
  'gateway.begin.after',
  'gateway.count.before',
  'gateway.count.after',
  'gateway.keep.beforeRename',
  'gateway.keep.afterRename',
] as const satisfies readonly CrashPointName[];
export const GATEWAY_CLIENT_POINTS = [
  'gateway.client.before',
  'gateway.client.after',
] as const satisfies readonly CrashPointName[];

export const CHANNEL_POINTS = [
  'channel.begin.before',
  'channel.begin.after',
  'channel.offset.before',
  'channel.offset.after',
] as const satisfies readonly CrashPointName[];

export const REPLY_POINTS = ['reply.attempt.after'] as const satisfies readonly CrashPointName[];
export const PIECE_POINTS = [
  'reply.piece.before',
  'reply.piece.after',
] as const satisfies readonly CrashPointName[];

export const ATTEMPT_POINTS = [
  'attempts.keep.before',
  'attempts.keep.after',
  'attempts.over.before',
  'attempts.over.after',
] as const satisfies readonly CrashPointName[];

export const MISSED_POINTS = [
  'missed.tell.before',
  'missed.tell.after',
] as const satisfies readonly CrashPointName[];

export const MISSED_ATTEMPT_POINTS = [
  'missed.attempt.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/question-points.test.ts`: questions on a channel, and the presses that answer them. */
export const QUESTION_POINTS = [
  'question.ask.before',
  'question.attempt.after',
  'question.ask.after',
  'question.edit.before',
  'question.edit.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/reminder-points.test.ts`: reminders of open questions, and the digest of a day. */
export const REMINDER_POINTS = [
  'question.remind.before',
  'question.remind.after',
  'question.reminded.after',
] as const satisfies readonly CrashPointName[];
export const DIGEST_POINTS = [
  'digest.send.before',
  'digest.attempt.after',
  'digest.send.after',
] as const satisfies readonly CrashPointName[];

export const EVENT_POINTS = [
  'event.accept.before',
  'event.accept.after',
  'event.shed.after',
  'event.send.before',
  'event.send.after',
  'event.settle.after',
  'letter.replay.before',
  'letter.replay.after',
  'letter.purge.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/crash-points.test.ts`, on tables that somebody has emptied. */
export const REBUILD_POINTS = [
  'tables.rebuild.inside',
  'tables.rebuild.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/migrate-points.test.ts`, on data of the version before. */
export const MIGRATE_POINTS = [
  'migrate.afterBackup',
  'migrate.beforeCommit',
] as const satisfies readonly CrashPointName[];

export const BROWSER_POINTS = [
  'picture.write.beforeRename',
  'picture.write.afterRename',
] as const satisfies readonly CrashPointName[];

/** `test/crash/unsent-points.test.ts` */
export const UNSENT_POINTS = [
  'unsent.keep.before',
  'unsent.keep.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/answer-page-points.test.ts` */
export const PUSH_POINTS = [
  'push.write.beforeRename',
  'push.write.afterRename',
] as const satisfies readonly CrashPointName[];

/** `test/crash/budget-points.test.ts` */
export const BUDGET_POINTS = [
  'budget.told.before',
  'budget.told.after',
  'budget.allowed.before',
  'budget.allowed.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/fallback-points.test.ts` */
export const FALLBACK_POINTS = [
  'fallback.ask.before',
  'fallback.ask.after',
  'turn.fallback.before',
  'turn.fallback.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/session-points.test.ts`: what the user decides about a session. */
export const SESSION_POINTS = [
  'session.set.before',
  'session.set.after',
  'session.erase.before',
] as const satisfies readonly CrashPointName[];

/** `test/crash/process-points.test.ts`: what a person says of a command that outlived a crash. */
export const PROCESS_POINTS = [
  'process.decide.before',
  'process.decide.after',
  'process.end.after',
] as const satisfies readonly CrashPointName[];

export const OUTAGE_POINTS = [
  'provider.contact.before',
  'provider.contact.after',
  'outage.declare.before',
  'outage.declare.after',
  'turn.wait.before',
  'turn.wait.after',
  'provider.probe.before',
  'provider.probe.after',
  'outage.recover.before',
  'outage.recover.after',
  'outage.resolve.before',
  'outage.resolve.after',
  'turn.move.before',
  'turn.move.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/limit-points.test.ts`: what a person decides about one waiting turn. */
export const CHOICE_POINTS = [
  'turn.choice.before',
  'turn.choice.after',
] as const satisfies readonly CrashPointName[];

/** `test/crash/update-points.test.ts`: the way to a new version of the program. */
export const UPDATE_POINTS = [
  'update.save.before',
  'update.save.after',
  'update.swap.before',
  'update.swap.after',
  'update.begin.after',
  'update.done.before',
] as const satisfies readonly CrashPointName[];

/** The same: the way back. */
export const UPDATE_BACK_POINTS = [
  'update.back.before',
  'update.back.after',
  'update.restore.before',
  'update.restore.after',
] as const satisfies readonly CrashPointName[];

export const OWN_WORKLOADS: ReadonlySet<CrashPointName> = new Set([
  ...CHANNEL_POINTS,
  ...PUSH_POINTS,
  ...REPLY_POINTS,
  ...PIECE_POINTS,
  ...ATTEMPT_POINTS,
  ...MISSED_POINTS,
  ...MISSED_ATTEMPT_POINTS,
  ...QUESTION_POINTS,
  ...REMINDER_POINTS,
  ...DIGEST_POINTS,
  ...SKILL_POINTS,
  ...DISCARD_POINTS,
  ...WORK_POINTS,
  ...BREAKER_POINTS,
  ...COMMAND_POINTS,
  ...SEAL_POINTS,
  ...CONVERSATION_POINTS,
  ...OUTAGE_POINTS,
  ...CHOICE_POINTS,
  ...PROCESS_POINTS,
  ...RESTORE_POINTS,
  ...SCHEDULE_POINTS,
  ...GATEWAY_POINTS,
  ...GATEWAY_CLIENT_POINTS,
  ...EVENT_POINTS,
  ...BROWSER_POINTS,
  ...REBUILD_POINTS,
  ...MIGRATE_POINTS,
  ...ASIDE_POINTS,
  ...UNSENT_POINTS,
  ...SESSION_POINTS,
  ...BUDGET_POINTS,
  ...SHARE_POINTS,
  ...FILES_POINTS,
  ...BACK_POINTS,
  ...SERVER_POINTS,
  ...FETCH_POINTS,
  ...FALLBACK_POINTS,
  ...UPDATE_POINTS,
  ...UPDATE_BACK_POINTS,
]);
