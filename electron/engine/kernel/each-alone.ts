/** Each may have a file open; the process may have only so many. */
const AT_ONCE = 16;

/**
 * Maps each item with `make`, in order, and drops undefined results. A failing item does not hide
 * the others. Its error is thrown only if nothing else is left, because an empty list would mean
 * that there is nothing.
 */
export async function eachAlone<I, T>(
  items: readonly I[],
  make: (item: I) => T | undefined | Promise<T | undefined>,
): Promise<T[]> {
  const ends: PromiseSettledResult<T | undefined>[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE);
    ends.push(...(await Promise.allSettled(some.map(async (item) => make(item)))));
  }
  const made = ends.flatMap((end) =>
    end.status === 'fulfilled' && end.value !== undefined ? [end.value] : [],
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined && made.length === 0) throw failed.reason;
  return made;
}
