import { createHash } from 'node:crypto';
import type { Transporter } from 'nodemailer';
import type { Channel, Intake, QuestionMessage } from '../../../ports/channel';
import { sameAddress } from '../../../../shared/settings/channel-kinds/mail';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { down, refused } from '../channel-errors';
import { createListening } from '../listening';
import { clipped } from '../pieces';
import { signedAnswers, toLook } from '../signed-answers';
import { passOn, tell } from '../take-message';
import { readInbox } from './inbox';
import { readLetter, type Letter as ReceivedLetter, type LetterMeaning } from './read-letter';

type Deps = ChannelDeps<'mail'>;

const MAX_SUBJECT = 100;
const MAX_CHARS = 200_000;
/** Room that is kept for the links of a question. */
const MAX_LINKS = 20_000;

interface Letter {
  readonly to: string;
  /** The same for every attempt: many programs show a message with a known ID only once. */
  readonly id: string;
  readonly text: string;
  /** ID of the message that this one replies to. */
  readonly after?: string;
}

/**
 * Plain-text email over SMTP. A question is one message per address, with personal links for people
 * who may decide; its outcome is a second message in the same thread. If a mailbox is configured,
 * it is read for the messages that those links send, and for work.
 */
export const createMail: CreateChannel<'mail'> = (deps) => {
  const { name, spec } = deps;
  const post = createPost(deps);
  const mailbox: Mailbox = { deps, post };
  const isRead = spec.imap_host !== undefined;
  return {
    async deliver({ deliveryId, peer, text, repeatNote }, signal) {
      const to = spec.to.find((one) => sameAddress(one, peer));
      if (peer !== '' && to === undefined)
        throw refused(`${name}: ${peer.slice(0, 60)} is not in its list of addresses.`);
      const about = { id: deliveryId, text: withNote(text, repeatNote) };
      for (const one of to === undefined ? spec.to : [to])
        await post.send({ ...about, to: one }, signal);
    },
    async ask({ id, repeatNote, ...message }, signal) {
      const words = { ...message, text: withNote(message.text, repeatNote) };
      for (const to of spec.to) await post.question({ id, to }, words, signal);
      return { peer: '', ref: id };
    },
    async edit({ ref }, message, signal) {
      const about = { id: `${ref}:${hashOf(message)}`, after: ref };
      for (const to of spec.to) await post.question({ ...about, to }, message, signal);
    },
    ...(isRead
      ? createListening(deps, (intake, { signal, onUp }) =>
          readInbox(deps, {
            signal,
            onUp,
            take: (read, id) => takeLetter(mailbox, { intake, read, id, signal }),
          }),
        )
      : {}),
  } satisfies Pick<Channel, 'deliver' | 'ask' | 'edit' | 'start' | 'stop'>;
};

interface Mailbox {
  readonly deps: Deps;
  readonly post: Post;
}
interface Arrived {
  readonly intake: Intake;
  /** Undefined for one that cannot be parsed. */
  readonly read: () => Promise<ReceivedLetter | undefined>;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** False: it could not be handled now, and will be checked again. */
async function takeLetter(mailbox: Mailbox, arrived: Arrived): Promise<boolean> {
  const { deps } = mailbox;
  const { intake, id, signal } = arrived;
  let letter: ReceivedLetter | undefined;
  let heard: Parameters<typeof passOn>[2] | undefined;
  const about = () => ({ from: letter?.from, text: heard?.event.text ?? letter?.subject });
  // Anybody may have written it: also its parts are read where its end is noticed.
  const end = await intake.each({ id, about }, async () => {
    letter = await arrived.read();
    // It is skipped: otherwise one letter of too many parts could stop the mailbox permanently.
    if (letter === undefined)
      deps.log.warn('channel.letter_unreadable', { channel: deps.name, id });
    const meaning: LetterMeaning = letter ? readLetter(letter, deps.spec) : { kind: 'other' };
    switch (meaning.kind) {
      case 'other':
        return true;
      case 'not_proven':
        deps.onUnknownSender(meaning.peer);
        deps.log.warn('channel.mail_not_proven', { channel: deps.name });
        return true;
      case 'answer':
        return takeAnswer(mailbox, arrived, meaning);
      case 'message':
        heard = heardIn(mailbox, { id, signal }, meaning);
        await passOn(deps, intake, heard);
        return true;
    }
  });
  if (end.kind === 'set_aside' && heard !== undefined) await tell(deps, heard, end.note);
  return end.kind !== 'later';
}

const heardIn = (
  { post }: Mailbox,
  { id, signal }: Pick<Arrived, 'id' | 'signal'>,
  { peer, event }: Extract<LetterMeaning, { kind: 'message' }>,
): Parameters<typeof passOn>[2] => ({
  id,
  person: peer,
  event: { ...event, peer },
  say: (text) => post.send({ id: `command:${id}`, to: peer, text }, signal),
});

async function takeAnswer(
  { deps, post }: Mailbox,
  { intake, signal }: Arrived,
  { token, person }: Extract<LetterMeaning, { kind: 'answer' }>,
): Promise<boolean> {
  const end = await intake.answer({ token, person });
  if (end.kind === 'refused') return true;
  if (end.isNotTaken === true) return false;
  const { message, note, id, isOpen } = end;
  // A separate message reports what decided it.
  const shown = message ?? (isOpen && note !== '' ? { text: note, buttons: [] } : undefined);
  if (shown === undefined) return true;
  await post
    .question({ id: `${id}:${hashOf(shown)}`, after: id, to: end.person }, shown, signal)
    .catch((error: unknown) => {
      deps.log.warn('channel.press_not_answered', { channel: deps.name, error });
    });
  return true;
}

const withNote = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${note}\n\n${text}`;
const short = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);
const hashOf = (message: QuestionMessage): string => short(JSON.stringify(message)).slice(0, 16);

interface Post {
  send(letter: Letter, signal: AbortSignal): Promise<void>;
  /** A question, with the links for its recipient. */
  question(
    about: Omit<Letter, 'text'>,
    message: QuestionMessage,
    signal: AbortSignal,
  ): Promise<void>;
}

function createPost(deps: Deps): Post {
  const { spec, answers } = deps;
  const send = createSender(deps);
  return {
    send,
    async question(about, message, signal) {
      const people = spec.decide?.people.filter((one) => sameAddress(one, about.to)) ?? [];
      const links = [
        ...(await pageLinks(deps, people, message)),
        ...(spec.imap_host === undefined
          ? []
          : await signedAnswers(message, people, answers.sign)
        ).map(({ label, token }) => `${label}:\n${linkOf(spec.from, label, token)}`),
      ];
      const text = clipped(message.text, MAX_CHARS - MAX_LINKS);
      await send({ ...about, text: [text, ...links].join('\n\n') }, signal);
    },
  };
}

/**
 * Opens the question on its page; the user decides there, because opening a link must decide
 * nothing.
 */
async function pageLinks(
  { spec, answers }: Deps,
  people: readonly string[],
  { buttons }: QuestionMessage,
): Promise<readonly string[]> {
  const [first] = buttons.flat();
  if (spec.page !== true || first === undefined) return [];
  return Promise.all(
    people.map(async (person) => {
      const url = await answers.pageUrl(await answers.sign(person, toLook(first.data)));
      return `Decide:\n${url}`;
    }),
  );
}

/** Opens a draft message with the answer in its subject; the user still has to send it. */
const linkOf = (to: string, label: string, token: string): string =>
  `mailto:${encodeURIComponent(to).replace('%40', '@')}?subject=${encodeURIComponent(`${label} ${token}`)}`;

/** One message per connection: a few a day need no pool. */
function createSender(deps: Deps): (letter: Letter, signal: AbortSignal) => Promise<void> {
  const { name, spec } = deps;
  const domain = spec.from.split('@').at(-1) ?? 'localhost';
  const idOf = (id: string, to: string): string => `<${short(`${id} ${to}`)}@${domain}>`;
  return async ({ to, id, text, after }, signal) => {
    const transport = await transportOf(deps);
    const stop = (): void => transport.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await transport.sendMail({
        from: spec.from,
        to,
        subject: `Holdfast: ${clipped(text.split('\n')[0]?.trim() ?? '', MAX_SUBJECT)}`,
        text: clipped(text, MAX_CHARS),
        messageId: idOf(id, to),
        ...(after === undefined ? {} : { inReplyTo: idOf(after, to), references: idOf(after, to) }),
        // No program should auto-reply to it.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (thrown) {
      throw failure(name, thrown);
    } finally {
      signal.removeEventListener('abort', stop);
      transport.close();
    }
  };
}

async function transportOf({ spec, secret, timeoutMs }: Deps): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const password = spec.user === undefined ? undefined : await secret();
  const security = spec.security ?? 'tls';
  return createTransport({
    host: spec.host,
    port: spec.port ?? 465,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(spec.user === undefined ? {} : { auth: { user: spec.user, pass: password ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Only text is sent: no file or address is ever read for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** A description of a failure, without the server's text, which may contain a password. */
function failure(name: string, thrown: unknown): Error {
  const {
    code = '',
    responseCode,
    command,
  } = thrown as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly command?: string;
  };
  const said = responseCode === undefined ? '' : `, ${String(responseCode)}`;
  const what = `${name}: the mail server did not take it (${code === '' ? 'no code' : code}${said}).`;
  const isForGood = responseCode !== undefined && responseCode >= 500 && responseCode < 600;
  // An unknown address or a message that is too large is permanent; a wrong password can be fixed.
  if (isForGood && (code === 'EENVELOPE' || code === 'EMESSAGE')) return refused(what);
  const isAfterData = command === 'DATA' || code === 'ETIMEDOUT' || code === 'ESOCKET';
  return down(what, {
    cause: thrown,
    mayHaveArrived: responseCode === undefined && isAfterData && code !== 'ECONNECTION',
  });
}
