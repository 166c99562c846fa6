import type { Channel } from '../../ports/channel';
import type { Journal, JournalReads } from '../../ports/journal';
import type { CrashPoints } from '../kernel/crash-points';

/** Stands at the head of an answer that may be there already. */
export const REPEAT_NOTE =
  '(May have arrived before: whether an earlier attempt was taken is not known.)';

/** One attempt to send an answer to a channel. */
interface ReplyAttempt {
  /** An earlier one may have arrived. */
  readonly note?: string;
  /** On disk when it resolves; nothing for a channel that knows an answer by its id. */
  begin(): Promise<void>;
  /** The channel has said that it did not take it. */
  missed(): Promise<void>;
}

/**
 * The intent of a send that would be read twice. It stays on disk until the channel has taken the
 * answer or said that it has not, so that a kill in between is known as what it is: unknown.
 */
export function replyAttempt(
  deps: {
    readonly journal: Pick<Journal, 'commit'>;
    readonly reads: Pick<JournalReads, 'attemptedReply'>;
    readonly crashPoints: CrashPoints;
  },
  turnId: number,
  channel: Pick<Channel, 'name' | 'showsRepeats'>,
): ReplyAttempt {
  if (channel.showsRepeats !== true) return { begin: nothing, missed: nothing };
  // One of which nothing is known stays so, whatever becomes of this one.
  if (deps.reads.attemptedReply(turnId) === channel.name)
    return { note: REPEAT_NOTE, begin: nothing, missed: nothing };
  return {
    async begin() {
      await deps.journal.commit([{ kind: 'reply.attempted', turnId, channel: channel.name }]);
      deps.crashPoints.hit('reply.attempt.after');
    },
    async missed() {
      await deps.journal.commit([{ kind: 'reply.missed', turnId }], { isOutcome: true });
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();
