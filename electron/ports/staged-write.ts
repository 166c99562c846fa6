import type { ToolOutcome } from './tool-call';
import type { DraftEntry } from './journal/drafts';

/**
 * A write that becomes a draft: its content is on disk, its entry shares the commit of the step's
 * intent.
 * Implemented by adapters/drafts/draft-workspace.ts.
 */
export interface StagedWrite {
  readonly outcome: ToolOutcome;
  /** Absent if nothing was staged. */
  readonly entry?: Extract<DraftEntry, { kind: 'draft.staged' }>;
  /** Call when the entry is on disk, or will not be: until then the draft cannot be decided. */
  readonly settled?: () => void;
}
