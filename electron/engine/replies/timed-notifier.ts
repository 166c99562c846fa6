import type { Channel, TimedAnswer } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Basics } from '../kernel/basics';
import type { PassEnd } from './reply-queue';

interface TimedNotifierDeps extends Pick<Basics, 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'pendingReplies' | 'attemptedReply'>;
  readonly window: () => Channel | undefined;
  readonly timed: { readonly madeBy: (turnId: number) => TimedAnswer['by'] };
  /** Settles an answer that reports nothing to do; false for any other. */
  readonly swallow: (turn: TurnRow) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Name of the channel that all windows share. */
export const WINDOW = 'window';
/** Maximum answers per notification. */
const MOST = 1_000;

/**
 * Notifies the user of all waiting answers of timed turns in the window, in one notification. They
 * wait on disk, through a kill and while notifications are off. The intent is on disk before the
 * notification, so a repeated one says that it may be a repeat. S1-02, R12
 */
export function createTimedNotifier(deps: TimedNotifierDeps): () => Promise<PassEnd> {
  const { reads, signal } = deps;
  /** Answers checked while held back that have something to report. */
  const spoken = new Set<number>();

  /** Waiting answers with something to report. Settles idle heartbeats, held or not. */
  const waiting = async (): Promise<readonly TurnRow[]> => {
    const found: TurnRow[] = [];
    let after = 0;
    for (;;) {
      const batch = reads.pendingReplies(WINDOW, { turnId: after });
      for (const turn of batch) {
        if (signal.aborted || found.length === MOST) return found;
        after = turn.id;
        if (!spoken.has(turn.id) && (await deps.swallow(turn))) continue;
        spoken.add(turn.id);
        found.push(turn);
      }
      if (batch.length === 0) return found;
    }
  };

  return async () => {
    for (;;) {
      const channel = deps.window();
      // No desktop here: they wait for a start with one.
      if (channel?.timed === undefined) return { kind: 'done' };
      if (!channel.isReady()) return { kind: 'later' };
      const turns = await waiting();
      if (turns.length === 0 || signal.aborted || channel.timed.isHeld()) return { kind: 'done' };
      const end = await tellOf(deps, channel.timed, turns);
      if (end.kind === 'later') return end;
      for (const { id } of turns) spoken.delete(id);
    }
  };
}

async function tellOf(
  deps: TimedNotifierDeps,
  timed: NonNullable<Channel['timed']>,
  turns: readonly TurnRow[],
): Promise<PassEnd> {
  const { journal, reads, crashPoints } = deps;
  const answers = turns.map(({ id: turnId, sessionId, agent, state }): TimedAnswer => ({
    turnId,
    sessionId,
    agent,
    isFailed: state !== 'completed',
    by: deps.timed.madeBy(turnId),
    mayBeSecond: reads.attemptedReply(turnId)?.isUnknown === true,
  }));
  const first = answers.filter(({ mayBeSecond }) => !mayBeSecond);
  crashPoints.hit('reply.deliver.before');
  await write(journal, first, ({ turnId }) => ({
    kind: 'reply.attempted',
    turnId,
    channel: WINDOW,
  }));
  crashPoints.hit('reply.attempt.after');
  try {
    await timed.tell(answers);
  } catch (error) {
    deps.log.warn('timed_answers.not_told', { count: answers.length, error });
    await write(journal, first, ({ turnId }) => ({ kind: 'reply.missed', turnId }));
    return { kind: 'later', error: String(error).slice(0, 300) };
  }
  crashPoints.hit('reply.deliver.after');
  await write(journal, answers, ({ turnId }) => ({
    kind: 'reply.delivered',
    turnId,
    channel: WINDOW,
  }));
  return { kind: 'done' };
}

/** One entry per answer, in one commit; a full disk may reject intents, and outcomes wait. */
async function write(
  journal: Pick<Journal, 'commit'>,
  answers: readonly TimedAnswer[],
  entryOf: (answer: TimedAnswer) => JournalEntry,
): Promise<void> {
  const entries = answers.map(entryOf);
  if (entries.length === 0) return;
  await journal.commit(entries, {
    isOutcome: entries.some(({ kind }) => kind !== 'reply.attempted'),
  });
}
