import type { ExternalToolKind } from '../external-agent';

/** What is known of the agent's question about a call. */
export type ExternalAsking =
  /** It has asked; nothing was answered, so the call cannot have begun. */
  | 'asked'
  /** It may go ahead: on disk before the agent was told. */
  | 'allowed'
  | 'refused';

/** What outside agents add to the journal. */
export type ExternalEntry =
  /** The agent's own number of a conversation: later turns go on there. */
  | {
      readonly kind: 'outside.session';
      readonly sessionId: number;
      readonly agent: string;
      readonly ref: string;
      /** Absent where a person took a conversation over or handed it back. */
      readonly turnId?: number;
      /** Handed back: a terminal has it until it is taken over again. */
      readonly isInTerminal?: true;
      /** What its own count of the conversation stands at; absent where that is as it was. */
      readonly costUsd?: number;
    }
  /** What the agent said that a step does; said again when it knows more. */
  | {
      readonly kind: 'outside.call';
      readonly turnId: number;
      readonly step: number;
      readonly callId: string;
      readonly tool: ExternalToolKind;
      readonly title: string;
      /** JSON, at most 32 KB of it. */
      readonly input: string;
      /** sha256 in hex of kind and input: the same call asked again has the same. */
      readonly identity: string;
    }
  | {
      readonly kind: 'outside.asking';
      readonly turnId: number;
      readonly step: number;
      readonly state: ExternalAsking;
      /** Who answered: `policy`, `person`, `stored`, or empty while nobody has. */
      readonly by: string;
      /** The answered request that was used; each is used once. */
      readonly requestId?: number;
    }
  /** Processes of a turn that outlived Holdfast, and what became of them. */
  | {
      readonly kind: 'outside.orphans';
      readonly turnId: number;
      readonly found: number;
      readonly waited: number;
      readonly ended: number;
      readonly left: number;
      readonly commands: readonly string[];
    };

/** Where the agent keeps a conversation. */
export interface ExternalSessionRow {
  readonly sessionId: number;
  readonly agent: string;
  readonly ref: string;
  /** When the agent was last started for it. */
  readonly usedAtMs: number;
  /** True while it is handed back to a terminal: no turn may use it. */
  readonly isInTerminal: boolean;
  /** What its own count stood at after the last turn; undefined where nobody knows. */
  readonly costUsd: number | undefined;
}

/** A call of an outside agent as its entries say. */
export interface ExternalCallRow {
  readonly turnId: number;
  readonly step: number;
  readonly callId: string;
  readonly tool: ExternalToolKind;
  readonly title: string;
  readonly input: string;
  readonly identity: string;
  /** Undefined where the agent has not asked. */
  readonly asking: ExternalAsking | undefined;
  readonly requestId: number | undefined;
}

/** Reads of what outside agents left; each is indexed. */
export interface ExternalReads {
  outsideSession(sessionId: number, agent: string): ExternalSessionRow | undefined;
  /**
   * Whether the turn was accepted in a start without restore and its session has a conversation of
   * the agent from before that start: that one is left alone.
   */
  isOutsideSessionKept(turn: { readonly id: number; readonly agent: string }): boolean;
  /** Who has a conversation of an agent; the last used first where several ever had it. */
  outsideSessionByRef(ref: string): ExternalSessionRow | undefined;
  outsideCalls(turnId: number): readonly ExternalCallRow[];
  /** Whether an earlier turn of its session had a call of this id: some agents count from 1 again. */
  wasOutsideCallId(
    turn: { readonly id: number; readonly sessionId: number },
    callId: string,
  ): boolean;
}
