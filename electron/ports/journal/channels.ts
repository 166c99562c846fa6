/** Entries of channels. */
export type ChannelEntry =
  /** A message became a turn; in the commit of its message. */
  | {
      readonly kind: 'channel.heard';
      readonly channel: string;
      /** The other side's ID of the message. */
      readonly messageId: string;
      readonly turnId: number;
    }
  /**
   * Work on a channel message starts; written before the message is handled. `starts`: how many
   * starts of Holdfast in a row began with it; 0: it was handled and comes again.
   */
  | {
      readonly kind: 'channel.began';
      readonly channel: string;
      readonly messageId: string;
      readonly starts: number;
    }
  /** The message will never become a turn; in the commit of the item that shows it. */
  | { readonly kind: 'channel.setAside'; readonly channel: string; readonly messageId: string }
  /** Everything below this number is handled; written before the other side is acknowledged. */
  | { readonly kind: 'channel.offset'; readonly channel: string; readonly offset: number }
  /** An answer is about to be sent to a channel that would show it twice. */
  | { readonly kind: 'reply.attempted'; readonly turnId: number; readonly channel: string }
  /** Its first `pieces` pieces have arrived, and the next one is about to be sent; one commit. */
  | { readonly kind: 'reply.piece'; readonly turnId: number; readonly pieces: number }
  /** The channel reported that it did not accept it. */
  | { readonly kind: 'reply.missed'; readonly turnId: number };

/** Stored state of a channel; zero and absent for one that never received anything. */
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
  /** End of the turn that has been waiting longest. */
  readonly sinceMs: number;
}

/** The channel to which the answer of a turn was being sent. */
interface AttemptedReply {
  readonly channel: string;
  /** Number of its pieces that have arrived. */
  readonly pieces: number;
  /** The next piece may have arrived: the outcome of the attempt is unknown. */
  readonly isUnknown: boolean;
}

/** Implemented by adapters/sqlite/tables/channels.ts. */
export interface ChannelReads {
  /**
   * The turn created from a message; undefined if the message was not received in the last 30 days.
   */
  heardMessage(channel: string, messageId: string): number | undefined;
  /** The message was set aside in the last 30 days. */
  isSetAside(channel: string, messageId: string): boolean;
  /** The channel message that work started on last, and how many starts began with it. */
  begunMessage(
    channel: string,
  ): { readonly messageId: string; readonly starts: number } | undefined;
  channelRow(name: string): ChannelRow;
  /** State of earlier attempts to send a turn's answer; undefined before the first. */
  attemptedReply(turnId: number): AttemptedReply | undefined;
  pendingChannels(): readonly PendingRow[];
}
