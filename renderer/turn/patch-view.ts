/** The lines of a patch for display. Pure. */

interface PatchLine {
  /** `note`: shown instead of content that is not text. */
  readonly kind: 'file' | 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
}

const HEADS = /^diff --git /m;

/** `a/name` or `"a/n\303\244me"`, as git writes it. */
const nameOf = (written: string): string =>
  written.replace(/^"(.*)"$/s, '$1').replace(/^[ab]\//, '');

/**
 * One line that names each file, then its hunks; Git's lines about modes and hashes are omitted.
 * Content lines begin with a sign, so none of them is mistaken for a header.
 */
export const patchLines = (patch: string, binary: string): readonly PatchLine[] =>
  patch
    .split(HEADS)
    .slice(1)
    .flatMap((part) => fileLines(part.split('\n'), binary));

function fileLines(lines: readonly string[], binary: string): readonly PatchLine[] {
  const start = lines.findIndex((line) => line.startsWith('@@'));
  const head = start < 0 ? lines : lines.slice(0, start);
  const after = (mark: string): string | undefined =>
    head.find((line) => line.startsWith(mark) && !line.endsWith('/dev/null'))?.slice(mark.length);
  const named = after('+++ ') ?? after('--- ');
  const isBinary = head.some((line) => line.startsWith('Binary files '));
  // Both names are equal, because rename detection is off.
  const both = head[0] ?? '';
  const name = named ?? both.slice(Math.ceil(both.length / 2));
  return [
    // Git adds a tab after a name that contains a space.
    { kind: 'file', text: nameOf(name.replace(/\t$/, '')) },
    ...(isBinary ? [{ kind: 'note', text: binary } as const] : []),
    ...(start < 0 ? [] : lines.slice(start).flatMap(contentLine)),
  ];
}

function contentLine(text: string): readonly PatchLine[] {
  switch (text[0]) {
    case '@':
      return [{ kind: 'hunk', text }];
    case '+':
      return [{ kind: 'added', text }];
    case '-':
      return [{ kind: 'removed', text }];
    case ' ':
      return [{ kind: 'same', text }];
    case '\\':
      return [{ kind: 'note', text: text.slice(2) }];
    default:
      return [];
  }
}
