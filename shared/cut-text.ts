/** Characters before which a truncated path starts. Pure. */
const BEFORE_PATH = /[\s"'`(),;<=>[\]{|}]/;

/**
 * A text of at most `most` characters (1 or more); a truncated one ends with "…". If the cut would
 * go through a path, the whole path is left out: half of one names another folder, and is no longer
 * recognized as a folder of this computer (DW-18). A single path that is too long keeps its first
 * folders.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '');
  // The next character may end the path exactly at the cut; then nothing of it is missing.
  if (BEFORE_PATH.test(text.slice(kept.length, kept.length + 1))) return `${kept}…`;
  let start = kept.length;
  while (start > 0 && !BEFORE_PATH.test(kept.charAt(start - 1))) start -= 1;
  const last = kept.slice(start);
  if (!/[/\\]/.test(last)) return `${kept}…`;
  if (start > 0) return `${kept.slice(0, start)}…`;
  return `${kept.slice(0, Math.max(...['/', '\\'].map((separator) => last.lastIndexOf(separator))) + 1)}…`;
}
