import { unseenSpelled } from '../../../shared/unseen';

/**
 * Makes text from models and tools inert and exact for display: control characters, bidirectional
 * overrides and invisible characters become visible escapes, so that no text can imitate another.
 * Line feeds and tabs stay. Source: T4.
 */
export function showText(
  text: string,
  limit: number,
): { readonly text: string; readonly isTruncated: boolean } {
  const cut = text.length > limit * 2 ? text.slice(0, limit * 2) : text;
  const shown = inert(cut);
  return shown.length > limit || cut.length < text.length
    ? { text: shown.slice(0, limit), isTruncated: true }
    : { text: shown, isTruncated: false };
}

const inert = unseenSpelled((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
