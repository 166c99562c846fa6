/**
 * The folder of a call, and the place that a path in its input means, judged only by the text.
 * Unclear cases have no answer. Pure. Source: S3-06.
 */

import { OWN_HOSTS } from './own-hosts';
import { toolId } from './tool-id';

/** Fields in which agents name the folder of a call, ignoring case, `_` and `-`. */
const NAMES_FOLDER = new Set(
  'cwd cd dir directory dirpath workdir workingdir workingdirectory'.split(' '),
);
const MAX_DEPTH = 4;

/** True for a field of an input that names the folder of the call. */
export const isFolderField = (name: string): boolean =>
  NAMES_FOLDER.has(name.toLowerCase().replaceAll(/[-_]/g, ''));

/** The folder that a call runs in; undefined if its input names several, or one that is unclear. */
export function folderOfCall(input: unknown, workspace: string): string | undefined {
  const [folder = workspace, ...others] = new Set(
    foldersIn(input, 0).map((named) => folderNamed(named, workspace) ?? ''),
  );
  return others.length > 0 || folder === '' ? undefined : folder;
}

/** The same for a tool call; Holdfast's own tools run in the workspace, whatever is requested. */
export const folderOfToolCall = (
  tool: string,
  input: unknown,
  workspace: string,
): string | undefined =>
  OWN_HOSTS.includes(toolId(tool).host) ? workspace : folderOfCall(input, workspace);

/** An agent or its shell may replace a variable. */
const folderNamed = (named: unknown, workspace: string): string | undefined =>
  typeof named === 'string' && (named === workspace || !/[$%`]/.test(named))
    ? pathIn(named, workspace)
    : undefined;

function foldersIn(input: unknown, depth: number): readonly unknown[] {
  if (typeof input !== 'object' || input === null || depth > MAX_DEPTH) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    if (!isFolderField(name)) return foldersIn(value, depth + 1);
    return value === null || value === '' || typeof value === 'boolean' ? [] : [value];
  });
}

/**
 * The place that a path in a call with this folder means. `..` and `~` stay as they are: where they
 * lead depends on links and accounts. Undefined for text that may not be a path.
 */
export function pathIn(path: string, folder: string): string | undefined {
  const plain = plainPath(path);
  if (plain === undefined) return undefined;
  const whole = isWhole(plain) ? plain : `${folder}/${plain}`;
  return whole.replaceAll(/(?:\/\.?)+(?=\/|$)/g, '') || '/';
}

const isWhole = (path: string): boolean => /^(?:[/\\~]|[a-z]:)/i.test(path);

/** The path in a `file:` address, or the text itself; undefined for any other address. */
function plainPath(text: string): string | undefined {
  // Some programs drop spaces at the ends and control characters; then it would be a different
  // path.
  if (text === '' || text !== text.trim() || /\p{Cc}/u.test(text)) return undefined;
  if (!/^[a-z][\d+.a-z-]+:/i.test(text)) return text;
  try {
    const { protocol, host, pathname } = new URL(text);
    const read = decodeURIComponent(text);
    // Parsing resolves `..`, and a program that decodes twice would decode a remaining `%`.
    if (protocol !== 'file:' || host !== '' || /%|\p{Cc}|(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(read))
      return undefined;
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
