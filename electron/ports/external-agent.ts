import type { LimitNotice, UsageLimit } from '../../shared/limits/read-limit';
import type { JsonValue } from './provider';

/** Agents whose behavior is known; all others are treated with the most caution. */
export type ExternalAgentId =
  'claude' | 'codex' | 'gemini' | 'opencode' | 'goose' | 'copilot' | 'qwen' | 'other';

/** What a call does, in the terms of the Agent Client Protocol. */
export type ExternalToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type ExternalToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

/** What the agent reports about one of its tool calls; each message may add to the one before. */
export interface ExternalToolReport {
  /** The agent's own ID of the call; some restart at 1 in each prompt. */
  readonly callId: string;
  /** A call is announced rather than updated: if its id has already ended, this is another call. */
  readonly isNew?: true;
  readonly title?: string;
  /** Name of the tool, if the agent gives it. */
  readonly name?: string;
  readonly kind?: ExternalToolKind;
  readonly status?: ExternalToolStatus;
  readonly input?: JsonValue;
  /** Files that the agent reports: its locations, and those of its diffs; bounded. */
  readonly files?: readonly string[];
  /** Text of its content and output, bounded; absent if the report has none. */
  readonly output?: string;
  /** Output since the last report, bounded; absent if the report has all of it, or none. */
  readonly added?: string;
}

/** Events during a prompt, or while an earlier session is loaded. */
export type ExternalEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'user_text'; readonly text: string }
  | { readonly kind: 'tool'; readonly report: ExternalToolReport }
  /** What the session has cost so far, as the agent counts it. */
  | { readonly kind: 'cost'; readonly costUsd: number }
  /** Usage of a window of its limit. LM-09 */
  | { readonly kind: 'limit'; readonly notice: LimitNotice }
  /** Any other output, such as a thought or a plan; counts as a heartbeat. */
  | { readonly kind: 'sign' };

export interface ExternalOption {
  readonly id: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

/** The agent asks for permission before a call and waits for the answer. */
export interface ExternalPermission {
  readonly report: ExternalToolReport;
  readonly options: readonly ExternalOption[];
}

export type ExternalPermissionAnswer =
  { readonly kind: 'selected'; readonly optionId: string } | { readonly kind: 'cancelled' };

/** Why an external agent failed to do something. */
export interface ExternalFailure {
  readonly kind:
    /** It could not be started: missing program, missing folder. */
    | 'start'
    /** It did not answer in time. */
    | 'timeout'
    /** It sent something that is not the protocol, or far too much. */
    | 'protocol'
    /** Its process exited on its own. */
    | 'died'
    /** It requires a login that it does not have. */
    | 'login'
    /** Its provider rejects: quota, rate, server. */
    | 'provider'
    /** It does not know the session. */
    | 'session_unknown'
    | 'refused';
  readonly message: string;
  readonly hint: string;
  /** The usage limit that its provider reports. LM-01 */
  readonly limit?: UsageLimit;
}

export type ExternalResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failure'; readonly failure: ExternalFailure };

/** How a prompt ended without a failure of the agent itself. */
export interface ExternalPromptEnd {
  readonly stop: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Receives a prompt's events, in the agent's order; permission requests may arrive while others
 * wait.
 */
export interface ExternalListener {
  onEvent(event: ExternalEvent): void;
  onPermission(permission: ExternalPermission): Promise<ExternalPermissionAnswer>;
}

/** Name and capabilities that an agent reports. */
export interface ExternalFacts {
  readonly id: ExternalAgentId;
  readonly name: string;
  readonly version: string;
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canList: boolean;
}

/** A conversation that an agent lists. Untrusted text, bounded. */
export interface ExternalConversation {
  readonly ref: string;
  readonly folder: string;
  readonly title: string;
  readonly updatedAtMs?: number;
}

/**
 * One running external agent: its own process, in its own process group.
 * Implemented by adapters/acp/acp-agent.ts and adapters/acp/prompt-limits.ts.
 */
export interface ExternalAgent {
  readonly facts: ExternalFacts;
  readonly pid: number;
  newSession(): Promise<ExternalResult<string>>;
  /** Its conversations in this folder, at most 100; only if `canList`. */
  listSessions(): Promise<ExternalResult<readonly ExternalConversation[]>>;
  /**
   * Resumes an earlier session; the history that the agent replays is passed to `onEvent` before
   * this resolves. Bounded in time.
   */
  loadSession(ref: string, onEvent: (event: ExternalEvent) => void): Promise<ExternalResult<void>>;
  prompt(
    ref: string,
    text: string,
    listener: ExternalListener,
  ): Promise<ExternalResult<ExternalPromptEnd>>;
  /** Asks the agent to stop; every open permission request must be answered `cancelled` first. */
  cancel(ref: string): Promise<void>;
  /** Ends the process and its group, first gracefully, then by force. Resolves when it is gone. */
  stop(): Promise<void>;
  /**
   * Ends it at once with everything that it has started, because another computer may have its
   * turn. Processes outside its process group are found on Linux only. Never throws.
   */
  kill(): Promise<void>;
}

/** How to start one. */
export interface ExternalStart {
  readonly agent: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly workspace: string;
  /** Names of variables it receives in addition to the basic ones. */
  readonly env: readonly string[];
  readonly model?: string;
  readonly login?: string;
  readonly turnId: number;
  readonly signal: AbortSignal;
}

/** What a turn left running when Holdfast died, and what was done about it. */
export interface ExternalOrphans {
  readonly found: number;
  /** Exited on its own during the wait. */
  readonly waited: number;
  readonly ended: number;
  /** Still running: nothing may continue. */
  readonly left: number;
  /** Command lines, bounded; untrusted text. */
  readonly commands: readonly string[];
}

/**
 * External agents for the engine.
 * Implemented by adapters/acp/index.ts.
 */
export interface ExternalAgents {
  /** The agent that a command starts, as far as its name shows. */
  identify(command: string, args: readonly string[]): ExternalAgentId;
  /** Starts and initializes the agent. Never throws. */
  start(start: ExternalStart): Promise<ExternalResult<ExternalAgent>>;
  /** Waits for, or ends, what an earlier run of a turn left running. Never throws. */
  settleOrphans(turnId: number, policy: 'wait' | 'end'): Promise<ExternalOrphans>;
  /**
   * Copies the agent's own record of a session before the agent is asked to load it. @returns
   * folder of the copy; undefined if none was found
   */
  backUp(id: ExternalAgentId, ref: string, turnId: number): Promise<string | undefined>;
}
