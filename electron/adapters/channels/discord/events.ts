import { z } from 'zod';
import type { InboundEvent } from '../../../ports/channel';
import { mediaKind } from '../media-kind';

const id = z.string().regex(/^\d{1,20}$/);
const frame = z.looseObject({
  op: z.number().int(),
  d: z.unknown().optional(),
  s: z.number().int().nullish(),
  t: z.string().max(100).nullish(),
});
const hello = z.looseObject({ heartbeat_interval: z.number().min(100).max(600_000) });
const message = z.looseObject({
  id,
  channel_id: id,
  author: z.looseObject({ id, bot: z.boolean().optional() }),
  /** 0: a message, 19: a reply. */
  type: z.number().optional(),
  content: z.string().max(100_000).optional(),
  attachments: z
    .array(
      z.looseObject({
        filename: z.string().max(300),
        content_type: z.string().max(200).optional(),
      }),
    )
    .max(50)
    .optional(),
});
const interaction = z.looseObject({
  id,
  token: z.string().regex(/^[\w.-]{1,1000}$/),
  type: z.literal(3),
  channel_id: id,
  message: z.looseObject({ id }),
  data: z.looseObject({ custom_id: z.string().max(200) }),
  member: z.looseObject({ user: z.looseObject({ id }) }).optional(),
  user: z.looseObject({ id }).optional(),
});

export interface DiscordMessage {
  readonly id: string;
  readonly channel: string;
  readonly person: string;
  readonly event: Pick<InboundEvent, 'text' | 'media' | 'event'>;
}

export interface DiscordPress {
  /** ID and response token of the press. */
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly person: string;
  readonly data: string;
}

type DiscordEvent = { readonly sequence?: number } & (
  | { readonly kind: 'hello'; readonly beatMs: number }
  | { readonly kind: 'beat_asked' | 'beat_heard' | 'again' | 'ready' | 'other' }
  | { readonly kind: 'message'; readonly message: DiscordMessage }
  | { readonly kind: 'press'; readonly press: DiscordPress }
);

/** Interprets a gateway frame. Pure. */
export function readFrame(said: unknown): DiscordEvent {
  const { data } = frame.safeParse(said);
  if (data === undefined) return { kind: 'other' };
  const at = typeof data.s === 'number' ? { sequence: data.s } : {};
  switch (data.op) {
    case 10: {
      const begun = hello.safeParse(data.d).data;
      return begun === undefined
        ? { kind: 'again' }
        : { kind: 'hello', beatMs: begun.heartbeat_interval };
    }
    case 1:
      return { kind: 'beat_asked' };
    case 11:
      return { kind: 'beat_heard' };
    case 7:
    case 9:
      return { kind: 'again' };
    case 0:
      return { ...at, ...dispatched(data.t ?? '', data.d) };
    default:
      return { kind: 'other' };
  }
}

function dispatched(name: string, content: unknown): DiscordEvent {
  if (name === 'READY') return { kind: 'ready' };
  if (name === 'MESSAGE_CREATE') {
    const read = readMessage(content);
    return read === undefined ? { kind: 'other' } : { kind: 'message', message: read };
  }
  const pressed = name === 'INTERACTION_CREATE' ? interaction.safeParse(content).data : undefined;
  const person = pressed?.member?.user.id ?? pressed?.user?.id;
  if (pressed === undefined || person === undefined) return { kind: 'other' };
  return {
    kind: 'press',
    press: {
      id: pressed.id,
      token: pressed.token,
      channel: pressed.channel_id,
      person,
      data: pressed.data.custom_id,
    },
  };
}

/** Undefined for anything that is not a person's message. */
export function readMessage(content: unknown): DiscordMessage | undefined {
  const said = message.safeParse(content).data;
  if (said === undefined || said.author.bot === true) return undefined;
  if (said.type !== undefined && said.type !== 0 && said.type !== 19) return undefined;
  const text = said.content?.replace(/^\s*<@!?\d+>\s*/, '') ?? '';
  return {
    id: said.id,
    channel: said.channel_id,
    person: said.author.id,
    event: {
      event: 'message',
      ...(text === '' ? {} : { text }),
      ...(said.attachments === undefined || said.attachments.length === 0
        ? {}
        : {
            media: said.attachments.map(({ filename, content_type: type = '' }) => ({
              kind: mediaKind(type),
              name: filename,
            })),
          }),
    },
  };
}

/** 2015-01-01, the epoch of Discord's IDs. */
const EPOCH_MS = 1_420_070_400_000;

/** Converts a message ID to the time it was sent, and a time to the ID. */
export const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + EPOCH_MS;
export const snowflakeOf = (atMs: number): string =>
  String(BigInt(Math.max(0, Math.floor(atMs) - EPOCH_MS)) << 22n);
