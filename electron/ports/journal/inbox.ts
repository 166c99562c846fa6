import { type Reason } from '../../../shared/reason';
import type { JsonValue } from '../provider';

type InboxKind =
  'replay_decision' | 'limit' | 'approval' | 'unanswered' | 'restart_notice' | 'outage' | 'problem';

/** Items that need a user's decision, and deliveries of missed-run notices. */
export type InboxEntry =
  | {
      readonly kind: 'inbox.opened';
      readonly inboxId: number;
      readonly item: InboxKind;
      readonly turnId?: number;
      readonly sessionId?: number;
      readonly title: string;
      readonly detail: Reason;
      readonly facts?: JsonValue;
    }
  /** An open item has a new text, for example after one more restart. */
  | {
      readonly kind: 'inbox.retold';
      readonly inboxId: number;
      readonly title: string;
      readonly detail: Reason;
      readonly facts?: JsonValue;
    }
  /** The user's answer about a command that outlived Holdfast; identifies its notice. */
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
   * A missed-run notice is about to be sent to a channel that would show it twice; that channel
   * rejected it; a channel accepted it.
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
  /** The channel that accepted a missed-run notice. */
  readonly toldOn: string | undefined;
  /** The channel that may have it: the outcome of the attempt is unknown. */
  readonly attemptedOn: string | undefined;
}
