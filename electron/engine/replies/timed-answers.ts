/**
 * Turns started by time that end with the window, or with no channel. A desktop notifies the user
 * of the window's turns; other turns that end there were started by a user who is looking.
 */
import { answerOf } from '../journal/stored-text';
import { hasPeer, originOf } from '../schedule/origin';
import { missedTimer } from '../schedule/timers';
import { missedTask } from '../schedule/task-message';
import { isIdle } from '../schedule/heartbeats';
import type { Blobs } from '../../ports/blobs';
import type { Channel, TimedAnswer } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { InboxRow } from '../../ports/journal/inbox';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { Audit, Log } from '../../ports/log';

/** Whether a turn's end is reported on its channel: in the window, only for timed turns. */
export const replyRule =
  (deps: {
    readonly channels: () => readonly Channel[];
    readonly scheduleReads: Pick<ScheduleReads, 'madeBy'>;
  }) =>
  (turn: TurnRow): boolean =>
    hasPeer(turn) ||
    (turn.channel === 'window' &&
      deps.channels().some(({ timed }) => timed !== undefined) &&
      deps.scheduleReads.madeBy(turn.id) !== undefined);

/** Describes the source of a turn. */
export function maker(
  reads: Pick<ScheduleReads, 'madeBy' | 'task'>,
  turnId: number,
): TimedAnswer['by'] {
  const made = reads.madeBy(turnId);
  if (made?.kind === 'task') return { ...made, name: reads.task(made.taskId)?.name ?? '' };
  return { kind: made?.kind ?? 'wake' };
}

/** The target of the missed task's or timer's answer. */
export function askedFor(
  deps: {
    readonly reads: Pick<JournalReads, 'turn'>;
    readonly scheduleReads: Pick<ScheduleReads, 'task'>;
  },
  { facts }: InboxRow,
  defaultChannel: string,
): Pick<TurnRow, 'channel' | 'peer'> | undefined {
  const taskId = missedTask(facts);
  if (taskId !== undefined) return deps.scheduleReads.task(taskId);
  const timer = missedTimer(facts);
  if (timer === undefined) return undefined;
  return originOf(deps.reads.turn(timer.turnId)) ?? { channel: defaultChannel, peer: '' };
}

/**
 * Not reported: a heartbeat with nothing to do, and a default heartbeat that failed (its session
 * shows it). S1-38
 */
function isBeatForNobody(
  made: ReturnType<ScheduleReads['madeBy']>,
  turn: Pick<TurnRow, 'state'>,
  answer: string,
): boolean {
  if (made?.kind !== 'heartbeat') return false;
  return isIdle(answer) || (isBeatOfSettings(made) && turn.state !== 'completed');
}

/** True for a turn of the heartbeat of the settings. */
export const isBeatOfSettings = (made: ReturnType<ScheduleReads['madeBy']>): boolean =>
  made?.kind === 'heartbeat' && made.isSystem;

/** Maximum characters of an undelivered answer in the audit. */
const MAX_SWALLOWED = 500;

/** What replies ask of turns that a time started. */
export const timedReplies = (deps: {
  readonly reads: Pick<JournalReads, 'turn'>;
  readonly scheduleReads: Pick<ScheduleReads, 'madeBy' | 'task'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly channels: { readonly defaultName: () => string };
}) => ({
  isSwallowed(turn: TurnRow, text: string): boolean {
    const isNothing = isBeatForNobody(deps.scheduleReads.madeBy(turn.id), turn, text);
    const said = (text.trim() || turn.reason).slice(0, MAX_SWALLOWED);
    if (isNothing) deps.audit.record('reply_swallowed', { turnId: turn.id, text: said });
    return isNothing;
  },
  askedFor: (item: InboxRow) => askedFor(deps, item, deps.channels.defaultName()),
  madeBy: (turnId: number) => maker(deps.scheduleReads, turnId),
});

/**
 * Records heartbeats with nothing to do and no target (S1-38). Answers with a target are dropped
 * when they are sent.
 */
export function recordIdleBeats(deps: {
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly reads: Pick<JournalReads, 'turn' | 'steps'>;
  readonly scheduleReads: Pick<ScheduleReads, 'madeBy'>;
  readonly blobs: Blobs;
  readonly log: Log;
  readonly audit: Audit;
}): void {
  const { reads, scheduleReads } = deps;
  const look = async (turnId: number): Promise<void> => {
    if (scheduleReads.madeBy(turnId)?.kind !== 'heartbeat') return;
    const turn = reads.turn(turnId);
    if (turn === undefined || hasPeer(turn)) return;
    const end = reads.steps(turnId).find(({ step }) => step === turn.answerStep)?.end;
    if (end?.state !== 'completed') return;
    const text = await answerOf(deps.blobs, end.content);
    if (isIdle(text)) deps.audit.record('reply_swallowed', { turnId, text: text.trim() });
  };
  deps.journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind !== 'turn.closed' || entry.hasReply) continue;
        look(entry.turnId).catch((error: unknown) => {
          deps.log.warn('idle_beat.not_recorded', { turnId: entry.turnId, error });
        });
      }
    },
    { skipsSteps: true },
  );
}
