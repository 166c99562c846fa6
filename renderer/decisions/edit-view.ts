/**
 * The file edits of a tool call, as its input states them: the same for agents of any kind, whose
 * tools name their fields differently. Pure. What is not surely an edit is shown as it is.
 */
import type { diffArrays } from 'diff';
import type { DiffHunk, DiffRow } from '../../shared/types/drafts';

/** Compares two lists of lines. */
type CompareLines = typeof diffArrays<string>;

interface FileEdits {
  readonly path: string;
  /** `before` is undefined where the whole file is written, and what it has now is not known here. */
  readonly edits: readonly { readonly before: string | undefined; readonly after: string }[];
}

const PATHS = ['file_path', 'filePath', 'path', 'abs_path', 'notebook_path'];
const BEFORE = ['old_string', 'oldString', 'old_str', 'old_text', 'oldText', 'old_source'];
const AFTER = ['new_string', 'newString', 'new_str', 'new_text', 'newText', 'new_source'];
const WHOLE = ['content', 'contents', 'file_text'];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these fields that is a text. */
function textOf(fields: Fields, names: readonly string[]): string | undefined {
  const values = names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined));
  return values.find((value) => typeof value === 'string');
}

/** Undefined for an input that is cut, or that edits no file. */
export function editsOf(json: string): FileEdits | undefined {
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return undefined; // Cut, so that it is not whole.
  }
  if (!isFields(input)) return undefined;
  const path = textOf(input, PATHS);
  if (path === undefined || path.trim() === '') return undefined;
  const parts = Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [input];
  const edits = parts.map((part) => (isFields(part) ? editIn(part) : undefined));
  const known = edits.filter((edit) => edit !== undefined);
  return known.length === 0 || known.length < edits.length ? undefined : { path, edits: known };
}

function editIn(part: Fields): FileEdits['edits'][number] | undefined {
  const after = textOf(part, AFTER);
  const before = textOf(part, BEFORE);
  if (before !== undefined && after !== undefined) return { before, after };
  const whole = textOf(part, WHOLE);
  return whole === undefined ? undefined : { before: undefined, after: whole };
}

/** As the contract cuts the lines of a draft. */
const MAX_LINE = 500;

/**
 * The lines of each edit. Where in the file they are is not in the input, so an edit has no line
 * numbers; a file that is written whole has those of its new text.
 */
export function editHunks({ edits }: FileEdits, compare: CompareLines): readonly DiffHunk[] {
  return edits.map(({ before, after }) => ({
    fileStart: 0,
    draftStart: 0,
    rows:
      before === undefined
        ? linesOf(after).map((line, at) => rowOf('added', line, at + 1))
        : compare(linesOf(before), linesOf(after)).flatMap(({ value, added, removed }) =>
            value.map((line) => rowOf(added ? 'added' : removed ? 'removed' : 'same', line)),
          ),
  }));
}

/** An edit of a text to nothing has no lines on that side. */
const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);

const rowOf = (kind: DiffRow['kind'], line: string, draftLine?: number): DiffRow => ({
  kind,
  text: line.slice(0, MAX_LINE),
  ...(line.length > MAX_LINE ? { isCut: true as const } : {}),
  ...(draftLine === undefined ? {} : { draftLine }),
});
