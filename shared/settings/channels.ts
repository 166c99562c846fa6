/** The settings of channels (`channels.own`). Rows S1-02, S1-12, S2-53. */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { urlProblem } from '../safe-url';
import { port, row, variable } from './base';
import {
  agent,
  COMMON,
  common,
  DECIDING,
  file,
  signedDecide,
  url,
  type ChannelKind,
} from './channel-parts';
import { discord, DISCORD } from './channel-kinds/discord';
import { mail, MAIL } from './channel-kinds/mail';
import { ntfy, NTFY } from './channel-kinds/ntfy';
import { slack, SLACK } from './channel-kinds/slack';
import { telegram, TELEGRAM } from './channel-kinds/telegram';
import { webpush, WEBPUSH } from './channel-kinds/webpush';

/** Names of channels that every Holdfast has. */
export const BUILT_IN_CHANNELS: ReadonlySet<string> = new Set(['window', 'cli', 'desktop']);
/** These, and names that mean something else. */
const TAKEN: ReadonlySet<string> = new Set([...BUILT_IN_CHANNELS, 'none', 'wake']);

/** Name of a channel: part of the names of its conversations, `phone:12345`. */
export const channelName = once(() =>
  z
    .string()
    .min(1)
    .max(32)
    .regex(
      /^[a-z][a-z0-9_-]*$/i,
      'start with a letter; use letters, digits, dashes and underscores',
    )
    .refine((name) => !TAKEN.has(name.toLowerCase()), {
      error: 'this name is reserved, as are window, cli, desktop, none and wake',
    }),
);

/** Sends replies as a signed POST to a URL; receives messages as a POST to 127.0.0.1. */
const webhook = once(() =>
  z
    .strictObject({
      kind: z.literal('webhook'),
      ...common(),
      /** If omitted, the channel only receives. */
      url: url().optional(),
      /** Environment variable with the signing secret. Default: the stored one. */
      secret_env: variable().optional(),
      /** File (mode 0600) with the signing secret. */
      secret_file: file().optional(),
      /** True: the channel receives messages at `/in/NAME`. */
      inbound: z.boolean().optional(),
      agent: agent(),
      /** Names of your choice: each person gets their own signed answers to send back. */
      decide: signedDecide('named').optional(),
    })
    .refine((one) => one.url !== undefined || one.inbound === true, {
      error: 'set a url for replies, "inbound": true to receive messages, or both',
    }),
);

/** A program that gets each reply on its standard input. */
const command = exactObject(() => ({
  kind: z.literal('command'),
  ...common(),
  /** A program, never a shell line. */
  command: z.string().min(1).max(4096),
  args: z.array(z.string().max(10_000)).max(200).optional(),
  /** Names of environment variables passed to it, in addition to the basic ones. */
  env: z.array(variable()).max(200).optional(),
  /** Full path of its working directory. Default: your home folder. */
  cwd: z.string().min(1).max(4096).optional(),
}));

export const channelSettings = once(() =>
  z.discriminatedUnion('kind', [
    webhook(),
    telegram(),
    ntfy(),
    slack(),
    discord(),
    mail(),
    webpush(),
    command(),
  ]),
);
export type ChannelSettings = z.infer<ReturnType<typeof channelSettings>>;
export type ChannelSettingsOf<K extends ChannelSettings['kind']> = Extract<
  ChannelSettings,
  { readonly kind: K }
>;

/** Every kind, once. Its adapter is `electron/adapters/channels/<kind>`. */
export const CHANNEL_KINDS: {
  readonly [K in ChannelSettings['kind']]: ChannelKind<ChannelSettingsOf<K>>;
} = {
  webhook: {
    listens: ({ inbound }) => (inbound === true ? 'is_sent' : undefined),
    speaks: ({ url: to }) => to !== undefined,
    // Its receiver has the id in body and header; a chat has no use for it.
    showsRepeats: false,
    hasButtons: true,
    takesAnswers: ({ url: to, decide: who }) => to !== undefined && who !== undefined,
    hasPage: () => false,
    keyPlace: ({ url: to, secret_env: env, secret_file }) =>
      to === undefined ? undefined : { env, file: secret_file },
    lightCheck: ({ url: to }) => (to === undefined ? undefined : { url: to }),
    options: {
      ...COMMON,
      url: 'url',
      inbound: 'inbound',
      ...DECIDING,
      agent: 'agent',
      secretEnv: 'secret_env',
      secretFile: 'secret_file',
    },
  },
  telegram: TELEGRAM,
  ntfy: NTFY,
  slack: SLACK,
  discord: DISCORD,
  mail: MAIL,
  webpush: WEBPUSH,
  command: {
    listens: () => undefined,
    speaks: () => true,
    showsRepeats: true,
    hasButtons: false,
    takesAnswers: () => false,
    hasPage: () => false,
    keyPlace: () => undefined,
    lightCheck: ({ command: program }) => ({ program }),
    options: { ...COMMON, command: 'command', arg: 'args', env: 'env', cwd: 'cwd' },
  },
};

export const channelKinds = Object.keys(CHANNEL_KINDS) as readonly ChannelSettings['kind'][];

/** What its kind says of a channel. */
export const kindOf = (spec: ChannelSettings): ChannelKind<ChannelSettings> =>
  CHANNEL_KINDS[spec.kind];

/** Whose browsers a web push channel reaches. */
export const pushPeople = ({
  decide: who,
}: Extract<ChannelSettings, { readonly kind: 'webpush' }>): readonly string[] =>
  who?.people ?? ['me'];

/** How long a signed answer of a channel counts. */
export const answersCountFor = (spec: ChannelSettings): string | number =>
  (spec.kind === 'telegram' ||
  spec.kind === 'slack' ||
  spec.kind === 'discord' ||
  spec.kind === 'command'
    ? undefined
    : spec.decide?.valid_for) ?? '24h';

/** All of them, by name. */
export const channels = once(() => z.record(channelName(), channelSettings()));

/** Where another device opens pages of this computer: an origin, because nothing is in its paths. */
const pageAddress = once(() =>
  z
    .string()
    .max(300)
    .regex(/^(?:https?:\/\/[^/?#@\s]+)?$/, {
      error: 'an address without a path, such as "https://box.example.net"',
    })
    .superRefine((value, context) => {
      const problem = value === '' ? undefined : urlProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
);

/** Where answers go and messages come from. */
export const CHANNEL_SETTINGS = {
  'channels.default': row(
    () => z.string().min(1).max(64),
    'window',
    'hot',
    'Channel for restart notices, and for replies whose own channel was removed',
  ),
  'channels.own': row(
    channels,
    {},
    'hot',
    'Your channels: webhook, telegram, ntfy, slack, discord, mail, webpush, command',
  ),
  'channels.port': row(
    port,
    8788,
    'hot',
    'Port on 127.0.0.1 that receives webhooks, or the next free port if it is in use',
  ),
  'channels.address': row(
    pageAddress,
    '',
    'hot',
    'Address at which your devices reach that port, such as https://box.example.net; default: this computer only',
  ),
};
