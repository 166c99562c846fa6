/** Which wire format a client speaks. */
import { entryOf, table } from '../../../shared/table';

export type GatewayDialect = 'openai-compatible' | 'anthropic';

/** A client's request. */
export interface Endpoint {
  readonly dialect: GatewayDialect;
  /** Path below the provider's base address. */
  readonly upstreamPath: string;
  readonly method: 'GET' | 'POST';
  /** A model answers: the answer is counted, cached, and may be a stream. */
  readonly kind: 'chat' | 'responses' | 'messages' | 'plain';
}

type Route =
  | {
      readonly kind: 'route';
      readonly endpoint: Endpoint;
      /** From the path; absent: the first provider of the dialect. */
      readonly provider: string | undefined;
      /** From the path; absent: in a header. */
      readonly token: string | undefined;
    }
  | { readonly kind: 'none'; readonly status: 404 | 405; readonly message: string };

const ENDPOINTS = table<Endpoint>({
  'chat/completions': {
    dialect: 'openai-compatible',
    upstreamPath: 'chat/completions',
    method: 'POST',
    kind: 'chat',
  },
  responses: {
    dialect: 'openai-compatible',
    upstreamPath: 'responses',
    method: 'POST',
    kind: 'responses',
  },
  messages: { dialect: 'anthropic', upstreamPath: 'messages', method: 'POST', kind: 'messages' },
  'messages/count_tokens': {
    dialect: 'anthropic',
    upstreamPath: 'messages/count_tokens',
    method: 'POST',
    kind: 'plain',
  },
});

const PREFIX = /^(?:\/t\/([A-Za-z0-9_-]{1,200}))?(?:\/p\/([A-Za-z0-9._-]{1,64}))?(?:\/v1)?\/(.+)$/;
/** A background response: its status, input and cancellation. */
const RESPONSE = /^responses\/[A-Za-z0-9_-]{1,200}(\/(cancel|input_items))?$/;
/** One model by its name, which may contain a slash. */
const MODELS = /^models(\/[A-Za-z0-9._:-]+){0,2}$/;

/**
 * `[/t/TOKEN][/p/PROVIDER]/v1/…`: token and provider may be in the path, because often only an
 * agent's base address can be configured. `isAnthropic` decides if both dialects have the path.
 * Pure.
 */
export function readRoute(method: string, path: string, isAnthropic: boolean): Route {
  const [, token, provider, rest = ''] = PREFIX.exec(path) ?? [];
  const endpoint = entryOf(ENDPOINTS, rest) ?? plainEndpoint(rest, isAnthropic);
  if (endpoint === undefined) {
    return {
      kind: 'none',
      status: 404,
      message:
        'The gateway has /v1/chat/completions, /v1/responses and /v1/responses/ID, /v1/models, /v1/messages and /v1/messages/count_tokens.',
    };
  }
  if (endpoint.method !== method)
    return { kind: 'none', status: 405, message: `Use ${endpoint.method}.` };
  return { kind: 'route', endpoint, provider, token };
}

/** Endpoints without a model request; undefined for others. */
function plainEndpoint(rest: string, isAnthropic: boolean): Endpoint | undefined {
  if (RESPONSE.test(rest)) {
    const method = rest.endsWith('/cancel') ? 'POST' : 'GET';
    return { dialect: 'openai-compatible', upstreamPath: rest, method, kind: 'plain' };
  }
  if (!MODELS.test(rest) || rest.includes('..')) return undefined;
  const dialect = isAnthropic ? 'anthropic' : 'openai-compatible';
  return { dialect, upstreamPath: rest, method: 'GET', kind: 'plain' };
}
