/** One run of lines: in both, only in the first, only in the second. */
interface LineRun {
  readonly kind: 'same' | 'removed' | 'added';
  readonly lines: readonly string[];
}

/** Above one of these two texts count as entirely different. */
const MAX_EDITS = 3_000;
const MAX_MS = 2_000;

/**
 * Compares two lists of lines. The library is loaded with the first comparison and yields to the
 * event loop between its rounds, so that a large file blocks nothing. Undefined above the limits.
 */
export async function compareLines(
  from: readonly string[],
  to: readonly string[],
): Promise<readonly LineRun[] | undefined> {
  const { diffArrays } = await import('diff');
  const changes = await new Promise<ReturnType<typeof diffArrays<string>> | undefined>(
    (resolve) => {
      diffArrays([...from], [...to], {
        maxEditLength: MAX_EDITS,
        timeout: MAX_MS,
        callback: resolve,
      });
    },
  );
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
}
