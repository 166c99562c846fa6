import type { Reason } from '../../../shared/reason';
import type { BudgetEntry, SpendShare } from './spend';
import type { JsonValue } from '../provider';
import type { StoredText } from './stored';
import type { Usage, Purity, TurnState, RestartReason } from '../../../shared/types';
import type { StepScope, SkillEntry } from './skills';
import type { ApprovalEntry } from './approvals';
import type { DraftEntry } from './drafts';
import type { ExternalEntry } from './external';
import type { BreakerEntry } from './breaker';
import type { ChannelEntry } from './channels';
import type { GatewayEntry } from './gateway';
import type { InboxEntry } from './inbox';
import type { OutageEntry } from './outage';
import type { SharedEntry } from './shared';
import type { QuestionEntry } from './questions';
import type { WorkEntry } from './work';
import type { ScheduleEntry } from './schedule';

/** The parts of a model request besides the conversation; stored once per distinct content. */
export interface Frame {
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonValue;
  }[];
  readonly workspace: string;
  readonly env: readonly string[];
  /** Tools among `tools` whose results are external; absent if there are none (S3-09). */
  readonly custom?: readonly string[];
  /** Files that the agent writes become drafts of its session (S3-20). */
  readonly drafts?: true;
}

/** How a conversation was shortened; `keep*`: remaining characters of a tool's result. */
export interface ConversationCut {
  /** Number of messages of earlier turns left out, from the front. */
  readonly dropped: number;
  /** For results that the model had already answered. */
  readonly keepSeen?: number;
  /** For results that were new to it. */
  readonly keepNew?: number;
}

/** The stored end of a step. */
type StepOutcome =
  | {
      readonly state: 'completed';
      readonly content: StoredText;
      readonly isError: boolean;
      readonly usage?: Usage;
      readonly drift?: 'same' | 'changed';
      /** A repeated read in this run had another result: later steps may differ at each start. */
      readonly isAfterDrift?: true;
    }
  | {
      readonly state: 'failed';
      readonly error: string;
      readonly isCutOff: boolean;
      /** Its cost so far, if reported. */
      readonly usage?: Usage;
      /**
       * The conversation was too long: the rest of this turn uses one shortened like this (S2-29).
       */
      readonly shorter?: ConversationCut;
    }
  /**
   * With `content` the agent was told that the outcome is unknown; without it, this is an open
   * question.
   */
  | { readonly state: 'ambiguous'; readonly error: string; readonly content?: StoredText }
  | { readonly state: 'skipped'; readonly content: StoredText; readonly by: 'policy' | 'person' }
  | {
      readonly state: 'confirmed';
      readonly content: StoredText;
      readonly by: 'status_check' | 'person';
    };

/**
 * `workedMs`: work time of an external agent's run when this step ended, without waits for users.
 * Steps of such a run nest, so their own times say nothing.
 */
export type StepEnd = StepOutcome & { readonly workedMs?: number };

/** The stored start of a step. */
export interface StepStart {
  readonly turnId: number;
  readonly step: number;
  readonly attempt: number;
  /** `host.tool`, or `model` for a model request. */
  readonly tool: string;
  readonly purity: Purity;
  /** sha256 in hex of the replay key: exact request, or tool and canonical arguments. */
  readonly key: string;
  readonly hint: string;
  /** Location of the arguments: step of the model answer and position of the call in it. */
  readonly call?: { readonly step: number; readonly part: number };
  readonly againOf?: number;
  /** Counts for `<tool>:effects` entries of the side-effect list. */
  readonly hasEffects: boolean;
  readonly isWorkspaceRead: boolean;
  readonly isIdempotent: boolean;
  /** The answered request that permitted this call. */
  readonly requestId?: number;
  /** Run, phase and visit of its skill. */
  readonly scope?: StepScope;
}

export type RecoveryAction = 'resume' | 'hold' | 'park' | 'stale' | 'discard' | 'none';

/** Everything that is ever written: one append-only journal, one sequence. */
export type JournalEntry =
  | ApprovalEntry
  | SkillEntry
  | DraftEntry
  | ExternalEntry
  | BreakerEntry
  | ChannelEntry
  | GatewayEntry
  | InboxEntry
  | BudgetEntry
  | OutageEntry
  | QuestionEntry
  | SharedEntry
  | WorkEntry
  | ScheduleEntry
  | {
      readonly kind: 'session.created';
      readonly sessionId: number;
      readonly key: string;
      readonly title: string;
      readonly agent: string;
      /** The parent session. */
      readonly parentId?: number;
      /** It continues after this turn of another session. */
      readonly fork?: { readonly sessionId: number; readonly turnId: number };
    }
  | {
      readonly kind: 'message.accepted';
      readonly sessionId: number;
      readonly turnId: number;
      readonly text: StoredText;
      readonly promptStart: string;
      readonly channel: string;
      readonly peer: string;
      /** The queued wake-up that it was (S3-16). */
      readonly wakeId?: string;
      /** Its conversation starts after this turn: that start restored nothing (S4-29, R21). */
      readonly behindTurn?: number;
      /** It sets the goal of its session. */
      readonly isOutcome?: true;
    }
  | { readonly kind: 'session.interrupted'; readonly sessionId: number; readonly note: string }
  | {
      readonly kind: 'session.set';
      readonly sessionId: number;
      readonly title?: string;
      readonly isPinned?: boolean;
      readonly isArchived?: boolean;
      /** It is no longer in any list, and its key is free. */
      readonly isDeleted?: true;
    }
  | {
      readonly kind: 'frame.recorded';
      readonly frameId: number;
      readonly hash: string;
      readonly frame: Frame;
    }
  | {
      readonly kind: 'turn.started';
      readonly turnId: number;
      readonly attempt: number;
      readonly frameId: number;
      readonly framedAtMs: number;
      /** The lease under which this attempt runs; the attempt is its fencing epoch (S3-24). */
      readonly claimId?: string;
      readonly owner?: string;
    }
  | ({ readonly kind: 'step.started' } & StepStart)
  | {
      readonly kind: 'step.ended';
      readonly turnId: number;
      readonly step: number;
      readonly end: StepEnd;
      /** Another computer created it and paid for it: read from the shared store. */
      readonly isElsewhere?: true;
    }
  /** Stored results that a resumed run reused; shares the next commit. */
  | {
      readonly kind: 'steps.reused';
      readonly turnId: number;
      readonly steps: readonly number[];
      readonly saved: Usage;
    }
  /** The steps of a closed turn were removed; their totals stay (S0-+02). */
  | {
      readonly kind: 'turn.pruned';
      readonly turnId: number;
      readonly usage: Usage;
      /**
       * What this computer paid, by answerer and time; another computer may have paid the rest.
       * Absent in older entries of turns with one answerer: then this computer paid all.
       */
      readonly shares?: readonly SpendShare[];
    }
  /** A start's decision about an open turn. */
  | {
      readonly kind: 'turn.recovered';
      readonly turnId: number;
      readonly action: RecoveryAction;
      readonly reason: Reason;
      readonly crashes: number;
      readonly startId: number;
    }
  | {
      readonly kind: 'turn.state';
      readonly turnId: number;
      readonly state: Exclude<TurnState, 'completed' | 'failed' | 'cancelled' | 'discarded'>;
      readonly reason: Reason;
    }
  | {
      readonly kind: 'decision.recorded';
      readonly turnId: number;
      readonly step?: number;
      readonly answer: 'resume' | 'confirm' | 'skip' | 'discard' | 'raise_limit' | 'discard_run';
      readonly by: string;
    }
  | {
      readonly kind: 'turn.closed';
      readonly turnId: number;
      readonly sessionId: number;
      readonly state: 'completed' | 'failed' | 'cancelled' | 'discarded';
      readonly reason: Reason;
      /** Step whose answer is the reply; the text is stored only there. */
      readonly answerStep?: number;
      readonly answer?: StoredText;
      readonly hasReply: boolean;
    }
  | { readonly kind: 'reply.delivered'; readonly turnId: number; readonly channel: string }
  | {
      readonly kind: 'marker.started';
      readonly startId: number;
      readonly reason: RestartReason;
      readonly downSinceMs?: number;
      readonly bootId: string;
      readonly instanceId: string;
      readonly machineId: string;
      readonly version: string;
    }
  | { readonly kind: 'marker.noticed'; readonly startId: number; readonly channel: string }
  | { readonly kind: 'marker.stopped'; readonly startId: number; readonly reason: string };

export type EntryKind = JournalEntry['kind'];
