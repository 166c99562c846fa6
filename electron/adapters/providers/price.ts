import { pricesOf, type Prices } from '../../../shared/prices/prices';
import type { ModelRequest } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';

const MILLION = 1_000_000;

/** Tokens of one answer; unreported ones are undefined. */
interface PricedTokens {
  /** All input tokens, including those read from and written to the provider's cache. */
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** What a call cost; empty if a price or a token count is not known, never a guess. */
export function costOf(
  { input, output, cacheRead = 0, cacheWrite = 0 }: PricedTokens,
  prices: Prices | undefined,
): { readonly costUsd?: number } {
  if (prices === undefined || input === undefined || output === undefined) return {};
  if (input > (prices.mostInputTokens ?? Infinity)) return {};
  const read = Math.min(cacheRead, input);
  const written = Math.min(cacheWrite, input - read);
  const usd =
    (input - read - written) * prices.input +
    read * (prices.cacheRead ?? prices.input) +
    written * (prices.cacheWrite ?? prices.input) +
    output * prices.output;
  return { costUsd: usd / MILLION };
}

/** Tokens of the longest answer assumed if a request sets no limit. */
const MAX_ANSWER = 32_000;
/** Text of any language has fewer tokens than half of its bytes. */
const BYTES_PER_TOKEN = 2;
/** Names of the answer limit in the dialects. */
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/** Upper bound in US dollars of a request's cost; 0 without prices. Pure. */
export function mostCostUsd(
  request: { readonly bytes: number; readonly json: Readonly<Record<string, unknown>> },
  prices: Prices | undefined,
): number {
  if (prices === undefined) return 0;
  const positive = (name: string): number | undefined => {
    const value = request.json[name];
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const limit = LIMITS.map(positive).find((tokens) => tokens !== undefined) ?? MAX_ANSWER;
  const input = Math.ceil(request.bytes / BYTES_PER_TOKEN);
  const output = limit * (positive('n') ?? 1);
  // By bytes it seems longer than it is, so a rate for shorter requests is a better estimate than
  // none.
  const usd = input * Math.max(prices.input, prices.cacheWrite ?? 0) + output * prices.output;
  return usd / MILLION;
}

/**
 * What a model request may cost at most, as the gateway calculates it, too; 0 if its model has no prices,
 * undefined if its provider is not in the settings.
 */
export const mostCostBySettings =
  (settings: Pick<SettingsPort, 'get'>) =>
  (request: ModelRequest): number | undefined => {
    const provider = settings.get('providers')[request.provider];
    if (provider === undefined) return undefined;
    const bytes = Buffer.byteLength(JSON.stringify([request.system, request.messages]));
    return mostCostUsd({ bytes, json: {} }, pricesOf(provider, request.model));
  };
