/** Entries about questions on channels. */
export type QuestionEntry =
  /** It is about to be sent to a channel that would show it twice. */
  | { readonly kind: 'question.attempted'; readonly channel: string; readonly inboxId: number }
  /** That channel reported that it did not accept it. */
  | { readonly kind: 'question.not_taken'; readonly channel: string; readonly inboxId: number }
  /** A channel accepted it; `ref` is the channel's name of the message, if it can be edited. */
  | {
      readonly kind: 'question.sent';
      readonly channel: string;
      readonly inboxId: number;
      readonly peer: string;
      readonly ref?: string;
      /** Hash of the message's content. */
      readonly said: string;
    }
  /** Its message was edited and has this content now. */
  | {
      readonly kind: 'question.told';
      readonly channel: string;
      readonly inboxId: number;
      readonly said: string;
    }
  /** A reminder about these is about to be sent: written first, so that it is never sent twice. */
  | {
      readonly kind: 'question.reminded';
      readonly channel: string;
      readonly inboxIds: readonly number[];
    }
  /** The channel reported that it did not accept that reminder. */
  | {
      readonly kind: 'question.not_reminded';
      readonly channel: string;
      readonly inboxIds: readonly number[];
    }
  /**
   * The digest of a local day is about to be sent to a channel; it covers the time since `fromMs`.
   */
  | {
      readonly kind: 'digest.attempted';
      readonly channel: string;
      /** Such as `2026-03-24`. */
      readonly day: string;
      readonly fromMs: number;
      readonly toMs: number;
    }
  /** The channel reported that it did not accept that digest. */
  | { readonly kind: 'digest.not_taken'; readonly channel: string; readonly day: string }
  /** The channel accepted it: the next one covers the time after it. */
  | { readonly kind: 'digest.sent'; readonly channel: string; readonly day: string }
  /**
   * The question is decided, and its message shows that or cannot; nothing more is sent about it.
   */
  | { readonly kind: 'question.closed'; readonly channel: string; readonly inboxId: number };

/** A question on a channel; deleted once that channel needs no further update about it. */
export interface SentQuestion {
  readonly channel: string;
  readonly inboxId: number;
  /** An attempt to send it was made, and its outcome is unknown. */
  readonly isUnknown: boolean;
  /** Absent until a channel accepted it. */
  readonly sent?: {
    readonly peer: string;
    /** Absent: the message cannot be edited. */
    readonly ref?: string;
    readonly said: string;
    readonly atMs: number;
    /** A reminder about it was sent. */
    readonly remindedAtMs?: number;
  };
}

/** The digest of one day on a channel. */
export interface DigestRow {
  readonly day: string;
  /** End of the period that it covers. */
  readonly toMs: number;
  /** False: the outcome of sending it is unknown. */
  readonly isSent: boolean;
}

/** Numbers about a period of time. */
export interface DigestCounts {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Turns with at least one attempt after a crash. */
  readonly recovered: number;
  readonly restarts: number;
  readonly outages: number;
  /** Undefined if no price is known. */
  readonly usd: number | undefined;
  readonly savedUsd: number;
}

/**
 * Reads of questions on channels; few rows, all about open or just decided questions.
 * Implemented by adapters/sqlite/tables/questions.ts.
 */
export interface QuestionReads {
  sentQuestions(channel: string): readonly SentQuestion[];
  /** Channels with such a row, including those no longer in the settings. */
  questionChannels(): readonly string[];
  /** The last digests of a channel, newest first. */
  digests(channel: string): readonly DigestRow[];
  digestCounts(fromMs: number, toMs: number): DigestCounts;
  /** When this data directory was first started; 0 before that. */
  firstStartMs(): number;
}
