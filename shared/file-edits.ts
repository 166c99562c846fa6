import { entryOf } from './table';
/**
 * The file edits of a tool call, from its input: the same for all kinds of agents, whose tools name
 * their fields differently. Pure. Anything that is not certainly an edit is shown unchanged.
 */

import { isFolderField } from './call-folder';
import { parsedJson } from './parsed-json';

export interface FileEdits {
  readonly path: string;
  /**
   * `before` is undefined if the whole file is written and its current content is not known here.
   */
  readonly edits: readonly { readonly before: string | undefined; readonly after: string }[];
}

const PATHS = ['file_path', 'filePath', 'path', 'abs_path', 'notebook_path'];
const BEFORE = ['old_string', 'oldString', 'old_str', 'old_text', 'oldText', 'old_source'];
const AFTER = ['new_string', 'newString', 'new_str', 'new_text', 'newText', 'new_source'];
const WHOLE = ['content', 'contents', 'file_text'];

/** Fields that say how often, why or in which cell, and change no other file. */
const ASIDE = new Set(
  (
    'edits replace_all replaceAll expected_replacements allow_multiple description explanation instructions ' +
    'instruction cell_id cell_number cell_type edit_mode'
  ).split(' '),
);

type Fields = Readonly<Record<string, unknown>>;

/** With any other field, or two that say the same, a tool may do something else: then all of it is shown. */
function isAllOfIt(fields: Fields): boolean {
  const names = Object.keys(fields);
  const groups = [PATHS, BEFORE, AFTER, WHOLE].map((group) =>
    names.filter((name) => group.includes(name)),
  );
  const known = new Set(groups.flat());
  return (
    groups.every((group) => group.length <= 1) &&
    names.every((name) => known.has(name) || ASIDE.has(name) || isFolderField(name))
  );
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these fields with a text. */
function textOf(fields: Fields, names: readonly string[]): string | undefined {
  const values = names.map((name) => entryOf(fields, name));
  return values.find((value) => typeof value === 'string');
}

/** Undefined for a truncated input, or one that edits no file. */
export function editsOf(json: string): FileEdits | undefined {
  const input = parsedJson(json);
  if (!isFields(input) || !isAllOfIt(input)) return undefined;
  const path = textOf(input, PATHS);
  if (path === undefined || path.trim() === '') return undefined;
  const parts = Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [input];
  const isOne = parts[0] === input;
  if (!isOne && textOf(input, [...BEFORE, ...AFTER, ...WHOLE]) !== undefined) return undefined;
  const edits = parts.map((part) =>
    isFields(part) && (isOne || (isAllOfIt(part) && textOf(part, PATHS) === undefined))
      ? editIn(part)
      : undefined,
  );
  const known = edits.filter((edit) => edit !== undefined);
  return known.length === 0 || known.length < edits.length ? undefined : { path, edits: known };
}

function editIn(part: Fields): FileEdits['edits'][number] | undefined {
  const after = textOf(part, AFTER);
  const before = textOf(part, BEFORE);
  const whole = textOf(part, WHOLE);
  if (before !== undefined && after !== undefined)
    return whole === undefined ? { before, after } : undefined;
  return whole === undefined || before !== undefined || after !== undefined
    ? undefined
    : { before: undefined, after: whole };
}

/** The new text of a completely written file; undefined for any other call. */
export function wholeWrite(edits: FileEdits): string | undefined {
  const [only] = edits.edits;
  return edits.edits.length === 1 && only?.before === undefined ? only?.after : undefined;
}
