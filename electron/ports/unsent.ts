import type { SentText, UnsentText } from '../../shared/types/unsent';

export type { SentText, UnsentText };

/**
 * Typed but unsent texts, by field.
 * Implemented by adapters/sqlite/tables/unsent.ts.
 */
export interface UnsentTexts {
  read(field: string): UnsentText | undefined;
  /**
   * On disk when it resolves; empty text removes it. A `rev` older than the stored one changes
   * nothing. @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED, LOCK_LOST
   */
  keep(field: string, text: UnsentText): Promise<void>;
}
