import type { Usage } from '../../shared/types';
import type { LimitNotice, UsageLimit } from '../../shared/limits/read-limit';
import type { ExternalOrphans } from './external-agent';
import type { JsonValue } from './provider';

/** How a program reports what it does: Claude Code's stream of JSON lines, or only its output. */
export type CommandDialect = 'claude' | 'plain';

/** The final message of a run, as the program wrote it. */
export interface CommandAnswer {
  readonly text: string;
  /** The program reports a failure; its exit code may differ. */
  readonly isError: boolean;
  /** HTTP status of its provider, if reported. */
  readonly status?: number;
  /** The usage limit that it reports. LM-01 */
  readonly limit?: UsageLimit;
  /** For this run only, even if the program counts its whole conversation. */
  readonly usage: Usage;
}

/** What a program reports while it runs. */
export type CommandEvent =
  /** The program's own ID of the conversation; a later run can continue it. */
  | { readonly kind: 'session'; readonly ref: string }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly tool: string;
      readonly input: JsonValue;
    }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly content: string;
      readonly isError: boolean;
    }
  | { readonly kind: 'text'; readonly text: string }
  /** Its provider fails and it waits for a retry; does not count as a heartbeat. */
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly status?: number;
      readonly error: string;
    }
  | { readonly kind: 'answer'; readonly answer: CommandAnswer }
  /** Usage of a window of its limit. LM-09 */
  | { readonly kind: 'limit'; readonly notice: LimitNotice }
  /** Any other output, such as a thought; counts as a heartbeat. */
  | { readonly kind: 'sign' };

/** One process: one turn of a command-line agent. */
interface CommandStart {
  readonly dialect: CommandDialect;
  /** Conversation of the program to continue. */
  readonly ref: string | undefined;
  readonly program: string;
  readonly args: readonly string[];
  /** Written to standard input; absent: standard input is closed at once. */
  readonly input?: string;
  readonly workspace: string;
  /** Names of variables it receives in addition to the basic ones. */
  readonly env: readonly string[];
  readonly turnId: number;
  readonly step: number;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** How the process ended. */
export type CommandEnd =
  /** It never ran. */
  | { readonly kind: 'not_started'; readonly message: string }
  | {
      readonly kind: 'exited';
      readonly code: number;
      /** Standard output, bounded; for users and for programs without a stream. */
      readonly output: string;
      /** Standard error, bounded. */
      readonly errors: string;
    }
  /** Ended by a signal; ours if `isOurs`. */
  | {
      readonly kind: 'killed';
      readonly isOurs: boolean;
      readonly signal: string;
      readonly output: string;
      readonly errors: string;
    };

/** Records of a turn's hooks; newest last. */
export type HookRecord =
  /** The program has started and its hooks work. */
  | { readonly kind: 'session'; readonly attempt: number; readonly ref: string }
  | {
      readonly kind: 'after';
      readonly attempt: number;
      readonly callId: string;
      readonly isError: boolean;
      /** At most 32 KB. */
      readonly output: string;
    };

/**
 * Command-line agents as the engine uses them.
 * Implemented by adapters/command/index.ts.
 */
export interface CommandAgents {
  /** By the program's name. */
  dialectOf(program: string): CommandDialect;
  /**
   * Prepares the file that the hooks of a turn write to, and the settings that make the program
   * call
   * them: both are on disk when this resolves. The program's version is queried once, because a
   * version
   * that does not know an event may skip all hooks.
   * @returns arguments for the program; undefined if this Holdfast cannot be called back
   */
  prepareHooks(
    turnId: number,
    attempt: number,
    /** `env`: names of variables that it receives. */
    by: { readonly program: string; readonly env: readonly string[] },
  ): Promise<readonly string[] | undefined>;
  /**
   * Runs a process in its own process group until it ends. `signal` ends the group and everything
   * it started elsewhere, SIGTERM first. Never throws.
   */
  run(start: CommandStart, onEvent: (event: CommandEvent) => void): Promise<CommandEnd>;
  /**
   * Undefined if no hook of this turn was ever prepared. An incomplete line is left out.
   * @throws RESULT_UNREADABLE if they are there and cannot be read now
   */
  records(turnId: number): Promise<readonly HookRecord[] | undefined>;
  /** The turn is over: deletes the records of its hooks. */
  forget(turnId: number): Promise<void>;
  /**
   * Waits a moment for processes that an earlier run of a turn left running, then ends them. Never
   * throws.
   */
  settleOrphans(turnId: number): Promise<ExternalOrphans>;
}
