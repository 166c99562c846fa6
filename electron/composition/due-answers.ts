/**
 * Tells the desktop of turns that time made and that have ended with the window as their channel:
 * nobody sits in front of them. Everything else that ends there was asked by a person who looks.
 */
import { answerText, textOf } from '../engine/journal/stored-text';
import { isIdle } from '../engine/schedule/system-news';
import type { DueAnswer } from '../compose-options';
import type { Blobs } from '../ports/blobs';
import type { Journal, JournalReads, TurnRow } from '../ports/journal';
import type { ScheduleReads } from '../ports/journal-schedule';
import type { Audit, Log } from '../ports/log';

export interface DueAnswersDeps {
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly reads: Pick<JournalReads, 'turn' | 'steps'>;
  readonly scheduleReads: Pick<ScheduleReads, 'madeBy' | 'task'>;
  readonly blobs: Blobs;
  readonly log: Log;
  readonly audit: Audit;
  /** Absent where no desktop is. */
  readonly tell?: (answer: DueAnswer) => void;
}

export function followDueAnswers(deps: DueAnswersDeps): void {
  const { reads, scheduleReads } = deps;

  /** A heartbeat that says that there is nothing to say is told to nobody, and on record (S1-38). */
  const isNothing = async ({ id, answerStep }: TurnRow): Promise<boolean> => {
    const end = reads.steps(id).find(({ step }) => step === answerStep)?.end;
    if (end?.state !== 'completed') return false;
    const text = answerText(await textOf(deps.blobs, end.content));
    if (isIdle(text)) deps.audit.record('reply_swallowed', { turnId: id, text: text.trim() });
    return isIdle(text);
  };

  const look = async (turnId: number): Promise<void> => {
    const turn = reads.turn(turnId);
    // Answers on other channels are delivered, and swallowed, by their lanes.
    if (turn?.channel !== 'window' && turn?.channel !== 'cli') return;
    if (turn.state !== 'completed' && turn.state !== 'failed') return;
    const made = scheduleReads.madeBy(turnId);
    if (made === undefined) return;
    if (made.kind === 'heartbeat' && (await isNothing(turn))) return;
    if (turn.channel !== 'window') return;
    deps.tell?.({
      turnId,
      sessionId: turn.sessionId,
      agent: turn.agent,
      isFailed: turn.state === 'failed',
      by:
        made.kind === 'task'
          ? { ...made, name: scheduleReads.task(made.taskId)?.name ?? '' }
          : { kind: made.kind },
    });
  };

  deps.journal.onCommitted((entries) => {
    for (const entry of entries) {
      if (entry.kind !== 'turn.closed') continue;
      look(entry.turnId).catch((error: unknown) => {
        deps.log.warn('due_answer.not_told', { turnId: entry.turnId, error });
      });
    }
  });
}
