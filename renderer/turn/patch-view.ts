/** The lines of a patch as a page shows them. Pure. */

interface PatchLine {
  /** `note`: said instead of content that is not text. */
  readonly kind: 'file' | 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
}

const HEADS = /^diff --git /m;

/** `a/name` or `"a/n\303\244me"`, as git writes it. */
const nameOf = (written: string): string =>
  written.replace(/^"(.*)"$/s, '$1').replace(/^[ab]\//, '');

/**
 * One line that names each file, then its hunks; what git says about modes and hashes is left out.
 * Lines of content begin with a sign, so that none of them is taken for a head.
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
  // Both names are the same: renames are not looked for.
  const both = head[0] ?? '';
  const name = named ?? both.slice(Math.ceil(both.length / 2));
  return [
    // Git puts a tab after a name with a space in it.
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
