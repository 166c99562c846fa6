import { createHash } from 'node:crypto';
import type { Transporter } from 'nodemailer';
import type { QuestionMessage } from '../../../ports/channel';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { down, refused } from '../channel-errors';
import { clipped } from '../pieces';

type Deps = ChannelDeps<'mail'>;

const MOST_SUBJECT = 100;
const MOST_CHARS = 200_000;

interface Letter {
  readonly to: string;
  /** The same for every attempt: many programs show a letter with a known one only once. */
  readonly id: string;
  readonly text: string;
  /** Of the letter that this one continues. */
  readonly after?: string;
}

/**
 * Letters of plain text by SMTP. A question is one letter to each address, and what became of it is
 * a second one in the same thread.
 */
export const createMail: CreateChannel<'mail'> = (deps) => {
  const { name, spec } = deps;
  const send = createSender(deps);
  const toAll = async (
    about: { readonly id: string; readonly text: string; readonly after?: string },
    signal: AbortSignal,
    peers: readonly string[] = spec.to,
  ): Promise<void> => {
    for (const to of peers) await send({ ...about, to }, signal);
  };
  return {
    async deliver({ deliveryId, peer, text, repeatNote }, signal) {
      if (peer !== '' && !spec.to.includes(peer))
        throw refused(`${name}: ${peer.slice(0, 60)} is not in its list of addresses.`);
      await toAll(
        { id: deliveryId, text: withNote(text, repeatNote) },
        signal,
        peer === '' ? undefined : [peer],
      );
    },
    async ask({ id, text, repeatNote }, signal) {
      await toAll({ id, text: withNote(text, repeatNote) }, signal);
      return { peer: '', ref: id };
    },
    async edit({ ref }, message, signal) {
      await toAll({ id: `${ref}:${hashOf(message)}`, after: ref, text: message.text }, signal);
    },
  };
};

const withNote = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${note}\n\n${text}`;
const short = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);
const hashOf = (message: QuestionMessage): string => short(JSON.stringify(message)).slice(0, 16);

/** One letter a connection: a few a day need no pool. */
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
        subject: `Holdfast: ${clipped(text.split('\n')[0]?.trim() ?? '', MOST_SUBJECT)}`,
        text: clipped(text, MOST_CHARS),
        messageId: idOf(id, to),
        ...(after === undefined ? {} : { inReplyTo: idOf(after, to), references: idOf(after, to) }),
        // No program shall answer it.
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
    // Text alone is sent: nothing of this computer or of another address is ever read for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Words of a failure, without what the server said: that may repeat a password. */
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
  // An address that is not known, or a letter that is too large; a wrong password can be mended.
  if (isForGood && (code === 'EENVELOPE' || code === 'EMESSAGE')) return refused(what);
  const isAfterData = command === 'DATA' || code === 'ETIMEDOUT' || code === 'ESOCKET';
  return down(what, {
    cause: thrown,
    mayHaveArrived: responseCode === undefined && isAfterData && code !== 'ECONNECTION',
  });
}
