import type { Clock } from '../../ports/clock';
import type { ProviderFailure } from '../../ports/provider';
import { classifyProviderError, type WireFacts } from '../providers/classify-provider-error';
import { failureOf, type FailureFacts, type Verdict } from '../providers/failure-words';
import { redirectTarget } from '../providers/guarded-fetch';
import { maskSecrets } from '../providers/mask-secrets';
import {
  createAnswerReader,
  isAnswer,
  reportsError,
  tokensOfDocument,
  type Tokens,
} from './answer-reader';
import { createEventReader, parseObject, type StreamEvent } from './event-stream';
import type { Endpoint } from './routes';

/** Longest silences; ms. */
export interface UpstreamTimeouts {
  /** To the first byte of a stream. */
  readonly firstByteMs: number;
  /** To the first byte of an answer that comes whole: the model has to be ready with it. */
  readonly wholeMs: number;
  /** Between two pieces. */
  readonly idleMs: number;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  firstByteMs: 60_000,
  wholeMs: 600_000,
  idleMs: 120_000,
};

/** One request as it leaves this computer. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What its answer may cost, US dollars; 0 where no model answers. */
  readonly mostUsd: number;
  readonly endpoint: Endpoint;
  readonly isStream: boolean;
  /** The counts of tokens were asked for by us: the client does not see them. */
  readonly hidesCounts: boolean;
  readonly facts: FailureFacts;
}

/** Where the answer goes, piece by piece. */
export interface AnswerSink {
  /** Status and headers of a good answer; before the first piece. */
  head(status: number, headers: Headers): void;
  /** Resolves when more may come. */
  piece(bytes: Buffer): Promise<void>;
}

/** A refusal of the provider that is the client's to read: its status, body and when to ask again. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A good answer up to its last piece, which is what makes it whole for a client. */
export interface UpstreamAnswer {
  readonly tokens: Tokens;
  readonly last: Buffer;
}

type UpstreamEnd =
  | { readonly kind: 'answer'; readonly answer: UpstreamAnswer }
  | {
      readonly kind: 'failure';
      readonly failure: ProviderFailure;
      readonly refusal: Refusal | undefined;
      /** Of an answer that broke off: what was told of its tokens; absent where none had begun. */
      readonly told?: Tokens;
      /** It was asked, and nothing was heard: whether there is an answer that costs is not known. */
      readonly isUnheard?: true;
    };

const MOST_ERROR_BYTES = 64 * 1024;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** What was told of an answer while it came. */
interface Heard {
  tokens?: Tokens;
}
const NOTHING_TOLD: Tokens = { input: undefined, output: undefined };

class Expired extends Error {
  constructor(readonly limit: 'first_byte' | 'idle') {
    super(`the provider was silent for too long (${limit})`);
  }
}
class BrokenAnswer extends Error {
  constructor(readonly verdict: Verdict) {
    super(verdict.reason);
  }
}

/** Aborts the call when its provider is silent for too long; one limit is in force at a time. */
function createPatience(abort: AbortController) {
  let timer: NodeJS.Timeout | undefined;
  return {
    until(limit: Expired['limit'], ms: number): void {
      clearTimeout(timer);
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

/** Ends before the first byte of an answer that say nothing of whether the request was taken. */
const UNHEARD: ReadonlySet<Verdict['reason']> = new Set(['lost', 'first_byte', 'aborted']);

const nothingSent = (): { -readonly [K in keyof WireFacts]: WireFacts[K] } => ({
  status: undefined,
  headers: {},
  isSent: false,
  timedOut: undefined,
  redirectedTo: undefined,
  document: undefined,
});

/** Remembers how the answer begins; a redirect is not followed and ends it. */
function noteHead(wire: ReturnType<typeof nothingSent>, response: Response, url: string): void {
  const { status, headers } = response;
  wire.status = status;
  wire.headers = Object.fromEntries(headers.entries());
  if (status < 300 || status >= 400) return;
  wire.redirectedTo = redirectTarget(headers.get('location'), url);
  throw new Error('redirect');
}

/** What the provider answered instead, without the key it was asked with. */
const refusalOf = (response: Response, text: string, secrets: readonly string[]): Refusal => ({
  status: response.status,
  headers: response.headers,
  body: maskSecrets(text, secrets, MOST_ERROR_BYTES),
});

/** The sink, and a word when the client has seen the beginning of the answer. */
const noticing = (sink: AnswerSink, onHead: () => void): AnswerSink => ({
  head: (status, headers) => {
    onHead();
    sink.head(status, headers);
  },
  piece: (bytes) => sink.piece(bytes),
});

const ask = (request: UpstreamRequest, signal: AbortSignal): Promise<Response> =>
  fetch(request.url, {
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
  /** The first that is told of a streamed answer; its client hears nothing before it resolves. */
  readonly onBegun: (told: Tokens) => Promise<void>;
}

/**
 * One request, nothing repeated inside, redirects not followed: the key would travel. Never throws.
 * A failure can be tried again only as long as the client has seen nothing of the answer.
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
  const patience = createPatience(abort);
  const wire = nothingSent();
  let refusal: Refusal | undefined;
  let isSeen = false;
  const heard: Heard = {};
  const isAsked = !abort.signal.aborted;
  try {
    patience.until(
      'first_byte',
      request.isStream ? deps.timeouts.firstByteMs : deps.timeouts.wholeMs,
    );
    wire.isSent = true;
    const response = await ask(request, abort.signal);
    const touch = (): void => {
      patience.until('idle', deps.timeouts.idleMs);
      deps.alive();
    };
    const watched = noticing(sink, () => (isSeen = true));
    const watch = { touch, heard, onBegun: deps.onBegun };
    touch();
    noteHead(wire, response, request.url);
    if (!response.ok) {
      const text = await readText(response, MOST_ERROR_BYTES, touch);
      refusal = refusalOf(response, text, request.facts.secrets);
      throw Object.assign(new Error('refused'), { responseBody: text });
    }
    const answer = isEventStream(response)
      ? await forwardStream(request, response, watched, watch)
      : await forwardDocument(request, response, watched, watch);
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

const isEventStream = (response: Response): boolean =>
  /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');

async function* pieces(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function readText(response: Response, most: number, touch: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of pieces(response)) {
    touch();
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}

interface Watch {
  readonly touch: () => void;
  readonly heard: Heard;
  readonly onBegun: (told: Tokens) => Promise<void>;
}

/** Nothing goes to the client before the first word: until then another try costs it nothing. */
async function forwardStream(
  request: UpstreamRequest,
  response: Response,
  sink: AnswerSink,
  { touch, heard, onBegun }: Watch,
): Promise<UpstreamAnswer> {
  const events = createEventReader();
  const answer = createAnswerReader(request.endpoint.kind, request);
  let isBegun = false;
  let reported: StreamEvent | undefined;
  const opening: Buffer[] = [];
  const begin = async (): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    sink.head(response.status, response.headers);
    for (const bytes of opening.splice(0)) await sink.piece(bytes);
  };
  for await (const chunk of pieces(response)) {
    touch();
    for (const event of events.add(chunk)) {
      // Whatever follows it: with a part missing it is not the answer.
      if (event.isUnreadable) throw new BrokenAnswer({ reason: 'malformed' });
      const meaning = answer.read(event);
      const tokens = answer.tokens();
      if (meaning === 'part' || (tokens.input ?? tokens.output) !== undefined) {
        const isFirst = heard.tokens === undefined;
        heard.tokens = tokens;
        if (isFirst) await onBegun(tokens);
      }
      if (meaning === 'error') reported = event;
      if (meaning === 'counts_only') continue;
      if (!isBegun && meaning === 'error') break;
      if (!isBegun && meaning === 'opening') {
        opening.push(event.raw);
        continue;
      }
      if (meaning === 'empty') throw new BrokenAnswer({ reason: 'empty' });
      await begin();
      // Nothing belongs to an answer behind its end, however long the connection stays open.
      if (meaning === 'end' && reported === undefined) return { tokens, last: event.raw };
      await sink.piece(event.raw);
    }
    if (reported !== undefined && !isBegun) break;
  }
  if (reported !== undefined) throw Object.assign(new Error('error'), { data: reported.json });
  if (!answer.hasEnded()) throw new BrokenAnswer({ reason: isBegun ? 'cut' : 'empty' });
  return { tokens: answer.tokens(), last: events.rest() };
}

async function forwardDocument(
  request: UpstreamRequest,
  response: Response,
  sink: AnswerSink,
  { touch, heard }: Watch,
): Promise<UpstreamAnswer> {
  if (request.endpoint.kind !== 'plain') heard.tokens = NOTHING_TOLD;
  const text = await readText(response, MOST_ANSWER_BYTES, touch);
  const document = parseObject(text);
  if (document === undefined) {
    const isPage = /^\s*</.test(text);
    if (!/^\s*\{/.test(text)) delete heard.tokens;
    throw new BrokenAnswer({ reason: isPage ? 'not_a_stream' : 'malformed' });
  }
  if (request.endpoint.kind !== 'plain' && reportsError(document)) {
    delete heard.tokens;
    throw Object.assign(new Error('error'), { data: document });
  }
  const tokens = request.endpoint.kind === 'plain' ? NOTHING_TOLD : tokensOfDocument(document);
  if (!isAnswer(request.endpoint.kind, document)) {
    if ((tokens.input ?? tokens.output) === undefined) delete heard.tokens;
    else heard.tokens = tokens;
    throw new BrokenAnswer({ reason: 'malformed' });
  }
  sink.head(response.status, response.headers);
  return { tokens, last: Buffer.from(text) };
}
