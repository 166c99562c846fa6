/**
 * What a signed link or button carries: the answer as a press has it, the person it is for, and
 * until when it counts. Bound to its channel. Pure. PH-03
 *
 * It is used once because its question is: the answer settles it in one commit, and the same token
 * again finds that.
 */
import type { AnswerSeal } from '../../ports/answer-seal';

interface AnswerToken {
  readonly channel: string;
  readonly person: string;
  /** Of a button, as `pressData` makes it. */
  readonly data: string;
  readonly untilMs: number;
}

type ReadToken =
  | { readonly kind: 'read'; readonly person: string; readonly data: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'FORGED' | 'EXPIRED';
      /** Only of one that is ours. */
      readonly person?: string;
    };

const HEAD = 'a1';
/** Longest text that is looked at. */
const MAX_CHARS = 600;
const FORM =
  /^a1\.([0-9a-z]{1,9})\.([\w~*!'()-]{1,400})\.([a-zA-Z])\.([0-9a-z]{1,10})\.([0-9a-f]{16})\.([\w-]{43})$/;

/** The person in characters that survive addresses, subjects and JSON. */
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

/** @throws TypeError for what is no data of a button, or a person whose name is too long to be read again */
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

/** Reads a token; anybody may send any text. */
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

/** What a link carries that subscribes a browser of this person to a channel. */
export function makeSubscribeToken(
  { channel, person, untilMs }: Omit<AnswerToken, 'data'>,
  seal: AnswerSeal,
): string {
  const body = ['s1', Math.floor(untilMs / 1_000).toString(36), packed(person)].join('.');
  return `${body}.${seal.seal(sealed(channel, body))}`;
}

/** The person of such a link; undefined for what is forged or came too late. */
export function readSubscribeToken(
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
