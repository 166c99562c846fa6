import { z } from 'zod';
import type { Delivery } from '../../../ports/channel';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import {
  assertEncrypted,
  catchUp,
  channelOf,
  isListed,
  takeChatMessage,
  type ChatMessage,
  type Hearing,
} from '../chat-socket';
import { createListening } from '../listening';
import { withRepeatNote } from '../pieces';
import { deliverPieces } from '../deliver-pieces';
import { runSocket, type JsonSocket } from '../socket';
import { createSlackApi, type SlackApi } from './api';
import { readEvent, readMessage, type SlackEvent, type SlackMessage } from './events';
import { blocksOf, plain } from './message';

const MAX_CHARS = 3_000;
/** Missed messages of one channel that are fetched after a start. */
const MAX_MISSED = 100;
const opened = z.looseObject({ url: z.url() });
const posted = z.looseObject({ ts: z.string().min(1).max(40) });
const history = z.looseObject({ messages: z.array(z.unknown()).max(1_000) });

/**
 * A Slack app in Socket Mode: Holdfast connects out, so nothing has to reach it. A message is a
 * turn on disk before it is acknowledged; Slack resends unacknowledged ones.
 */
export const createSlack: CreateChannel<'slack'> = (deps) => {
  const { name } = deps;
  const api = createSlackApi(deps);
  const say = (channel: string, text: string, signal: AbortSignal) =>
    api.call(
      'chat.postMessage',
      { channel, text: plain(text), mrkdwn: false, unfurl_links: false, unfurl_media: false },
      signal,
    );
  const done = new Set<string>();
  const listening = createListening(deps, async (intake, { signal, onUp }) => {
    const { url } = opened.parse(await api.call('apps.connections.open', {}, signal));
    assertEncrypted(deps, url, 'Slack');
    const hearing: Socket = {
      deps,
      api,
      intake,
      done,
      signal,
      say: (channel, text) => say(channel, text, signal),
      missed: (channel, sinceMs) => missed(api, channel, sinceMs, signal),
    };
    await runSocket(url, {
      name,
      signal,
      async onMessage(said, socket) {
        const event = readEvent(said);
        if (event.kind === 'hello') {
          onUp();
          await catchUp(hearing);
        } else await hear(hearing, event, socket);
      },
    });
  });
  return {
    deliver: (delivery: Delivery, signal) =>
      deliverPieces(delivery, { most: MAX_CHARS }, (text) =>
        say(channelOf(deps, delivery.peer), text, signal),
      ),
    async ask({ peer, text, repeatNote, buttons }, signal) {
      const channel = channelOf(deps, peer);
      const words = withRepeatNote(text, repeatNote);
      const { ts } = posted.parse(
        await api.call(
          'chat.postMessage',
          { channel, ...blocksOf({ text: words, buttons }) },
          signal,
        ),
      );
      return { peer: channel, ref: ts };
    },
    async edit({ peer, ref }, message, signal) {
      await api.call('chat.update', { channel: peer, ts: ref, ...blocksOf(message) }, signal);
    },
    ...listening,
  };
};

interface Socket extends Hearing {
  readonly deps: ChannelDeps<'slack'>;
  readonly api: SlackApi;
  readonly signal: AbortSignal;
}

async function hear(hearing: Socket, event: SlackEvent, socket: JsonSocket): Promise<void> {
  switch (event.kind) {
    case 'hello':
      return;
    case 'goodbye':
      socket.close();
      return;
    case 'other':
      if (event.envelope !== undefined) socket.send({ envelope_id: event.envelope });
      return;
    case 'message':
      // Not taken: Slack is not told that it was, and sends it again.
      if (await takeChatMessage(hearing, chatMessage(event.message)))
        socket.send({ envelope_id: event.envelope });
      return;
    case 'press':
      await takePress(hearing, event, () => socket.send({ envelope_id: event.envelope }));
  }
}

const chatMessage = ({ ts, ...message }: SlackMessage): ChatMessage => ({
  ...message,
  id: `${message.channel}:${ts}`,
  atMs: Math.floor(Number(ts) * 1_000),
});

async function missed(
  api: SlackApi,
  channel: string,
  sinceMs: number,
  signal: AbortSignal,
): Promise<readonly ChatMessage[]> {
  const oldest = (sinceMs / 1_000).toFixed(3);
  const asked = { channel, oldest, limit: MAX_MISSED, inclusive: true };
  const found = history.safeParse(await api.call('conversations.history', asked, signal));
  return (found.data?.messages ?? [])
    .toReversed()
    .flatMap((one) => readMessage(one, channel) ?? [])
    .map(chatMessage);
}

async function takePress(
  { deps, api, intake, signal }: Socket,
  { person, channel, ts, data }: Extract<SlackEvent, { kind: 'press' }>,
  confirm: () => void,
): Promise<void> {
  if (!isListed(deps, channel)) {
    deps.onUnknownSender(channel);
    confirm();
    return;
  }
  const { note, message, isNotTaken } = await intake.press({ person, data });
  if (isNotTaken === true) {
    deps.log.warn('channel.press_not_taken', { channel: deps.name, error: note });
    return;
  }
  confirm();
  const warn = (error: unknown): void => {
    deps.log.warn('channel.press_not_answered', { channel: deps.name, error });
  };
  if (message !== undefined)
    await api.call('chat.update', { channel, ts, ...blocksOf(message) }, signal).catch(warn);
  else if (note !== '')
    await api
      .call(
        'chat.postEphemeral',
        { channel, user: person, text: plain(note), mrkdwn: false },
        signal,
      )
      .catch(warn);
}
