import type { EntryKind, JournalEntry } from '../../../ports/journal/entries';

/** What the fold needs to know about the row that it applies. */
export interface Applied {
  readonly seq: number;
  readonly atMs: number;
}

type EntryOf<Kind extends EntryKind> = Extract<JournalEntry, { kind: Kind }>;

/** What an entry of each of these kinds does to the tables of one area. */
export type FoldTable<Kind extends EntryKind> = {
  readonly [K in Kind]: (entry: EntryOf<K>, applied: Applied) => void;
};

/** Applies one entry with the row of its kind. A kind that is not in the table changes nothing. */
export function applyBy(
  table: Partial<FoldTable<EntryKind>>,
  entry: JournalEntry,
  applied: Applied,
): void {
  // The row of a kind takes entries of that kind; the compiler cannot see this through a union.
  const row = table[entry.kind] as ((entry: JournalEntry, applied: Applied) => void) | undefined;
  row?.(entry, applied);
}
