import type { EntryKind, JournalEntry } from '../../../ports/journal/entries';

/** What the fold needs to know of the row that it applies. */
export interface Applied {
  readonly seq: number;
  readonly atMs: number;
}

type EntryOf<Kind extends EntryKind> = Extract<JournalEntry, { kind: Kind }>;

/** What an entry of each of these kinds does to the tables of one area. */
export type FoldTable<Kind extends EntryKind> = {
  readonly [K in Kind]: (entry: EntryOf<K>, applied: Applied) => void;
};

/** Applies one entry by its row of the table; a kind that the table leaves out changes nothing. */
export function applyBy(
  table: Partial<FoldTable<EntryKind>>,
  entry: JournalEntry,
  applied: Applied,
): void {
  // The row of a kind takes entries of that kind, which the compiler cannot follow through a union.
  const row = table[entry.kind] as ((entry: JournalEntry, applied: Applied) => void) | undefined;
  row?.(entry, applied);
}
