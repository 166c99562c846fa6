import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock';
import type { RequestQueue, GatewayEnd } from '../../ports/gateway';
import type { Log } from '../../ports/log';
import { createSharedResponse, type SharedResponse } from './shared-response';
import type { Background } from './background';
import { readBody } from './client-body';
import { createClientAnswer } from './client-answer';
import { countUnpaid, type Payer } from './counting';
import { alternativesOf, type AlternativeDeps } from './alternatives';
import { ANSWERED_BY } from './answered-by';
import { isPaid, notSent, sendCounted, type Call } from './counted-send';
import type { ResponseCache } from './response-cache';
import { cacheKey, whoseAnswer } from './cache-rules';
import type { Endpoint } from './routes';
import { findTarget, headerOf, toUpstream, type Target } from './target';
import type { Refusal, UpstreamAnswer, UpstreamTimeouts } from './upstream';
import { wireError, type WireError } from './wire-errors';

export interface ExchangeDeps extends AlternativeDeps {
  readonly clock: Clock;
  readonly queue: RequestQueue;
  readonly log: Log;
  readonly cache: ResponseCache;
  /**
   * Running turns that a request of this client may belong to; empty for a client outside of turns.
   */
  readonly turnsOf: (client: string) => readonly number[];
  /** Running calls, by the key of their request: identical requests join them. */
  readonly calls: Map<string, SharedCall>;
  /** Overrides the default timeouts of the server's location. */
  readonly timeouts?: UpstreamTimeouts;
  /** Addresses of servers that reject requests for a stream's usage. */
  readonly withoutCounts: Set<string>;
  readonly background: Background;
  readonly commentMs?: number;
}

/** One call and all clients that wait for its answer. */
interface SharedCall {
  readonly sharedResponse: SharedResponse;
  /** Resolves with true if there was an answer. */
  readonly ended: Promise<boolean>;
}

interface ClientCall extends Call {
  /** The cache key of the request; absent if its answer must not be shared. */
  readonly key: string | undefined;
  /** Other providers that could answer it. FB-05 */
  readonly alternatives: () => ReturnType<typeof alternativesOf>;
}

/** One request of a client, from its body to the end of its answer. Never rejects. */
export async function answerClient(
  deps: ExchangeDeps,
  asked: {
    /** The client whose token it was. */
    readonly client: string;
    /** Aborted with a {@link WireError} if Holdfast ends it. */
    readonly until: AbortSignal;
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
  if (endpoint.method === 'GET') request.resume(); // A body is ignored here.
  const body =
    endpoint.method === 'GET'
      ? undefined
      : await readBody(request, { mayBeEmpty: endpoint.kind === 'plain' });
  if (body?.kind === 'gone') return;
  const json = body?.kind === 'body' ? body.json : {};
  const client = createClientAnswer(response, {
    isStream: json['stream'] === true,
    dialect: endpoint.dialect,
    ...(deps.commentMs === undefined ? {} : { commentMs: deps.commentMs }),
  });
  const { until } = asked;
  until.addEventListener('abort', () => client.cut(until.reason as WireError), { once: true });
  if (body?.kind === 'refused') {
    client.fail(body.error);
    return;
  }
  const target = await findTarget(deps, endpoint.dialect, asked.provider);
  if ('status' in target) {
    client.fail(target);
    return;
  }
  const key = keyOf(deps, { ...asked, target, json, request });
  const call = key === undefined ? undefined : deps.calls.get(key);
  if (call?.sharedResponse.join(client, gone.signal) === true) {
    deps.log.info('gateway.shared', { provider: target.name, client: asked.client });
    if (await call.ended) await countUnpaid(deps.queue, { client: asked.client, target });
    return;
  }
  const sharedResponse = createSharedResponse();
  if (!sharedResponse.join(client, gone.signal)) return;
  const job = jobOf(deps, { ...asked, target, json, request, text: body?.text }, key);
  await lead(deps, job, sharedResponse);
}

/** The job for the requested provider, with its alternatives. */
function jobOf(
  deps: ExchangeDeps,
  asked: Parameters<typeof alternativesOf>[1] & {
    readonly client: string;
    readonly text: string | undefined;
  },
  key: string | undefined,
): ClientCall {
  const { client, endpoint, target, json } = asked;
  return {
    client,
    target,
    key,
    upstream: toUpstream(deps.userAgent, {
      ...asked,
      refusesCounts: deps.withoutCounts.has(target.url),
    }),
    asked: { kind: endpoint.kind, json },
    alternatives: () => alternativesOf(deps, asked),
  };
}

/** Headers in which clients send an ID that stays the same when they repeat a request. */
const RETRY_IDS = ['idempotency-key', 'x-idempotency-key'] as const;

/**
 * The key under which an answer may be shared and cached; undefined if it is only for this request.
 */
function keyOf(
  deps: Pick<ExchangeDeps, 'cache' | 'turnsOf'>,
  asked: {
    readonly client: string;
    readonly endpoint: Endpoint;
    readonly query: string;
    readonly target: Target;
    readonly json: Readonly<Record<string, unknown>>;
    readonly request: IncomingMessage;
  },
): string | undefined {
  const { client, endpoint, query, target, json, request } = asked;
  if (endpoint.kind === 'plain' || !deps.cache.isOn()) return undefined;
  const retryId = RETRY_IDS.map((name) => headerOf(request, name)).find((id) => id !== '') ?? '';
  const whose = whoseAnswer({ client, retryId, turns: deps.turnsOf(client) }, json);
  if (whose === undefined) return undefined;
  const path = `${endpoint.upstreamPath}${query}`;
  const beta = headerOf(request, 'anthropic-beta');
  return cacheKey({ provider: target.name, path, beta, ...whose }, json);
}

/** Runs the first client's call; others join it until it ends. */
async function lead(
  deps: ExchangeDeps,
  job: ClientCall,
  sharedResponse: SharedResponse,
): Promise<void> {
  const { key } = job;
  if (key === undefined) {
    await forward(deps, job, sharedResponse);
    return;
  }
  const ended = (async () =>
    (await replay(deps, job, sharedResponse, key)) || (await forward(deps, job, sharedResponse)))();
  const call = { sharedResponse, ended };
  deps.calls.set(key, call);
  try {
    await ended;
  } finally {
    if (deps.calls.get(key) === call) deps.calls.delete(key);
  }
}

/** A restarted agent that repeats a request gets the same answer. */
async function replay(
  deps: ExchangeDeps,
  job: Pick<Payer, 'client' | 'target'>,
  sharedResponse: SharedResponse,
  key: string,
): Promise<boolean> {
  const recording = await deps.cache.recall(key);
  if (recording === undefined) return false;
  const by = recording.by ?? { [ANSWERED_BY]: job.target.name };
  sharedResponse.head(200, new Headers({ ...by, 'content-type': recording.contentType }));
  for (const piece of recording.pieces) await sharedResponse.piece(piece);
  sharedResponse.end();
  deps.log.info('gateway.remembered', { provider: job.target.name, client: job.client });
  await countUnpaid(deps.queue, job);
  return true;
}

async function forward(
  deps: ExchangeDeps,
  job: ClientCall,
  sharedResponse: SharedResponse,
): Promise<boolean> {
  const { upstream, target, key } = job;
  const startedMs = deps.clock.monotonicMs();
  let refusal: Refusal | undefined;
  let answeredBy = target.name;
  const overBudget = (call: Call): string | undefined =>
    isPaid(call) ? deps.queue.overBudget(call.target.name) : undefined;
  let spent = overBudget(job);
  if (spent !== undefined) {
    sharedResponse.fail(wireError(402, 'budget_used_up', spent));
    return false;
  }
  const { signal } = sharedResponse;
  const end = await deps.queue.serve<UpstreamAnswer>({
    provider: target.name,
    mostUsd: upstream.mostUsd,
    signal,
    onWait: () => {
      sharedResponse.waits();
    },
    send: async (alive) => {
      // Others may have used up the budget while this one waited.
      spent = overBudget(job);
      if (spent !== undefined) return { kind: 'failure', failure: notSent(spent) };
      const outcome = await sendCounted(deps, job, sharedResponse, alive);
      if (outcome.kind === 'failure') ({ refusal } = outcome);
      return outcome;
    },
    hasBegun: () => sharedResponse.hasBegun(),
    alternatives: async () => {
      const { fit, unfit } = await job.alternatives();
      return {
        unfit,
        fit: fit.map((other) => ({
          provider: other.target.name,
          mostUsd: other.upstream.mostUsd,
          send: async (alive) => {
            const call: Call = { ...job, ...other, insteadOf: target.name };
            const over = overBudget(call);
            if (over !== undefined) return { kind: 'failure', failure: notSent(over) };
            answeredBy = other.target.name;
            return sendCounted(deps, call, sharedResponse, alive);
          },
        })),
      };
    },
  });
  const facts = {
    provider: end.kind === 'answer' ? answeredBy : target.name,
    ...(end.kind === 'answer' && answeredBy !== target.name ? { insteadOf: target.name } : {}),
    client: job.client,
    model: upstream.facts.model,
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
  };
  if (end.kind !== 'answer') {
    deps.log.warn('gateway.no_answer', {
      ...facts,
      kind: end.kind === 'failure' ? end.failure.kind : end.kind,
    });
    if (signal.aborted) return false;
    if (spent !== undefined) sharedResponse.fail(wireError(402, 'budget_used_up', spent));
    else refuse(deps, { sharedResponse, end, refusal });
    return false;
  }
  const { tokens, last } = end.answer;
  // Counted and on disk before the client has all of it: a cached answer is repeated for free, so
  // one that was cached but not counted would never be billed.
  if (key !== undefined) await keep(deps, sharedResponse, key, last);
  if (last.length > 0) await sharedResponse.piece(last);
  sharedResponse.end();
  deps.log.info('gateway.answer', { ...facts, input: tokens.input, output: tokens.output });
  return true;
}

/** A disk error costs the cached copy, not the answer. */
async function keep(
  deps: ExchangeDeps,
  sharedResponse: SharedResponse,
  key: string,
  last: Buffer,
): Promise<void> {
  const recording = sharedResponse.recorded();
  if (recording === undefined) return;
  const whole = { ...recording, pieces: [...recording.pieces, last] };
  await deps.cache.keep(key, whole).catch((error: unknown) => {
    deps.log.warn('gateway.not_kept', { error });
  });
}

/** Sends an error in place of an answer, if the client can still receive one. */
function refuse(
  { clock }: Pick<ExchangeDeps, 'clock'>,
  told: {
    readonly sharedResponse: SharedResponse;
    readonly end: Exclude<GatewayEnd<UpstreamAnswer>, { readonly kind: 'answer' }>;
    readonly refusal: Refusal | undefined;
  },
): void {
  const { sharedResponse, end, refusal } = told;
  const error =
    end.kind === 'gave_up'
      ? { ...wireError(503, 'provider_down', end.reason), ...again(end.untilMs, clock.nowMs()) }
      : wireError(refusal?.status ?? 502, end.failure.kind, end.failure.message);
  if (sharedResponse.hasBegun()) sharedResponse.cut(error);
  else if (end.kind === 'failure' && refusal !== undefined) sharedResponse.refuse(refusal, error);
  else sharedResponse.fail(error);
}

const again = (untilMs: number | undefined, nowMs: number): Pick<WireError, 'retryAfterS'> =>
  untilMs === undefined ? {} : { retryAfterS: Math.max(0, Math.ceil((untilMs - nowMs) / 1000)) };
