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
  | { readonly kind: 'channel.offset'; readonly channel: string; readonly offset: number };

/** What is kept of a channel; zero and absent for one that nothing was ever heard of. */
export interface ChannelRow {
  readonly offset?: number;
  readonly offsetAtMs?: number;
  readonly delivered: number;
  readonly deliveredAtMs?: number;
}

/** Answers that wait for a channel. */
export interface PendingRow {
  readonly channel: string;
  readonly count: number;
  /** End of the turn that waits longest. */
  readonly sinceMs: number;
}

export interface ChannelReads {
  /** The turn that a message became; undefined for one that was not heard in the last 30 days. */
  heardMessage(channel: string, messageId: string): number | undefined;
  channelRow(name: string): ChannelRow;
  pendingChannels(): readonly PendingRow[];
}
