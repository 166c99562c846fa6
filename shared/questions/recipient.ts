import { entryOf } from '../table';
/** Names of people and things, fit for a line of a question. Loaded by the engine at its start: no texts. */
import { flatLine } from '../unseen';

/** Maximum characters of a name in a question. */
export const NAME_CHARS = 60;

/**
 * One line without characters that could reorder or hide a part of it, truncated at `max`
 * characters.
 */
export function questionPart(text: string, max: number): string {
  const flat = flatLine(text.slice(0, max * 8));
  const characters = Array.from(flat);
  return characters.length > max || text.length > max * 8
    ? `${characters.slice(0, max - 1).join('')}…`
    : flat;
}

/** "t.okafor@example.com", "ada@example.com and 2 more"; undefined if the input names no one. */
export function recipientOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  for (const name of ['to', 'recipient', 'recipients']) {
    const value = entryOf(fields, name);
    const all = (Array.isArray(value) ? value : [value]).filter(
      (one): one is string => typeof one === 'string' && one.trim() !== '',
    );
    const [first] = all;
    if (first === undefined) continue;
    const shown = questionPart(first, NAME_CHARS);
    return all.length === 1 ? shown : `${shown} and ${String(all.length - 1)} more`;
  }
  return undefined;
}
