import type { JsonValue } from '../../../ports/provider';
import type { CallRisk } from '../../../ports/tool-call';

const SAFE: CallRisk = { isRisky: false, reason: '', covers: '' };
/** Fields of an input that name a file, as agents call them. */
const NAMES_FILE =
  /^(.*_)?(path|paths|file|files|filename|filepath|source|src|destination|dest|target|from|to|uri)$/i;
const MAX_DEPTH = 4;

/**
 * The risk of a call that changes or moves these files: the agent names no files, or some are
 * outside its folder. Pure. Source: S3-06.
 */
export function editRisk(files: readonly string[], workspace: string): CallRisk {
  if (files.length === 0) return risky('The agent does not report which file it changes.');
  return files.every((file) => isWithin(file, workspace))
    ? SAFE
    : risky('It changes a file outside its folder.');
}

const risky = (reason: string): CallRisk => ({ isRisky: true, reason, covers: '' });

/** The files that the input of a call names. Pure. */
export function filesOfInput(input: JsonValue | undefined, depth = 0): readonly string[] {
  if (input === undefined || input === null || typeof input !== 'object') return [];
  if (depth > MAX_DEPTH) return [];
  const inside = (value: JsonValue): readonly string[] => filesOfInput(value, depth + 1);
  if (Array.isArray(input)) return (input as readonly JsonValue[]).flatMap(inside);
  return Object.entries(input).flatMap(([name, value]: [string, JsonValue]) => {
    if (!NAMES_FILE.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'))) return inside(value);
    const named: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    return named.flatMap((one) => (typeof one === 'string' ? [one] : inside(one)));
  });
}

/** True for a path inside the folder, judged by its text. A relative path counts as inside. */
export function isWithin(file: string, folder: string): boolean {
  const path = file.replace(/^file:\/\//i, '');
  if (path === '' || path.startsWith('~')) return false;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(path)) return false;
  if (!path.startsWith('/') && !/^([A-Za-z]:|\\)/.test(path)) return true;
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
