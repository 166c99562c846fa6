import { z } from 'zod';
import type { Channel, Intake, MessagePlace, QuestionMessage } from '../../ports/channel';
import type { ChannelDeps } from './channel-deps';
import { down, refused } from './channel-errors';
import { withRepeatNote } from './pieces';
import { callTelegram, type TelegramApiDeps } from './telegram-api';

/** A press of a button below one of the bot's messages. */
export interface TelegramPress {
  /** ID of the press, needed to answer it with a short note. */
  readonly id: string;
  /** The user, not the chat. */
  readonly person: string;
  readonly data: string;
  readonly chat: string;
  readonly messageId: number;
}

interface QuestionsDeps {
  readonly api: TelegramApiDeps;
  readonly deps: Pick<ChannelDeps<'telegram'>, 'name' | 'spec' | 'timeoutMs' | 'log'>;
}

/** Where a message to `peer` goes. @throws CHANNEL_REFUSED */
export function chatOf({ name, spec }: QuestionsDeps['deps'], peer: string): string {
  const chat = peer === '' ? spec.chats[0] : peer;
  if (chat !== undefined && spec.chats.includes(chat)) return chat;
  throw refused(`${name}: the chat ${peer.slice(0, 40)} is not in its list of allowed chats.`);
}

/** What one message holds, with room for the note that it may be a repeat. */
const MAX_CHARS = 3_900;
const sentMessage = z.object({ message_id: z.number().int() });

/** Questions as messages with buttons. Their text is sent literally, never as markup. */
export function createTelegramQuestions({ api, deps }: QuestionsDeps): Required<
  Pick<Channel, 'ask' | 'edit'>
> & {
  /**
   * The decision of a press is on disk before its note is sent. False: a temporary error prevented
   * the decision, and the press must be delivered again.
   */
  pressed(press: TelegramPress, intake: Intake, signal: AbortSignal): Promise<boolean>;
} {
  const { name, timeoutMs } = deps;
  const call = (
    method: Parameters<typeof callTelegram>[1],
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => callTelegram(api, method, input, { timeoutMs, signal });
  const body = ({ text, buttons }: QuestionMessage) => ({
    text: text.slice(0, MAX_CHARS),
    link_preview_options: { is_disabled: true },
    reply_markup: {
      inline_keyboard: buttons.map((row) =>
        row.map(({ label, data }) => ({ text: label, callback_data: data })),
      ),
    },
  });
  const edit = async (
    { peer, ref }: MessagePlace,
    message: QuestionMessage,
    signal: AbortSignal,
  ): Promise<void> => {
    const place = { chat_id: Number(peer), message_id: Number(ref) };
    await call('editMessageText', { ...place, ...body(message) }, signal);
  };
  const warn = (error: unknown): void => {
    deps.log.warn('channel.press_not_answered', { channel: name, error });
  };

  return {
    async ask({ peer, text, repeatNote, buttons }, signal) {
      const chat = chatOf(deps, peer);
      const question = body({ text: withRepeatNote(text, repeatNote), buttons });
      const sent = await call('sendMessage', { chat_id: Number(chat), ...question }, signal);
      const parsed = sentMessage.safeParse(sent);
      if (!parsed.success)
        throw down(`${name}: Telegram did not say which message it sent.`, {
          mayHaveArrived: true,
        });
      return { peer: chat, ref: String(parsed.data.message_id) };
    },
    edit,
    async pressed({ id, person, data, chat, messageId }, intake, signal) {
      const { note, message, isNotTaken } = await intake.press({ person, data });
      if (isNotTaken === true) {
        deps.log.warn('channel.press_not_taken', { channel: name, error: note });
        return false;
      }
      // Telegram shows a spinner until this arrives; a failure does no harm.
      const answer = { callback_query_id: id, ...(note === '' ? {} : { text: note }) };
      await call('answerCallbackQuery', answer, signal).catch(warn);
      if (message !== undefined)
        await edit({ peer: chat, ref: String(messageId) }, message, signal).catch(warn);
      return true;
    },
  };
}
