import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { toHoldfastError } from '../../engine/kernel/errors';
import type { OpenPush } from '../../ports/push';
import { answerPage, PAGES, type ChannelWay, type PageAnswer } from './page/pages';
import { signedAnswers } from './signed-answers';
import type { Log } from '../../ports/log';
import type { LoopbackServer } from '../../ports/loopback';
import { openGuardedServer, SAFE_HEADERS, type ServerLimits } from '../loopback/guarded-server';
import { openKeptToken } from '../loopback/saved-token';
import { parsedOutside } from '../../engine/kernel/json-depth';

interface Way extends ChannelWay {
  readonly newAgent: string | undefined;
  /** False: only answers are accepted. */
  readonly hears: boolean;
}

interface InboundDeps {
  readonly port: number;
  readonly tokenPath: string;
  /** Handler of this channel's messages; undefined if it receives none. */
  readonly intakeOf: (channel: string) => Way | undefined;
  /** Origin at which other devices open this server's pages; empty if none do. */
  readonly address: () => string;
  readonly push: OpenPush;
  /** A request that never reached a channel; `reason` is one of a few fixed sentences. */
  readonly onRefused: (reason: string) => void;
  readonly log: Log;
}

/** H6 */
const LIMITS: ServerLimits = {
  headersMs: 2_000,
  bodyMs: 5_000,
  answerMs: 30_000,
  headerBytes: 8 * 1024,
  connections: 32,
};
/** Longest message; larger ones belong into a file. */
const MAX_BODY_BYTES = 256 * 1024;

/** A form or a subscription of a page. */
const MAX_FORM_BYTES = 8 * 1024;

const messageId = z.string().min(1).max(200);
const inbound = z.strictObject({
  /** The sender's ID of the message: the same ID means the same turn. */
  id: messageId.optional(),
  /** The sender; each peer has a separate conversation. */
  peer: z.string().min(1).max(200).optional(),
  event: z.enum(['message', 'edited', 'reaction', 'receipt', 'typing', 'sticker']).optional(),
  text: z.string().optional(),
  media: z
    .array(
      z.strictObject({
        kind: z.enum(['image', 'audio', 'video', 'file']),
        name: z.string().max(300).optional(),
      }),
    )
    .max(20)
    .optional(),
});

const answered = z.strictObject({
  token: z.string().min(1).max(1_000),
  /** The person who sends it, if the sender knows. */
  person: z.string().min(1).max(200).optional(),
});

interface HttpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}
const refusal = (status: number, code: string, message: string): HttpAnswer => ({
  status,
  body: { error: { code, message } },
});

/**
 * Receives webhook messages at `POST /in/NAME` on 127.0.0.1. 2xx means the message is on disk, or
 * was none. Accepts signed answers at `POST /answer/NAME` and serves pages at `/page/`, which need
 * a signed link instead of the token. A client without the token learns nothing. H1..H6, S1-12,
 * S2-53.
 */
export async function openInbound(deps: InboundDeps): Promise<LoopbackServer> {
  const token = await openKeptToken(deps.tokenPath, 'of the channels');
  return openGuardedServer({
    port: deps.port,
    methods: ['POST'],
    pages: { prefix: PAGES, address: deps.address },
    limits: LIMITS,
    onRefused: deps.onRefused,
    handle(request, response, path) {
      if (path.startsWith(PAGES)) {
        showPage(deps, request, path).then(
          (page) => sendPage(request, response, page),
          () => response.destroy(),
        );
        return;
      }
      const bearer = /^Bearer ([\x21-\x7e]{1,400})$/i.exec(
        request.headers.authorization ?? '',
      )?.[1];
      if (!token.accepts(bearer)) {
        deps.onRefused('The token is missing or wrong.');
        request.resume();
        response.writeHead(401, { ...SAFE_HEADERS, 'Content-Length': '0', Connection: 'close' });
        response.end();
        return;
      }
      hear(deps, request, path)
        .catch((thrown: unknown) => failureOf(deps, thrown))
        .then(
          (told) => send(request, response, told),
          () => response.destroy(),
        );
    },
  });
}

const FAILED: PageAnswer = {
  status: 500,
  text: 'This was not accepted. See the Holdfast log.\n',
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
};

async function showPage(
  deps: InboundDeps,
  request: IncomingMessage,
  path: string,
): Promise<PageAnswer> {
  try {
    return await answerPage({ wayOf: deps.intakeOf, push: deps.push }, request, path, () =>
      textOf(request, MAX_FORM_BYTES),
    );
  } catch (error) {
    deps.log.error('channel.page_failed', { error });
    return FAILED;
  }
}

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, headers }: PageAnswer,
): void {
  if (response.destroyed) return;
  request.resume();
  response.writeHead(status, {
    ...SAFE_HEADERS,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
    ...headers,
  });
  response.end(text);
}

async function hear(
  deps: InboundDeps,
  request: IncomingMessage,
  path: string,
): Promise<HttpAnswer> {
  const [, what, name = ''] = /^\/(in|answer)\/([A-Za-z0-9_-]{1,32})$/.exec(path) ?? [];
  const way = what === undefined ? undefined : deps.intakeOf(name);
  if (way === undefined || (what === 'in' ? !way.hears : way.sign === undefined))
    return refusal(404, 'CHANNEL_UNKNOWN', 'No channel with this name receives messages here.');
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return refusal(415, 'INPUT_INVALID', 'Send JSON, as application/json.');
  const body = await bodyOf(request);
  if (body === undefined)
    return refusal(413, 'INPUT_INVALID', 'A message can have up to 256 KB, without compression.');
  return what === 'in' ? takeMessage(way, request, body) : takeAnswer(way, body);
}

/** The result of an answer, and the signed answers that follow from it. */
async function takeAnswer(
  { intake, sign }: Way,
  body: { readonly json: unknown },
): Promise<HttpAnswer> {
  const parsed = answered.safeParse(body.json);
  if (!parsed.success)
    return refusal(400, 'INPUT_INVALID', 'Send the token of an answer, as "token".');
  const { token, person } = parsed.data;
  const end = await intake.answer({ token, ...(person === undefined ? {} : { person }) });
  if (end.kind === 'refused') return refusal(403, 'ANSWER_REFUSED', end.note);
  const { note, message, isNotTaken } = end;
  // The token is still valid: the sender should retry.
  if (isNotTaken === true)
    return { ...refusal(503, 'ANSWER_NOT_TAKEN', note), headers: { 'Retry-After': '5' } };
  return {
    status: 200,
    body: {
      note,
      ...(message === undefined || sign === undefined
        ? {}
        : { text: message.text, answers: await signedAnswers(message, [end.person], sign) }),
    },
  };
}

async function takeMessage(
  way: Way,
  request: IncomingMessage,
  body: { readonly json: unknown },
): Promise<HttpAnswer> {
  const parsed = inbound.safeParse(body.json);
  const key = request.headers['idempotency-key'];
  const header = key === undefined ? undefined : messageId.safeParse(key);
  if (!parsed.success || header?.success === false) {
    const issue = parsed.error?.issues[0];
    const where = issue === undefined ? 'Idempotency-Key' : issue.path.map(String).join('.');
    return refusal(400, 'INPUT_INVALID', `${where}: ${issue?.message ?? 'up to 200 characters'}`);
  }
  const { id = header?.data, peer = '', event, text, media } = parsed.data;
  const end = await way.intake.offer({
    peer,
    ...(event === undefined ? {} : { event }),
    ...(text === undefined ? {} : { text }),
    ...(media === undefined
      ? {}
      : {
          media: media.map(({ kind, name: file }) => ({
            kind,
            ...(file === undefined ? {} : { name: file }),
          })),
        }),
    ...(id === undefined ? {} : { messageId: id }),
    ...(way.newAgent === undefined ? {} : { newAgent: way.newAgent }),
  });
  return end.kind === 'filtered'
    ? { status: 200, body: { filtered: end.reason } }
    : { status: end.isRepeat ? 200 : 202, body: { turn: end.turnId, repeat: end.isRepeat } };
}

/** Undefined if it is too large; anything that is not JSON is not a message either. */
async function bodyOf(request: IncomingMessage): Promise<{ readonly json: unknown } | undefined> {
  const text = await textOf(request, MAX_BODY_BYTES);
  return text === undefined ? undefined : { json: parsedOutside(text) };
}

/** Undefined if it is too large, compressed, or ended by a client that left. */
async function textOf(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return undefined;
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > mostBytes) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch {
    return undefined; // No one gets an answer, and the log must not fill with such requests.
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failureOf(deps: InboundDeps, thrown: unknown): HttpAnswer {
  const error = toHoldfastError(thrown);
  if (error.code === 'INTERNAL') deps.log.error('channel.not_taken', { error });
  const told = refusal(error.retryable ? 503 : 422, error.code, error.message);
  return error.code === 'INTERNAL'
    ? refusal(500, 'INTERNAL', 'This was not accepted. See the Holdfast log.')
    : error.retryable
      ? { ...told, headers: { 'Retry-After': '5' } }
      : told;
}

function send(request: IncomingMessage, response: ServerResponse, told: HttpAnswer): void {
  sendPage(request, response, {
    status: told.status,
    text: `${JSON.stringify(told.body)}\n`,
    headers: { 'Content-Type': 'application/json', ...told.headers },
  });
}
