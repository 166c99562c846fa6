import type { Hasher } from '../../ports/blobs';
import type { StepScope } from '../../ports/journal-skills';
import type { JsonValue, ModelRequest, ToolOffer } from '../../ports/provider';
import { canonicalJson } from '../kernel/canonical';

/** Longest text kept in a journal row; above it the text is a content-addressed file. S4-+05. */
export const INLINE_CHARS = 32 * 1024;

/** Tool lists never change and are shared by many requests: their text is made once. */
const toolTexts = new WeakMap<readonly ToolOffer[], string>();

/** Canonical JSON of a value with a list of tools in it. */
export function canonicalWithTools(value: { readonly tools: readonly ToolOffer[] }): string {
  const { tools } = value;
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = canonicalJson(tools as unknown as JsonValue);
    toolTexts.set(tools, text);
  }
  return canonicalJson(value as unknown as JsonValue, { key: 'tools', text });
}

/**
 * Memo key of a model call: sha256 over the exact request, and inside of a skill over run, phase and
 * visit: what one visit has recorded never answers another one. Source: S4-10, S4-+01.
 */
export function modelKey(hasher: Hasher, request: ModelRequest, scope?: StepScope): string {
  return hasher.sha256Hex(`${scopeText(scope)}model\n${canonicalWithTools(request)}`);
}

/** Empty outside of a skill: the keys of such turns are those of every version before. */
function scopeText(scope: StepScope | undefined): string {
  return scope === undefined
    ? ''
    : `run ${String(scope.runId)} ${scope.phase} ${String(scope.visit)}\n`;
}

/** Memo key of a tool call: sha256 over tool and canonical arguments. Source: S4-+01, R19. */
export function toolKey(hasher: Hasher, tool: string, args: JsonValue, scope?: StepScope): string {
  return hasher.sha256Hex(`${scopeText(scope)}tool\n${tool}\n${canonicalJson(args)}`);
}

/** Offered to the tool at every invocation of the same step, also after crashes. S4-23. */
export function idempotencyKey(databaseId: string, turnId: number, rootStep: number): string {
  return `hf-${databaseId}-${String(turnId)}-${String(rootStep)}`;
}
