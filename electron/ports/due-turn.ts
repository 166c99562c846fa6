import type { JournalEntry } from './journal/entries';

/** A turn created by a schedule; the entries of `together` share the commit of its message. */
export interface DueTurn {
  readonly session:
    | { readonly id: number }
    | {
        readonly key: string;
        readonly title: string;
        readonly agent: string;
        /** The session in which the task was created. */
        readonly parentId?: number;
      };
  readonly text: string;
  /** Shown in lists instead of the start of the text. */
  readonly promptStart: string;
  readonly channel: string;
  readonly peer: string;
  /** Delay of its start. */
  readonly delayMs?: number;
  /**
   * It goes to the shared queue: the same ID means the same turn, whichever computer creates it
   * first.
   */
  readonly shared?: { readonly messageId: string; readonly needs: readonly string[] };
  readonly what: 'task' | 'timer' | 'heartbeat';
  together(turnId: number, sessionId: number): readonly JournalEntry[];
}
