import type { IncomingMessage } from 'node:http';
import type { ProviderSettings } from '../../../shared/settings';
import { toHoldfastError } from '../../engine/kernel/errors';
import { decideBaseUrl } from '../providers/base-url';
import type { Endpoint, GatewayDialect } from './routes';
import type { UpstreamRequest } from './upstream';
import { wireError, type WireError } from './wire-errors';
import { pricesOf } from '../../../shared/prices/prices';
import { mostCostUsd } from '../providers/price';

/** The configured providers, and Holdfast's keys for them. */
export interface TargetDeps {
  readonly providers: () => Readonly<Record<string, ProviderSettings>>;
  readonly keyOf: (
    name: string,
    settings: ProviderSettings,
  ) => Promise<{ readonly key: string } | undefined>;
  readonly userAgent: string;
}

/** Destination of a request. */
export interface Target {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly url: string;
  readonly host: string;
  readonly key: string | undefined;
  /** Its server is on this computer. */
  readonly isLocal: boolean;
}

/** The provider of a request: by name, or the first of its dialect. */
export async function findTarget(
  deps: TargetDeps,
  dialect: GatewayDialect,
  asked: string | undefined,
): Promise<Target | WireError> {
  const all = deps.providers();
  const name = asked ?? Object.keys(all).find((one) => all[one]?.kind === dialect);
  const settings = name === undefined || !Object.hasOwn(all, name) ? undefined : all[name];
  if (name === undefined || settings?.kind !== dialect) {
    const what =
      asked === undefined
        ? `no provider of kind ${dialect}`
        : `no such provider "${asked}" of kind ${dialect}`;
    return wireError(404, 'provider_unknown', `There is ${what} in the settings.`);
  }
  try {
    const { url, host, isLoopback } = decideBaseUrl(name, settings);
    const key = (await deps.keyOf(name, settings))?.key;
    if (key === undefined && !isLoopback)
      return wireError(
        503,
        'provider_key_missing',
        `Provider ${name} has no API key. Set it in Settings.`,
      );
    return { name, settings, url, host, key, isLocal: isLoopback };
  } catch (error) {
    const known = toHoldfastError(error);
    return wireError(503, known.code.toLowerCase(), `${known.message} ${known.hint ?? ''}`.trim());
  }
}

/** A header that a client has sent exactly once, or nothing. */
export const headerOf = (request: Pick<IncomingMessage, 'headers'>, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

const modelIn = ({ model }: Readonly<Record<string, unknown>>): string =>
  typeof model === 'string' ? model.slice(0, 100) : '';

/** Client headers that matter to the provider; the key is ours, so it is not among them. */
const CLIENT_HEADERS = ['accept', 'anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

/** A client's request in the form for the provider. */
export function toUpstream(
  userAgent: string,
  asked: {
    readonly endpoint: Endpoint;
    readonly query: string;
    readonly target: Target;
    readonly json: Readonly<Record<string, unknown>>;
    readonly text: string | undefined;
    readonly request: Pick<IncomingMessage, 'headers'>;
    /** The target server rejects requests for a stream's usage. */
    readonly refusesCounts: boolean;
  },
): UpstreamRequest {
  const { endpoint, target, json, text, request } = asked;
  const isStream = json['stream'] === true;
  // Without the usage, the cost of the answer would be unknown.
  const hidesCounts =
    endpoint.kind === 'chat' &&
    isStream &&
    json['stream_options'] === undefined &&
    !asked.refusesCounts;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': userAgent,
  };
  for (const name of CLIENT_HEADERS) {
    const value = headerOf(request, name);
    if (value !== '') headers[name] = value;
  }
  if (endpoint.dialect === 'anthropic') {
    headers['anthropic-version'] ??= '2023-06-01';
    if (target.key !== undefined) headers['x-api-key'] = target.key;
  } else if (target.key !== undefined) headers['authorization'] = `Bearer ${target.key}`;
  const body = hidesCounts
    ? JSON.stringify({ ...json, stream_options: { include_usage: true } })
    : text;
  return {
    url: `${target.url}/${endpoint.upstreamPath}${asked.query}`,
    method: endpoint.method,
    headers,
    body,
    ...(hidesCounts && text !== undefined ? { plainBody: text } : {}),
    mostUsd:
      endpoint.kind === 'plain'
        ? 0
        : mostCostUsd(
            { bytes: Buffer.byteLength(body ?? ''), json },
            pricesOf(target.settings, modelIn(json)),
          ),
    endpoint,
    isStream,
    isLocal: target.isLocal,
    hidesCounts,
    facts: {
      provider: target.name,
      model: modelIn(json),
      host: target.host,
      secrets: target.key === undefined ? [] : [target.key],
    },
  };
}

/** Matches an error about an unknown field, which does not always name it. */
const UNKNOWN_FIELD =
  /(unknown|unrecognized|unexpected|unsupported|invalid|extra)\b.{0,30}\b(argument|parameter|field|propert|keyword|option|input|key)|not permitted|additional propert|not supported|not allowed/i;

/**
 * Whether a server rejects a request because of the usage requested on the client's behalf: it
 * names the field, or its message allows no other reason. Pure.
 */
export function refusesCounts(refusal: {
  readonly status: number;
  readonly body: string;
}): boolean {
  const { status, body } = refusal;
  if (/stream_options|include_usage/i.test(body))
    return status === 400 || status === 422 || status >= 500;
  if (status !== 400 && status !== 422) return false;
  const words = body.replace(/[^a-z ]/gi, '').trim();
  return UNKNOWN_FIELD.test(body) || words === '' || /^bad request$/i.test(words);
}
