import type { ImapFlow } from 'imapflow';
import type { Email } from 'postal-mime';
import type { ChannelDeps } from '../channel-deps';
import { down, notTaken } from '../channel-errors';
import type { Letter } from './read-letter';

type Deps = ChannelDeps<'mail'>;

/** As much of a letter as is fetched: its headers and its words come first. */
const MAX_BYTES = 131_072;
const MAX_NESTING = 20;
/** How often the server must respond. */
const IDLE_MS = 4 * 60_000;
/** Message numbers are below this; the bits above identify the mailbox. */
const LETTERS = 2 ** 32;
const MAILBOXES = 2 ** 20;

/** The stored position: the mailbox, and the number of the last checked message. Pure. */
export const placeOf = (validity: bigint, letter: number): number =>
  Number(validity % BigInt(MAILBOXES)) * LETTERS + letter;

/** The next message to check; undefined if nothing of this mailbox is known. Pure. */
export const nextLetter = (validity: bigint, place: number | undefined): number | undefined =>
  place !== undefined && Math.floor(place / LETTERS) === Number(validity % BigInt(MAILBOXES))
    ? (place % LETTERS) + 1
    : undefined;

/**
 * Checks every message that arrives until the connection ends. The position of each is on disk once
 * it was handled: after a kill only that one comes again, with the same ID.
 * @throws CHANNEL_DOWN
 */
export async function readInbox(
  deps: Deps,
  {
    signal,
    onUp,
    take,
  }: {
    readonly signal: AbortSignal;
    readonly onUp: () => void;
    /** @param id the same for a repeated letter. False: it could not be handled now. */
    readonly take: (read: () => Promise<Letter | undefined>, id: string) => Promise<boolean>;
  },
): Promise<void> {
  const { name, spec, offset } = deps;
  const client = await clientOf(deps);
  const changes = changesOf(client);
  const end = new Promise<void>((resolve) => {
    client.on('close', resolve);
    client.on('error', () => undefined); // The command in progress rejects.
    signal.addEventListener('abort', () => client.close(), { once: true });
  });
  try {
    await client.connect();
    const { uidValidity, uidNext } = await client.mailboxOpen(spec.imap_folder ?? 'INBOX', {
      readOnly: true,
    });
    onUp();
    let next = nextLetter(uidValidity, offset.read()) ?? uidNext;
    // Messages from before the first check are neither work nor answers.
    if (nextLetter(uidValidity, offset.read()) === undefined)
      await offset.write(placeOf(uidValidity, next - 1));
    while (client.usable && !signal.aborted) {
      changes.reset();
      const last = await lookFrom(client, next, async (source, uid) => {
        const id = `${String(uidValidity)}:${String(uid)}`;
        const isTaken = await take(() => letterIn(source), id).catch((error: unknown) => {
          throw notTaken(`${name}: a mail`, error);
        });
        if (!isTaken) throw notTaken(`${name}: a mail`);
        await offset.write(placeOf(uidValidity, uid));
      });
      if (last >= next) await offset.write(placeOf(uidValidity, last));
      next = last + 1;
      await Promise.race([changes.next(), end, idle(client)]);
    }
  } catch (thrown) {
    if (signal.aborted) return;
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'CHANNEL_DOWN') throw thrown;
    throw down(`${name}: the mailbox cannot be read (${wordOf(thrown)}).`);
  } finally {
    client.close();
  }
}

async function clientOf({ spec, secret, timeoutMs }: Deps): Promise<ImapFlow> {
  const { ImapFlow } = await import('imapflow');
  const isPlain = spec.imap_security === 'none';
  return new ImapFlow({
    host: spec.imap_host ?? '',
    port: spec.imap_port ?? 993,
    secure: !isPlain,
    ...(isPlain ? { doSTARTTLS: false } : {}),
    auth: { user: spec.user ?? '', pass: (await secret()) ?? '' },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: IDLE_MS + 60_000,
    maxIdleTime: IDLE_MS,
    disableCompression: true,
    logger: false,
  });
}

/** Until the next command: without it a server announces no new message. */
const idle = async (client: ImapFlow): Promise<void> => {
  // If the server does not support it, the library polls instead.
  if ((await client.idle()) === false) await new Promise(() => undefined);
};

interface Changes {
  /** Call before a check: anything that arrives later is a change. */
  reset(): void;
  next(): Promise<void>;
}
function changesOf(client: ImapFlow): Changes {
  let isNew = false;
  let wake = (): void => undefined;
  client.on('exists', () => {
    isNew = true;
    wake();
  });
  return {
    reset() {
      isNew = false;
    },
    next: () =>
      isNew
        ? Promise.resolve()
        : new Promise((resolve) => {
            wake = resolve;
          }),
  };
}

/**
 * @returns the number of the last message that was checked, or the one before `from` if there is
 * none
 */
async function lookFrom(
  client: ImapFlow,
  from: number,
  look: (source: Buffer, uid: number) => Promise<void>,
): Promise<number> {
  let last = from - 1;
  for (const uid of await numbersFrom(client, from)) {
    const source = await fetchLetter(client, uid);
    if (source !== undefined) await look(source, uid);
    last = uid;
  }
  return last;
}

async function numbersFrom(client: ImapFlow, from: number): Promise<readonly number[]> {
  const found = await client.search({ uid: `${String(from)}:*` }, { uid: true });
  // The result always contains the last message, even if it is older than `from`.
  return found === false || found === undefined
    ? []
    : found.filter((uid) => uid >= from).toSorted((a, b) => a - b);
}

/** Undefined if it is gone. */
async function fetchLetter(client: ImapFlow, uid: number): Promise<Buffer | undefined> {
  const found = await client.fetchOne(
    String(uid),
    { uid: true, source: { maxLength: MAX_BYTES } },
    { uid: true },
  );
  return found === false ? undefined : found.source;
}

/** Undefined if it cannot be parsed: anyone could block the mailbox with one letter of too many parts. */
async function letterIn(source: Buffer): Promise<Letter | undefined> {
  const { default: PostalMime } = await import('postal-mime');
  const options = { maxNestingDepth: MAX_NESTING, maxHeadersSize: MAX_BYTES };
  return PostalMime.parse(source, options).then(letterOf, () => undefined);
}

const letterOf = ({ from, subject, text, headers, attachments }: Email): Letter => ({
  from: from?.address ?? '',
  subject: subject ?? '',
  text: text ?? '',
  headers: headers.map(({ key, value }) => ({ key, value })),
  attachments: attachments.map(({ filename, mimeType }) => ({
    name: filename ?? '',
    type: mimeType,
  })),
});

/** A short name of the failure, without the server's text, which may contain a password. */
function wordOf(thrown: unknown): string {
  const { code, authenticationFailed } = thrown as {
    readonly code?: unknown;
    readonly authenticationFailed?: unknown;
  };
  if (authenticationFailed === true) return 'the user or the password is wrong';
  return typeof code === 'string' ? code.slice(0, 40) : 'no connection';
}
