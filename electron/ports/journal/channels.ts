/** What channels write. */
export type ChannelEntry =
  /** A message became a turn; in the commit of its message. */
  | {
      readonly kind: 'channel.heard';
      readonly channel: string;
      /** As the other side names it. */
      readonly messageId: string;
      readonly turnId: number;
    }
  /** Everything below this number has been dealt with; before the other side is told so. */
  | { readonly kind: 'channel.offset'; readonly channel: string; readonly offset: number }
  /** An answer goes to a channel that would show it twice; before it is sent. */
  | { readonly kind: 'reply.attempted'; readonly turnId: number; readonly channel: string }
  /**
   * The first `pieces` pieces of it have arrived, and the next one goes: in one commit, before it is
   * sent.
   */
  | { readonly kind: 'reply.piece'; readonly turnId: number; readonly pieces: number }
  /** The channel has said that it did not take it. */
  | { readonly kind: 'reply.missed'; readonly turnId: number };

/** What is kept of a channel; zero and absent for one that nothing was ever heard of. */
export interface ChannelRow {
  readonly offset?: number;
  readonly offsetAtMs?: number;
  readonly delivered: number;
  readonly deliveredAtMs?: number;
}

/** Answers that wait for a channel. */
interface PendingRow {
  readonly channel: string;
  readonly count: number;
  /** End of the turn that waits longest. */
  readonly sinceMs: number;
}

/** Where the answer of a turn was on its way to. */
interface AttemptedReply {
  readonly channel: string;
  /** So many pieces of it have arrived. */
  readonly pieces: number;
  /** The next one may have: nobody knows the end of the attempt. */
  readonly isUnknown: boolean;
}

export interface ChannelReads {
  /** The turn that a message became; undefined for one that was not heard in the last 30 days. */
  heardMessage(channel: string, messageId: string): number | undefined;
  channelRow(name: string): ChannelRow;
  /** What is known of earlier attempts to send the answer of a turn; undefined before the first. */
  attemptedReply(turnId: number): AttemptedReply | undefined;
  pendingChannels(): readonly PendingRow[];
}
