import type { TurnState, Usage, StepState, RestartReason } from '../../../shared/types';
import type { RetryRow, LeaseRow } from './work';
import type { StepStart, StepEnd } from './entries';
import type { Fallback } from './outage';
import type { StoredText } from './stored';
import type { RequestRow } from './approvals';

/** A turn, read from its table row. */
export interface TurnRow {
  readonly id: number;
  readonly sessionId: number;
  readonly sessionKey: string;
  readonly agent: string;
  readonly state: TurnState;
  readonly reason: string;
  readonly promptStart: string;
  readonly promptSeq: number;
  readonly channel: string;
  readonly peer: string;
  readonly attempt: number;
  /** Crashes without progress since. */
  readonly crashes: number;
  /** How many of them lost their heartbeat while Holdfast kept running. */
  readonly stalls: number;
  readonly frameId: number | undefined;
  readonly framedAtMs: number | undefined;
  readonly acceptedAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly answerStep: number | undefined;
  readonly limitRaises: number;
  /**
   * The user has decided, and since then the turn has only repeated reads: the turn gate is passed
   * (S4-+04).
   */
  readonly isAnswered: boolean;
  readonly stepCount: number;
  readonly usage: Usage;
  readonly reusedCount: number;
  readonly savedUsage: Usage;
  readonly isReplyPending: boolean;
  /** It failed temporarily (S3-12). */
  readonly retry?: RetryRow;
  /** The open lease; its process may be dead. */
  readonly lease?: LeaseRow;
  /** Its session's agent, if `agent` is another one that took over. */
  readonly ownAgent?: string;
  /** Models or agents that answered in place of its own, the current one last. Absent for none. */
  readonly fallbacks?: readonly Fallback[];
  /** It is in the shared queue: the computer that has or ended it; empty for this one or none. */
  readonly sharedWith?: string;
}

/** A step, read from its table row and journal rows. */
export interface StepRow extends StepStart {
  readonly state: StepState;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly end: StepEnd | undefined;
  /** Journal sequence of its end. */
  readonly endedSeq: number | undefined;
  readonly reusedCount: number;
}

export interface SessionRow {
  readonly id: number;
  readonly key: string;
  readonly title: string;
  readonly agent: string;
  readonly createdAtMs: number;
  readonly lastEventAtMs: number;
  readonly turnCount: number;
  readonly openTurnCount: number;
  /** Key of the parent session. */
  readonly parent: string | undefined;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  readonly isDeleted: boolean;
  /** It continues after this turn of that session. */
  readonly fork:
    { readonly sessionId: number; readonly turnId: number; readonly title: string } | undefined;
}

export interface EventRow {
  readonly seq: number;
  readonly atMs: number;
  readonly kind:
    | 'session.created'
    | 'message.accepted'
    | 'session.interrupted'
    | 'turn.closed'
    | 'step.started'
    | 'approval.requested'
    | 'approval.answered';
  readonly turnId: number | undefined;
  readonly text: StoredText | undefined;
  readonly step?: StepRow;
  readonly request?: Pick<RequestRow, 'tool' | 'request' | 'answer'>;
  readonly turnState?: TurnState;
  /** It reports the end of a session that was started from this one. */
  readonly child?: { readonly id: number; readonly key: string };
  readonly isOutcome?: boolean;
}

export interface StartRow {
  readonly id: number;
  readonly startedAtMs: number;
  readonly reason: RestartReason;
  readonly downSinceMs: number | undefined;
  readonly stoppedAtMs: number | undefined;
  readonly stopReason: string | undefined;
  readonly noticedAtMs: number | undefined;
  readonly bootId: string;
  readonly instanceId: string;
  readonly machineId: string;
  readonly version: string;
}
