/**
 * Maps each item with `make`, in order, and drops undefined results. A failing item does not hide
 * the others. Its error is thrown only if nothing else is left, because an empty list would mean
 * that there is nothing.
 */
export async function eachAlone<I, T>(
  items: readonly I[],
  make: (item: I) => T | undefined | Promise<T | undefined>,
): Promise<T[]> {
  const ends = await Promise.allSettled(items.map(async (item) => make(item)));
  const made = ends.flatMap((end) =>
    end.status === 'fulfilled' && end.value !== undefined ? [end.value] : [],
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined && made.length === 0) throw failed.reason;
  return made;
}
