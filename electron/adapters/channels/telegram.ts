import { TELEGRAM_URL } from '../../../shared/settings/channel-kinds/telegram';
import { HoldfastError, toHoldfastError } from '../../engine/kernel/errors';
import type { Delivery, Intake, InboundEvent } from '../../ports/channel';
import type { ChannelDeps, CreateChannel } from './channel-deps';
import { deliverPieces } from './deliver-pieces';
import { chatOf, createTelegramQuestions, type TelegramPress } from './telegram-questions';
import { callTelegram, MAX_UPDATES, type TelegramApiDeps } from './telegram-api';
import { takeMessage } from './take-message';
import { z } from 'zod';

const someFile = z.object({ file_name: z.string().max(300).optional() });
const message = z.object({
  message_id: z.number(),
  chat: z.object({ id: z.number() }),
  from: z.object({ id: z.number() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: z.array(z.unknown()).optional(),
  document: someFile.optional(),
  audio: someFile.optional(),
  video: someFile.optional(),
  voice: z.unknown().optional(),
  video_note: z.unknown().optional(),
  sticker: z.unknown().optional(),
});
const pressed = z.object({
  id: z.string().max(200),
  from: z.object({ id: z.number() }),
  // Absent if the message is too old.
  message: z.object({ message_id: z.number(), chat: z.object({ id: z.number() }) }).optional(),
  data: z.string().max(200).optional(),
});
const updateShape = z.object({
  update_id: z.number().int().nonnegative(),
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: pressed.optional(),
});

/** One update: its ID, and its message if it is from a chat. */
interface TelegramUpdate {
  readonly id: number;
  readonly event?: Pick<InboundEvent, 'peer' | 'text' | 'media' | 'event'>;
  /** The author; in a group, not the chat. */
  readonly person?: string;
  /** A button was pressed. */
  readonly press?: TelegramPress;
}

/** The understood updates of the Bot API's answer; one without a number cannot be read at all. */
export function readUpdates(result: unknown): readonly TelegramUpdate[] {
  if (!Array.isArray(result)) return [];
  return result.flatMap((one) => {
    const parsed = updateShape.safeParse(one);
    if (parsed.success) return [updateOf(parsed.data)];
    const id = (one as { update_id?: unknown } | null)?.update_id;
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? [{ id }] : [];
  });
}

function updateOf(data: z.infer<typeof updateShape>): TelegramUpdate {
  const press = data.callback_query;
  if (press?.message !== undefined)
    return {
      id: data.update_id,
      press: {
        id: press.id,
        person: String(press.from.id),
        data: press.data ?? '',
        chat: String(press.message.chat.id),
        messageId: press.message.message_id,
      },
    };
  const said = data.message ?? data.edited_message;
  if (said === undefined) return { id: data.update_id };
  const media = mediaOf(said);
  const text = said.text ?? said.caption;
  const what =
    data.message === undefined ? 'edited' : said.sticker === undefined ? 'message' : 'sticker';
  return {
    id: data.update_id,
    ...(said.from === undefined ? {} : { person: String(said.from.id) }),
    event: {
      peer: String(said.chat.id),
      event: what,
      ...(text === undefined ? {} : { text }),
      ...(media.length === 0 ? {} : { media }),
    },
  };
}

function mediaOf(said: z.infer<typeof message>): NonNullable<InboundEvent['media']> {
  const file = (
    kind: 'file' | 'audio' | 'video',
    one: { readonly file_name?: string | undefined } | undefined,
  ) =>
    one === undefined
      ? []
      : [{ kind, ...(one.file_name === undefined ? {} : { name: one.file_name }) }];
  return [
    ...(said.photo === undefined ? [] : [{ kind: 'image' as const }]),
    ...file('file', said.document),
    ...file('audio', said.audio),
    ...(said.voice === undefined ? [] : [{ kind: 'audio' as const }]),
    ...file('video', said.video),
    ...(said.video_note === undefined ? [] : [{ kind: 'video' as const }]),
  ];
}

/** What one message of Telegram holds. */
const MAX_CHARS = 4_096;

/** How long Telegram holds a request open; an idle channel sends one in this time. */
const POLL_SECONDS = 50;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** An empty answer this early was not held open: repeated at once, it would loop forever. */
const SOON_MS = 1_000;

type Polled = { readonly isWell: true } | { readonly isWell: false; readonly waitMs: number };

/**
 * A Telegram bot. Each update is a turn on disk, or counted as ignored, before the next request
 * confirms it with a higher ID; after a kill, a repeated update is recognized by its ID.
 */
export const createTelegram: CreateChannel<'telegram'> = (deps) => {
  const { name, clock } = deps;
  const api = apiOf(deps);
  const chats = new Set(deps.spec.chats);
  let polling = new AbortController();

  const send = (
    chat: number,
    text: string,
    signal: AbortSignal,
    about?: string,
  ): Promise<unknown> =>
    callTelegram(
      api,
      'sendMessage',
      {
        chat_id: chat,
        text,
        link_preview_options: { is_disabled: true },
        ...(about === undefined
          ? {}
          : {
              reply_parameters: { message_id: Number(about), allow_sending_without_reply: true },
            }),
      },
      { timeoutMs: deps.timeoutMs, signal },
    );

  const deliver = async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
    const chat = Number(chatOf(deps, delivery.peer));
    await deliverPieces(delivery, { most: MAX_CHARS }, (text) =>
      send(chat, text, signal, delivery.aboutRef),
    );
  };

  const questions = createTelegramQuestions({ api, deps });
  const takePress = async (press: TelegramPress, intake: Intake): Promise<boolean> => {
    if (!chats.has(press.chat)) {
      deps.onUnknownSender(press.chat);
      return true;
    }
    return questions.pressed(press, intake, polling.signal);
  };

  /** False: it could not be accepted, so it and all that follow are requested again. */
  const take = async (update: TelegramUpdate, intake: Intake): Promise<boolean> => {
    const { event, press } = update;
    if (press !== undefined) {
      const about = () => ({ from: press.person, text: 'a button' });
      const end = await intake.each({ id: String(update.id), about }, () =>
        takePress(press, intake),
      );
      return end.kind !== 'later';
    }
    if (event === undefined) return true;
    if (!chats.has(event.peer)) {
      deps.onUnknownSender(event.peer);
      return true;
    }
    const isCommand = event.event === 'message' && event.text?.startsWith('/') === true;
    return takeMessage(deps, intake, {
      id: String(update.id),
      person: isCommand ? update.person : undefined,
      event,
      say: (text) => send(Number(event.peer), text, polling.signal),
    });
  };

  const ask = async (intake: Intake, signal: AbortSignal): Promise<Polled> => {
    const admission = deps.breaker().allow();
    if (admission.kind === 'refused') return { isWell: false, waitMs: admission.retryInMs };
    const offset = deps.offset.read();
    // A probe must end soon: while it runs, no answer can be sent.
    const seconds = admission.isTrial ? 0 : POLL_SECONDS;
    const askedAtMs = clock.monotonicMs();
    let updates: readonly TelegramUpdate[];
    try {
      updates = readUpdates(
        await callTelegram(
          api,
          'getUpdates',
          {
            timeout: seconds,
            limit: MAX_UPDATES,
            allowed_updates: ['message', 'edited_message', 'callback_query'],
            ...(offset === undefined ? {} : { offset }),
          },
          { timeoutMs: seconds * 1_000 + deps.timeoutMs, signal },
        ),
      );
      deps.breaker().onSuccess(admission);
    } catch (thrown) {
      const error = toHoldfastError(thrown);
      const afterMs = error.facts['retryAfterMs'];
      if (signal.aborted || typeof afterMs === 'number') deps.breaker().onIgnored(admission);
      else deps.breaker().onFailure(admission, error.message);
      if (!signal.aborted)
        deps.log.warn('channel.not_heard', { channel: name, error: error.message });
      return { isWell: false, waitMs: typeof afterMs === 'number' ? afterMs : 0 };
    }
    let next = offset;
    let isWell = true;
    for (const update of updates) {
      isWell = !signal.aborted && (await take(update, intake));
      if (!isWell) break;
      next = Math.max(next ?? 0, update.id + 1);
    }
    if (next !== undefined && next !== offset) await deps.offset.write(next);
    const isEager = next === offset && seconds > 0 && clock.monotonicMs() - askedAtMs < SOON_MS;
    return isWell && !isEager ? { isWell } : { isWell: false, waitMs: 0 };
  };

  const poll = async (intake: Intake, signal: AbortSignal): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const end = await ask(intake, signal).catch((error: unknown): Polled => {
        deps.log.warn('channel.not_heard', { channel: name, error });
        return { isWell: false, waitMs: 0 };
      });
      if (end.isWell) {
        retryMs = FIRST_RETRY_MS;
        continue;
      }
      await clock.sleep(Math.max(retryMs, end.waitMs), signal).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  };

  return {
    deliver,
    ...questions,
    start(intake) {
      polling.abort();
      polling = new AbortController();
      void poll(intake, polling.signal);
    },
    stop() {
      polling.abort();
    },
  };
};

function apiOf({ name, spec, secret }: ChannelDeps<'telegram'>): TelegramApiDeps {
  return {
    name,
    baseUrl: (spec.base_url ?? TELEGRAM_URL).replace(/\/+$/, ''),
    token: async () => {
      const token = await secret();
      if (token !== undefined && /^[\w:-]{1,200}$/.test(token)) return token;
      const what = token === undefined ? 'it has no token yet' : 'that is not a bot token';
      throw new HoldfastError('SECRET_UNREADABLE', `${name}: ${what}.`, {
        hint: 'Store it: it looks like 123456:ABC…, as given by BotFather.',
      });
    },
  };
}
