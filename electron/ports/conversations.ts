import type { AcpAgentSettings } from '../../shared/settings';
import type { WatchedSession } from '../../shared/watch-rules';

/** What the hooks in a watched terminal wrote of a conversation. */
export interface WatchedFacts {
  readonly hasEnded: boolean;
  readonly lastAtMs: number;
  /** `unknown`: its hooks did not say which process, or the system would not tell. */
  readonly process: 'alive' | 'dead' | 'unknown';
  /** Its last turn ended at a usage limit, and the user has written nothing since. LM-12 */
  readonly isAtLimit?: true;
}

/** One conversation as Claude Code keeps it: `projects/<folder>/<ref>.jsonl`. */
export interface ClaudeSession {
  readonly ref: string;
  /** The folder in which it was started: the program finds it only there. */
  readonly folder: string;
  readonly lastUsedAtMs: number;
  /** The user's first message; one inert line. */
  readonly firstWords: string;
}

export interface ClaudeSessions {
  /** The last used first, at most `limit` of those that `isWanted` takes by their folder. Never throws. */
  list(limit: number, isWanted: (folder: string) => boolean): Promise<readonly ClaudeSession[]>;
  /** Undefined if there is no readable record of it. Never throws. */
  find(ref: string): Promise<ClaudeSession | undefined>;
}

/** Conversations that other programs keep on this computer. Reads only. */
export interface Conversations {
  /** What the hooks wrote of one, and whether its program is alive; undefined if it was never watched. */
  watched(ref: string): Promise<WatchedFacts | undefined>;
  /** Watched terminals, newest first, at most 100. Never throws. */
  terminals(): Promise<readonly WatchedSession[]>;
  /** The records of Claude Code, found as a program with these extra variables finds them. */
  claude(variables: readonly string[]): Promise<ClaudeSessions>;
  /** Two names of one folder give one path; a folder that is gone keeps its name. */
  realFolder(folder: string): string;
  /** Whether an ACP agent is the adapter of Claude Code, whose conversations `claude` opens. */
  isClaudeAdapter(agent: Pick<AcpAgentSettings, 'command' | 'args'>): Promise<boolean>;
}
