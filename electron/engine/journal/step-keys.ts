import type { KeyOrigin } from '../../ports/journal/shared';
import type { Hasher } from '../../ports/blobs';
import type { Frame } from '../../ports/journal/entries';
import type { StepScope } from '../../ports/journal/skills';
import type { JsonValue, ModelRequest, ToolOffer } from '../../ports/provider';
import { canonicalJson } from '../kernel/canonical';

/** Maximum length of a text in a journal row; a longer text is a content-addressed file. S4-+05. */
export const INLINE_CHARS = 32 * 1024;

/** Tool lists never change and many requests share them: their text is built once. */
const toolTexts = new WeakMap<readonly ToolOffer[], string>();

function toolText(tools: readonly ToolOffer[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = canonicalJson(tools as unknown as JsonValue);
    toolTexts.set(tools, text);
  }
  return text;
}

/** The newest frame with a list of tools; an agent's turns usually start with the same one. */
const frameHashes = new WeakMap<
  readonly ToolOffer[],
  { readonly frame: Frame; readonly hash: string }
>();

/** Hash of a frame: equal frames have equal hashes, whatever the order of their keys. */
export function frameHash(hasher: Hasher, frame: Frame): string {
  const last = frameHashes.get(frame.tools);
  if (last !== undefined && isSameFrame(last.frame, frame)) return last.hash;
  const known = { tools: toolText(frame.tools) };
  const hash = hasher.sha256Hex(canonicalJson(frame as unknown as JsonValue, known));
  frameHashes.set(frame.tools, { frame, hash });
  return hash;
}

function isSameFrame(a: Frame, b: Frame): boolean {
  const [left, right] = [a, b] as unknown as readonly Readonly<Record<string, unknown>>[];
  const keys = Object.keys(left ?? {});
  return (
    keys.length === Object.keys(right ?? {}).length &&
    keys.every((key) => isSameMember(left?.[key], right?.[key]))
  );
}

/** Members are scalars and lists of names; the tools are the same list object here. */
function isSameMember(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => item === b[index]);
}

/**
 * Key by which the answer to a model request is found again: sha256 over the exact request and,
 * within a skill, over run, phase and visit, so that one visit's record never answers another
 * visit. Source: S4-10, S4-+01.
 */
export function modelKey(hasher: Hasher, request: ModelRequest, scope?: StepScope): string {
  const known = { tools: toolText(request.tools) };
  const text = canonicalJson(request as unknown as JsonValue, known);
  return hasher.sha256Hex(`${scopeText(scope)}model\n${text}`);
}

/** Empty outside a skill, so that such turns have the same keys in every version. */
function scopeText(scope: StepScope | undefined): string {
  return scope === undefined
    ? ''
    : `run ${String(scope.runId)} ${scope.phase} ${String(scope.visit)}\n`;
}

/**
 * Key by which the result of a tool call is found again: sha256 over tool and canonical arguments.
 * Source: S4-+01, R19.
 */
export function toolKey(hasher: Hasher, tool: string, args: JsonValue, scope?: StepScope): string {
  return hasher.sha256Hex(`${scopeText(scope)}tool\n${tool}\n${canonicalJson(args)}`);
}

/** Passed to the tool at every invocation of the same step, including after crashes. S4-23. */
export function idempotencyKey({ databaseId, turnId }: KeyOrigin, rootStep: number): string {
  return `hf-${databaseId}-${String(turnId)}-${String(rootStep)}`;
}
