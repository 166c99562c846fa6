import { z } from 'zod';
import type { InboundEvent } from '../../../ports/channel';

const envelope = z.looseObject({
  type: z.string(),
  envelope_id: z.string().max(200).optional(),
  payload: z.unknown().optional(),
});
const id = z.string().min(1).max(40);
const message = z.looseObject({
  type: z.literal('message'),
  channel: id.optional(),
  user: id.optional(),
  text: z.string().max(100_000).optional(),
  ts: z.string().regex(/^\d{1,15}\.\d{1,10}$/),
  subtype: z.string().optional(),
  bot_id: z.string().optional(),
  files: z
    .array(z.looseObject({ name: z.string().max(300).nullish() }))
    .max(50)
    .optional(),
});
const press = z.looseObject({
  type: z.literal('block_actions'),
  user: z.looseObject({ id }),
  channel: z.looseObject({ id }),
  message: z.looseObject({ ts: z.string().max(40) }),
  actions: z
    .array(z.looseObject({ value: z.string().max(200).optional() }))
    .min(1)
    .max(10),
});

/** A message in a channel. */
export interface SlackMessage {
  readonly channel: string;
  readonly person: string;
  /** The channel's ID of the message. */
  readonly ts: string;
  readonly event: Pick<InboundEvent, 'text' | 'media' | 'event'>;
}

export type SlackEvent =
  | { readonly kind: 'hello' }
  | { readonly kind: 'goodbye' }
  | { readonly kind: 'message'; readonly envelope: string; readonly message: SlackMessage }
  | {
      readonly kind: 'press';
      readonly envelope: string;
      readonly person: string;
      readonly channel: string;
      readonly ts: string;
      readonly data: string;
    }
  /** Nothing to do; acknowledged if it has an envelope. */
  | { readonly kind: 'other'; readonly envelope?: string };

/** Interprets a Socket Mode message. Pure. */
export function readEvent(said: unknown): SlackEvent {
  const { data } = envelope.safeParse(said);
  if (data === undefined) return { kind: 'other' };
  if (data.type === 'hello') return { kind: 'hello' };
  if (data.type === 'disconnect') return { kind: 'goodbye' };
  const at = data.envelope_id;
  if (at === undefined) return { kind: 'other' };
  if (data.type === 'interactive') {
    const pressed = press.safeParse(data.payload).data;
    if (pressed === undefined) return { kind: 'other', envelope: at };
    return {
      kind: 'press',
      envelope: at,
      person: pressed.user.id,
      channel: pressed.channel.id,
      ts: pressed.message.ts,
      data: pressed.actions[0]?.value ?? '',
    };
  }
  const { event } = (data.payload ?? {}) as { readonly event?: unknown };
  const read = data.type === 'events_api' ? readMessage(event) : undefined;
  return read === undefined
    ? { kind: 'other', envelope: at }
    : { kind: 'message', envelope: at, message: read };
}

/** Undefined for anything that is not a person's message. */
export function readMessage(event: unknown, channel?: string): SlackMessage | undefined {
  const said = message.safeParse(event).data;
  const where = said?.channel ?? channel;
  if (said?.user === undefined || where === undefined || said.bot_id !== undefined)
    return undefined;
  const { subtype } = said;
  if (subtype !== undefined && subtype !== 'file_share' && subtype !== 'thread_broadcast')
    return undefined;
  return {
    channel: where,
    person: said.user,
    ts: said.ts,
    event: {
      event: 'message',
      ...(said.text === undefined ? {} : { text: wordsOf(said.text) }),
      ...(said.files === undefined
        ? {}
        : {
            media: said.files.map(({ name }) => ({
              kind: 'file' as const,
              ...(typeof name === 'string' ? { name } : {}),
            })),
          }),
    },
  };
}

/** The text as typed: without the leading mention of the bot and without Slack's markup. */
const wordsOf = (text: string): string =>
  text
    .replace(/^\s*<@[UW][A-Z0-9]+>\s*/, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
