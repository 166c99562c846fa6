import type { ProviderSettings } from '../../../shared/settings';

/** US dollars per million tokens, as in the settings. */
export type Prices = Pick<
  ProviderSettings,
  'price_input_per_million_usd' | 'price_output_per_million_usd'
>;

/** What a call cost; empty if a price or a token count is not known, never a guess. */
export function costOf(
  tokens: { readonly input: number | undefined; readonly output: number | undefined },
  prices: Prices,
): { readonly costUsd?: number } {
  const perInput = prices.price_input_per_million_usd;
  const perOutput = prices.price_output_per_million_usd;
  if (perInput === undefined || perOutput === undefined) return {};
  if (tokens.input === undefined || tokens.output === undefined) return {};
  return { costUsd: (tokens.input * perInput + tokens.output * perOutput) / 1_000_000 };
}

/** Tokens of the longest answer assumed if a request sets no limit. */
const LONGEST_ANSWER = 32_000;
/** Text of any language has fewer tokens than half of its bytes. */
const BYTES_PER_TOKEN = 2;
/** What the dialects call the limit of an answer. */
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/** US dollars that a request may cost at most, as it is reckoned before; 0 without prices. Pure. */
export function mostCostUsd(
  request: { readonly bytes: number; readonly json: Readonly<Record<string, unknown>> },
  prices: Prices,
): number {
  const positive = (name: string): number | undefined => {
    const value = request.json[name];
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const limit = LIMITS.map(positive).find((tokens) => tokens !== undefined) ?? LONGEST_ANSWER;
  const input = Math.ceil(request.bytes / BYTES_PER_TOKEN);
  return costOf({ input, output: limit * (positive('n') ?? 1) }, prices).costUsd ?? 0;
}
