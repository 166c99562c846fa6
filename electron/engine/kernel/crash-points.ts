/**
 * Named instants around every durable write. The crash suite kills the process at each of them in
 * each recovery mode; production passes a no-op. Each name's comment states when the process dies;
 * docs/explanation/journal.md is generated from it. Keep the list in the order of a turn's life.
 */
export const CRASH_POINTS = [
  'lock.file.beforeRename', // with the lock held and the new `agent.lock` not yet in place
  'database.make.beforeRename', // with the first database written, not yet in its place
  'database.make.afterRename', // with it in its place, its name not yet on disk
  'wal.aside.after', // with the WAL of another database under its other name, the next one not yet opened
  'wal.prove.after', // with the WAL written again, none of it trusted yet
  'migrate.afterBackup', // after the backup, before the first migration
  'migrate.beforeCommit', // inside the migration
  'tables.rebuild.inside', // with tables rebuilt from the journal, not yet on disk
  'tables.rebuild.after', // after it, before the start is on record
  'marker.started.before', // before the start is on record
  'marker.started.after', // after it, before recovery
  'turn.accept.before', // before a message is on disk: it was not accepted
  'turn.accept.after', // after it, before the caller knows
  'turn.start.after', // when an attempt has started
  'journal.commit.before', // before a transaction starts
  'journal.commit.inside', // inside a transaction
  'journal.commit.after', // after a transaction, before its callers are answered
  'provider.request.before', // with the intent on disk, before the request
  'provider.answer.after', // with the answer in memory only
  'command.hooks.after', // with a run's hook files on disk, before it starts
  'command.session.after', // with the ID of a program's conversation on disk
  'command.seal.before', // before the hooks' records of a turn are closed, no process signaled
  'command.seal.after', // with them closed, before the process is signaled
  'command.call.after', // with the intent of a program's call on disk, before approval
  'step.effect.before', // with the intent on disk, before the tool
  'step.effect.after', // after the tool, before its result is on disk
  'step.result.after', // after the result is on disk
  'run.start.after', // when a run of a skill is on disk with its first intent
  'phase.end.before', // with the artifact of a phase in memory only
  'phase.end.after', // between the end of a phase and the start of the next
  'run.end.after', // when the end of a run is on disk, before its caller continues
  'spill.beforeRename', // with a large result written, not yet in place
  'spill.afterRename', // with a large result in place that no row names yet
  'files.write.beforeRename', // before a written file replaces the old one
  'files.write.afterRename', // after it, before the tool has answered
  'picture.write.beforeRename', // with a picture of a page written, not yet in its place
  'picture.write.afterRename', // with it in its place, before the tool has answered
  'draft.stage.beforeRename', // with a draft written, not yet in its place
  'draft.stage.afterRename', // with a draft in its place that no row names yet
  'draft.promote.beforeRename', // with the intent on disk, before the file is replaced
  'draft.promote.afterRename', // with the file replaced, before that is on record
  'draft.promote.after', // after it, before any notification
  'draft.restore.staged', // with a stored file staged again, before it is put in place
  'draft.discard.before', // before the end of a draft is on disk
  'draft.discard.after', // after it, with its content still there
  'call.retry.before', // with a failed attempt of a call, before its wait is on disk
  'call.retry.after', // after it, before anything waits
  'attempts.keep.before', // with another failure of a channel or server in memory
  'attempts.keep.after', // after it, before the next attempt
  'attempts.over.before', // with a success in memory, before it is on disk
  'attempts.over.after', // after it
  'breaker.move.before', // with a breaker in another state, before that is on disk
  'breaker.move.after', // after it, before any notification
  'turn.requeue.before', // with a failed model call, before its wait is on disk
  'turn.requeue.after', // after it, before the wait starts
  'provider.contact.before', // with a failed call in memory, before it is counted
  'provider.contact.after', // after it
  'outage.declare.before', // with an outage known, before it is on disk
  'outage.declare.after', // after it, before its turns wait
  'turn.wait.before', // before a turn waits for its provider on disk
  'turn.wait.after', // after it
  'turn.move.before', // before a changed order is on disk
  'turn.move.after', // after it, before the requester knows
  'turn.choice.before', // before the choice about one waiting turn is on disk: now, or not automatically
  'turn.choice.after', // after it, before the requester knows
  'provider.probe.before', // with the answer of a probe in memory only
  'provider.probe.after', // after it
  'outage.recover.before', // with a provider that is back, before that is on disk
  'outage.recover.after', // after it, before or while the queue drains
  'outage.resolve.before', // with the last waiting turn gone, before the end is on disk
  'outage.resolve.after', // after it
  'turn.close.before', // with the answer known, before the turn is closed
  'turn.close.after', // after it, before any notification
  'reply.deliver.before', // before an answer goes to its channel
  'reply.attempt.after', // with an attempt on disk that cannot be told from a second one
  'reply.piece.before', // with a piece of an answer there, before that is on disk
  'reply.piece.after', // after it, before the next piece goes
  'reply.deliver.after', // after it, before that is on record
  'missed.tell.before', // before a notice that something was missed goes to a channel
  'missed.attempt.after', // with its attempt on disk, before it is sent
  'missed.tell.after', // after it, before that is on record
  'question.ask.before', // before a question goes to a channel
  'question.attempt.after', // with its attempt on disk, before it is sent
  'question.ask.after', // after it, before that is on record
  'question.remind.before', // before a reminder of open questions is recorded
  'question.remind.after', // with it on record, before it is sent
  'question.reminded.after', // after it was sent
  'digest.send.before', // before the digest of a day is recorded
  'digest.attempt.after', // with it on record, before it is sent
  'digest.send.after', // after it was sent, before that is on record
  'question.edit.before', // before the message of a question is changed
  'question.edit.after', // after it, before that is on record
  'recovery.plan.before', // before unfinished turns are read
  'recovery.decide.before', // with the verdicts in memory
  'recovery.decide.after', // with the verdicts on disk, before anything resumes
  'decision.record.before', // before the user's answer is on disk
  'decision.record.after', // after it, before the turn continues
  'approval.request.before', // with a call that needs approval in memory only
  'approval.request.after', // with the question on disk, before any notification
  'approval.answer.before', // before the user's answer to it is on disk
  'approval.answer.after', // after it, before the turn continues
  'conversation.take.before', // before a terminal's conversation belongs to a session
  'conversation.take.after', // after it, before the requester knows
  'conversation.return.before', // before one belongs to a terminal again
  'conversation.return.after', // after it, before the requester knows
  'wake.queue.before', // before a queued wake is on disk
  'wake.queue.after', // after it, before the requester knows
  'wake.consume.before', // with a due wake, before it is a turn
  'wake.consume.after', // after it has become one, before that runs
  'task.set.before', // before a task, or a change of it, is on disk
  'task.set.after', // after it, before the requester knows
  'task.fire.before', // with a due run, before it is a turn
  'task.fire.after', // after it has become one, before that runs
  'task.skip.before', // before skipped runs are on record
  'task.skip.after', // after it
  'task.event.before', // with an event that a task waits for, before it is on disk
  'task.event.after', // after it, before its run is due or its sender knows
  'timer.set.before', // before a timer is on disk
  'timer.set.after', // after it, before the agent knows
  'timer.fire.before', // with a due timer, before it is a turn
  'timer.fire.after', // after it has become one, before that runs
  'heartbeat.set.before', // before a heartbeat is on disk
  'heartbeat.set.after', // after it, before the agent knows
  'heartbeat.fire.before', // with a due tick, before it is a turn
  'heartbeat.fire.after', // after it has become one, before that runs
  'lease.lost.after', // with a lost run on record, before its turn is judged
  'share.send.before', // with a shared turn in our journal, before it is in the store
  'share.send.after', // after it, before the sender knows
  'share.claim.before', // with a shared turn granted, before that is in our journal
  'share.claim.after', // after it, before the turn is judged or queued
  'share.judge.before', // with the steps of another computer imported, before their verdict is on disk
  'share.judge.after', // after it, before the turn continues
  'share.append.before', // with steps of a shared turn in our journal, before they are in the store
  'share.append.after', // after it, before anything starts that they announce
  'share.files.sent', // with the files of a turn in the store, before the turn is in our journal
  'share.files.made', // with the files of a turn here, whole and checked, under a temporary name
  'share.files.named', // with their own name, before the turn that needs them is in our journal
  'share.files.laid', // with files that come back ready in the .git of a person, before the first is in its place
  'share.files.placed', // with one of them in its place, before the next
  'share.server.fetched', // with a fetched PostgreSQL whole and synced, before it has its name
  'share.server.made', // with the PostgreSQL of a shared store whole, under a temporary name
  'share.server.named', // with its own name, before it is started
  'event.accept.before', // with an event in memory only: it was not accepted
  'event.accept.after', // with an event on disk, before its producer is notified
  'event.shed.after', // with an event dropped at the cap, before that is reported
  'event.send.before', // before a waiting event goes to the broker
  'event.send.after', // with the broker's answer, while its row is still there
  'event.settle.after', // with the rows of a batch gone
  'letter.replay.before', // before dead letters are back in the queue
  'letter.replay.after', // with them there, before anything goes out
  'letter.purge.after', // with dead letters deleted, before any notification
  'process.decide.before', // a decision about a left-over command is not on disk yet
  'process.decide.after', // it is on disk, nothing is signaled yet
  'process.end.after', // the command is ended, its notice still open
  'turn.cancel.after', // after a stop is on disk, before the run has ended
  'run.discard.before', // before the discard of a run is on disk
  'run.discard.after', // after it, before the run has stopped and its caller was notified
  'prune.batch.after', // between two batches of retention
  'settings.write.beforeRename', // before changed settings replace the file
  'pause.write.before', // before a pause of new turns, or its end, is on disk
  'pause.write.after', // the pause is on disk, its requester was not notified
  'session.set.before', // a new title, pin, archiving, deletion or fork is not on disk yet
  'session.set.after', // it is on disk, its requester does not know
  'session.erase.before', // a session is deleted, its texts are still in the journal
  'unsent.keep.before', // with text that was typed and not sent in memory only
  'unsent.keep.after', // after it, before the field reports it as stored
  'gateway.begin.before', // with the first of an answer, before it is on disk
  'gateway.begin.after', // after it, before a client receives the answer
  'gateway.count.before', // with a whole answer, before what it took is on disk
  'gateway.count.after', // after it, before the answer is stored
  'gateway.keep.beforeRename', // with an answer written, before it is stored for a repeated request
  'gateway.keep.afterRename', // with it stored, before its client has the end of it
  'gateway.client.before', // a token to give or to revoke, before that is on disk
  'gateway.client.after', // after it, before the token is returned or its requests end
  'fallback.ask.before', // before a question about a fallback, or its end, is on disk
  'fallback.ask.after', // after it, before the windows show it
  'turn.fallback.before', // with a fallback chosen for waiting turns, before that is on disk
  'turn.fallback.after', // after it, before they continue with it
  'budget.told.before', // before a spent budget and the item that tells it are on disk
  'budget.told.after', // after it, before the windows show it
  'budget.allowed.before', // before more of a budget is allowed on disk
  'budget.allowed.after', // after it, before turns that wait for it continue
  'channel.begin.before', // with a channel message in memory only, before work on it is on disk
  'channel.begin.after', // after that, before the message is handled
  'channel.offset.before', // with messages taken, before their channel is notified
  'channel.offset.after', // with that on disk, before the channel is notified
  'push.write.beforeRename', // with changed browsers of web push written, not yet in place
  'push.write.afterRename', // with them in place, before its browser is told
  'update.save.before', // with the instance ended for an update, before its data is saved
  'update.save.after', // with data and old program saved, before that is on record
  'update.swap.before', // with that on record, before the program is replaced
  'update.swap.after', // after it, before the new version is started
  'update.begin.after', // with the first start of the new version on record, before it opens the data
  'update.done.before', // with the new version up, before that is on record
  'update.back.before', // with the way back on record, before the old program is in its place
  'update.back.after', // after it, before the old version is started
  'update.restore.before', // with the old version started, before the data is put back
  'update.restore.after', // after it, before that is on record
  'marker.stopped.before', // before the stop is on record
  'marker.stopped.after', // after it, with the lock still held
] as const;

/** One of {@link CRASH_POINTS}. */
export type CrashPointName = (typeof CRASH_POINTS)[number];

/** Port that a crash test replaces; in production `hit` does nothing. */
export interface CrashPoints {
  hit(name: CrashPointName): void;
}

/** The production port. */
export const noCrashPoints: CrashPoints = { hit: () => undefined };
