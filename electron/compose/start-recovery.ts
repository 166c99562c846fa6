import type { RestartNotice } from '../../shared/types';
import type { ComposeOptions } from './options';
import type { RestartReason } from '../engine/instance';
import { textOf } from '../engine/journal/stored-text';
import { restartSentence } from '../engine/replies/restart-sentence';
import { recoverAtStart, type RecoveryReport } from '../engine/recovery/recover-at-start';
import type { Clock } from '../ports/clock';
import type { TurnRow } from '../ports/journal/rows';
import type { JournalEntry } from '../ports/journal/entries';
import type { Events } from '../engine/api/events';
import type { Rooms } from './rooms-type';
import { need, type Run } from './run';
import { queuedTurn } from './turn-source';
import { openItem } from '../engine/inbox/entries';

export async function recover(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
  events: Events,
): Promise<void> {
  const rooms = need(run.rooms);
  const reason = need(run.restartReason);
  const { noRestore } = options.flags;
  // Which of two files is in place is a fact, not a decision: also without restore.
  await rooms.drafts.settle();
  if (!noRestore) await rooms.commands.settle();
  const report: RecoveryReport = noRestore
    ? { resumed: [], held: [], parked: [], stale: [], discarded: [] }
    : await recoverAtStart(
        {
          journal: rooms.journal,
          reads: rooms.reads,
          clock,
          crashPoints,
          audit: need(run.audit),
          policy: rooms.policy,
        },
        {
          startId: run.startId,
          isUnexpected: reason.kind !== 'first_start' && reason.isUnexpected,
        },
      );
  if (!noRestore) {
    const { resumed, held, parked, stale, discarded } = report;
    await rooms.leftProcesses.tidy({
      isQuiet: [resumed, held, parked, stale, discarded].every((turns) => turns.length === 0),
      resumed: new Set(resumed.map(({ turn }) => turn.id)),
      settlesItself: (agent) => rooms.agents.acpOf(agent) !== undefined,
    });
  }
  if (!noRestore) {
    for (const { turn, delayMs, isAlone } of report.resumed) {
      const notBeforeMs = delayMs === 0 ? 0 : clock.nowMs() + delayMs;
      rooms.scheduler.enqueue({ ...queuedTurn(rooms.workReads, turn, notBeforeMs), isAlone });
    }
    const resumed = new Set(report.resumed.map(({ turn }) => turn.id));
    for (const turn of rooms.reads.openTurns()) {
      // What waited for its next try waits for the rest of its time (S3-12).
      const dueAtMs = turn.state === 'waiting' ? turn.retry?.dueAtMs : undefined;
      // What waits for its provider waits on, at its place (S0-18).
      const isHeld = turn.state === 'waiting' && rooms.reads.held(turn.id)?.isOut === false;
      if ((turn.state !== 'queued' && dueAtMs === undefined && !isHeld) || resumed.has(turn.id))
        continue;
      const notBeforeMs = dueAtMs === undefined ? 0 : restOfWaitMs(rooms, turn, dueAtMs, clock);
      rooms.scheduler.enqueue(queuedTurn(rooms.workReads, turn, notBeforeMs));
    }
  }
  // Without restore nothing that waits is touched, the inbox included (S4-29).
  if (!noRestore) await openUnanswered(rooms);
  await announceRestart(run, rooms, reason, report, noRestore, clock, events);
}

/** It waits no longer than it was to: the clock may have been ahead when that was written. */
function restOfWaitMs(rooms: Rooms, turn: TurnRow, dueAtMs: number, clock: Clock): number {
  const { id, sessionId } = turn;
  const [last] = rooms.workReads.activations({ sessionId, events: ['requeued'], limit: 1 });
  return last?.turnId === id
    ? Math.min(dueAtMs, clock.nowMs() + Math.max(0, dueAtMs - last.atMs))
    : dueAtMs;
}

async function openUnanswered(rooms: Rooms): Promise<void> {
  const sessions = rooms.reads.unansweredSessions(200);
  if (sessions.length === 0) return;
  const told = [false, true]
    .flatMap((includeSettled) => rooms.reads.inbox({ includeSettled, limit: 1000 }))
    .filter((item) => item.item === 'unanswered');
  const entries: JournalEntry[] = [];
  for (const { sessionId, key, text, atMs } of sessions) {
    // One that a person has put away does not come back with every start.
    const isTold = (item: (typeof told)[number]): boolean =>
      item.sessionId === sessionId && (item.settledAtMs === undefined || item.createdAtMs >= atMs);
    if (told.some(isTold)) continue;
    entries.push(
      openItem(rooms.journal.allocate('inbox'), 'unanswered', {
        sessionId,
        title: `A message in ${key} has no answer`,
        detail: (await textOf(rooms.blobs, text)).slice(0, 120),
      }),
    );
  }
  if (entries.length > 0) await rooms.journal.commit(entries);
}

async function announceRestart(
  run: Run,
  rooms: Rooms,
  reason: RestartReason,
  report: RecoveryReport,
  restoreSkipped: boolean,
  clock: Clock,
  events: Events,
): Promise<void> {
  if (reason.kind === 'first_start') {
    rooms.setRestart(undefined, restoreSkipped);
    return;
  }
  const notice: RestartNotice = {
    reason: reason.kind,
    startedAtMs: clock.nowMs(),
    downSinceMs: reason.downSinceMs,
    downMs: reason.downMs,
    resumedTurns: report.resumed.map(({ turn }) => turn.id),
    heldTurns: [...report.held],
    parkedTurns: [...report.parked],
    staleTurns: [...report.stale],
    restoreSkipped,
    isDismissed: false,
  };
  const text = restartSentence(notice);
  const isWorthALine =
    !restoreSkipped && (reason.isUnexpected || report.resumed.length + report.held.length > 0);
  if (isWorthALine) {
    const inboxId = rooms.journal.allocate('inbox');
    await rooms.journal.commit([openItem(inboxId, 'restart_notice', { title: text, detail: '' })]);
    rooms.setRestart({ ...notice, inboxId }, restoreSkipped);
  } else rooms.setRestart(notice, restoreSkipped);
  events.emit('restart.noticed', notice as never);
  // Delivery must not hold up the start and may fail without harm: the inbox has the record.
  rooms.deliveries.restartNotice(run.startId, text);
}
