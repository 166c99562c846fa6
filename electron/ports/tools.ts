import type { CallRisk, CallTarget } from './tool-call';
import type { ToolCall, ToolOutcome } from './tool-call';
import type { Purity } from '../../shared/types';
import type { StagedWrite } from './staged-write';
import type { JsonValue } from './provider';

/** A tool as its host describes it. */
export interface ToolSpec {
  readonly name: string;
  /** The name that models use, if it is not `name`; unique over all hosts and restarts. */
  readonly offeredAs?: string;
  readonly description: string;
  readonly inputSchema: JsonValue;
  /** Absent counts as side_effect (S4-20, S4-32). */
  readonly purity?: Purity;
  /**
   * Reads, lists or searches only within the agent's own workspace, so its result stays valid on
   * resume.
   */
  readonly isWorkspaceRead?: boolean;
  /** Running it twice with the same key or input has the effect of one run. */
  readonly isIdempotent?: boolean;
  /**
   * How each call passes its idempotency key, the same one when it is repeated: in its command's
   * environment, or in the request. Whether the receiver honors it is unknown.
   */
  readonly carriesKey?: 'environment' | 'request';
  /** `ToolHost.status` can tell whether a call of this tool took effect. */
  readonly hasStatusCheck?: boolean;
  /** Proposed for `side_effect_tools` in onboarding and settings. */
  readonly isProposedForGate?: boolean;
  /** One-line description of a call for lists: a path, a host, a command. */
  readonly hint?: (args: JsonValue) => string;
  /**
   * Asks the user whether a call took effect, in one short sentence: `Was "report.md" written?`.
   * Absent or empty: the generic question with the tool's name.
   */
  readonly question?: (args: JsonValue) => string;
  /**
   * Whether the list entry `<tool>:effects` counts this call: false only when the call is known
   * to be read-only. Absent: every call counts.
   */
  readonly hasEffects?: (args: JsonValue) => boolean;
  /** Maximum silence of one call in ms; its turn keeps its lease that long (S3-24). Default: 0. */
  readonly timeoutMs?: () => number;
  /** Absent: none of its calls needs permission by default. */
  readonly risk?: (args: JsonValue) => CallRisk;
  /**
   * Destination of a call that only names it: resolved without network access, before the user is
   * asked and again before the call is made. Undefined if it cannot be determined. Never throws.
   */
  readonly goesTo?: (args: JsonValue, workspace: string) => Promise<CallTarget | undefined>;
  /**
   * Why the destination of a call cannot be determined, as the end of a sentence; undefined if it
   * can be, and for a call without one. Never throws.
   */
  readonly whyNotTold?: (args: JsonValue, workspace: string) => Promise<string | undefined>;
}

/**
 * A set of tools behind one connection: built-in ones, a test's fake, or an MCP server.
 * Implemented by adapters/tools/tool-host.ts, adapters/shell/shell-tools.ts,
 * adapters/files/file-tools.ts, adapters/fetch/fetch-tools.ts, adapters/browser/browser-tools.ts
 * and adapters/mcp/mcp-server.ts.
 */
export interface ToolHost {
  readonly name: string;
  /** Not built in: an agent lists its tools by the server's name, or has all of them. */
  readonly isExtension?: boolean;
  /**
   * Why a tool of this host, by the name that models use, is missing; undefined if it is not this
   * host's.
   */
  whyAbsent?(offeredName: string): string | undefined;
  tools(): readonly ToolSpec[];
  call(call: ToolCall): Promise<ToolOutcome>;
  /**
   * For a call that only stages a draft: writes its content before the intent is on disk and
   * returns what the intent must contain. Undefined for every other call. Nothing external changes.
   * S3-20
   */
  stage?(call: ToolCall): Promise<StagedWrite | undefined>;
  /** Checks whether an earlier call with this key took effect; absent if that is impossible. */
  status?(call: ToolCall): Promise<'done' | 'not_done' | 'unknown'>;
}
