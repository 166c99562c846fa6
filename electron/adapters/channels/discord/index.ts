import { z } from 'zod';
import type { Delivery } from '../../../ports/channel';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { down } from '../channel-errors';
import {
  assertEncrypted,
  catchUp,
  channelOf,
  isListed,
  takeChatMessage,
  type ChatMessage,
  type Hearing,
} from '../chat-socket';
import { deliverPieces } from '../deliver-pieces';
import { createListening } from '../listening';
import { withRepeatNote } from '../pieces';
import { runSocket, type JsonSocket } from '../socket';
import { createDiscordApi, type DiscordApi } from './api';
import {
  readFrame,
  readMessage,
  snowflakeOf,
  timeOf,
  type DiscordMessage,
  type DiscordPress,
} from './events';
import { messageOf, MAX_CHARS, plain, plainSize, QUIET } from './message';

/** Messages in guilds and direct chats, with their content. */
const INTENTS = (1 << 9) | (1 << 12) | (1 << 15);
/** Missed messages of one channel that are fetched after a start. */
const MAX_MISSED = 100;
const gateway = z.looseObject({ url: z.url() });
const sent = z.looseObject({ id: z.string().regex(/^\d{1,20}$/) });

/**
 * A Discord bot at its gateway: Holdfast connects out, so nothing has to reach it. Messages written
 * while it was away are fetched with the next connection.
 */
export const createDiscord: CreateChannel<'discord'> = (deps) => {
  const { name } = deps;
  const api = createDiscordApi(deps);
  const say = (channel: string, text: string, signal: AbortSignal) =>
    api.call('POST', `/channels/${channel}/messages`, { ...QUIET, content: plain(text) }, signal);
  const done = new Set<string>();
  const listening = createListening(deps, async (intake, { signal, onUp }) => {
    const { url } = gateway.parse(await api.call('GET', '/gateway/bot', undefined, signal));
    assertEncrypted(deps, url, 'Discord');
    const token = await api.token();
    await hearGateway(
      {
        deps,
        api,
        intake,
        done,
        signal,
        say: (channel, text) => say(channel, text.slice(0, MAX_CHARS / 2), signal),
        missed: (channel, sinceMs) => missed(api, channel, sinceMs, signal),
      },
      { url: `${url.replace(/\/+$/, '')}/?v=10&encoding=json`, token, onUp },
    );
  });
  return {
    deliver: (delivery: Delivery, signal) =>
      deliverPieces(delivery, { most: MAX_CHARS, sizeOf: plainSize }, (text) =>
        say(channelOf(deps, delivery.peer), text, signal),
      ),
    async ask({ peer, text, repeatNote, buttons }, signal) {
      const channel = channelOf(deps, peer);
      const words = withRepeatNote(text, repeatNote);
      const answer = await api.call(
        'POST',
        `/channels/${channel}/messages`,
        messageOf({ text: words, buttons }),
        signal,
      );
      const parsed = sent.safeParse(answer);
      if (!parsed.success)
        throw down(`${name}: Discord did not say which message it sent.`, { mayHaveArrived: true });
      return { peer: channel, ref: parsed.data.id };
    },
    async edit({ peer, ref }, message, signal) {
      await api.call('PATCH', `/channels/${peer}/messages/${ref}`, messageOf(message), signal);
    },
    ...listening,
  };
};

interface Gateway extends Hearing {
  readonly deps: ChannelDeps<'discord'>;
  readonly api: DiscordApi;
  readonly signal: AbortSignal;
}

/** One connection to the gateway, from hello to its end. */
async function hearGateway(
  hearing: Gateway,
  { url, token, onUp }: { readonly url: string; readonly token: string; readonly onUp: () => void },
): Promise<void> {
  const { deps, signal } = hearing;
  let sequence: number | null = null;
  const beat = createHeart(() => sequence);
  try {
    await runSocket(url, {
      name: deps.name,
      signal,
      async onMessage(said, socket) {
        const event = readFrame(said);
        sequence = event.sequence ?? sequence;
        switch (event.kind) {
          case 'hello':
            beat.start(socket, event.beatMs);
            socket.send({
              op: 2,
              d: {
                token,
                intents: INTENTS,
                properties: { os: process.platform, browser: 'holdfast', device: 'holdfast' },
              },
            });
            return;
          case 'beat_asked':
            socket.send({ op: 1, d: sequence });
            return;
          case 'beat_heard':
            beat.heard();
            return;
          case 'again':
            socket.close();
            return;
          case 'ready':
            onUp();
            await catchUp(hearing);
            return;
          case 'message':
            // Not taken: the next connection fetches it again.
            if (!(await takeChatMessage(hearing, chatMessage(event.message)))) socket.close();
            return;
          case 'press':
            await takePress(hearing, event.press);
            return;
          case 'other':
        }
      },
    });
  } finally {
    beat.stop();
  }
}

/**
 * The heartbeat that the Discord gateway requires; a missing acknowledgement ends the connection.
 */
function createHeart(sequence: () => number | null): {
  start(socket: JsonSocket, everyMs: number): void;
  heard(): void;
  stop(): void;
} {
  let timer: NodeJS.Timeout | undefined;
  let isHeard = true;
  return {
    start(socket, everyMs) {
      clearInterval(timer);
      isHeard = true;
      timer = setInterval(() => {
        if (!isHeard) {
          socket.close();
          return;
        }
        isHeard = false;
        socket.send({ op: 1, d: sequence() });
      }, everyMs);
      timer.unref();
    },
    heard() {
      isHeard = true;
    },
    stop: () => clearInterval(timer),
  };
}

const chatMessage = (message: DiscordMessage): ChatMessage => ({
  ...message,
  atMs: timeOf(message.id),
});

async function missed(
  api: DiscordApi,
  channel: string,
  sinceMs: number,
  signal: AbortSignal,
): Promise<readonly ChatMessage[]> {
  const since = `after=${snowflakeOf(sinceMs - 1)}&limit=${String(MAX_MISSED)}`;
  const found = await api.call('GET', `/channels/${channel}/messages?${since}`, undefined, signal);
  return (Array.isArray(found) ? (found as readonly unknown[]) : [])
    .flatMap((one) => readMessage(one) ?? [])
    .map(chatMessage)
    .toSorted((one, other) => one.atMs - other.atMs);
}

async function takePress(
  { deps, api, intake, signal }: Gateway,
  { id, token, channel, person, data }: DiscordPress,
): Promise<void> {
  const reply = (answer: Readonly<Record<string, unknown>>): Promise<unknown> =>
    api.call('POST', `/interactions/${id}/${token}/callback`, answer, signal).catch(
      // Discord itself shows that nothing answered.
      (error: unknown) => {
        deps.log.warn('channel.press_not_answered', { channel: deps.name, error });
      },
    );
  if (!isListed(deps, channel)) {
    deps.onUnknownSender(channel);
    return;
  }
  const { note, message } = await intake.press({ person, data });
  if (message !== undefined) await reply({ type: 7, data: messageOf(message) });
  else if (note === '') await reply({ type: 6 });
  else await reply({ type: 4, data: { content: plain(note), ...QUIET, flags: 64 } });
}
