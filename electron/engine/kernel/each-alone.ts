/**
 * What `make` makes of each item, in their order, without what it has nothing for. An item that
 * fails does not hide the others. Only where nothing else is left its error is thrown: an empty
 * list would say that there is nothing.
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
