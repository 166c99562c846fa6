/**
 * Passes a provider's successful answer to the client, in the form that the client requested. A
 * complete answer was billed and goes to the client, whatever it contains; only something that is
 * not an answer may be requested again.
 */
import { gunzipSync } from 'node:zlib';
import { createJsonMeter } from '../../engine/kernel/json-meter';
import { oneTurn } from '../../read-in-slices';
import type { FailureVerdict } from '../providers/failure-words';
import { objectIn, type Tokens } from '../providers/reported-tokens';
import {
  createAnswerReader,
  isAnswer,
  reportsError,
  saysSomething,
  tokensOfDocument,
} from './answer-reader';
import {
  createEventReader,
  firstObject,
  LARGEST_EVENT_BYTES,
  type EventReader,
  type StreamEvent,
} from './event-stream';
import type { Endpoint } from './routes';
import { createAssembler } from './stream-to-whole';
import { streamOf } from './whole-to-stream';

/** Receives the answer, piece by piece. */
export interface AnswerSink {
  /** Status and headers of a successful answer; before the first piece. */
  head(status: number, headers: Headers): void;
  /** Resolves when more may be sent. */
  piece(bytes: Buffer): Promise<void>;
}

/** A successful answer without its last piece, which makes it complete for a client. */
export interface UpstreamAnswer {
  readonly tokens: Tokens;
  readonly last: Buffer;
  /** Set if it came as one document. */
  readonly document?: Readonly<Record<string, unknown>>;
}

/** The form that the client requested. */
interface RequestedForm {
  readonly endpoint: Endpoint;
  readonly isStream: boolean;
  /** We requested the usage, so it is hidden from the client. */
  readonly hidesCounts: boolean;
}

/** Reports about an answer while it arrived. */
export interface Heard {
  tokens?: Tokens;
}

export interface Watch {
  readonly touch: () => void;
  readonly heard: Heard;
  /**
   * Called with the first report of a streamed answer; nothing is sent to its client before it
   * resolves.
   */
  readonly onBegun: (told: Tokens) => Promise<void>;
}

export class BrokenAnswer extends Error {
  constructor(readonly verdict: FailureVerdict) {
    super(verdict.reason);
  }
}

export const NOTHING_TOLD: Tokens = { input: undefined, output: undefined };
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Twenty alternatives for each of 6,000 tokens have fewer. */
const MAX_ANSWER_VALUES = 1_000_000;
const SLICE_MS = 5;
const EVENTS = 'text/event-stream; charset=utf-8';
const DOCUMENT = 'application/json';

/** Status and headers that match the form in which the answer is sent. */
const headersFor = (response: Response, contentType: string): Headers => {
  const headers = new Headers(response.headers);
  headers.set('content-type', contentType);
  return headers;
};

/** @throws BrokenAnswer, or the error that the provider sent in place of an answer */
export async function forwardAnswer(
  asked: RequestedForm,
  response: Response,
  sink: AnswerSink,
  watch: Watch,
): Promise<UpstreamAnswer> {
  const all = pieces(response);
  const first = await all.next();
  const start = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    if (start.length > 0) yield start;
    yield* all;
  };
  if (asked.endpoint.kind === 'plain') return passOn(response, chunks(), sink, watch);
  if (!isEvents(response, start)) return forwardDocument(asked, response, chunks(), sink, watch);
  return asked.isStream
    ? forwardStream(asked, response, chunks(), sink, watch)
    : forwardStreamWhole(asked, response, chunks(), sink, watch);
}

/** Judged by its first bytes: some servers declare another type, or none. */
function isEvents(response: Response, start: Buffer): boolean {
  const text = start.subarray(0, 200).toString('utf8').trimStart();
  if (/^(:|(data|event|id|retry):)/.test(text)) return true;
  if (/^[\uFEFF[{<]/.test(text)) return false;
  return /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
}

async function* pieces(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function readBytes(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  touch: () => void,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    touch();
    all.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= most) break;
  }
  return Buffer.concat(all).subarray(0, most);
}

export const readText = async (
  response: Response,
  most: number,
  touch: () => void,
): Promise<string> => (await readBytes(pieces(response), most, touch)).toString('utf8');

/** No model answers here, so the answer is passed on unchanged. */
async function passOn(
  response: Response,
  chunks: AsyncIterable<Uint8Array>,
  sink: AnswerSink,
  { touch }: Watch,
): Promise<UpstreamAnswer> {
  if (!/^text\/event-stream/i.test(response.headers.get('content-type') ?? '')) {
    const last = await readBytes(chunks, MAX_ANSWER_BYTES, touch);
    const document = documentIn(last)?.json;
    if (document === undefined) throw new BrokenAnswer({ reason: pageOr('malformed', last) });
    sink.head(response.status, response.headers);
    return { tokens: NOTHING_TOLD, last, document };
  }
  sink.head(response.status, response.headers);
  const reader = createEventReader();
  let document: UpstreamAnswer['document'];
  for await (const { json, raw } of eventsOf(reader, chunks, touch)) {
    document = objectIn(json, 'response') ?? document;
    await sink.piece(raw);
  }
  return {
    tokens: NOTHING_TOLD,
    last: reader.rest(),
    ...(document === undefined ? {} : { document }),
  };
}

const pageOr = (reason: 'malformed', bytes: Buffer): 'not_a_stream' | 'malformed' =>
  /^\s*</.test(bytes.subarray(0, 200).toString('utf8')) ? 'not_a_stream' : reason;

/** Yields after every 5 ms of work, however many events come at once. */
async function* eventsOf(
  reader: EventReader,
  chunks: AsyncIterable<Uint8Array>,
  touch: () => void,
): AsyncGenerator<StreamEvent> {
  let untilMs = performance.now() + SLICE_MS;
  for await (const chunk of chunks) {
    touch();
    for (const event of reader.add(chunk)) {
      yield event;
      if (performance.now() < untilMs) continue;
      await oneTurn();
      untilMs = performance.now() + SLICE_MS;
    }
  }
}

/**
 * Sends nothing to the client before the first content: until then another try costs it nothing.
 */
async function forwardStream(
  request: RequestedForm,
  response: Response,
  chunks: AsyncIterable<Uint8Array>,
  sink: AnswerSink,
  { touch, heard, onBegun }: Watch,
): Promise<UpstreamAnswer> {
  const reader = createEventReader();
  const answer = createAnswerReader(request.endpoint.kind, request);
  let isBegun = false;
  let reported: StreamEvent | undefined;
  const opening: Buffer[] = [];
  let openingBytes = 0;
  const begin = async (): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    sink.head(response.status, headersFor(response, EVENTS));
    for (const bytes of opening.splice(0)) await sink.piece(bytes);
  };
  for await (const event of eventsOf(reader, chunks, touch)) {
    // Whatever follows: with a part missing it is not the answer.
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
      openingBytes += event.raw.length;
      // Endless comments do not start an answer either.
      if (openingBytes > LARGEST_EVENT_BYTES) throw new BrokenAnswer({ reason: 'malformed' });
      opening.push(event.raw);
      continue;
    }
    if (meaning === 'empty') throw new BrokenAnswer({ reason: 'empty' });
    await begin();
    // Nothing after its end belongs to an answer, however long the connection stays open.
    if (meaning === 'end' && reported === undefined) return { tokens, last: event.raw };
    await sink.piece(event.raw);
  }
  if (reported !== undefined) throw Object.assign(new Error('error'), { data: reported.json });
  if (!answer.hasEnded()) throw new BrokenAnswer({ reason: isBegun ? 'cut' : 'empty' });
  return { tokens: answer.tokens(), last: reader.rest() };
}

/** The client expects a document: the events are assembled, and nothing is sent before the end. */
async function forwardStreamWhole(
  { endpoint }: RequestedForm,
  response: Response,
  chunks: AsyncIterable<Uint8Array>,
  sink: AnswerSink,
  watch: Watch,
): Promise<UpstreamAnswer> {
  const answer = createAssembler(endpoint.kind);
  const events = createEventReader();
  let size = 0;
  const reading: AnswerSink = {
    head: () => undefined,
    piece: (bytes) => {
      size += bytes.length;
      if (size > MAX_ANSWER_BYTES) throw new BrokenAnswer({ reason: 'malformed' });
      for (const { json } of events.add(bytes)) if (json !== undefined) answer.add(json);
      return Promise.resolve();
    },
  };
  const asked = { endpoint, isStream: true, hidesCounts: false };
  const { tokens, last } = await forwardStream(asked, response, chunks, reading, watch);
  await reading.piece(last);
  const document = answer.whole();
  if (document === undefined) throw new BrokenAnswer({ reason: 'malformed' });
  sink.head(response.status, headersFor(response, DOCUMENT));
  return { tokens, last: Buffer.from(JSON.stringify(document)), document };
}

async function forwardDocument(
  asked: RequestedForm,
  response: Response,
  chunks: AsyncIterable<Uint8Array>,
  sink: AnswerSink,
  { touch, heard, onBegun }: Watch,
): Promise<UpstreamAnswer> {
  const { kind } = asked.endpoint;
  heard.tokens = NOTHING_TOLD;
  const bytes = plainBytes(await readBytes(chunks, MAX_ANSWER_BYTES, touch));
  const first = documentIn(bytes);
  if (first === undefined) {
    if (!/^\s*\{/.test(bytes.subarray(0, 200).toString('utf8'))) delete heard.tokens;
    throw new BrokenAnswer({ reason: pageOr('malformed', bytes) });
  }
  const { json: document } = first;
  if (reportsError(document) && !saysSomething(kind, document)) {
    delete heard.tokens;
    throw Object.assign(new Error('error'), { data: document });
  }
  const tokens = tokensOfDocument(document);
  const isPaid = (tokens.input ?? 0) + (tokens.output ?? 0) > 0;
  // "Accepted for later" is an answer too: repeated, the work would be done twice.
  if (!isPaid && !isAnswer(kind, document) && response.status !== 202) {
    delete heard.tokens;
    throw new BrokenAnswer({ reason: 'malformed' });
  }
  if (asked.isStream) await onBegun(tokens);
  const events = asked.isStream ? streamOf(kind, document, asked) : undefined;
  if (events !== undefined) {
    sink.head(response.status, headersFor(response, EVENTS));
    return { tokens, last: Buffer.from(events), document };
  }
  sink.head(response.status, headersFor(response, DOCUMENT));
  // As its provider wrote it, without what some servers add around it.
  return { tokens, last: Buffer.from(first.text), document };
}

/**
 * Undefined for anything that is not a document, or whose parsing would block longer than one
 * document may.
 */
const documentIn = (bytes: Buffer): ReturnType<typeof firstObject> =>
  createJsonMeter(MAX_ANSWER_VALUES).isAbove(bytes)
    ? undefined
    : firstObject(bytes.toString('utf8'));

/** Some servers compress without declaring it. */
function plainBytes(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch {
    return bytes; // It only looked like gzip, or it is truncated: not an answer either way.
  }
}
