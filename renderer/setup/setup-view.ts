/** The options of the setup sheet, and the settings it produces. Pure. */
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { PRICES_AS_OF } from '../../shared/prices/built-in';
import { pricesOf } from '../../shared/prices/prices';
import type { ConfigEntry, ProviderView } from '../../shared/types';
import { storedUnder } from '../parts/named-values';
import { dateText } from '../parts/time-view';

export type ProviderInput = VerbInput<'provider.set'>['provider'];
type LlmAgent = Extract<VerbInput<'agents.add'>['agent'], { readonly provider: string }>;
type ListedModel = VerbOutput<'provider.models'>['models'][number];

/** A saved provider that has listed its models. */
export interface Ready {
  readonly provider: string;
  readonly models: readonly ListedModel[];
}

/**
 * A kind of provider that the sheet knows; without `baseUrl` the provider's default URL applies.
 */
export interface ProviderTile {
  readonly id: string;
  readonly title: string;
  readonly kind: ProviderInput['kind'];
  readonly baseUrl?: string;
  /** A server on this computer that needs no key. */
  readonly isLocal?: true;
  /** The user enters the address. */
  readonly isOther?: true;
}

export const PROVIDER_TILES: readonly ProviderTile[] = [
  { id: 'anthropic', title: 'Anthropic', kind: 'anthropic' },
  { id: 'openai', title: 'OpenAI', kind: 'openai-compatible' },
  { id: 'google', title: 'Google', kind: 'google' },
  {
    id: 'openrouter',
    title: 'OpenRouter',
    kind: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  {
    id: 'ollama',
    title: 'Ollama',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    isLocal: true,
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    isLocal: true,
  },
  { id: 'other', title: 'OpenAI-compatible', kind: 'openai-compatible', isOther: true },
];

/** The preselected provider, if there is only one. */
export function onlyProvider(providers: readonly ProviderView[]): string | undefined {
  const own = providers.filter(({ kind }) => kind !== 'practice');
  return own.length === 1 ? own[0]?.name : undefined;
}

/** The saved provider of a tile; undefined if there is none. */
export const savedAs = (
  tile: ProviderTile,
  providers: readonly ProviderView[],
): ProviderView | undefined => providers.find(({ name }) => name === tile.id);

/** The settings of a tile's provider, including saved ones that are not shown. */
export function providerOfTile(
  tile: ProviderTile,
  baseUrl: string,
  stored: Partial<ProviderInput> | undefined,
): ProviderInput {
  const address = tile.isOther === true || tile.isLocal === true ? baseUrl.trim() : tile.baseUrl;
  return {
    ...stored,
    kind: tile.kind,
    ...(address === undefined || address === '' ? {} : { base_url: address }),
  };
}

/** Prices of the selected model as listed by the provider; a price set manually is kept. */
export function withPrices(
  stored: ProviderInput,
  model: ListedModel | undefined,
): ProviderInput | undefined {
  if (model?.inputUsd === undefined || model.outputUsd === undefined) return undefined;
  if (stored.price_input_per_million_usd !== undefined) return undefined;
  return {
    ...stored,
    price_input_per_million_usd: model.inputUsd,
    price_output_per_million_usd: model.outputUsd,
  };
}

/** The price of the selected model and its source; undefined if no source has one. */
export function priceText(
  model: ListedModel,
  provider: Partial<ProviderInput> | undefined,
): string | undefined {
  const prices =
    provider?.kind === undefined
      ? undefined
      : pricesOf({ ...provider, kind: provider.kind }, model.id);
  if (prices?.from !== 'settings' && model.inputUsd !== undefined)
    return t('setup.price', { input: model.inputUsd, output: model.outputUsd ?? 0 });
  if (prices === undefined) return undefined;
  const facts = { input: prices.input, output: prices.output };
  return prices.from === 'settings'
    ? t('setup.priceSet', facts)
    : t('setup.priceBuiltIn', { ...facts, day: dateText(PRICES_AS_OF) });
}

/** The agent that the sheet adds. */
export const agentOfSheet = (sheet: {
  readonly provider: string;
  readonly model: string;
  readonly folder: string;
  readonly hasDrafts: boolean;
}): LlmAgent => ({
  provider: sheet.provider,
  model: sheet.model.trim(),
  workspace: sheet.folder.trim(),
  ...(sheet.hasDrafts ? { drafts: true } : {}),
});

/** A provider as the settings have it. */
export const storedProvider = (
  entries: readonly ConfigEntry[],
  name: string,
): Partial<ProviderInput> | undefined =>
  storedUnder(entries, 'providers', name) as Partial<ProviderInput> | undefined;
