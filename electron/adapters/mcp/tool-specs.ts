import type { Purity } from '../../../shared/types';
import { spelledName } from '../../../shared/tool-id';
import type { JsonValue } from '../../ports/provider';
import type { ToolSpec } from '../../ports/tools';
import type { CallRisk } from '../../ports/tool-call';
import { inertLine } from '../tools/tool-host';
import { offeredName } from './tool-names';
import { isTooDeep } from '../../engine/kernel/json-depth';
import { isJson } from '../../engine/kernel/json-object';

/** A tool as its server describes it; all text is untrusted. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonValue;
  readonly annotations?: McpHints | undefined;
}

/** Hints of the protocol: claims of the server about its tool, not facts. */
interface McpHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

const HINTS = ['readOnlyHint', 'idempotentHint', 'destructiveHint', 'openWorldHint'] as const;

/**
 * The readable part of a tool; undefined if it is unusable. A badly described tool must not affect
 * the others, and a provider rejects a whole request for one tool whose arguments are not an
 * object. Pure.
 */
export function readTool(raw: unknown): McpTool | undefined {
  if (!isJson(raw) || typeof raw['name'] !== 'string') return undefined;
  const { name, description, inputSchema = {}, annotations } = raw;
  if (!isJson(inputSchema) || isTooDeep(inputSchema)) return undefined;
  const schema: Readonly<Record<string, unknown>> = { type: 'object', ...inputSchema };
  if (schema['type'] !== 'object') return undefined;
  const hints = isJson(annotations) ? annotations : {};
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    // It came as JSON.
    inputSchema: schema as JsonValue,
    annotations: Object.fromEntries(
      HINTS.flatMap((hint) => (typeof hints[hint] === 'boolean' ? [[hint, hints[hint]]] : [])),
    ),
  };
}

/** The note about a server with left-out tools; undefined if there are none. Pure. */
export function leftOutText(described: readonly unknown[], used: number): string | undefined {
  const left = described.length - used;
  if (left <= 0) return undefined;
  return `${String(left)} of its ${String(described.length)} tools ${left === 1 ? 'is' : 'are'} left out: a tool needs a unique name and an input schema that models accept, and at most ${String(MAX_TOOLS)} count.`;
}

const MAX_TOOLS = 300;
const MAX_SPELLED_CHARS = 160;
const MAX_DESCRIPTION = 10_000;
const MAX_SCHEMA_CHARS = 200_000;
/** For all tools of a server together, because they are compared and sent as one. */
const MAX_ALL_CHARS = 2_000_000;

/** How MCP tool hints map to purity classes (S4-32). */
interface Classed {
  /** Absent if the server declares nothing: that counts as side_effect. */
  readonly purity?: Purity;
  readonly isIdempotent: boolean;
  /** Destructive or external: proposed for the side-effect list, and needs permission. */
  readonly isProposedForGate: boolean;
}

/**
 * Classes a tool. The user's setting overrides the server's hints, and then its idempotency hint
 * does not count either: a tool may be "idempotent" and still overwrite later content.
 */
export function classOf(hints: McpHints | undefined, ownWord: Purity | undefined): Classed {
  const isRead = hints?.readOnlyHint === true;
  // A read is never a reason to pause a turn, wherever it reads.
  const isWide = !isRead && (hints?.destructiveHint === true || hints?.openWorldHint === true);
  if (ownWord !== undefined) {
    const isEffect = ownWord === 'side_effect' || ownWord === 'external';
    return { purity: ownWord, isIdempotent: false, isProposedForGate: isEffect && isWide };
  }
  if (isRead) return { purity: 'world', isIdempotent: false, isProposedForGate: false };
  const saysSomething =
    hints?.readOnlyHint !== undefined ||
    hints?.idempotentHint !== undefined ||
    hints?.destructiveHint !== undefined ||
    hints?.openWorldHint !== undefined;
  if (!saysSomething) return { isIdempotent: false, isProposedForGate: false };
  return {
    purity: 'external',
    isIdempotent: hints.idempotentHint === true,
    isProposedForGate: isWide,
  };
}

/** The first 300 with a unique name and a description that is not too large. Pure. */
function usable(tools: readonly McpTool[]): readonly McpTool[] {
  const names = new Set<string>();
  const used: McpTool[] = [];
  let allChars = 0;
  for (const tool of tools) {
    if (used.length >= MAX_TOOLS) break;
    if (tool.name === '' || tool.name.length > 128 || names.has(tool.name)) continue;
    // With its host, its name must fit into a rule.
    if (spelledName(tool.name).length > MAX_SPELLED_CHARS) continue;
    names.add(tool.name);
    const chars = JSON.stringify(tool.inputSchema).length;
    if (chars > MAX_SCHEMA_CHARS || allChars + chars > MAX_ALL_CHARS) continue;
    allChars += chars;
    used.push(tool);
  }
  return used;
}

/**
 * A server's tools in the registry's form, at most 300. A tool whose input schema is too large to
 * send is left out.
 */
export function specsOf(
  server: string,
  tools: readonly McpTool[],
  own: Readonly<Record<string, Purity>>,
  timeoutMs: number,
): readonly ToolSpec[] {
  return usable(tools).map((tool) => {
    const ownWord = Object.hasOwn(own, tool.name) ? own[tool.name] : undefined;
    const { purity, isIdempotent, isProposedForGate } = classOf(tool.annotations, ownWord);
    return {
      name: tool.name,
      offeredAs: offeredName(server, tool.name),
      description: (tool.description ?? '').slice(0, MAX_DESCRIPTION),
      inputSchema: tool.inputSchema,
      ...(purity === undefined ? {} : { purity }),
      ...(isIdempotent ? { isIdempotent } : {}),
      carriesKey: 'request' as const,
      ...(isProposedForGate ? { isProposedForGate, risk: () => riskOf(tool.annotations) } : {}),
      hint: hintOfArguments,
      // It may wait once for its server to restart, and once for the answer.
      timeoutMs: () => 2 * timeoutMs,
    };
  });
}

/** The server's own claims about its tool, as a reason to ask for approval. */
function riskOf(hints: McpHints | undefined): CallRisk {
  const reason =
    hints?.destructiveHint === true
      ? 'Its server reports that it can delete or overwrite existing data.'
      : 'Its server reports that it connects to external services.';
  return { isRisky: true, reason, covers: '' };
}

/** Main arguments of a call, the most informative names first. */
const TELLING = ['path', 'file', 'url', 'uri', 'to', 'command', 'query', 'name', 'id'];

/** One line about a call of an unknown tool. */
export function hintOfArguments(args: JsonValue): string {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return '';
  const given = args as Readonly<Record<string, JsonValue>>;
  const telling = TELLING.find((key) => typeof given[key] === 'string');
  if (telling !== undefined) return inertLine(given[telling] as string);
  const text = JSON.stringify(given);
  return text === '{}' ? '' : inertLine(text);
}
