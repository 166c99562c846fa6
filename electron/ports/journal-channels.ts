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

export interface ChannelReads {
  /** The turn that a message became; undefined for one that was not heard in the last 30 days. */
  heardMessage(channel: string, messageId: string): number | undefined;
  channelRow(name: string): ChannelRow;
  /** The channel that may have the answer of a turn: an attempt began there and nobody knows its end. */
  attemptedReply(turnId: number): string | undefined;
  pendingChannels(): readonly PendingRow[];
}
