import type { Purity, RestartReason, StepState, TurnState, Usage } from '../../../shared/model';
import type { ApprovalEntry, ApprovalReads, RequestRow } from './approvals';
import type { DraftEntry, DraftReads } from './drafts';
import type { SkillEntry, SkillReads, StepScope } from './skills';
import type { LeaseRow, RetryRow, WorkEntry } from './work';
import type { BreakerEntry, BreakerReads } from './breaker';
import type { ScheduleEntry } from './schedule';
import type { ChannelEntry, ChannelReads } from './channels';
import type { GatewayEntry, GatewayReads } from './gateway';
import type { InboxEntry, InboxRow } from './inbox';
import type { OutageEntry, OutageReads } from './outage';
import type { ExternalEntry, ExternalReads } from './external';
import type { AnswerPart, JsonValue, ModelAnswer } from '../provider';
import type { SentText } from '../unsent';

/** What was sent to the model besides the conversation; stored once per distinct content. */
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
  /** Tools among `tools` that the outside carries out; absent where there is none (S3-09). */
  readonly custom?: readonly string[];
  /** Files that the agent writes become drafts of its session (S3-20). */
  readonly drafts?: true;
}

/**
 * A text kept in the journal row, or at an address of `Blobs` where it is above 32 KB (S4-+05). The
 * result of a tool is there until its turn is over; its beginning stays.
 */
export type StoredText =
  | { readonly kind: 'inline'; readonly text: string }
  | {
      readonly kind: 'blob';
      readonly address: string;
      readonly chars: number;
      readonly start?: string;
    };

/** How a conversation was made shorter; `keep*`: characters that stay of a tool's result. */
export interface ConversationCut {
  /** Messages of earlier turns that were left out, from the front. */
  readonly dropped: number;
  /** Of results that the model had answered to. */
  readonly keepSeen?: number;
  /** Of those that were new to it. */
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
      /** A read asked again by this run had another result: what follows may be new at each start. */
      readonly isAfterDrift?: true;
    }
  | {
      readonly state: 'failed';
      readonly error: string;
      readonly isCutOff: boolean;
      /** What it had cost by then, where that was told. */
      readonly usage?: Usage;
      /** The conversation was too long: what followed it in this turn is this much shorter (S2-29). */
      readonly shorter?: ConversationCut;
    }
  /** `content` is there when the agent was told that the result is unknown; else it is an open question. */
  | { readonly state: 'ambiguous'; readonly error: string; readonly content?: StoredText }
  | { readonly state: 'skipped'; readonly content: StoredText; readonly by: 'policy' | 'person' }
  | {
      readonly state: 'confirmed';
      readonly content: StoredText;
      readonly by: 'status_check' | 'person';
    };

/**
 * `workedMs`: how long the run of an agent of another program had worked when this ended it, without
 * its waiting for people. Steps of such a run lie within each other, so that their times say nothing.
 */
export type StepEnd = StepOutcome & { readonly workedMs?: number };

/** The stored start of a step. */
export interface StepStart {
  readonly turnId: number;
  readonly step: number;
  readonly attempt: number;
  /** `host.tool`, or `model` for a model call. */
  readonly tool: string;
  readonly purity: Purity;
  /** sha256 in hex of what the memo matches: exact request, or tool and canonical arguments. */
  readonly key: string;
  readonly hint: string;
  /** Where the arguments are: step of the model answer and position of the call in it. */
  readonly call?: { readonly step: number; readonly part: number };
  readonly againOf?: number;
  /** Counts for `<tool>:effects` entries of the side-effect list. */
  readonly hasEffects: boolean;
  readonly isWorkspaceRead: boolean;
  readonly isIdempotent: boolean;
  /** The answered request that let this call go ahead. */
  readonly requestId?: number;
  /** Run, phase and visit of the skill that it belongs to. */
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
  | OutageEntry
  | WorkEntry
  | ScheduleEntry
  | {
      readonly kind: 'session.created';
      readonly sessionId: number;
      readonly key: string;
      readonly title: string;
      readonly agent: string;
      /** The session that it was begun in. */
      readonly parentId?: number;
    }
  | {
      readonly kind: 'message.accepted';
      readonly sessionId: number;
      readonly turnId: number;
      readonly text: StoredText;
      readonly promptStart: string;
      readonly channel: string;
      readonly peer: string;
      /** The queued wake that it was (S3-16). */
      readonly wakeId?: string;
      /** Its conversation begins behind this turn: that start restored nothing (S4-29, R21). */
      readonly behindTurn?: number;
      /** It says which outcome its session is to reach. */
      readonly isOutcome?: true;
    }
  | { readonly kind: 'session.interrupted'; readonly sessionId: number; readonly note: string }
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
    }
  /** Stored results that a resumed run used again; rides in the next commit. */
  | {
      readonly kind: 'steps.reused';
      readonly turnId: number;
      readonly steps: readonly number[];
      readonly saved: Usage;
    }
  /** The steps of a closed turn go; what they added up to stays (S0-+02). */
  | {
      readonly kind: 'turn.pruned';
      readonly turnId: number;
      readonly usage: Usage;
    }
  /** What a start decided about an open turn. */
  | {
      readonly kind: 'turn.recovered';
      readonly turnId: number;
      readonly action: RecoveryAction;
      readonly reason: string;
      readonly crashes: number;
      readonly startId: number;
    }
  | {
      readonly kind: 'turn.state';
      readonly turnId: number;
      readonly state: Exclude<TurnState, 'completed' | 'failed' | 'cancelled' | 'discarded'>;
      readonly reason: string;
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
      readonly reason: string;
      /** Step whose answer is the reply; the text itself is stored there once. */
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

/** Answer of a commit: durable when it arrives. */
export interface CommitReceipt {
  readonly firstSeq: number;
  readonly atMs: number;
}

/** What the disk says while it refuses: writes, where it does not say `reads`. */
export interface DiskRefusal {
  readonly of?: 'reads';
  readonly code: 'DISK_FULL' | 'DISK_READ_ONLY' | 'DISK_FAILED';
  readonly message: string;
  readonly sinceMs: number;
}

/**
 * The journal as the engine writes it. One commit is one transaction with one sync; commits that
 * are waiting when the disk is free share it (group commit), each is answered after it.
 */
export interface Journal {
  /**
   * Durable when it resolves. With `isOutcome` (what has already happened outside) a refusing disk
   * does not reject: the entries stay in memory and are tried again until they are on disk. With
   * `sent` the text that was kept as unsent goes in the same transaction.
   * @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED for intents and accepts; LOCK_LOST
   */
  commit(
    entries: readonly JournalEntry[],
    options?: { readonly isOutcome?: boolean; readonly sent?: SentText | undefined },
  ): Promise<CommitReceipt>;
  /** Next number of a kind; unique for ever in this database, also after a reset. */
  allocate(
    what: 'session' | 'turn' | 'inbox' | 'frame' | 'start' | 'run' | 'draft' | 'task' | 'outage',
  ): number;
  seq(): number;
  appliedSeq(): number;
  refusal(): DiskRefusal | undefined;
  /**
   * Called after each commit with its entries, in order, and the sequence of the first; without
   * entries when a refusal begins or ends. With `skipsSteps` only where an entry is something else
   * than the start or the end of a step: few commits are, and most who listen wait for those.
   */
  onCommitted(listener: CommitListener, options?: { readonly skipsSteps: boolean }): () => void;
}

type CommitListener = (entries: readonly JournalEntry[], atMs: number, firstSeq: number) => void;

/** A turn as its table row says. */
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
  /** Unexpected deaths without progress since. */
  readonly crashes: number;
  /** Those of them in which it gave no sign of life and Holdfast lived on. */
  readonly stalls: number;
  readonly frameId: number | undefined;
  readonly framedAtMs: number | undefined;
  readonly acceptedAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly answerStep: number | undefined;
  readonly limitRaises: number;
  /**
   * A person has decided, and the turn has done nothing since but ask reads again: the turn gate
   * is passed (S4-+04).
   */
  readonly isAnswered: boolean;
  readonly stepCount: number;
  readonly usage: Usage;
  readonly reusedCount: number;
  readonly savedUsage: Usage;
  readonly isReplyPending: boolean;
  /** It failed in a way that may pass (S3-12). */
  readonly retry?: RetryRow;
  /** The open lease; its process may be dead. */
  readonly lease?: LeaseRow;
}

/** A step as its table row and journal rows say. */
export interface StepRow extends StepStart {
  readonly state: StepState;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly end: StepEnd | undefined;
  /** Where in the journal its end stands. */
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
  /** Key of the session that it was begun in. */
  readonly parent: string | undefined;
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
  /** It tells of a session that was begun in this one. */
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

/** Synchronous reads of committed state; each is indexed, none grows with closed history. */
export interface JournalReads
  extends
    ApprovalReads,
    SkillReads,
    ExternalReads,
    DraftReads,
    BreakerReads,
    ChannelReads,
    GatewayReads,
    OutageReads {
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
  prompt(turn: TurnRow): StoredText;
  frame(id: number): Frame | undefined;
  frameIdByHash(hash: string): number | undefined;
  session(ref: { readonly id: number } | { readonly key: string }): SessionRow | undefined;
  /** The last used first; `before` goes on after that session. */
  sessions(
    limit: number,
    before?: { readonly lastEventAtMs: number; readonly id: number },
  ): readonly SessionRow[];
  /** Newest `limit` events before `beforeSeq`, oldest first. */
  events(
    sessionId: number,
    options: { readonly limit: number; readonly beforeSeq?: number },
  ): readonly EventRow[];
  /**
   * Finished turns of a session before a turn, oldest first, for its conversation: those that were
   * over when its first step began, by their place in the journal, whatever became of the clock.
   * Of a turn that was accepted in a start without restore only those of that start (R21).
   */
  history(
    sessionId: number,
    beforeTurnId: number,
    limit: number,
  ): readonly { readonly prompt: StoredText; readonly answer: StoredText | undefined }[];
  /**
   * The outcome that a session is to reach, as it was defined last, before a turn where one is
   * named; of a turn that was accepted in a start without restore only one of that start (R21).
   */
  outcome(sessionId: number, beforeTurnId?: number): StoredText | undefined;
  inbox(options: {
    readonly includeSettled: boolean;
    readonly limit: number;
    /** Of open ones: those behind this one. */
    readonly afterId?: number;
  }): readonly InboxRow[];
  /** All that is open about a turn: several calls may wait at once. */
  openInboxesOfTurn(turnId: number): readonly InboxRow[];
  /** The settled ones too, oldest first. */
  inboxesOfTurn(turnId: number): readonly InboxRow[];
  inboxItem(id: number): InboxRow | undefined;
  /** Answers that no channel has confirmed, of one channel, in the order of their turns. */
  pendingReplies(channel: string, after: { readonly turnId: number }): readonly TurnRow[];
  starts(limit: number): readonly StartRow[];
  /** Starts and stops between two instants, oldest first. */
  startsBetween(fromMs: number, toMs: number): readonly StartRow[];
  recoveriesOfStart(startId: number): readonly {
    readonly turnId: number;
    readonly action: RecoveryAction;
    readonly reason: string;
    readonly atMs: number;
  }[];
  /** Sessions whose last event is a user message without a turn (S0-+05). */
  unansweredSessions(limit: number): readonly {
    readonly sessionId: number;
    readonly key: string;
    readonly atMs: number;
    readonly text: StoredText;
  }[];
  keptSince(atMs: number): { readonly steps: number; readonly savedUsd: number };
  countByState(): Readonly<Partial<Record<TurnState, number>>>;
  /** When the newest entry was written: a sign of life of the run before. */
  lastEntryAtMs(): number | undefined;
  databaseId(): string;
}

type CallPart = Extract<AnswerPart, { kind: 'tool_call' }>;
/** A tool call as it is stored: its names would be most of it. */
type StoredCall = readonly [callId: string, tool: string, args: CallPart['args']];

/** Serialised form of a model answer in `StoredText`. */
export function encodeAnswer(answer: ModelAnswer): string {
  const parts = answer.parts.map((part): AnswerPart | StoredCall =>
    part.kind === 'tool_call' ? [part.callId, part.tool, part.args] : part,
  );
  return JSON.stringify({ f: answer.finish, p: parts });
}

const partOf = (stored: AnswerPart | StoredCall): AnswerPart =>
  'kind' in stored
    ? stored
    : { kind: 'tool_call', callId: stored[0], tool: stored[1], args: stored[2] };

/** Reads what {@link encodeAnswer} wrote; undefined for anything else. */
export function decodeAnswer(
  text: string,
): { readonly finish: ModelAnswer['finish']; readonly parts: readonly AnswerPart[] } | undefined {
  try {
    const raw = JSON.parse(text) as { f?: ModelAnswer['finish']; p?: (AnswerPart | StoredCall)[] };
    return raw.f !== undefined && Array.isArray(raw.p)
      ? { finish: raw.f, parts: raw.p.map(partOf) }
      : undefined;
  } catch {
    return undefined; // not an answer: a damaged or foreign row counts as not recorded
  }
}
