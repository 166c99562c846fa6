import { z } from 'zod';
import type { Delivery, Intake } from '../../../ports/channel';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { down, refused } from '../channel-errors';
import { createListening } from '../listening';
import { deliverPieces } from '../deliver-pieces';
import { chatCommand } from '../chat-command';
import { runSocket, type JsonSocket } from '../socket';
import { createSlackApi, type SlackApi } from './api';
import { readEvent, readMessage, type SlackEvent, type SlackMessage } from './events';
import { blocksOf, plain } from './message';

const MOST_CHARS = 3_000;
/** Missed messages of one channel that are fetched after a start. */
const MOST_MISSED = 100;
const opened = z.looseObject({ url: z.url() });
const posted = z.looseObject({ ts: z.string().min(1).max(40) });
const history = z.looseObject({ messages: z.array(z.unknown()).max(1_000) });

/**
 * An app of Slack in Socket Mode: Holdfast connects out, and nothing has to reach it. A message is a
 * turn on disk before it is confirmed; Slack sends again what was not.
 */
export const createSlack: CreateChannel<'slack'> = (deps) => {
  const { name, spec } = deps;
  const api = createSlackApi(deps);
  const isListed = (channel: string): boolean => spec.chats.includes(channel);
  const channelOf = (peer: string): string => {
    const channel = peer === '' ? spec.chats[0] : peer;
    if (channel !== undefined && isListed(channel)) return channel;
    throw refused(`${name}: ${peer.slice(0, 40)} is not in its list of allowed channels.`);
  };
  const say = (channel: string, text: string, signal: AbortSignal) =>
    api.call(
      'chat.postMessage',
      { channel, text: plain(text), mrkdwn: false, unfurl_links: false, unfurl_media: false },
      signal,
    );
  const listening = createListening(deps, async (intake, { signal, onUp }) => {
    const { url } = opened.parse(await api.call('apps.connections.open', {}, signal));
    const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(spec.base_url ?? '');
    if (!url.startsWith('wss://') && !(isLocal && url.startsWith('ws://')))
      throw down(`${name}: Slack named an address that is not encrypted.`);
    const hearing: Hearing = { deps, api, intake, isListed, say, signal };
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
      deliverPieces(delivery, { most: MOST_CHARS }, (text) =>
        say(channelOf(delivery.peer), text, signal),
      ),
    async ask({ peer, text, repeatNote, buttons }, signal) {
      const channel = channelOf(peer);
      const words = repeatNote === undefined ? text : `${repeatNote.slice(0, 150)}\n\n${text}`;
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

interface Hearing {
  readonly deps: ChannelDeps<'slack'>;
  readonly api: SlackApi;
  readonly intake: Intake;
  readonly isListed: (channel: string) => boolean;
  readonly say: (channel: string, text: string, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
}

async function hear(hearing: Hearing, event: SlackEvent, socket: JsonSocket): Promise<void> {
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
      if (await takeMessage(hearing, event.message)) socket.send({ envelope_id: event.envelope });
      return;
    case 'press':
      await takePress(hearing, event, () => socket.send({ envelope_id: event.envelope }));
  }
}

/** False: it could not be taken, so Slack is not told that it was. */
async function takeMessage(hearing: Hearing, message: SlackMessage): Promise<boolean> {
  const { deps, intake, isListed, say, signal } = hearing;
  const { channel, person, ts, event } = message;
  if (!isListed(channel)) {
    deps.onUnknownSender(channel);
    return true;
  }
  try {
    const answer = await chatCommand(intake, person, event.text);
    if (answer?.kind === 'say') {
      await say(channel, answer.text, signal).catch((error: unknown) => {
        deps.log.warn('channel.command_not_answered', { channel: deps.name, error });
      });
      return true;
    }
    await intake.offer({
      ...event,
      peer: channel,
      ...(answer === undefined ? {} : { session: answer.session, text: answer.text }),
      messageId: `${channel}:${ts}`,
      ...(deps.spec.agent === undefined ? {} : { newAgent: deps.spec.agent }),
    });
    const atMs = Math.floor(Number(ts) * 1_000);
    if (atMs > (deps.offset.read() ?? 0)) await deps.offset.write(atMs);
    return true;
  } catch (error) {
    deps.log.warn('channel.not_taken', { channel: deps.name, error });
    return false;
  }
}

/** Messages that came while nothing listened: the first look of a connection. */
async function catchUp(hearing: Hearing): Promise<void> {
  const { deps, api, signal } = hearing;
  const sinceMs = deps.offset.read();
  if (sinceMs === undefined) {
    // From here on nothing is missed: what was written before is no work.
    await deps.offset.write(deps.clock.nowMs());
    return;
  }
  for (const channel of deps.spec.chats) {
    const found = await api
      .call(
        'conversations.history',
        { channel, oldest: (sinceMs / 1_000).toFixed(3), limit: MOST_MISSED, inclusive: true },
        signal,
      )
      .catch((error: unknown) => {
        // Without that right of the app, only what Slack sends again is caught up.
        deps.log.warn('channel.not_caught_up', { channel: deps.name, error });
        return undefined;
      });
    const messages = history.safeParse(found).data?.messages ?? [];
    for (const one of messages.toReversed()) {
      const message = readMessage(one, channel);
      if (message === undefined || (await takeMessage(hearing, message))) continue;
      throw down(`${deps.name}: a message could not be taken.`);
    }
  }
}

async function takePress(
  { deps, api, intake, isListed, signal }: Hearing,
  { person, channel, ts, data }: Extract<SlackEvent, { kind: 'press' }>,
  confirm: () => void,
): Promise<void> {
  if (!isListed(channel)) {
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
