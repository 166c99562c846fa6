import type { VerbOutput } from '../../../shared/contract';
import type { TurnReads } from '../../ports/journal/reads';
import type { JsonValue } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';
import type { ToolOutcome } from '../../ports/tool-call';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import type { LazySearch } from './lazy-search';

const MAX_HITS = 20;
const MAX_CHARS = 400;

const SPECS: readonly ToolSpec[] = [
  {
    name: 'recall',
    description:
      'Finds words in earlier prompts, answers, tool calls and their results, newest first. Each hit names its turn and step. Your own session, unless everywhere is true.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Words that must all occur; put phrases in quotes',
        },
        everywhere: { type: 'boolean', description: 'Search all sessions (default: false)' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    purity: 'world',
    isIdempotent: true,
    hint: (args) => read(args)?.query ?? '',
  },
];

function read(
  args: JsonValue,
): { readonly query: string; readonly everywhere: boolean } | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return undefined;
  const { query, everywhere } = args as { readonly [name: string]: JsonValue };
  if (typeof query !== 'string' || query.trim() === '' || query.length > MAX_CHARS)
    return undefined;
  return { query, everywhere: everywhere === true };
}

type SearchAnswer = VerbOutput<'search.find'>;

/** The search result as the model reads it. */
export function recallText({ hits, nextBefore, notIndexed }: SearchAnswer): string {
  const lines = hits.map(({ turnId, step, tool, part, atMs, session, excerpt }) => {
    const place = [
      turnId === undefined ? 'session' : `turn ${String(turnId)}`,
      ...(step === undefined ? [] : [`step ${String(step)}`]),
    ].join(' ');
    const what = tool === undefined ? part : `${part} of ${tool}`;
    return `${place} (${what}, ${new Date(atMs).toISOString()}, session ${session}): ${excerpt}`;
  });
  return [
    ...(lines.length === 0 ? ['Nothing was found.'] : lines),
    ...(nextBefore === undefined ? [] : ['There are older hits; use more words.']),
    ...(notIndexed === 0 ? [] : ['The newest entries are not yet searched.']),
  ].join('\n');
}

/** The tool with which an agent searches its own past messages and actions. SR-03 */
export function createRecallTool(deps: {
  readonly search: Pick<LazySearch, 'find'>;
  readonly reads: Pick<TurnReads, 'turn'>;
  readonly settings: Pick<SettingsPort, 'get'>;
}): ToolHost {
  return {
    name: 'recall',
    tools: () => (deps.settings.get('extensions.core.recall_tool') ? SPECS : []),
    async call(call): Promise<ToolOutcome> {
      const wanted = read(call.args);
      const sessionId = deps.reads.turn(call.turnId)?.sessionId;
      if (wanted === undefined || sessionId === undefined) {
        return {
          kind: 'result',
          content: 'TOOL_INPUT_INVALID: specify in "query" up to 400 characters to look for.',
          isError: true,
        };
      }
      const found = await deps.search.find({
        words: wanted.query,
        limit: MAX_HITS,
        ...(wanted.everywhere ? {} : { session: String(sessionId) }),
      });
      return { kind: 'result', content: recallText(found), isError: false };
    },
  };
}
