/** Settings of model providers, and of the gateway to them. */
import { z } from 'zod';
import { once } from '../once';
import { duration, name, port, row, safeUrl, variable } from './base';

/** External agents wait for their own providers under such a name. */
const providerName = once(() =>
  name().refine(
    (text) => !text.startsWith('agent.'),
    'take a name that does not begin with "agent."',
  ),
);

/** One model provider. Keys are never in the settings: see `provider.setKey`. */
export const providerSettings = once(() =>
  z.strictObject({
    kind: z.enum(['openai-compatible', 'anthropic', 'google']),
    /** https, or http on a loopback address. */
    base_url: safeUrl(500).optional(),
    /** Environment variable that holds the key. */
    api_key_env: variable().optional(),
    /** Path of a file (mode 0600) that holds the key. */
    api_key_file: z.string().max(4096).optional(),
    /** US dollars per million tokens, for the cost of a turn; unknown when absent. */
    price_input_per_million_usd: z.number().nonnegative().max(100_000).optional(),
    price_output_per_million_usd: z.number().nonnegative().max(100_000).optional(),
  }),
);
export type ProviderSettings = z.infer<ReturnType<typeof providerSettings>>;

/** Providers, and the gateway that agents of other programs reach them by. */
export const PROVIDER_SETTINGS = {
  'gateway.enabled': row(
    () => z.boolean(),
    false,
    'hot',
    'A gateway on 127.0.0.1 through which agents of other programs live through outages',
  ),
  'gateway.port': row(
    port,
    8787,
    'hot',
    'Port of the gateway; the next free one where it is taken',
  ),
  'gateway.budget_usd_per_day': row(
    () => z.number().min(0).max(100_000),
    0,
    'hot',
    'US dollars after which the gateway sends nothing more to a provider that day; 0 is no limit',
  ),
  'gateway.memo_window': row(
    duration,
    '10m',
    'hot',
    'A request at temperature 0, or with an Idempotency-Key, that is sent again within this time gets the same answer; 0 is never',
  ),
  providers: row(() => z.record(providerName(), providerSettings()), {}, 'hot', 'Model providers'),
};
