/**
 * Unique names for things without a number in the journal.
 * Implemented by adapters/ids/system-ids.ts.
 */
export interface Ids {
  /** A version 7 UUID: sorts by creation time (S3-22). */
  newId(): string;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}
