import type { Trigger } from '../../shared/schedule/trigger';

/** What can be looked at, and compared with an earlier look. */
export type WatchedTrigger = Extract<Trigger, { readonly on: 'file' | 'git' }>;

/** Files and git branches that tasks wait for. */
export interface TriggerSources {
  /**
   * How it is now, as a text that differs exactly when it has changed; undefined if that cannot be
   * told now. Bounded in time and memory. Never throws.
   */
  look(trigger: WatchedTrigger, agent: string, signal: AbortSignal): Promise<string | undefined>;
  /** Calls back when something in a file or folder may have changed, as often as the system says so. */
  watch(path: string, onHint: () => void): { stop(): void } | undefined;
}
