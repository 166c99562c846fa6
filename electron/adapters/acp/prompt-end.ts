import type { ExternalPromptEnd } from '../../ports/external-agent';

/** The used fields of an agent's answer to a prompt. */
export interface PromptAnswer {
  readonly stopReason?: unknown;
  readonly usage?: unknown;
  readonly _meta?: unknown;
}

const STOPS: readonly ExternalPromptEnd['stop'][] = [
  'end_turn',
  'max_tokens',
  'max_turn_requests',
  'refusal',
  'cancelled',
];

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

type Tokens = Pick<ExternalPromptEnd, 'inputTokens' | 'outputTokens'>;

/**
 * The tokens of a prompt's calls of its model, which Qwen Code 0.24.4 sends with empty parts of its
 * answer.
 */
export function createTokensOfUpdates(): {
  add(params: unknown): void;
  /** Those since the last time. */
  take(): Tokens;
} {
  let sum: Tokens = { inputTokens: 0, outputTokens: 0 };
  return {
    add(params) {
      const { inputTokens, outputTokens } = fields(
        fields(fields(fields(params)['update'])['_meta'])['usage'],
      );
      sum = {
        inputTokens: sum.inputTokens + count(inputTokens),
        outputTokens: sum.outputTokens + count(outputTokens),
      };
    },
    take() {
      const taken = sum;
      sum = { inputTokens: 0, outputTokens: 0 };
      return taken;
    },
  };
}

/**
 * How a prompt ended. What it used is in `usage`; in releases without that, in `_meta.quota` (Gemini CLI
 * 0.61.0), or it came with the updates. Tokens that were read from or written to a cache are counted
 * apart from the input, and were input. Pure.
 */
export function endOfPrompt(
  answer: PromptAnswer | null | undefined,
  ofUpdates: Tokens,
): ExternalPromptEnd {
  const { stopReason, usage, _meta } = answer ?? {};
  const told = fields(usage);
  const quota = fields(fields(fields(_meta)['quota'])['token_count']);
  const input =
    count(told['inputTokens']) + count(told['cachedReadTokens']) + count(told['cachedWriteTokens']);
  return {
    // An unknown stop reason still ends the turn: the agent has answered.
    stop: STOPS.find((one) => one === stopReason) ?? 'end_turn',
    inputTokens: input || count(quota['input_tokens']) || ofUpdates.inputTokens,
    outputTokens:
      count(told['outputTokens']) || count(quota['output_tokens']) || ofUpdates.outputTokens,
  };
}
