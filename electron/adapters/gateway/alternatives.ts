/** Other providers that could answer a client's request exactly as it was sent. FB-05 */
import type { IncomingMessage } from 'node:http';
import type { ProviderSettings } from '../../../shared/settings';
import type { Endpoint, GatewayDialect } from './routes';
import { findTarget, headerOf, toUpstream, type Target, type TargetDeps } from './target';
import type { Json } from '../../engine/kernel/json-object';
import type { Translated } from './translate/exact';
import type { UpstreamRequest } from './upstream';
import { entryOf } from '../../../shared/table';

/** A request in the form for another provider. */
export interface Alternative {
  readonly target: Target;
  readonly upstream: UpstreamRequest;
  /** Converts its answer to the client's dialect; absent if both use the same one. */
  readonly back?: (answer: Json) => Translated;
}

interface Alternatives {
  readonly fit: readonly Alternative[];
  readonly unfit: readonly string[];
}

export interface AlternativeDeps extends TargetDeps {
  readonly clock: { nowMs(): number };
  /** Models that may answer in place of a provider's, in order: `gateway.fallback`. */
  readonly fallbacksOf: (
    provider: string,
  ) => readonly { readonly provider: string; readonly model: string }[];
  readonly withoutCounts: ReadonlySet<string>;
}

/** The client's request, and its provider. */
interface AskedRequest {
  readonly endpoint: Endpoint;
  readonly query: string;
  readonly target: Target;
  readonly json: Json;
  readonly request: Pick<IncomingMessage, 'headers'>;
}

const CHAT: Endpoint = {
  dialect: 'openai-compatible',
  upstreamPath: 'chat/completions',
  method: 'POST',
  kind: 'chat',
};
const MESSAGES: Endpoint = {
  dialect: 'anthropic',
  upstreamPath: 'messages',
  method: 'POST',
  kind: 'messages',
};

/** Fields that refer to data that only the first provider has. */
const KEPT_THERE: ReadonlySet<string> = new Set([
  'previous_response_id',
  'conversation',
  'container',
  'file_id',
  'vector_store_ids',
]);

/** The usable alternatives, and why the others are not. Sends nothing. */
export async function alternativesOf(
  deps: AlternativeDeps,
  asked: AskedRequest,
): Promise<Alternatives> {
  const fit: Alternative[] = [];
  const unfit: string[] = [];
  // Only a model can be replaced by another one.
  const others = asked.endpoint.kind === 'plain' ? [] : deps.fallbacksOf(asked.target.name);
  for (const other of others) {
    const found = await alternativeOf(deps, asked, other);
    if (typeof found === 'string')
      unfit.push(`${other.provider} cannot answer in its place: ${found}.`);
    else fit.push(found);
  }
  return { fit, unfit };
}

async function alternativeOf(
  deps: AlternativeDeps,
  asked: AskedRequest,
  { provider, model }: { readonly provider: string; readonly model: string },
): Promise<Alternative | string> {
  const { endpoint, json } = asked;
  const all = deps.providers();
  const dialect = dialectOf(entryOf(all, provider));
  if (dialect === undefined) return 'it does not speak a dialect of the gateway';
  const target = await findTarget(deps, dialect, provider);
  if ('status' in target) return target.message.replace(/\.$/, '');
  const kept = keptThere(json);
  if (kept !== undefined) return `the request names what only ${asked.target.name} has (${kept})`;
  const send = (
    to: Pick<AskedRequest, 'endpoint' | 'query' | 'request'>,
    body: Json,
  ): UpstreamRequest =>
    toUpstream(deps.userAgent, {
      ...to,
      target,
      json: body,
      text: JSON.stringify(body),
      refusesCounts: deps.withoutCounts.has(target.url),
    });
  if (dialect === endpoint.dialect) return { target, upstream: send(asked, { ...json, model }) };
  const { there, back } = await translation(deps, asked, model);
  if (there.kind === 'inexact') return there.why;
  const to = {
    endpoint: endpoint.kind === 'chat' ? MESSAGES : CHAT,
    query: '',
    request: NO_HEADERS,
  };
  return { target, upstream: send(to, there.json), back };
}

const NO_HEADERS = { headers: {} };

interface Translation {
  readonly there: Translated;
  readonly back: (answer: Json) => Translated;
}

/**
 * The answer is requested as a whole, because nothing may reach the client before all of it is
 * translated.
 */
async function translation(
  { clock }: Pick<AlternativeDeps, 'clock'>,
  { endpoint, json, request }: AskedRequest,
  model: string,
): Promise<Translation> {
  const none = (why: string): Translation => ({
    there: { kind: 'inexact', why },
    back: () => ({ kind: 'inexact', why }),
  });
  if (endpoint.kind === 'chat') {
    const { chatToMessages, messageToChat } = await import('./translate/chat-to-messages');
    return {
      there: chatToMessages(json, model),
      back: (answer) => messageToChat(answer, Math.floor(clock.nowMs() / 1000)),
    };
  }
  if (endpoint.kind === 'responses') return none('the Responses API has no equivalent there');
  if (headerOf(request, 'anthropic-beta') !== '')
    return none('the request asks for beta features (anthropic-beta)');
  const { messagesToChat, chatToMessage } = await import('./translate/messages-to-chat');
  return { there: messagesToChat(json, model), back: chatToMessage };
}

const dialectOf = (settings: ProviderSettings | undefined): GatewayDialect | undefined =>
  settings === undefined || settings.kind === 'google' ? undefined : settings.kind;

/** Objects whose field names are chosen by users. */
const OWN_NAMES: ReadonlySet<string> = new Set(['parameters', 'input_schema', 'input', 'schema']);

/** The first field that refers to data stored at its provider, in the request's order. */
function keptThere(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const isNamed = member !== null && member !== undefined && member !== '';
    if (!Array.isArray(value) && KEPT_THERE.has(name) && isNamed) return name;
    if (name === 'type' && member === 'item_reference') return 'item_reference';
    const inside = OWN_NAMES.has(name) && !Array.isArray(member) ? undefined : keptThere(member);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
