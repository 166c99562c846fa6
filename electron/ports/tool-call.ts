import type { JsonValue } from './provider';

/** What a call may use. */
export interface ToolCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly turnId: number;
  readonly step: number;
  /** Stable over re-invocations of the same step; offered to the tool (S4-23). */
  readonly idempotencyKey: string;
  readonly workspace: string;
  /** Files that this call writes become drafts of this session, and its reads see them (S3-20). */
  readonly draftsOf?: number;
  /** Names of additional environment variables the agent declared. */
  readonly env: readonly string[];
  /** Where leave for it ends: it reaches this or is not made. Absent: wherever it leads. */
  readonly goesTo?: CallTarget;
  readonly signal: AbortSignal;
}

/** How a call ended. A tool that says no (`isError`) has finished; `unknown` has not. */
export type ToolOutcome =
  | { readonly kind: 'result'; readonly content: string; readonly isError: boolean }
  /** The call did not take effect; may be tried again. Not frozen into the memo (S4-09). */
  | { readonly kind: 'failed'; readonly message: string; readonly isRetryable: boolean }
  /** The call may or may not have taken effect: process died, connection lost, timeout. */
  | { readonly kind: 'unknown'; readonly message: string };

/** What speaks against making a call without asking (approvals). */
export interface CallRisk {
  /** Asked about unless a rule or a person has said otherwise: it cannot be undone or leaves this computer. */
  readonly isRisky: boolean;
  /** Why, one sentence; empty where it is not risky. */
  readonly reason: string;
  /** What leave for a session would cover, after the tool's name: `git push`. Empty: the whole tool. */
  readonly covers: string;
  /** It reaches beyond this computer: nobody here can take it back. */
  readonly leaves?: boolean;
  /** What the agent is told instead of a result: the call is never made (S1-29). */
  readonly refused?: string;
  /** What the call does one after another, where it is a command line: rules look at each of them. */
  readonly parts?: readonly CallPart[];
}

/** One program that a command line runs, as rules name it. */
export interface CallPart {
  /** The narrowest first: `git push`, `git`. */
  readonly names: readonly string[];
  /** Only the run decides more of it: a name that begins so may be meant. Empty: any. */
  readonly mayBe?: string;
  /** Known to read only, or only standing in front of another part: it needs no leave. */
  readonly isFree?: boolean;
  /** False where leave for its name would allow more than the name says. */
  readonly isPlain: boolean;
}

/** Where a call goes, as this computer says it and not the agent. */
export interface CallTarget {
  /** A remote's URL, an address; without a password. */
  readonly address: string;
  /** What the call itself says instead: `origin`. */
  readonly name: string;
}

/** A git remote that a command names, or leaves to git. */
export interface NamedRemote {
  readonly isPush: boolean;
  /** Undefined: the one that git takes by itself. */
  readonly remote: string | undefined;
}
