import { withoutNames } from './answered-by';
import type { Clock } from '../../ports/clock';
import type { ProviderFailure } from '../../ports/provider';
import { classifyProviderError, type WireFacts } from '../providers/classify-provider-error';
import { failureOf, type FailureFacts, type FailureVerdict } from '../providers/failure-words';
import { ALIVE_MS, redirectTarget, timeoutsOf } from '../providers/guarded-fetch';
import { patientFetch } from '../providers/patient-fetch';
import { maskSecrets } from '../providers/mask-secrets';
import type { Tokens } from '../providers/reported-tokens';
import {
  BrokenAnswer,
  forwardAnswer,
  readText,
  type AnswerSink,
  type Heard,
  type UpstreamAnswer,
} from './forward';
import type { Endpoint } from './routes';

export type { AnswerSink, UpstreamAnswer } from './forward';

/** Maximum silences, in ms. */
export interface UpstreamTimeouts {
  /** Until the first byte of a stream. Infinity: no limit while the connection lives. */
  readonly firstByteMs: number;
  /** Until the first byte of a whole answer, which the model must finish first. */
  readonly wholeMs: number;
  /** Between two chunks. */
  readonly idleMs: number;
}

const REMOTE: UpstreamTimeouts = { ...timeoutsOf(false), wholeMs: 600_000 };
const LOCAL: UpstreamTimeouts = { ...timeoutsOf(true), wholeMs: Infinity };

/** How long a server may be silent; one on this computer, as long as it is connected. Pure. */
export const upstreamTimeouts = (isLocal: boolean): UpstreamTimeouts => (isLocal ? LOCAL : REMOTE);

/** One request as sent. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The body without our request for usage; absent if we did not add one. */
  readonly plainBody?: string;
  /** Maximum cost of its answer in US dollars; 0 if no model answers. */
  readonly mostUsd: number;
  readonly endpoint: Endpoint;
  readonly isStream: boolean;
  /** Its server is on this computer. */
  readonly isLocal: boolean;
  /** We requested the usage, so it is hidden from the client. */
  readonly hidesCounts: boolean;
  readonly facts: FailureFacts;
}

/** A provider's rejection for the client: status, body and when to retry. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

type UpstreamEnd =
  | { readonly kind: 'answer'; readonly answer: UpstreamAnswer }
  | {
      readonly kind: 'failure';
      readonly failure: ProviderFailure;
      readonly refusal: Refusal | undefined;
      /** Reported tokens of an interrupted answer; absent if none had started. */
      readonly told?: Tokens;
      /**
       * The request was sent and nothing arrived: whether there is an answer to pay for is unknown.
       */
      readonly isUnheard?: true;
    };

const MAX_ERROR_BYTES = 64 * 1024;

class Expired extends Error {
  constructor(readonly limit: 'first_byte' | 'idle') {
    super(`the provider was silent for too long (${limit})`);
  }
}
/** Aborts the call when its provider is silent for too long; one limit applies at a time. */
function createPatience(abort: AbortController, alive: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    until(limit: Expired['limit'], ms: number): void {
      clearTimeout(timer);
      if (ms === Infinity) {
        timer = setInterval(alive, ALIVE_MS);
        timer.unref();
        return;
      }
      timer = setTimeout(() => {
        abort.abort(new Expired(limit));
      }, ms);
      timer.unref();
    },
    end(): void {
      clearTimeout(timer);
    },
  };
}

/** Failures before the first byte that leave open whether the request was accepted. */
const UNHEARD: ReadonlySet<FailureVerdict['reason']> = new Set(['lost', 'first_byte', 'aborted']);

const nothingSent = (): { -readonly [K in keyof WireFacts]: WireFacts[K] } => ({
  status: undefined,
  headers: {},
  isSent: false,
  timedOut: undefined,
  redirectedTo: undefined,
  document: undefined,
});

/** Records the head of the answer; a redirect is not followed and ends it. */
function noteHead(wire: ReturnType<typeof nothingSent>, response: Response, url: string): void {
  const { status, headers } = response;
  wire.status = status;
  wire.headers = Object.fromEntries(headers.entries());
  if (status < 300 || status >= 400) return;
  wire.redirectedTo = redirectTarget(headers.get('location'), url);
  throw new Error('redirect');
}

/** The provider's error answer, without the key that was sent. */
const refusalOf = (response: Response, text: string, secrets: readonly string[]): Refusal => ({
  status: response.status,
  headers: withoutNames(response.headers),
  body: maskSecrets(text, secrets, MAX_ERROR_BYTES),
});

/**
 * The sink with callbacks when the client has received the head, and before and after waiting for
 * it to accept a piece: that silence is not the provider's.
 */
const noticing = (
  sink: AnswerSink,
  on: { readonly head: () => void; readonly wait: () => void; readonly taken: () => void },
): AnswerSink => ({
  head: (status, headers) => {
    on.head();
    sink.head(status, headers);
  },
  async piece(bytes) {
    on.wait();
    await sink.piece(bytes);
    on.taken();
  },
});

const ask = (request: UpstreamRequest, signal: AbortSignal): Promise<Response> =>
  (request.isLocal || !request.isStream ? patientFetch : fetch)(request.url, {
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    redirect: 'manual',
    signal,
  });

interface UpstreamDeps {
  readonly clock: Clock;
  readonly timeouts: UpstreamTimeouts;
  readonly signal: AbortSignal;
  readonly alive: () => void;
  /**
   * Called with the first report of a streamed answer; nothing is sent to its client before it
   * resolves.
   */
  readonly onBegun: (told: Tokens) => Promise<void>;
}

/**
 * One request without retries or redirects, which would forward the key. Never throws. A failure
 * can be retried only while the client has seen nothing of the answer.
 */
export async function sendUpstream(
  request: UpstreamRequest,
  sink: AnswerSink,
  deps: UpstreamDeps,
): Promise<UpstreamEnd> {
  const abort = new AbortController();
  const onAbort = (): void => {
    abort.abort(deps.signal.reason);
  };
  deps.signal.addEventListener('abort', onAbort, { once: true });
  if (deps.signal.aborted) onAbort();
  const patience = createPatience(abort, deps.alive);
  const wire = nothingSent();
  let refusal: Refusal | undefined;
  let isSeen = false;
  const heard: Heard = {};
  const isAsked = !abort.signal.aborted;
  try {
    const firstMs = request.isStream ? deps.timeouts.firstByteMs : deps.timeouts.wholeMs;
    patience.until('first_byte', firstMs);
    wire.isSent = true;
    const response = await ask(request, abort.signal);
    const touch = (): void => {
      patience.until('idle', deps.timeouts.idleMs);
      deps.alive();
    };
    const watched = noticing(sink, {
      head: () => (isSeen = true),
      wait: () => patience.end(),
      taken: () => patience.until('idle', deps.timeouts.idleMs),
    });
    const watch = { touch, heard, onBegun: deps.onBegun };
    // Some servers send their headers at once and load the model afterward.
    if (firstMs !== Infinity) touch();
    noteHead(wire, response, request.url);
    if (!response.ok) {
      const text = await readText(response, MAX_ERROR_BYTES, touch);
      refusal = refusalOf(response, text, request.facts.secrets);
      throw Object.assign(new Error('refused'), { responseBody: text });
    }
    const answer = await forwardAnswer(request, response, watched, watch);
    return { kind: 'answer', answer };
  } catch (error) {
    if (abort.signal.reason instanceof Expired) wire.timedOut = abort.signal.reason.limit;
    const isAborted = deps.signal.aborted;
    const verdict =
      error instanceof BrokenAnswer && !isAborted
        ? error.verdict
        : classifyProviderError(error, { wire, isAborted, nowMs: deps.clock.nowMs() });
    const failure = failureOf(verdict, request.facts);
    return {
      kind: 'failure',
      failure: isSeen ? { ...failure, isRetryable: false } : failure,
      refusal,
      ...(heard.tokens === undefined ? {} : { told: heard.tokens }),
      ...(isAsked && wire.status === undefined && UNHEARD.has(verdict.reason)
        ? { isUnheard: true }
        : {}),
    };
  } finally {
    patience.end();
    deps.signal.removeEventListener('abort', onAbort);
    abort.abort(new Error('the call has ended'));
  }
}
