/** The settings of channels (`channels.own`). Rows S1-02, S1-12, S2-53. */
import { z } from 'zod';
import { once } from '../once';
import { parseDuration } from '../durations';
import { port, row, safeUrl, variable } from './base';

/** Names that every Holdfast has, or that mean something else. */
const TAKEN: ReadonlySet<string> = new Set(['window', 'cli', 'desktop', 'none', 'wake']);

/** Name of a channel: part of the names of its conversations, `phone:12345`. */
export const channelName = once(() =>
  z
    .string()
    .min(1)
    .max(32)
    .regex(/^[a-z][a-z0-9_-]*$/i, 'begin with a letter; use letters, digits, dash and underscore')
    .refine((name) => !TAKEN.has(name.toLowerCase()), {
      error: 'this name is taken: window, cli, desktop, none and wake are',
    }),
);

const file = once(() => z.string().min(1).max(4096));
const url = once(() => safeUrl(2000));
const timeout = once(() =>
  z
    .union([z.string().max(40), z.number()], {
      error: 'a duration is text such as "10s", or a whole number of milliseconds',
    })
    .superRefine((value, context) => {
      const parsed = parseDuration(value);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason });
      else if (parsed.ms < 100 || parsed.ms > 600_000)
        context.addIssue({ code: 'custom', message: 'from 100ms to 10m' });
    }),
);

const common = () => ({
  /** False: nothing goes out or comes in; answers wait. True when absent. */
  enabled: z.boolean().optional(),
  /** Longest wait for the other side to take one message; 10 s when absent. */
  timeout: timeout().optional(),
});
/** Agent of the conversations that start here; absent: the default one. */
const agent = once(() => z.string().min(1).max(64).optional());

/** Answers as a POST to a url, signed; messages by a POST to 127.0.0.1. */
const webhook = once(() =>
  z
    .strictObject({
      kind: z.literal('webhook'),
      ...common(),
      /** Absent: it only listens. */
      url: url().optional(),
      /** Environment variable with the signing secret; default: the stored one. */
      secret_env: variable().optional(),
      /** File (mode 0600) with the secret of the signature. */
      secret_file: file().optional(),
      /** True: messages are heard at `/in/NAME`. */
      inbound: z.boolean().optional(),
      agent: agent(),
    })
    .refine((one) => one.url !== undefined || one.inbound === true, {
      error: 'give a url for answers, or "inbound": true to hear messages, or both',
    }),
);

/** A Telegram bot, read by long polling. */
const telegram = once(() =>
  z
    .strictObject({
      kind: z.literal('telegram'),
      ...common(),
      /** Environment variable with the bot token; default: the stored one. */
      token_env: variable().optional(),
      /** File (mode 0600) with the token of the bot. */
      token_file: file().optional(),
      /**
       * Chats that may start work and receive messages; no others. Every member of a listed group
       * may start work. Notices go to the first one.
       */
      chats: z
        .array(z.string().regex(/^-?\d{1,20}$/, 'a chat is a number such as "12345678", as text'))
        .min(1)
        .max(100),
      base_url: url().optional(),
      agent: agent(),
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'give the token of the bot as token_env or as token_file, not as both',
    }),
);

/** A program that is given each answer on its standard input. */
const command = once(() =>
  z.strictObject({
    kind: z.literal('command'),
    ...common(),
    /** A program, never a shell line. */
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(10_000)).max(200).optional(),
    /** Names of environment variables it receives in addition to the plain ones. */
    env: z.array(variable()).max(200).optional(),
    /** Absolute; the home folder when absent. */
    cwd: z.string().min(1).max(4096).optional(),
  }),
);

export const channelSettings = once(() =>
  z.discriminatedUnion('kind', [webhook(), telegram(), command()]),
);
export type ChannelSettings = z.infer<ReturnType<typeof channelSettings>>;
export type ChannelSettingsOf<K extends ChannelSettings['kind']> = Extract<
  ChannelSettings,
  { readonly kind: K }
>;

/** All of them, by name. */
export const channels = once(() => z.record(channelName(), channelSettings()));

/** Where answers go and messages come from. */
export const CHANNEL_SETTINGS = {
  'channels.default': row(
    () => z.string().min(1).max(64),
    'window',
    'hot',
    'Where restart notices go first, and answers whose own channel is gone',
  ),
  'channels.own': row(channels, {}, 'hot', 'Channels of your own: webhook, telegram, command'),
  'channels.port': row(
    port,
    8788,
    'hot',
    'Port on 127.0.0.1 where webhooks are heard; the next free one where it is taken',
  ),
};
