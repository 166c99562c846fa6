import type { JsonValue } from './provider';

/** Data of a tool call. */
export interface ToolCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly turnId: number;
  readonly step: number;
  /** The same for every attempt of a step; passed to the tool (S4-23). */
  readonly idempotencyKey: string;
  /**
   * For a shared turn: higher than that of every earlier owner, so that a receiver can reject
   * those.
   */
  readonly epoch?: number;
  readonly workspace: string;
  /** Files that this call writes become drafts of this session, and its reads see them (S3-20). */
  readonly draftsOf?: number;
  /** Names of additional environment variables the agent declared. */
  readonly env: readonly string[];
  /** The permission covers only this destination. Absent: any destination. */
  readonly goesTo?: CallTarget;
  readonly signal: AbortSignal;
}

/** How a call ended. A tool that reports an error (`isError`) has finished; `unknown` has not. */
export type ToolOutcome =
  | {
      readonly kind: 'result';
      readonly content: string;
      readonly isError: boolean;
      /** The web server's response status, if a request was sent. */
      readonly httpStatus?: number;
    }
  /** The call did not take effect and may be retried. Not recorded for replay (S4-09). */
  | { readonly kind: 'failed'; readonly message: string; readonly isRetryable: boolean }
  /** The call may or may not have taken effect: process died, connection lost, timeout. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Risk of making a call without asking, for approvals. */
export interface CallRisk {
  /**
   * Needs permission unless a rule or the user decided otherwise: it cannot be undone or affects
   * another computer.
   */
  readonly isRisky: boolean;
  /** The reason in one sentence; empty if it is not risky. */
  readonly reason: string;
  /**
   * What session permission would cover, after the tool's name: `git push`. Empty: the whole tool.
   */
  readonly covers: string;
  /** It reaches beyond this computer and cannot be undone here. */
  readonly leaves?: boolean;
  /** The agent gets this text instead of a result: the call is never made (S1-29). */
  readonly refused?: string;
  /** The actions of a command line in order; rules check each of them. */
  readonly parts?: readonly CallPart[];
}

/** One program in a command line, as rules name it. */
export interface CallPart {
  /** The narrowest first: `git push`, `git`. */
  readonly names: readonly string[];
  /** Only known at run time: a name that starts with this may be meant. Empty: any. */
  readonly mayBe?: string;
  /**
   * Commands that the program's arguments, input or variables name: it may run them. Each is a
   * program with its words, `*` for unknown ones.
   */
  readonly mayRun?: readonly string[];
  /** Known to be read-only, or only a prefix of another part: it needs no permission. */
  readonly isFree?: boolean;
  /** False if permission for its name would allow more than the name suggests. */
  readonly isPlain: boolean;
}

/** Destination of a call, determined by this computer and not by the agent. */
export interface CallTarget {
  /** A remote's URL, an address; without a password. */
  readonly address: string;
  /** The name in the call itself: `origin`. */
  readonly name: string;
}

/** A git remote that a command names, or leaves to git. */
export interface NamedRemote {
  readonly isPush: boolean;
  /** Undefined: git's default remote. */
  readonly remote: string | undefined;
}
