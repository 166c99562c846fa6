/** What the user sees of the hooks that watch their own terminals, before and after they are added. */
export interface WatchHooksView {
  /** The settings file of Claude Code. */
  readonly path: string;
  readonly isInstalled: boolean;
  /** Lines with `+` or `-` in front that adding the hooks changes; empty if they are there. */
  readonly diff: readonly string[];
  /** Lines that removing them changes. */
  readonly removal: readonly string[];
  /** Of the file as it is now and of both differences. */
  readonly requestHash: string;
  /** Why the file cannot be changed. */
  readonly problem?: string;
  /** When a hook of a watched terminal last reported. */
  readonly lastReportAtMs?: number;
}

/** How one hook ran when it was tried. */
export interface HookCheck {
  readonly isAnswered: boolean;
  readonly tookMs: number;
  /** What the program said when it failed. */
  readonly problem?: string;
}

/** The hooks in the settings of Claude Code. The file is replaced as a whole and the old one kept. */
export interface WatchHooks {
  view(): Promise<WatchHooksView>;
  /** @throws CONFIG_INVALID; STALE_DECISION if the file is not the one that was seen */
  install(requestHash: string): Promise<void>;
  /** As `install`. */
  remove(requestHash: string): Promise<void>;
  /** Runs the hook once, as a terminal would, into a folder that is removed again. Never throws. */
  check(): Promise<HookCheck>;
}
