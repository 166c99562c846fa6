import { folderOfCall, pathIn } from '../../../../shared/call-folder';
import type { JsonValue } from '../../../ports/provider';
import type { CallRisk } from '../../../ports/tool-call';
import { canonicalJson } from '../../kernel/canonical';

const SAFE: CallRisk = { isRisky: false, reason: '', covers: '' };
/** Fields of an input that name a file, as agents call them. */
const NAMES_FILE =
  /^(.*_)?(path|paths|file|files|filename|filepath|source|src|destination|dest|target|from|to|uri)$/i;
const MAX_DEPTH = 4;

/**
 * The risk of a call that changes or moves these files: the agent names no files, or some are
 * outside its workspace. Pure. Source: S3-06.
 */
export function editRisk(files: readonly string[], workspace: string, input?: JsonValue): CallRisk {
  if (files.length === 0) return risky('The agent does not report which file it changes.');
  return files.every((file) => isInside(file, workspace, input))
    ? SAFE
    : risky('It changes a file outside its folder.');
}

/** True for a file of a call that is inside the workspace, from the folder of the call. */
export function isInside(file: string, workspace: string, input?: JsonValue): boolean {
  const folder = folderOfCall(input, workspace);
  const path = folder === undefined ? undefined : pathIn(file, folder);
  return path !== undefined && isWithin(path, workspace);
}

/**
 * The risk of a command where its call runs it. Outside the workspace its words do not say what they
 * do, so no permission for a name covers it. Pure. Source: S3-06.
 */
export function riskWhereRun(
  risk: CallRisk,
  call: { readonly command: string; readonly input: JsonValue | undefined },
  workspace: string,
): CallRisk {
  const folder = folderOfCall(call.input, workspace);
  if (folder !== undefined && isWithin(folder, workspace)) return risk;
  return {
    ...risk,
    isRisky: true,
    reason: risk.isRisky ? risk.reason : 'It runs outside its folder.',
    covers: `in ${JSON.stringify(folder ?? canonicalJson(call.input ?? null))}: ${call.command}`,
    parts: (risk.parts ?? []).map((part) => ({ ...part, isPlain: false })),
  };
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
  const path = pathIn(file, folder);
  if (path === undefined || /(^|[\\/])\.\.([\\/]|$)/.test(path)) return false;
  const root = pathIn(folder, folder) ?? folder;
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}
