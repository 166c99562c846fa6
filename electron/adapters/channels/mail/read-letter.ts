/** Interprets a received email. Pure, except for parsing its parts. */
import { tokenIn } from '../../../../shared/questions/token-in';
import { sameAddress } from '../../../../shared/settings/channel-kinds/mail';
import type { InboundEvent } from '../../../ports/channel';
import { mediaKind } from '../media-kind';

/** A received message; anyone may have written its content. */
export interface Letter {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** All headers in order, names in lower case. */
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly attachments: readonly { readonly name: string; readonly type: string }[];
}

interface LetterRules {
  readonly from: string;
  readonly to: readonly string[];
  readonly writers?: readonly string[] | undefined;
  readonly auth_server?: string | undefined;
}

export type LetterMeaning =
  /** A question's link, sent as a message. The token identifies the person. */
  | { readonly kind: 'answer'; readonly token: string; readonly person: string }
  | { readonly kind: 'message'; readonly peer: string; readonly event: LetterEvent }
  /** It claims to be from a permitted sender, but nothing proves that. */
  | { readonly kind: 'not_proven'; readonly peer: string }
  | { readonly kind: 'other' };

type LetterEvent = Pick<InboundEvent, 'event' | 'text' | 'media'>;

/** Longest text of a letter that an agent gets. */
const MAX_TEXT = 64_000;

/**
 * Decides what a message is. A token counts only in the subject, because a reply quotes the links
 * of all answers.
 */
export function readLetter(letter: Letter, rules: LetterRules): LetterMeaning {
  const { from, subject } = letter;
  if (from === '' || sameAddress(from, rules.from) || isFromProgram(letter))
    return { kind: 'other' };
  const person = rules.to.find((one) => sameAddress(one, from)) ?? from;
  const token = tokenIn(subject);
  if (token !== undefined) return { kind: 'answer', token, person };
  if (rules.writers?.some((one) => sameAddress(one, from)) !== true) return { kind: 'other' };
  if (!isProven(letter, rules.auth_server ?? '')) return { kind: 'not_proven', peer: person };
  return { kind: 'message', peer: person, event: eventOf(letter) };
}

const headersOf = ({ headers }: Letter, name: string): readonly string[] =>
  headers.filter(({ key }) => key === name).map(({ value }) => value);

/** Automatic replies never start work: two programs would reply to each other forever. */
function isFromProgram(letter: Letter): boolean {
  const auto = headersOf(letter, 'auto-submitted')[0]?.trim().toLowerCase() ?? 'no';
  const precedence = headersOf(letter, 'precedence')[0]?.trim().toLowerCase() ?? '';
  return !/^no\b/.test(auto) || /^(?:bulk|list|junk)$/.test(precedence);
}

/**
 * The mail server's own verdict that the sender is real. The server adds its header above all
 * others, so only the first one counts. A sender can influence parts of it, such as the mailbox
 * name, so every result in it must agree.
 */
function isProven(letter: Letter, server: string): boolean {
  if (server === '' || !isOnlySender(letter)) return false;
  const [first = ''] = headersOf(letter, 'authentication-results');
  const [name = '', ...results] = (withoutQuoted(first) ?? '').split(';');
  const who = name.trim().split(/\s+/)[0] ?? '';
  const [dmarc = '', ...more] = results.filter((one) => /^\s*dmarc\b/i.test(one));
  const domain = /\sheader\.from\s*=\s*(\S+)/i.exec(dmarc)?.[1];
  return (
    sameAddress(who, server) &&
    more.length === 0 &&
    /^\s*dmarc\s*=\s*pass(?:\s|$)/i.test(dmarc) &&
    (domain === undefined || sameAddress(domain, letter.from.split('@').at(-1) ?? ''))
  );
}

/** There is no second sender address: the server may have checked the other one. */
function isOnlySender(letter: Letter): boolean {
  const [from = '', ...more] = headersOf(letter, 'from');
  const named = from.match(/[^\s<>()[\],;:"\\]*@[^\s<>()[\],;:"\\]*/g) ?? [];
  return (
    more.length === 0 && named.length > 0 && named.every((one) => sameAddress(one, letter.from))
  );
}

/** A header without comments and quoted texts; undefined if one of them does not end. */
function withoutQuoted(header: string): string | undefined {
  let plain = '';
  let comments = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at += 1) {
    const sign = header[at] ?? '';
    if (sign === '\\') at += 1;
    else if (isQuoted) isQuoted = sign !== '"';
    else if (sign === '(') comments += 1;
    else if (comments > 0) comments -= sign === ')' ? 1 : 0;
    else if (sign === '"') isQuoted = true;
    else plain += sign;
    // Something was removed here, so the text before and after it is not one word.
    if (sign === '(' || sign === '"') plain += ' ';
  }
  return isQuoted || comments > 0 ? undefined : plain;
}

function eventOf({ subject, text, attachments }: Letter): LetterEvent {
  const own = withoutQuotes(text);
  const title = /^\s*(?:re|aw|fwd?|wg)\s*:/i.test(subject) ? '' : subject.trim();
  const words = [title, own].filter((one) => one !== '').join('\n\n');
  return {
    event: 'message',
    ...(words === '' ? {} : { text: words.slice(0, MAX_TEXT) }),
    ...(attachments.length === 0
      ? {}
      : {
          media: attachments
            .slice(0, 50)
            .map(({ name, type }) => ({ kind: mediaKind(type), name })),
        }),
  };
}

/** The person's own text, without the quoted message and the signature. */
export function withoutQuotes(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const signature = lines.findIndex((line) => line === '-- ');
  const above = signature < 0 ? lines : lines.slice(0, signature);
  const kept: string[] = [];
  // From the end, so that the lines after each line are already known.
  let isOverQuote = false;
  for (const line of above.toReversed()) {
    const isQuote = line.startsWith('>');
    // "On Monday, Ann wrote:" above the quoted text.
    if (!isQuote && !(isOverQuote && line.trimEnd().endsWith(':'))) kept.push(line);
    if (line.trim() !== '') isOverQuote = isQuote;
  }
  return kept.toReversed().join('\n').trim();
}
