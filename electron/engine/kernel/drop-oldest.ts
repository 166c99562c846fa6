/** Removes the entries that were added first, until at most `most` are left. */
export function dropOldest<K>(entries: Map<K, unknown>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}
