import type { JsonValue } from '../provider';

type InboxKind =
  'replay_decision' | 'limit' | 'approval' | 'unanswered' | 'restart_notice' | 'outage' | 'problem';

/** What waits for a person, and who was told of what was missed. */
export type InboxEntry =
  | {
      readonly kind: 'inbox.opened';
      readonly inboxId: number;
      readonly item: InboxKind;
      readonly turnId?: number;
      readonly sessionId?: number;
      readonly title: string;
      readonly detail: string;
      readonly facts?: JsonValue;
    }
  /** What a person said about a command that outlived Holdfast; its notice is named. */
  | {
      readonly kind: 'process.decided';
      readonly inboxId: number;
      readonly turnId?: number;
      readonly pid: number;
      readonly answer: 'wait' | 'end' | 'leave';
      readonly by: string;
    }
  | { readonly kind: 'inbox.settled'; readonly inboxId: number; readonly outcome: string }
  /**
   * The notice that a task or a timer was missed goes to a channel that would show it twice; that
   * channel has said that it did not take it; a channel has taken it.
   */
  | { readonly kind: 'missed.attempted'; readonly inboxId: number; readonly channel: string }
  | { readonly kind: 'missed.not_taken'; readonly inboxId: number }
  | { readonly kind: 'missed.told'; readonly inboxId: number; readonly channel: string };

export interface InboxRow {
  readonly id: number;
  readonly item: InboxKind;
  readonly turnId: number | undefined;
  readonly sessionId: number | undefined;
  readonly title: string;
  readonly detail: string;
  readonly facts: JsonValue | undefined;
  readonly createdAtMs: number;
  readonly settledAtMs: number | undefined;
  readonly outcome: string | undefined;
  /** The channel that took a notice of something missed. */
  readonly toldOn: string | undefined;
  /** The channel that may have it: nobody knows how the attempt ended. */
  readonly attemptedOn: string | undefined;
}
