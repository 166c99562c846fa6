import type { ApprovalReads } from './approvals';
import type { SkillReads } from './skills';
import type { ExternalReads } from './external';
import type { DraftReads } from './drafts';
import type { BreakerReads } from './breaker';
import type { ChannelReads } from './channels';
import type { QuestionReads } from './questions';
import type { GatewayReads } from './gateway';
import type { SharedReads } from './shared';
import type { SpendReads } from './spend';
import type { UsageReads } from './usage';
import type { OutageReads } from './outage';
import type { TurnRow, StepRow, SessionRow, EventRow, StartRow } from './rows';
import type { TurnState } from '../../../shared/types';
import type { StoredText } from './stored';
import type { Frame, RecoveryAction } from './entries';
import type { InboxRow } from './inbox';

/**
 * Turns, their steps and their prompts.
 * Implemented by adapters/sqlite/tables/reads.ts.
 */
export interface TurnReads {
  turn(id: number): TurnRow | undefined;
  /** Not yet closed, oldest first. */
  openTurns(): readonly TurnRow[];
  turns(filter: {
    readonly states?: readonly TurnState[];
    readonly sessionId?: number;
    readonly beforeId?: number;
    readonly limit: number;
  }): readonly TurnRow[];
  steps(turnId: number): readonly StepRow[];
  /** The newest step; found from the end, so that a long turn costs no more. */
  newestStep(turnId: number): StepRow | undefined;
  prompt(turn: TurnRow): StoredText;
  frame(id: number): Frame | undefined;
  frameIdByHash(hash: string): number | undefined;
  /** Answers of one channel that it has not confirmed, in turn order. */
  pendingReplies(channel: string, after: { readonly turnId: number }): readonly TurnRow[];
  keptSince(atMs: number): { readonly steps: number; readonly savedUsd: number };
  countByState(): Readonly<Partial<Record<TurnState, number>>>;
}

/**
 * Sessions and their history.
 * Implemented by adapters/sqlite/tables/reads.ts.
 */
export interface SessionReads {
  session(ref: { readonly id: number } | { readonly key: string }): SessionRow | undefined;
  /** All pinned ones that are not archived, most recently used first. */
  pinnedSessions(): readonly SessionRow[];
  countPinned(): number;
  /** Sessions that continue after a turn of this one. */
  countForks(sessionId: number): number;
  /**
   * Neither pinned nor archived, or the archived ones; most recently used first. `before` continues
   * after that session. Deleted ones are in no list.
   */
  sessions(
    limit: number,
    before?: { readonly lastEventAtMs: number; readonly id: number },
    isArchived?: boolean,
  ): readonly SessionRow[];
  /** Newest `limit` events before `beforeSeq`, oldest first. */
  events(
    sessionId: number,
    options: { readonly limit: number; readonly beforeSeq?: number },
  ): readonly EventRow[];
  /**
   * Finished turns of a session before a turn, oldest first, for its conversation: those that were
   * over when its first step started, by journal order, regardless of the clock. For a turn
   * accepted in a start without restore, only those of that start (R21).
   */
  history(
    sessionId: number,
    beforeTurnId: number,
    limit: number,
  ): readonly { readonly prompt: StoredText; readonly answer: StoredText | undefined }[];
  /**
   * The session's goal as defined last, before a turn if one is given. For a turn accepted in a
   * start without restore, only a goal of that start (R21).
   */
  outcome(sessionId: number, beforeTurnId?: number): StoredText | undefined;
  /** Sessions whose last event is a user message without a turn (S0-+05). */
  unansweredSessions(limit: number): readonly {
    readonly sessionId: number;
    readonly key: string;
    readonly atMs: number;
    readonly text: StoredText;
  }[];
}

/**
 * Open and resolved inbox items.
 * Implemented by adapters/sqlite/tables/reads.ts.
 */
export interface InboxReads {
  inbox(options: {
    readonly includeSettled: boolean;
    readonly limit: number;
    /** For open ones: those after this one. */
    readonly afterId?: number;
  }): readonly InboxRow[];
  /** All open items of a turn: several calls may wait at once. */
  openInboxesOfTurn(turnId: number): readonly InboxRow[];
  /** Includes resolved ones, oldest first. */
  inboxesOfTurn(turnId: number): readonly InboxRow[];
  inboxItem(id: number): InboxRow | undefined;
}

/**
 * Starts, and their decisions.
 * Implemented by adapters/sqlite/tables/reads.ts.
 */
export interface StartReads {
  starts(limit: number): readonly StartRow[];
  /** Starts and stops between two instants, oldest first. */
  startsBetween(fromMs: number, toMs: number): readonly StartRow[];
  recoveriesOfStart(startId: number): readonly {
    readonly turnId: number;
    readonly action: RecoveryAction;
    readonly reason: string;
    readonly atMs: number;
  }[];
  /** When the newest entry was written: a heartbeat of the previous run. */
  lastEntryAtMs(): number | undefined;
  databaseId(): string;
  readonly originOf: OriginOf;
}

/**
 * The name under which this database assigned a number, for IDs that are known outside. Without a
 * turn and an inbox item: the current name. The same number has another name in a restored copy.
 * Implemented by adapters/sqlite/key-origin.ts.
 */
export type OriginOf = (of?: { readonly turnId?: number; readonly inboxId?: number }) => string;

/**
 * Synchronous reads of committed state; all indexed, none grows with closed history.
 * Implemented by adapters/sqlite/tables/reads.ts.
 */
export interface JournalReads
  extends
    TurnReads,
    SessionReads,
    InboxReads,
    StartReads,
    ApprovalReads,
    SkillReads,
    ExternalReads,
    DraftReads,
    BreakerReads,
    ChannelReads,
    QuestionReads,
    GatewayReads,
    SharedReads,
    SpendReads,
    UsageReads,
    OutageReads {}
