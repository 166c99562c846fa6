import type { JournalEntry } from './journal/entries';

/** A turn that time makes; the entries of `together` ride in the commit of its message. */
export interface DueTurn {
  readonly session:
    | { readonly id: number }
    | {
        readonly key: string;
        readonly title: string;
        readonly agent: string;
        /** The session in which the task was made. */
        readonly parentId?: number;
      };
  readonly text: string;
  /** Shown in lists instead of the start of the text. */
  readonly promptStart: string;
  readonly channel: string;
  readonly peer: string;
  /** Its turn starts so much later than at once. */
  readonly delayMs?: number;
  /** It goes to the shared queue: the same id is the same turn, whichever computer comes to it first. */
  readonly shared?: { readonly messageId: string; readonly needs: readonly string[] };
  readonly what: 'task' | 'timer' | 'heartbeat';
  together(turnId: number, sessionId: number): readonly JournalEntry[];
}
