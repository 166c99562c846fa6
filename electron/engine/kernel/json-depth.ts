/** Far more than people and programs write. */
const MAX_LEVELS = 200;
/** A message around a value that may itself have all its levels. */
const MESSAGE_LEVELS = 50;

/**
 * True for a value deeper than 200 levels. Readers recurse once per level; at the end of the stack
 * V8 throws or, in the middle of a pattern, ends the process: external input this deep is rejected.
 * Pure.
 */
export function isTooDeep(value: unknown, most = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  return Object.values(value).some((one) => isTooDeep(one, most - 1));
}

/** JSON of an outside source. @throws SyntaxError for what is no JSON, or is too deep */
export function parseOutside(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value, MAX_LEVELS + MESSAGE_LEVELS))
    throw new SyntaxError('It is nested too deeply.');
  return value;
}
