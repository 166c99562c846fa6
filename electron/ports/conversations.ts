import type { AcpAgentSettings } from '../../shared/settings';
import type { WatchedSession } from '../../shared/watch-rules';

/** Records of the hooks in a watched terminal about a conversation. */
export interface WatchedFacts {
  readonly hasEnded: boolean;
  readonly lastAtMs: number;
  /** `unknown`: its hooks did not report the process, or the system does not tell. */
  readonly process: 'alive' | 'dead' | 'unknown';
  /** Its last turn ended at a usage limit, and the user has written nothing since. LM-12 */
  readonly isAtLimit?: true;
}

/** One conversation as Claude Code stores it: `projects/<folder>/<ref>.jsonl`. */
export interface ClaudeSession {
  readonly ref: string;
  /** The folder in which it was started; the program finds it only there. */
  readonly folder: string;
  readonly lastUsedAtMs: number;
  /** The user's first message; one inert line. */
  readonly firstWords: string;
}

/** Implemented by adapters/command/claude-sessions.ts. */
export interface ClaudeSessions {
  /**
   * Most recently used first, at most `limit` of those whose folder `isWanted` accepts. Never
   * throws.
   */
  list(limit: number, isWanted: (folder: string) => boolean): Promise<readonly ClaudeSession[]>;
  /** Undefined without a readable record. Never throws. */
  find(ref: string): Promise<ClaudeSession | undefined>;
}

/**
 * Conversations that other programs store on this computer. Reads only.
 * Implemented by adapters/command/conversations.ts.
 */
export interface Conversations {
  /**
   * Hook records of one, and whether its program is alive; undefined if it was never watched.
   * @throws RESULT_UNREADABLE
   */
  watched(ref: string): Promise<WatchedFacts | undefined>;
  /** Watched terminals, newest first, at most 100. Never throws. */
  terminals(): Promise<readonly WatchedSession[]>;
  /** Claude Code's records, as found by a program with these extra variables. */
  claude(variables: readonly string[]): Promise<ClaudeSessions>;
  /** Two names of one folder give one path; a missing folder keeps its name. */
  realFolder(folder: string): string;
  /** Whether an ACP agent is Claude Code's adapter, whose conversations `claude` opens. */
  isClaudeAdapter(agent: Pick<AcpAgentSettings, 'command' | 'args'>): Promise<boolean>;
}
