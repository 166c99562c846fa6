import type { ExternalOrphans, ExternalToolKind } from '../external-agent';

/** State of the agent's question about a call. */
export type ExternalAsking =
  /** It has requested permission; without an answer, the call cannot have started. */
  | 'asked'
  /** It may proceed: on disk before the agent gets the answer. */
  | 'allowed'
  | 'refused';

/** Journal entries of external agents. */
export type ExternalEntry =
  /** The agent's own ID of a conversation: later turns continue it. */
  | {
      readonly kind: 'outside.session';
      readonly sessionId: number;
      readonly agent: string;
      readonly ref: string;
      /** Absent if the user attached or detached a conversation. */
      readonly turnId?: number;
      /** Detached: a terminal has it until it is attached again. */
      readonly isInTerminal?: true;
      /** The agent's own running cost of the conversation; absent if unchanged. */
      readonly costUsd?: number;
    }
  /** The agent's report on a step; repeated when it knows more. */
  | ({ readonly kind: 'outside.call' } & ExternalCall)
  | {
      readonly kind: 'outside.asking';
      readonly turnId: number;
      readonly step: number;
      readonly state: ExternalAsking;
      /** Source of the answer: `policy`, `person`, `stored`, or empty without an answer. */
      readonly by: string;
      /** The answered request that was used; each is used once. */
      readonly requestId?: number;
    }
  /** Processes of a turn that outlived Holdfast, and what happened to them. */
  | ({ readonly kind: 'outside.orphans'; readonly turnId: number } & ExternalOrphans);

/** Where the agent stores a conversation. */
export interface ExternalSessionRow {
  readonly sessionId: number;
  readonly agent: string;
  readonly ref: string;
  /** When the agent was last started for it. */
  readonly usedAtMs: number;
  /** True while a terminal has it: no turn may use it. */
  readonly isInTerminal: boolean;
  /** The agent's own running cost after the last turn; undefined if unknown. */
  readonly costUsd: number | undefined;
}

/** A call as its agent reports it. */
export interface ExternalCall {
  readonly turnId: number;
  readonly step: number;
  readonly callId: string;
  readonly tool: ExternalToolKind;
  readonly title: string;
  /** JSON, at most 32 KB of it. */
  readonly input: string;
  /** sha256 in hex of kind and input: the same value if the same call is requested again. */
  readonly identity: string;
}

/** A call of an external agent, read from its entries. */
export interface ExternalCallRow extends ExternalCall {
  /** Undefined if the agent did not request permission. */
  readonly asking: ExternalAsking | undefined;
  readonly requestId: number | undefined;
}

/**
 * Reads of entries of external agents; all indexed.
 * Implemented by adapters/sqlite/tables/external.ts.
 */
export interface ExternalReads {
  outsideSession(sessionId: number, agent: string): ExternalSessionRow | undefined;
  /**
   * Whether the turn was accepted in a start without restore and its session has a conversation of
   * the agent from before that start: that one stays untouched.
   */
  isOutsideSessionKept(turn: { readonly id: number; readonly agent: string }): boolean;
  /**
   * The session that has an agent's conversation; the most recently used one if several ever had
   * it.
   */
  outsideSessionByRef(ref: string): ExternalSessionRow | undefined;
  outsideCalls(turnId: number): readonly ExternalCallRow[];
  /** Whether an earlier turn of its session had a call with this ID: some agents restart at 1. */
  wasOutsideCallId(
    turn: { readonly id: number; readonly sessionId: number },
    callId: string,
  ): boolean;
}
