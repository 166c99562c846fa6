import type { Trigger } from '../../shared/schedule/trigger';

/** A watched place whose states can be compared. */
export type WatchedTrigger = Extract<Trigger, { readonly on: 'file' | 'git' }>;

/**
 * Files and git branches that tasks wait for.
 * Implemented by adapters/triggers/trigger-sources.ts.
 */
export interface TriggerSources {
  /**
   * Its current state, as a text that differs exactly if it has changed; undefined if it is unknown
   * now. Limited in time and memory. Never throws.
   */
  look(trigger: WatchedTrigger, agent: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Calls back when a file, something in a folder, or a branch of a repository on this computer may
   * have changed, as often as the system reports it. Undefined if the system reports nothing for
   * this place.
   */
  watch(trigger: WatchedTrigger, onHint: () => void): { stop(): void } | undefined;
  /**
   * Receives messages of exactly these subjects from now on, including those stored while nothing
   * ran. A message is acknowledged when `take` resolves to true, otherwise it is delivered again.
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

/** A subject that a task waits for. */
export interface WantedSubject {
  readonly taskId: number;
  readonly subject: string;
  /** Messages since then. */
  readonly sinceMs: number;
  /** False: its messages wait at the broker. */
  readonly isActive: boolean;
}
