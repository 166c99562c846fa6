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

/** A value as a person reads it. */
export const valueWords = (value: string): string => WORDS.get(value) ?? value;
