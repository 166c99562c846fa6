import { toHoldfastError } from '../../engine/kernel/errors';
import type { Clock } from '../../ports/clock';
import type { ListedModel, ModelList, ModelLists } from '../../ports/model-lists';
import type { SettingsPort } from '../../ports/settings';
import type { ProviderSettings } from '../../../shared/settings';
import { decideBaseUrl } from './base-url';
import { failureOf } from './failure-words';
import { requestModels } from './light-request';
import { parsedOutside } from '../../engine/kernel/json-depth';
import { entryOf } from '../../../shared/table';
import { type Json } from '../../engine/kernel/json-object';

interface ModelListDeps {
  readonly settings: Pick<SettingsPort, 'get'>;
  /** The key of a provider; undefined if there is none. */
  readonly keyOf: (
    name: string,
    settings: ProviderSettings,
  ) => Promise<{ readonly key: string } | undefined>;
  readonly clock: Clock;
  readonly version: string;
}

const TIMEOUT_MS = 20_000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 1_000;
const MAX_ID = 200;

/** Model lists, requested over HTTP with the configured key and address. */
export function createModelLists(deps: ModelListDeps): ModelLists {
  return {
    async ask(name) {
      try {
        return await listOf(deps, name);
      } catch (error) {
        const known = toHoldfastError(error);
        const message = `${known.message} ${known.hint ?? ''}`.trim().slice(0, 1_000);
        return { kind: 'failed', message };
      }
    },
  };
}

async function listOf(deps: ModelListDeps, name: string): Promise<ModelList> {
  const all = deps.settings.get('providers');
  const settings = entryOf(all, name);
  if (settings === undefined)
    return { kind: 'failed', message: `There is no provider "${name.slice(0, 60)}".` };
  const { url, host, isLoopback } = decideBaseUrl(name, settings);
  const key = (await deps.keyOf(name, settings))?.key;
  if (key === undefined && !isLoopback)
    return { kind: 'failed', message: `Provider "${name}" needs an API key.` };
  const answer = await requestModels(
    {
      name,
      dialect: settings.kind,
      url,
      host,
      key,
      clock: deps.clock,
      userAgent: `holdfast/${deps.version}`,
    },
    AbortSignal.timeout(TIMEOUT_MS),
    readBounded,
  );
  if (answer.kind !== 'ok') {
    const { message, hint } = answer.failure;
    return { kind: 'failed', message: `${message} ${hint}`.slice(0, 1_000) };
  }
  const models = answer.body === undefined ? undefined : modelsIn(answer.body);
  if (models === undefined) {
    const { message } = failureOf(
      { reason: 'malformed' },
      { provider: name, model: '', host, secrets: key === undefined ? [] : [key] },
    );
    return { kind: 'failed', message };
  }
  return { kind: 'listed', models };
}

/** The body of a list; undefined if it is too long or the server did not send one. */
async function readBounded(response: Response): Promise<string | undefined> {
  const reader = response.ok ? response.body?.getReader() : undefined;
  if (reader === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    bytes += value.byteLength;
    if (bytes > LARGEST_BYTES) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}

/**
 * The models in a list of any dialect, each once, sorted; undefined if it is not such a list. For
 * Google only those that generate text. Pure.
 */
export function modelsIn(body: string): readonly ListedModel[] | undefined {
  const { data, models } = (parsedOutside(body) ?? {}) as Json;
  const list = Array.isArray(data) ? data : Array.isArray(models) ? models : undefined;
  if (list === undefined) return undefined;
  const found = new Map<string, ListedModel>();
  for (const one of list.slice(0, MAX_MODELS) as readonly unknown[]) {
    const model = modelOf(one);
    if (model !== undefined) found.set(model.id, model);
  }
  return [...found.values()].toSorted((a, b) => a.id.localeCompare(b.id));
}

function modelOf(one: unknown): ListedModel | undefined {
  const { id, name, supportedGenerationMethods: methods, pricing } = (one ?? {}) as Json;
  if (Array.isArray(methods) && !methods.includes('generateContent')) return undefined;
  const text = typeof id === 'string' ? id : typeof name === 'string' ? name : '';
  const short = text.replace(/^models\//, '');
  if (short === '' || short.length > MAX_ID) return undefined;
  const { prompt, completion } = (pricing ?? {}) as Json;
  const inputUsd = perMillion(prompt);
  const outputUsd = perMillion(completion);
  return {
    id: short,
    ...(inputUsd === undefined || outputUsd === undefined ? {} : { inputUsd, outputUsd }),
  };
}

/** OpenRouter gives US dollars per token, as text. */
function perMillion(price: unknown): number | undefined {
  if (typeof price !== 'string' || price.trim() === '') return undefined;
  const usd = Number(price) * 1_000_000;
  return Number.isFinite(usd) && usd >= 0 && usd <= 100_000
    ? Math.round(usd * 10_000) / 10_000
    : undefined;
}
