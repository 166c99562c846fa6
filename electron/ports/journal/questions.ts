/** What is known of questions on channels. */
export type QuestionEntry =
  /** It is sent to a channel that would show it twice; before it is sent. */
  | { readonly kind: 'question.attempted'; readonly channel: string; readonly inboxId: number }
  /** That channel reported that it did not accept it. */
  | { readonly kind: 'question.not_taken'; readonly channel: string; readonly inboxId: number }
  /** A channel accepted it; `ref` is the channel's name of the message, if it can be changed. */
  | {
      readonly kind: 'question.sent';
      readonly channel: string;
      readonly inboxId: number;
      readonly peer: string;
      readonly ref?: string;
      /** Hash of what the message says. */
      readonly said: string;
    }
  /** Its message was changed and says this now. */
  | {
      readonly kind: 'question.told';
      readonly channel: string;
      readonly inboxId: number;
      readonly said: string;
    }
  /** It is decided, and its message says so, or cannot; nothing more goes there about it. */
  | { readonly kind: 'question.closed'; readonly channel: string; readonly inboxId: number };

/** A question on a channel; gone once that channel has nothing more to learn about it. */
export interface SentQuestion {
  readonly channel: string;
  readonly inboxId: number;
  /** An attempt to send it was made, and its outcome is unknown. */
  readonly isUnknown: boolean;
  /** Absent until a channel accepted it. */
  readonly sent?: {
    readonly peer: string;
    /** Absent: the message cannot be changed. */
    readonly ref?: string;
    readonly said: string;
    readonly atMs: number;
  };
}

/** Reads of questions on channels; few rows, all of them about open or just decided questions. */
export interface QuestionReads {
  sentQuestions(channel: string): readonly SentQuestion[];
  /** The channels with such a row, also those that are no longer in the settings. */
  questionChannels(): readonly string[];
}
