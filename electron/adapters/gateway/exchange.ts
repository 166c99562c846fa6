import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderSettings } from '../../../shared/settings';
import { toHoldfastError } from '../../engine/kernel/errors';
import type { Clock } from '../../ports/clock';
import type { GatewayDesk } from '../../ports/gateway';
import type { Log } from '../../ports/log';
import { decideBaseUrl } from '../providers/base-url';
import { costOf } from '../providers/price';
import type { Tokens } from './answer-reader';
import { readBody } from './client-body';
import { createClientAnswer, type ClientAnswer } from './client-answer';
import { memoKey, type createMemo } from './memo';
import type { Endpoint, GatewayDialect } from './routes';
import {
  sendUpstream,
  type Refusal,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from './upstream';
import type { WireError } from './wire-errors';

export interface ExchangeDeps {
  readonly clock: Clock;
  readonly desk: GatewayDesk;
  readonly log: Log;
  readonly memo: ReturnType<typeof createMemo>;
  readonly providers: () => Readonly<Record<string, ProviderSettings>>;
  readonly keyOf: (
    name: string,
    settings: ProviderSettings,
  ) => Promise<{ readonly key: string } | undefined>;
  readonly timeouts: UpstreamTimeouts;
  readonly userAgent: string;
  readonly commentMs?: number;
}

type Body = Readonly<Record<string, unknown>>;
interface Target {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly url: string;
  readonly host: string;
  readonly key: string | undefined;
}

const wrong = (status: number, code: string, message: string): WireError => ({
  status,
  code,
  message,
});

/** One request of a client, from its body to the end of its answer. Never rejects. */
export async function answerClient(
  deps: ExchangeDeps,
  asked: {
    readonly endpoint: Endpoint;
    readonly provider: string | undefined;
    readonly query: string;
  },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { endpoint } = asked;
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(new Error('the client has left'));
  });
  const body = endpoint.method === 'GET' ? undefined : await readBody(request);
  if (body?.kind === 'gone') return;
  const json = body?.kind === 'body' ? body.json : {};
  const client = createClientAnswer(response, {
    isStream: json['stream'] === true,
    dialect: endpoint.dialect,
    ...(deps.commentMs === undefined ? {} : { commentMs: deps.commentMs }),
  });
  if (body?.kind === 'refused') {
    client.fail(body.error);
    return;
  }
  const target = await findTarget(deps, endpoint.dialect, asked.provider);
  if ('status' in target) {
    client.fail(target);
    return;
  }
  const beta = header(request, 'anthropic-beta');
  const key =
    endpoint.kind === 'plain'
      ? undefined
      : memoKey(
          { provider: target.name, path: `${endpoint.upstreamPath}${asked.query}`, beta },
          json,
        );
  if (key !== undefined && (await replay(deps, target, client, key))) return;
  const spent = endpoint.kind === 'plain' ? undefined : deps.desk.overBudget(target.name);
  if (spent !== undefined) {
    client.fail(wrong(402, 'budget_used_up', spent));
    return;
  }
  const upstream = toUpstream(deps, { ...asked, target, json, text: body?.text, request });
  await forward(deps, { upstream, target, client, signal: gone.signal, key });
}

/** The provider a request is for: by name, or the first of its dialect. */
async function findTarget(
  deps: ExchangeDeps,
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
    return wrong(404, 'provider_unknown', `There is ${what} in the settings.`);
  }
  try {
    const { url, host, isLoopback } = decideBaseUrl(name, settings);
    const key = (await deps.keyOf(name, settings))?.key;
    if (key === undefined && !isLoopback)
      return wrong(503, 'provider_key_missing', `Provider ${name} has no key. Set it in Settings.`);
    return { name, settings, url, host, key };
  } catch (error) {
    const known = toHoldfastError(error);
    return wrong(503, known.code.toLowerCase(), `${known.message} ${known.hint ?? ''}`.trim());
  }
}

/** An agent that died asks the same again: it is told what it was told. */
async function replay(
  deps: ExchangeDeps,
  target: Target,
  client: ClientAnswer,
  key: string,
): Promise<boolean> {
  const recording = deps.memo.recall(key);
  if (recording === undefined) return false;
  client.head(200, new Headers({ 'content-type': recording.contentType }));
  for (const piece of recording.pieces) await client.piece(piece);
  client.end();
  deps.log.info('gateway.remembered', { provider: target.name });
  await deps.desk.count({
    provider: target.name,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    isRemembered: true,
  });
  return true;
}

const header = (request: IncomingMessage, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

/** Headers of a client that mean something to the provider; its key is ours, and not among them. */
const CLIENT_HEADERS = ['accept', 'anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

function toUpstream(
  deps: ExchangeDeps,
  asked: {
    readonly endpoint: Endpoint;
    readonly query: string;
    readonly target: Target;
    readonly json: Body;
    readonly text: string | undefined;
    readonly request: IncomingMessage;
  },
): UpstreamRequest {
  const { endpoint, target, json, text, request } = asked;
  const isStream = json['stream'] === true;
  // Without them nobody could say what the answer cost.
  const hidesCounts = endpoint.kind === 'chat' && isStream && json['stream_options'] === undefined;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': deps.userAgent,
  };
  for (const name of CLIENT_HEADERS) {
    const value = header(request, name);
    if (value !== '') headers[name] = value;
  }
  if (endpoint.dialect === 'anthropic') {
    headers['anthropic-version'] ??= '2023-06-01';
    if (target.key !== undefined) headers['x-api-key'] = target.key;
  } else if (target.key !== undefined) headers['authorization'] = `Bearer ${target.key}`;
  return {
    url: `${target.url}/${endpoint.upstreamPath}${asked.query}`,
    method: endpoint.method,
    headers,
    body: hidesCounts ? JSON.stringify({ ...json, stream_options: { include_usage: true } }) : text,
    endpoint,
    isStream,
    hidesCounts,
    facts: {
      provider: target.name,
      model: typeof json['model'] === 'string' ? json['model'].slice(0, 100) : '',
      host: target.host,
      secrets: target.key === undefined ? [] : [target.key],
    },
  };
}

async function forward(
  deps: ExchangeDeps,
  job: {
    readonly upstream: UpstreamRequest;
    readonly target: Target;
    readonly client: ClientAnswer;
    readonly signal: AbortSignal;
    readonly key: string | undefined;
  },
): Promise<void> {
  const { upstream, target, client, signal, key } = job;
  const startedMs = deps.clock.monotonicMs();
  let refusal: Refusal | undefined;
  let contentType = 'application/json';
  const end = await deps.desk.serve<Tokens>({
    provider: target.name,
    signal,
    onWait: () => {
      client.waits();
    },
    send: async (alive) => {
      const sink = {
        head: (status: number, headers: Headers) => {
          contentType = headers.get('content-type') ?? contentType;
          client.head(status, headers);
        },
        piece: (bytes: Buffer) => client.piece(bytes),
      };
      const outcome = await sendUpstream(upstream, sink, { ...deps, signal, alive });
      if (outcome.kind === 'failure') ({ refusal } = outcome);
      return outcome;
    },
  });
  const facts = {
    provider: target.name,
    model: upstream.facts.model,
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
  };
  if (end.kind === 'answer') {
    client.end();
    deps.log.info('gateway.answer', {
      ...facts,
      input: end.answer.input,
      output: end.answer.output,
    });
    if (key === undefined) return;
    const pieces = client.recorded();
    if (pieces !== undefined && !signal.aborted)
      deps.memo.keep(key, { contentType, pieces, tokens: end.answer });
    await count(deps, target, end.answer);
    return;
  }
  deps.log.warn('gateway.no_answer', {
    ...facts,
    kind: end.kind === 'failure' ? end.failure.kind : end.kind,
  });
  if (signal.aborted) return;
  if (client.hasBegun()) {
    client.cut();
    return;
  }
  const error =
    end.kind === 'gave_up'
      ? wrong(503, 'provider_down', end.reason)
      : wrong(refusal?.status ?? 502, end.failure.kind, end.failure.message);
  if (end.kind === 'failure' && refusal !== undefined)
    client.refuse(refusal.status, refusal.contentType, refusal.body, error);
  else client.fail(error);
}

async function count(deps: ExchangeDeps, target: Target, tokens: Tokens): Promise<void> {
  await deps.desk.count({
    provider: target.name,
    inputTokens: tokens.input ?? 0,
    outputTokens: tokens.output ?? 0,
    ...costOf(tokens, target.settings),
    isRemembered: false,
  });
}
