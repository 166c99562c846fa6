import { entryOf } from './table';
/**
 * The file edits of a tool call, as its input states them: the same for agents of any kind, whose
 * tools name their fields differently. Pure. What is not surely an edit is shown as it is.
 */

export interface FileEdits {
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
  const values = names.map((name) => entryOf(fields, name));
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

/** The new text of a file that is written whole; undefined for every other call. */
export function wholeWrite(edits: FileEdits): string | undefined {
  const [only] = edits.edits;
  return edits.edits.length === 1 && only?.before === undefined ? only?.after : undefined;
}
