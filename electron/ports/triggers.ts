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
  /**
   * Calls back when a file, something in a folder, or a branch of a repository on this computer may
   * have changed, as often as the system reports it. Undefined if the system reports nothing for
   * this place.
   */
  watch(trigger: WatchedTrigger, onHint: () => void): { stop(): void } | undefined;
  /**
   * Takes messages of these subjects from now on, and of no others; what was stored while nothing
   * ran, too. A message is acknowledged when `take` resolves to true, and else comes again.
   */
  follow(
    wanted: readonly WantedSubject[],
    take: (taskId: number, event: SubjectEvent) => Promise<boolean>,
  ): void;
  stop(): Promise<void>;
}

/** A message of the event broker. */
export interface SubjectEvent {
  /** The same message again has the same id. It ends in `-` and `atMs`. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  /** When the broker stored it. */
  readonly atMs: number;
}

/** What a task waits for there. */
export interface WantedSubject {
  readonly taskId: number;
  readonly subject: string;
  /** Messages from then on. */
  readonly sinceMs: number;
  /** False: its messages wait at the broker. */
  readonly isActive: boolean;
}
