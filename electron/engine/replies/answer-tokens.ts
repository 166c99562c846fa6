/**
 * Content of a signed link or button: the answer as in a button press, the person it is for, and
 * its expiry. Bound to its channel. Pure except for the seal. PH-03
 *
 * A token works once because its question does: the answer settles the question in one commit, and
 * a repeated token finds it settled.
 */
import { durationMs } from '../../../shared/settings';
import { answersCountFor, type ChannelSettings } from '../../../shared/settings/channels';
import type { AnswerSeal } from '../../ports/answer-seal';
import type { Clock } from '../../ports/clock';

interface AnswerToken {
  readonly channel: string;
  readonly person: string;
  /** The button's data, as `pressData` makes it. */
  readonly data: string;
  readonly untilMs: number;
}

type ReadToken =
  | { readonly kind: 'read'; readonly person: string; readonly data: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'FORGED' | 'EXPIRED';
      /** Only for a channel of our own. */
      readonly person?: string;
    };

const HEAD = 'a1';
/** Longest text that is looked at. */
const MAX_CHARS = 600;
const FORM =
  /^a1\.([0-9a-z]{1,9})\.([\w~*!'()-]{1,400})\.([a-zA-Z])\.([0-9a-z]{1,10})\.([0-9a-f]{16})\.([\w-]{43})$/;

/** Encodes the person in characters that are safe in addresses, subjects and JSON. */
const packed = (person: string): string =>
  encodeURIComponent(person)
    .replace(/[.~]/g, (sign) => (sign === '.' ? '%2E' : '%7E'))
    .replaceAll('%', '~');

function unpacked(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('~', '%'));
  } catch {
    return undefined;
  }
}

const sealed = (channel: string, body: string): string => `${channel}\n${body}`;

/**
 * @throws TypeError for invalid button data, or a person whose name is too long to be decoded again
 */
export function makeToken(
  { channel, person, data, untilMs }: AnswerToken,
  seal: AnswerSeal,
): string {
  const [head, code, id, hash, more] = data.split(':');
  if (
    head !== 'q1' ||
    code === undefined ||
    id === undefined ||
    hash === undefined ||
    more !== undefined
  )
    throw new TypeError('not the data of a button');
  const seconds = Math.floor(untilMs / 1_000).toString(36);
  const body = [HEAD, seconds, packed(person), code, Number(id).toString(36), hash].join('.');
  const token = `${body}.${seal.seal(sealed(channel, body))}`;
  if (!FORM.test(token)) throw new TypeError('the name of the person is too long');
  return token;
}

/** Decodes a token; anyone may send any text. */
export function readToken(
  text: string,
  {
    channel,
    nowMs,
    seal,
  }: { readonly channel: string; readonly nowMs: number; readonly seal: AnswerSeal },
): ReadToken {
  const found = text.length > MAX_CHARS ? null : FORM.exec(text);
  const [, seconds = '', who = '', code = '', id = '', hash = '', mac = ''] = found ?? [];
  const person = unpacked(who);
  if (found === null || person === undefined || person === '')
    return { kind: 'refused', reason: 'FORGED' };
  const body = text.slice(0, text.length - mac.length - 1);
  if (!seal.isSealOf(mac, sealed(channel, body))) return { kind: 'refused', reason: 'FORGED' };
  if (parseInt(seconds, 36) * 1_000 < nowMs) return { kind: 'refused', reason: 'EXPIRED', person };
  return { kind: 'read', person, data: `q1:${code}:${String(parseInt(id, 36))}:${hash}` };
}

const SUBSCRIBE = /^s1\.([0-9a-z]{1,9})\.([\w~*!'()-]{1,400})\.([\w-]{43})$/;

/** Content of a link that subscribes this person's browser to a channel. */
function makeSubscribeToken(
  { channel, person, untilMs }: Omit<AnswerToken, 'data'>,
  seal: AnswerSeal,
): string {
  const body = ['s1', Math.floor(untilMs / 1_000).toString(36), packed(person)].join('.');
  return `${body}.${seal.seal(sealed(channel, body))}`;
}

/** The person of such a link; undefined if it is forged or expired. */
function readSubscribeToken(
  text: string,
  {
    channel,
    nowMs,
    seal,
  }: { readonly channel: string; readonly nowMs: number; readonly seal: AnswerSeal },
): string | undefined {
  const found = text.length > MAX_CHARS ? null : SUBSCRIBE.exec(text);
  const [, seconds = '', who = '', mac = ''] = found ?? [];
  if (found === null || parseInt(seconds, 36) * 1_000 < nowMs) return undefined;
  const body = text.slice(0, text.length - mac.length - 1);
  return seal.isSealOf(mac, sealed(channel, body)) ? unpacked(who) : undefined;
}

/** Tokens of the channels of one run, and how long they count. */
export interface AnswerTokens {
  /** Signs the content of a link or button of this channel. */
  sign(channel: string, spec: ChannelSettings, person: string, data: string): Promise<string>;
  /** Token of a link that subscribes a person's browser. */
  make(channel: string, person: string, untilMs: number): Promise<string>;
  /** Undefined if it is forged or expired. */
  read(channel: string, token: string): Promise<string | undefined>;
}

export const createAnswerTokens = (deps: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly seal: () => Promise<AnswerSeal>;
}): AnswerTokens => ({
  async sign(channel, spec, person, data) {
    const untilMs = deps.clock.nowMs() + durationMs(answersCountFor(spec));
    return makeToken({ channel, person, data, untilMs }, await deps.seal());
  },
  make: async (channel, person, untilMs) =>
    makeSubscribeToken({ channel, person, untilMs }, await deps.seal()),
  read: async (channel, token) =>
    readSubscribeToken(token, {
      channel,
      nowMs: deps.clock.nowMs(),
      seal: await deps.seal(),
    }),
});
