import { HoldfastError } from '../../engine/kernel/errors';
import type { Basics } from '../../engine/kernel/basics';
import type { Provider, Providers } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';
import { pricesOf } from '../../../shared/prices/prices';
import type { ProviderSettings } from '../../../shared/settings';
import { decideBaseUrl } from './base-url';
import type { Dialect } from './base-url';
import type { CallTimeouts } from './guarded-fetch';
import type { OpenModel } from './http-provider';
import { entryOf } from '../../../shared/table';

interface ProvidersDeps extends Pick<Basics, 'log' | 'clock'> {
  readonly settings: Pick<SettingsPort, 'get'>;
  /** The key of a provider and its source; undefined if there is none. */
  readonly keyOf: (
    name: string,
    settings: ProviderSettings,
  ) => Promise<{ readonly key: string; readonly storage: string } | undefined>;
  /** Take precedence over configured providers: the practice provider, a test's fake. */
  readonly extra: readonly Provider[];
  readonly version: string;
  readonly timeouts?: CallTimeouts;
}

/** Key sent to a server on this computer that requires none. */
const NO_KEY = 'none';

/** Loads the client library of a dialect on first use; start-up does not pay for it. */
async function loadDialect(
  dialect: Dialect,
  connection: { readonly url: string; readonly key: string | undefined },
): Promise<OpenModel> {
  const { url: baseURL, key } = connection;
  switch (dialect) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return ({ model, fetch }) =>
        createOpenAICompatible({
          name: 'openaiCompatible',
          baseURL,
          fetch,
          includeUsage: true,
          ...(key === undefined ? {} : { apiKey: key }),
        }).chatModel(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      // Without a key, the library would take one from the environment.
      return ({ model, fetch, generateId }) =>
        createAnthropic({ baseURL, fetch, generateId, apiKey: key ?? NO_KEY }).messages(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return ({ model, fetch, generateId }) =>
        createGoogleGenerativeAI({ baseURL, fetch, generateId, apiKey: key ?? NO_KEY }).chat(model);
    }
  }
}

/**
 * The configured providers. Nothing is cached: a changed address or key applies from the next
 * `get`. A provider on a loopback address does not need a key.
 */
export function createProviders(deps: ProvidersDeps): Providers {
  /** The key that each created provider sends. */
  const keys = new WeakMap<Provider, string>();
  const providers: Providers = {
    async renewed(used) {
      const key = keys.get(used);
      if (key === undefined) return undefined;
      const now = await providers.get(used.name).catch(() => undefined);
      return now === undefined || keys.get(now) === key ? undefined : now;
    },
    async get(name) {
      const given = deps.extra.find((provider) => provider.name === name);
      if (given !== undefined) return given;
      const all = deps.settings.get('providers');
      const settings = entryOf(all, name);
      if (settings === undefined) {
        throw new HoldfastError('PROVIDER_UNKNOWN', `There is no provider called ${name}.`, {
          hint: `The turn is saved. Add providers.${name} to the settings, or give the agent a provider from "holdfast providers list".`,
          facts: { provider: name },
        });
      }
      const { url, host, isLoopback } = decideBaseUrl(name, settings);
      const found = await deps.keyOf(name, settings);
      if (found === undefined && !isLoopback) {
        throw new HoldfastError('PROVIDER_KEY_MISSING', `Provider ${name} has no API key.`, {
          hint: `The turn is saved. Set an API key in Settings, or set providers.${name}.api_key_env or providers.${name}.api_key_file.`,
          facts: { provider: name },
        });
      }
      // Loaded with the first call to a provider: a start does not need them.
      const [
        { createHttpProvider },
        { timeoutsOf },
        { patientFetch },
        { lightRequest },
        openModel,
      ] = await Promise.all([
        import('./http-provider'),
        import('./guarded-fetch'),
        import('./patient-fetch'),
        import('./light-request'),
        loadDialect(settings.kind, { url, key: found?.key }),
      ]);
      const userAgent = `holdfast/${deps.version}`;
      const { clock } = deps;
      const provider = createHttpProvider({
        name,
        dialect: settings.kind,
        host,
        secrets: found === undefined ? [] : [found.key],
        pricesOf: (model) => pricesOf(settings, model),
        openModel,
        probe: (signal) =>
          lightRequest(
            { name, dialect: settings.kind, url, host, key: found?.key, clock, userAgent },
            signal,
          ),
        timeouts: deps.timeouts ?? timeoutsOf(isLoopback),
        fetch: isLoopback ? patientFetch : globalThis.fetch,
        clock,
        log: deps.log,
        userAgent,
      });
      if (found !== undefined) keys.set(provider, found.key);
      return provider;
    },
  };
  return providers;
}
