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
