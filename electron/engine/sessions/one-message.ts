import { openItem, retellItem } from '../inbox/entries';
import type { Basics } from '../kernel/basics';
import { toHoldfastError } from '../kernel/errors';
import type { HeardMessage, Intake } from '../../ports/channel';
import type { ChannelReads } from '../../ports/journal/channels';
import type { InboxRow } from '../../ports/journal/inbox';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Journal } from '../../ports/journal/journal';
import type { InboxReads } from '../../ports/journal/reads';

interface OneMessageDeps extends Pick<Basics, 'crashPoints' | 'audit' | 'log'> {
  readonly journal: Pick<Journal, 'allocate' | 'commit'>;
  readonly reads: Pick<
    ChannelReads & InboxReads,
    'begunMessage' | 'heardMessage' | 'inbox' | 'isSetAside'
  >;
}

type End = Awaited<ReturnType<Intake['each']>>;

/** Starts that may end while they work on the same message. */
const MAX_ENDED = 3;
/** Tries of a message that met an error which nothing is known of. */
const MAX_FAILED = 5;
/** Open items of one channel; one more message is counted in the newest of them. */
const MAX_ITEMS = 50;
const SHOWN_CHARS = 500;
const LATER: End = { kind: 'later' };

/**
 * Works on the messages that channels ask for, one at a time each. The start of the work is on disk
 * before the message is handled: a crash leaves no time to record it.
 */
export function createOneMessage(deps: OneMessageDeps): (channel: string) => Intake['each'] {
  const { journal, reads, crashPoints, audit, log } = deps;
  const failed = new Map<string, number>();
  /** This process has looked at it and is still there. */
  const survived = new Set<string>();

  const setAside = async (channel: string, message: HeardMessage, why: string): Promise<End> => {
    await journal.commit(asideEntries(deps, channel, message, why));
    audit.record('inbound_set_aside', { channel, messageId: message.id, reason: why });
    return { kind: 'set_aside', note: `This message was not processed. ${why}` };
  };

  const began = (channel: string, messageId: string, starts: number): Promise<unknown> =>
    journal.commit([{ kind: 'channel.began', channel, messageId, starts }]);

  /** False: it has ended the process too often. */
  const begin = async (channel: string, id: string): Promise<boolean> => {
    if (reads.heardMessage(channel, id) !== undefined) return true;
    const last = reads.begunMessage(channel);
    const ended = last?.messageId === id ? last.starts : 0;
    if (ended >= MAX_ENDED) return false;
    crashPoints.hit('channel.begin.before');
    await began(channel, id, ended + 1);
    crashPoints.hit('channel.begin.after');
    return true;
  };

  /** It comes again, and no start has ended with it. */
  const later = async (channel: string, id: string, key: string): Promise<End> => {
    if (!survived.has(key)) await began(channel, id, 0);
    survived.add(key);
    return LATER;
  };

  const refused = (channel: string, message: HeardMessage, key: string, thrown: unknown) => {
    const error = toHoldfastError(thrown);
    log.warn('channel.not_taken', { channel, error });
    if (error.retryable) return later(channel, message.id, key);
    const count = (failed.get(key) ?? 0) + 1;
    if (error.code !== 'INTERNAL' || count >= MAX_FAILED)
      return setAside(channel, message, error.message);
    failed.set(key, count);
    return later(channel, message.id, key);
  };

  return (channel) => async (message, work) => {
    const { id } = message;
    const key = `${channel}\n${id}`;
    const once = async (): Promise<End> => {
      // It came twice, or its channel was not told in time. By now it may have been sent again.
      if (reads.isSetAside(channel, id)) return { kind: 'done' };
      if (!survived.has(key) && !(await begin(channel, id)))
        return setAside(channel, message, ENDED);
      return (await work()) ? { kind: 'done' } : later(channel, id, key);
    };
    const end = await once()
      .catch((thrown: unknown) => refused(channel, message, key, thrown))
      .catch((error: unknown): End => {
        // The disk refuses the item, too: the message stays where it is.
        log.warn('channel.not_taken', { channel, error });
        return LATER;
      });
    if (end.kind === 'later') return end;
    survived.delete(key);
    failed.delete(key);
    return end;
  };
}

const ENDED = `Holdfast ended ${String(MAX_ENDED)} times while it handled this message, so it is not tried again.`;

/** By these facts the item of a message is found again. */
interface AsideFacts {
  readonly setAside: string;
  readonly messageId: string;
  readonly more?: number;
}
const asideOf = ({ facts }: InboxRow): Partial<AsideFacts> =>
  (typeof facts === 'object' && facts !== null ? facts : {}) as Partial<AsideFacts>;

/** One item for each message, and a mark that the message is known. */
function asideEntries(
  { journal, reads }: OneMessageDeps,
  channel: string,
  message: HeardMessage,
  why: string,
): readonly JournalEntry[] {
  const open = reads
    .inbox({ includeSettled: false, limit: 1_000 })
    .filter((row) => row.item === 'problem' && asideOf(row).setAside === channel);
  const { from, text } = message.about();
  const facts: AsideFacts = { setAside: channel, messageId: message.id };
  const about = {
    title: `A message on "${channel}" was not processed`,
    detail: [
      why,
      'It was set aside. After you fix this, send it again.',
      ...(from === undefined ? [] : [`From: ${from.slice(0, 100)}.`]),
      ...(text === undefined ? [] : [`It says: ${text.slice(0, SHOWN_CHARS)}`]),
    ].join(' '),
  };
  const known = { kind: 'channel.setAside', channel, messageId: message.id } as const;
  const newest = open.toSorted((one, other) => other.id - one.id)[0];
  if (newest === undefined || open.length < MAX_ITEMS)
    return [
      known,
      openItem(journal.allocate('inbox'), 'problem', { ...about, facts: { ...facts } }),
    ];
  const more = (asideOf(newest).more ?? 0) + 1;
  return [
    known,
    retellItem(newest.id, {
      title: `${about.title}, and ${String(more)} more`,
      detail: about.detail,
      facts: { ...facts, more },
    }),
  ];
}
