/** Far more than people and programs write. */
const MAX_LEVELS = 200;
/** A message around a value that may itself have all its levels. */
const MESSAGE_LEVELS = 50;

/**
 * True for a value deeper than 200 levels. Readers recurse once per level; when the stack is
 * exhausted, V8 throws or, within a pattern, ends the process, so external input this deep is
 * rejected. Pure.
 */
export function isTooDeep(value: unknown, most = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  return Object.values(value).some((one) => isTooDeep(one, most - 1));
}

/** Parses JSON from an external source. @throws SyntaxError for invalid JSON or too much depth */
export function parseOutside(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value, MAX_LEVELS + MESSAGE_LEVELS))
    throw new SyntaxError('It is nested too deeply.');
  return value;
}

/** The same; undefined for what it rejects. */
export function parsedOutside(text: string): unknown {
  try {
    return parseOutside(text);
  } catch {
    return undefined;
  }
}
