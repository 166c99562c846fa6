/** One request to a provider, with its usage counted and its answer passed to the client. */
import type { Clock } from '../../ports/clock';
import type { RequestQueue } from '../../ports/gateway';
import type { ProviderFailure } from '../../ports/provider';
import type { Alternative } from './alternatives';
import { ANSWERED_BY, ANSWERED_MODEL, INSTEAD_OF, withoutNames } from './answered-by';
import type { Background } from './background';
import { createCounting, type Counting, type Payer } from './counting';
import type { Endpoint } from './routes';
import type { SharedResponse } from './shared-response';
import { refusesCounts } from './target';
import {
  sendUpstream,
  upstreamTimeouts,
  type AnswerSink,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from './upstream';
import { streamOf } from './whole-to-stream';

interface SendDeps {
  readonly clock: Clock;
  readonly queue: RequestQueue;
  /** Overrides the default timeouts of the server's location. */
  readonly timeouts?: UpstreamTimeouts;
  /** Addresses of servers that reject requests for a stream's usage. */
  readonly withoutCounts: Set<string>;
  readonly background: Background;
}

/** A request as one provider gets it. */
export interface Call extends Payer {
  readonly upstream: UpstreamRequest;
  /** The client's request. */
  readonly asked: {
    readonly kind: Endpoint['kind'];
    readonly json: Readonly<Record<string, unknown>>;
  };
  /** Present if the provider uses another dialect than the client. */
  readonly back?: NonNullable<Alternative['back']>;
}

/** True if a model answers. */
export const isPaid = ({ upstream }: Call): boolean => upstream.endpoint.kind !== 'plain';

/** Nothing of an answer in another dialect reaches the client unchanged. */
const UNSEEN: AnswerSink = { head: () => undefined, piece: () => Promise.resolve() };

/** Names the answering provider in the head of the answer. */
function named(sink: AnswerSink, { target, upstream, insteadOf }: Call): AnswerSink {
  return {
    head(status, headers) {
      const all = withoutNames(headers);
      all.set(ANSWERED_BY, target.name);
      if (insteadOf !== undefined) {
        all.set(ANSWERED_MODEL, upstream.facts.model.replace(/[^\x20-\x7e]/g, '?'));
        all.set(INSTEAD_OF, insteadOf);
      }
      sink.head(status, all);
    },
    piece: (bytes) => sink.piece(bytes),
  };
}

/**
 * One request; counted while its money is still reserved, because waiting requests check the total.
 */
export async function sendCounted(
  deps: SendDeps,
  job: Call,
  sharedResponse: SharedResponse,
  alive: () => void,
): ReturnType<typeof sendUpstream> {
  const counting = isPaid(job) ? createCounting(deps.queue, job) : undefined;
  if (!job.upstream.isStream) await counting?.ask();
  const sink = named(sharedResponse, job);
  const send = (upstream: UpstreamRequest): ReturnType<typeof sendUpstream> =>
    sendUpstream(upstream, job.back === undefined ? sink : UNSEEN, {
      ...deps,
      timeouts: deps.timeouts ?? upstreamTimeouts(upstream.isLocal),
      signal: sharedResponse.signal,
      alive,
      onBegun: async (told) => counting?.begin(told),
    });
  let outcome = await send(job.upstream);
  const { plainBody, ...plain } = job.upstream;
  if (plainBody !== undefined && outcome.kind === 'failure' && outcome.refusal !== undefined) {
    // The client did not request the usage, so an error caused by it must not reach the client.
    if (refusesCounts(outcome.refusal)) {
      outcome = await send({ ...plain, body: plainBody });
      if (outcome.kind === 'answer') deps.withoutCounts.add(job.target.url);
    }
  }
  await count(deps, job, counting, outcome);
  return job.back === undefined ? outcome : translated(job, job.back, outcome, sink);
}

async function count(
  { background }: SendDeps,
  { target }: Call,
  counting: Counting | undefined,
  outcome: Awaited<ReturnType<typeof sendUpstream>>,
): Promise<void> {
  if (outcome.kind === 'answer') {
    const { tokens, document } = outcome.answer;
    if (counting === undefined) await background.heard(target.name, document);
    else if (!(await background.follow(target.name, document, counting)))
      await counting.whole(tokens);
  } else if (outcome.told !== undefined) await counting?.cut(outcome.told);
  else await counting?.none(outcome.isUnheard === true);
}

/**
 * The answer in the client's dialect and form. One without an exact equivalent is billed but cannot
 * be sent: half an answer would be taken for a complete one.
 */
function translated(
  { asked, target }: Call,
  back: NonNullable<Call['back']>,
  outcome: Awaited<ReturnType<typeof sendUpstream>>,
  sink: AnswerSink,
): Awaited<ReturnType<typeof sendUpstream>> {
  if (outcome.kind !== 'answer') return outcome;
  const found = back(outcome.answer.document ?? {});
  if (found.kind === 'inexact') {
    const message = `The answer of ${target.name} cannot be translated: ${found.why}.`;
    return { kind: 'failure', failure: notSent(message), refusal: undefined };
  }
  const isStream = asked.json['stream'] === true;
  const options = asked.json['stream_options'] as { readonly include_usage?: unknown } | undefined;
  const events = isStream
    ? streamOf(asked.kind, found.json, { hidesCounts: options?.include_usage !== true })
    : undefined;
  const type = events === undefined ? 'application/json' : 'text/event-stream; charset=utf-8';
  sink.head(200, new Headers({ 'content-type': type }));
  return {
    kind: 'answer',
    answer: { ...outcome.answer, last: Buffer.from(events ?? JSON.stringify(found.json)) },
  };
}

/** Our own error, not a message from its provider. */
export const notSent = (message: string): ProviderFailure => ({
  kind: 'aborted',
  message,
  hint: '',
  isRetryable: false,
});
