/** The hooks that watch the user's own terminals, shown before and after they are added. */
export interface WatchHooksView {
  /** The settings file of Claude Code. */
  readonly path: string;
  readonly isInstalled: boolean;
  /** Lines that adding the hooks changes, each with `+` or `-`; empty if they exist. */
  readonly diff: readonly string[];
  /** Lines that removing them changes. */
  readonly removal: readonly string[];
  /** Hash of the current file and of both diffs. */
  readonly requestHash: string;
  /** Why the file cannot be changed. */
  readonly problem?: string;
  /** When a hook of a watched terminal last reported. */
  readonly lastReportAtMs?: number;
}

/** Result of a hook's test run. */
export interface HookCheck {
  readonly isAnswered: boolean;
  readonly tookMs: number;
  /** The program's message if it failed. */
  readonly problem?: string;
}

/**
 * The hooks in Claude Code's settings. The file is replaced as a whole, and the old one is stored.
 * Implemented by adapters/command/watch-hooks.ts.
 */
export interface WatchHooks {
  view(): Promise<WatchHooksView>;
  /** @throws CONFIG_INVALID; STALE_DECISION if the file differs from the one that was shown */
  install(requestHash: string): Promise<void>;
  /** Like `install`. */
  remove(requestHash: string): Promise<void>;
  /** Runs the hook once, like a terminal would, into a temporary folder. Never throws. */
  check(): Promise<HookCheck>;
}
