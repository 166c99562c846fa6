/** Unique names for what has no number in the journal. */
export interface Ids {
  /** A UUID of version 7: sorts by the time it was made (S3-22). */
  newId(): string;
  /** A number from 0 up to, not including, 1. */
  random(): number;
}
