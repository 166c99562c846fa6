/** Settings of model providers, and of the gateway to them. */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { gatewayFallbacks } from './fallbacks';
import { account, duration, name, port, row, safeUrl, variable } from './base';

/** External agents wait for their own providers under such a name. */
const providerName = once(() =>
  name().refine(
    (text) => !text.startsWith('agent.'),
    'use a name that does not start with "agent."',
  ),
);

/** One model provider. Keys are never in the settings: see `provider.setKey`. */
export const providerSettings = exactObject(() => ({
  kind: z.enum(['openai-compatible', 'anthropic', 'google']),
  /** https, or http on this computer. */
  base_url: safeUrl(500).optional(),
  /** The login or key that budgets count for; default: found by the key. */
  account: account().optional(),
  /** Environment variable with the key. */
  api_key_env: variable().optional(),
  /** Path of a file (mode 0600) that holds the key. */
  api_key_file: z.string().max(4096).optional(),
  /** US dollars per million tokens, for the cost of a turn. Default: the built-in price list. */
  price_input_per_million_usd: z.number().nonnegative().max(100_000).optional(),
  price_output_per_million_usd: z.number().nonnegative().max(100_000).optional(),
}));
export type ProviderSettings = z.infer<ReturnType<typeof providerSettings>>;

/** Providers, and the gateway that agents of other programs reach them by. */
export const PROVIDER_SETTINGS = {
  'gateway.enabled': row(
    () => z.boolean(),
    false,
    'hot',
    'LLM gateway on 127.0.0.1 that carries external agents through outages',
  ),
  'gateway.port': row(port, 8787, 'hot', 'Gateway port, or the next free port if it is in use'),
  'gateway.budget_usd_per_day': row(
    () => z.number().min(0).max(100_000),
    0,
    'hot',
    'Daily budget per provider in US dollars; when spent, the gateway sends nothing more that day. 0 is no limit',
  ),
  'gateway.memo_window': row(
    duration,
    '10m',
    'hot',
    'How long an identical request at temperature 0, or with an Idempotency-Key, is served from the cache; 0 is never',
  ),
  'gateway.fallback': row(
    () => gatewayFallbacks(),
    {},
    'hot',
    'Models that answer gateway requests while a provider is down or at its limit, in order: {"openai":["backup/gpt-5"]}. fallback.mode and fallback.after apply',
  ),
  providers: row(() => z.record(providerName(), providerSettings()), {}, 'hot', 'Model providers'),
};
