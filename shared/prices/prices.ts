import type { ProviderSettings } from '../settings';
import { BUILT_IN, type BuiltInPrice } from './built-in';

/** A model's price and its source. US dollars per million tokens. */
export interface Prices extends BuiltInPrice {
  /** `settings`: set for its provider. `built-in`: from the list of `PRICES_AS_OF`. */
  readonly from: 'settings' | 'built-in';
}

type Priced = Pick<
  ProviderSettings,
  'kind' | 'base_url' | 'price_input_per_million_usd' | 'price_output_per_million_usd'
>;

/** Default address of each kind of provider. */
export const DEFAULT_BASE_URLS = {
  'openai-compatible': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const satisfies Record<ProviderSettings['kind'], string>;

/** A fixed model version may end in a date: "-20250929" or "-2025-08-07". */
const DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/**
 * A model's price: from the provider's settings, otherwise from the built-in list if the provider
 * is called at its own address. Undefined if neither has it, or if only one of the two prices is
 * known. Pure.
 */
export function pricesOf(provider: Priced, model: string): Prices | undefined {
  const { price_input_per_million_usd: input, price_output_per_million_usd: output } = provider;
  if (input !== undefined && output !== undefined) return { input, output, from: 'settings' };
  if (input !== undefined || output !== undefined) return undefined;
  const models = builtInOf(provider);
  const id = model.trim().replace(/^models\//, '');
  const found = own(models, id) ?? own(models, id.replace(DATE, ''));
  return found === undefined ? undefined : { ...found, from: 'built-in' };
}

/** Whether any model of a provider has a price. Pure. */
export const hasPrices = (provider: Priced): boolean => {
  const { price_input_per_million_usd: input, price_output_per_million_usd: output } = provider;
  if (input === undefined && output === undefined) return builtInOf(provider) !== undefined;
  return input !== undefined && output !== undefined;
};

const own = <T>(all: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;

/** A proxy, a cloud or another company has its own prices for the same model. */
function builtInOf(provider: Priced): Readonly<Record<string, BuiltInPrice>> | undefined {
  const address = provider.base_url ?? DEFAULT_BASE_URLS[provider.kind];
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === 'https:' && url.port === '' ? own(BUILT_IN, url.hostname) : undefined;
}
