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
  const shown = cut.replace(HIDDEN, escape);
  return shown.length > limit || cut.length < text.length
    ? { text: shown.slice(0, limit), isTruncated: true }
    : { text: shown, isTruncated: false };
}

// Controls but tab and line feed, soft hyphen, zero width, bidi marks and isolates, fillers, tags.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/gu;

function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
