/** Far more than people and programs write. */
const MOST_LEVELS = 200;

/**
 * True for a value deeper than 200 levels. Readers recurse once per level; at the end of the stack
 * V8 throws or, in the middle of a pattern, ends the process: external input this deep is rejected.
 * Pure.
 */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth += 1) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
