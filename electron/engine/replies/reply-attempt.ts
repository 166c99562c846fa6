import type { Channel, Delivery } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { CrashPoints } from '../kernel/crash-points';

/** The prefix of an answer that may have arrived before. */
export const REPEAT_NOTE =
  '(Possible duplicate: it is unknown whether an earlier attempt arrived.)';

/** The outcome of one send to a channel. */
export type Sent =
  | { readonly kind: 'taken' }
  /** Nothing was sent, because its breaker is open. */
  | { readonly kind: 'held'; readonly retryInMs: number }
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly isRefused: boolean;
      /** Unknown whether the channel accepted it. */
      readonly isUnknown: boolean;
      readonly afterMs?: number;
    };

/** One attempt to send an answer to a channel. */
interface ReplyAttempt {
  /** Set if an earlier attempt may have arrived. */
  readonly note?: string;
  /** For a long answer sent in pieces: the pieces that arrived, and how to record more. */
  readonly pieces?: NonNullable<Delivery['pieces']>;
  /** On disk when it resolves; does nothing for a channel that recognizes repeated IDs. */
  begin(): Promise<void>;
  /** The channel reported that it did not accept the answer, or the piece being sent. */
  missed(): Promise<void>;
}

/**
 * The intent of a send that could arrive twice. It stays on disk until the channel accepts or
 * rejects the answer, so a kill in between is correctly known as unknown. A piece that arrived is
 * on disk before the next one is sent: it is not sent again.
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
  const { journal, crashPoints } = deps;
  const earlier = deps.reads.attemptedReply(turnId);
  const here = earlier?.channel === channel.name ? earlier : undefined;
  // An unknown outcome stays unknown until this or the next piece is known to have arrived.
  let isUnknown = here?.isUnknown === true;
  return {
    ...(isUnknown ? { note: REPEAT_NOTE } : {}),
    pieces: {
      there: here?.pieces ?? 0,
      async took(pieces) {
        crashPoints.hit('reply.piece.before');
        // If the disk rejects the record, it stays unknown whether this piece arrived.
        isUnknown = true;
        await journal.commit([{ kind: 'reply.piece', turnId, pieces }]);
        isUnknown = false;
        crashPoints.hit('reply.piece.after');
      },
    },
    async begin() {
      if (isUnknown) return;
      await journal.commit([{ kind: 'reply.attempted', turnId, channel: channel.name }]);
      crashPoints.hit('reply.attempt.after');
    },
    async missed() {
      if (isUnknown) return;
      await journal.commit([{ kind: 'reply.missed', turnId }], { isOutcome: true });
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();
