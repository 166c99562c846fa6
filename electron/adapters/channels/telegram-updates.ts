import { z } from 'zod';
import type { InboundEvent } from '../../ports/channel';

const someFile = z.object({ file_name: z.string().max(300).optional() });
const message = z.object({
  message_id: z.number(),
  chat: z.object({ id: z.number() }),
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
const update = z.object({
  update_id: z.number().int().nonnegative(),
  message: message.optional(),
  edited_message: message.optional(),
});

/** One update: its number, and its message if it is from a chat. */
export interface TelegramUpdate {
  readonly id: number;
  readonly event?: Pick<InboundEvent, 'peer' | 'text' | 'media' | 'event'>;
}

/** The understood updates of the Bot API's answer; one without a number cannot be read at all. */
export function readUpdates(result: unknown): readonly TelegramUpdate[] {
  if (!Array.isArray(result)) return [];
  return result.flatMap((one) => {
    const parsed = update.safeParse(one);
    if (parsed.success) return [updateOf(parsed.data)];
    const id = (one as { update_id?: unknown } | null)?.update_id;
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? [{ id }] : [];
  });
}

function updateOf(data: z.infer<typeof update>): TelegramUpdate {
  const said = data.message ?? data.edited_message;
  if (said === undefined) return { id: data.update_id };
  const media = mediaOf(said);
  const text = said.text ?? said.caption;
  const what =
    data.message === undefined ? 'edited' : said.sticker === undefined ? 'message' : 'sticker';
  return {
    id: data.update_id,
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
