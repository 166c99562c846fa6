import type { InboundEvent, Intake } from '../../ports/channel';
import type { ChannelDeps } from './channel-deps';
import { down, refused } from './channel-errors';
import { isChatCommand, takeMessage } from './take-message';

/** IDs of commands that are remembered. */
const MAX_DONE = 1_000;

/** Chats that Holdfast connects out to, by one socket. */
type SocketDeps = ChannelDeps<'discord'> | ChannelDeps<'slack'>;

/** A message of such a chat. */
export interface ChatMessage {
  /** The same for the same message, however often it comes. */
  readonly id: string;
  readonly atMs: number;
  readonly channel: string;
  readonly person: string;
  readonly event: Pick<InboundEvent, 'text' | 'media' | 'event'>;
}

/** One connection, and what it does with each message. */
export interface Hearing {
  readonly deps: SocketDeps;
  readonly intake: Intake;
  /** Commands that were carried out, over all connections: a turn is found again by its ID, they are not. */
  readonly done: Set<string>;
  /** Answers a command. */
  readonly say: (channel: string, text: string) => Promise<unknown>;
  /** Messages of a channel since a time, oldest first, as many as are fetched after a start. */
  readonly missed: (channel: string, sinceMs: number) => Promise<readonly ChatMessage[]>;
}

export const isListed = ({ spec }: SocketDeps, channel: string): boolean =>
  spec.chats.includes(channel);

/** Where a message to `peer` goes. @throws CHANNEL_REFUSED */
export function channelOf(deps: SocketDeps, peer: string): string {
  const channel = peer === '' ? deps.spec.chats[0] : peer;
  if (channel !== undefined && isListed(deps, channel)) return channel;
  throw refused(`${deps.name}: ${peer.slice(0, 40)} is not in its list of allowed channels.`);
}

/** The token goes there: only by an encrypted way, or to a service on this computer. @throws CHANNEL_DOWN */
export function assertEncrypted({ name, spec }: SocketDeps, url: string, maker: string): void {
  const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(spec.base_url ?? '');
  if (!url.startsWith('wss://') && !(isLocal && url.startsWith('ws://')))
    throw down(`${name}: ${maker} named an address that is not encrypted.`);
}

/** False: it could not be taken now. */
export async function takeChatMessage(hearing: Hearing, message: ChatMessage): Promise<boolean> {
  const { deps, intake } = hearing;
  const { channel, person, id, atMs, event } = message;
  if (!isListed(deps, channel)) {
    deps.onUnknownSender(channel);
    return true;
  }
  if (hearing.done.has(id)) return true;
  const isTaken = await takeMessage(deps, intake, {
    id,
    person,
    event: { ...event, peer: channel },
    say: (text) => hearing.say(channel, text),
  });
  if (isTaken && isChatCommand(event.text)) {
    if (hearing.done.size >= MAX_DONE) hearing.done.clear();
    hearing.done.add(id);
  }
  if (isTaken && atMs > (deps.offset.read() ?? 0)) await deps.offset.write(atMs);
  return isTaken;
}

/** Messages that came while nothing listened: the first look of a connection. */
export async function catchUp(hearing: Hearing): Promise<void> {
  const { deps } = hearing;
  const sinceMs = deps.offset.read();
  if (sinceMs === undefined) {
    // From here on nothing is missed: what was written before is no work.
    await deps.offset.write(deps.clock.nowMs());
    return;
  }
  for (const channel of deps.spec.chats) {
    const messages = await hearing.missed(channel, sinceMs).catch((error: unknown) => {
      // Without that right, only what the service sends again is caught up.
      deps.log.warn('channel.not_caught_up', { channel: deps.name, error });
      return [];
    });
    for (const message of messages) {
      // The mark is that of a handled message, so one of the same instant is fetched again.
      if (message.atMs <= sinceMs && isChatCommand(message.event.text)) continue;
      if (!(await takeChatMessage(hearing, message)))
        throw down(`${deps.name}: a message could not be processed.`);
    }
  }
}
