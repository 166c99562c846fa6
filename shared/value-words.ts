/**
 * Current wording for values that scripts read or that are saved, and that therefore never change.
 */

const WORDS: ReadonlyMap<string, string> = new Map([
  // Names of checks of `doctor`.
  ['data folder', 'data directory'],
  ['open turns', 'unfinished turns'],
  // Outcomes of inbox items.
  ['recorded as done', 'marked as done'],
]);

/** What happens to a turn that a crash interrupted: the values of `resilience.recovery.mode`. */
export const MODE_WORDS = {
  safe_only: 'Resume if safe',
  always: 'Always resume',
  never: 'Never resume automatically',
} as const;

/** A value as a person reads it. */
export const valueWords = (value: string): string => WORDS.get(value) ?? value;
