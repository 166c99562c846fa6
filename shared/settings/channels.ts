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
    .regex(
      /^[a-z][a-z0-9_-]*$/i,
      'start with a letter; use letters, digits, dashes and underscores',
    )
    .refine((name) => !TAKEN.has(name.toLowerCase()), {
      error: 'this name is reserved, as are window, cli, desktop, none and wake',
    }),
);

const file = once(() => z.string().min(1).max(4096));
const url = once(() => safeUrl(2000));
const duration = (leastMs: number, mostMs: number, between: string) =>
  z
    .union([z.string().max(40), z.number()], {
      error: 'a duration is text such as "10s", or a whole number of milliseconds',
    })
    .superRefine((value, context) => {
      const parsed = parseDuration(value);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason });
      else if (parsed.ms < leastMs || parsed.ms > mostMs)
        context.addIssue({ code: 'custom', message: between });
    });
const timeout = once(() => duration(100, 600_000, 'from 100ms to 10m'));

const common = () => ({
  /** False: nothing goes out or comes in; answers wait. True when absent. */
  enabled: z.boolean().optional(),
  /** Longest wait for the other side to take one message; 10 s when absent. */
  timeout: timeout().optional(),
  /** True: everything that needs a decision is sent there as a question. */
  questions: z.boolean().optional(),
  /** True: the command or input of a tool call is sent with its question; else the tool alone. */
  show_input: z.boolean().optional(),
  /**
   * One digest a day at this local time instead of single notices, such as `08:00`; `off` for none.
   * Absent: as `digest.at` says.
   */
  digest: z
    .string()
    .regex(/^off$|^([01]\d|2[0-3]):[0-5]\d$/, 'a clock time such as "08:00", or "off"')
    .optional(),
});

/** Which questions may be decided away from the computer. */
export const REMOTE_DECISIONS = ['all', 'local', 'none'] as const;
const remote = once(() => z.enum(REMOTE_DECISIONS));

const PEOPLE = {
  telegram: {
    form: /^\d{1,20}$/,
    error: 'a user ID is a number written as text, such as "12345678"',
  },
  named: { form: /^[\w.-]{1,64}$/, error: 'use letters, digits, dots, dashes and underscores' },
} as const;

/** Who decides with the buttons of a channel, and what. Absent: nobody does. */
const decide = (who: keyof typeof PEOPLE) =>
  z.strictObject({
    /** By their IDs on the channel. Other members of a listed group cannot decide. */
    people: z.array(z.string().regex(PEOPLE[who].form, PEOPLE[who].error)).min(1).max(50),
    /**
     * `all` when absent. `local`: nothing that deletes, runs again, or reaches beyond this computer.
     */
    calls: remote().optional(),
    /** The same for single agents, by their names. */
    agents: z
      .array(z.strictObject({ agent: z.string().min(1).max(64), calls: remote() }))
      .max(100)
      .optional(),
  });
/** The same where an answer is known by its signature. */
const signedDecide = (who: keyof typeof PEOPLE) =>
  decide(who).extend({
    /** How long a link or button counts; 24h when absent. */
    valid_for: duration(60_000, 30 * 86_400_000, 'from 1m to 30d').optional(),
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
      /** Names of your choice: each gets answers of their own to send back. */
      decide: signedDecide('named').optional(),
    })
    .refine((one) => one.url !== undefined || one.inbound === true, {
      error: 'set a url for replies, "inbound": true to receive messages, or both',
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
        .array(
          z
            .string()
            .regex(/^-?\d{1,20}$/, 'a chat ID is a number written as text, such as "12345678"'),
        )
        .min(1)
        .max(100),
      base_url: url().optional(),
      agent: agent(),
      decide: decide('telegram').optional(),
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'set the bot token with token_env or token_file, not both',
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

/** Where the settings say that a token or secret is; the stored one where they name neither. */
export interface KeyPlace {
  readonly env: string | undefined;
  readonly file: string | undefined;
}

/** What is known of a kind of channel from its settings alone: nothing is loaded or asked for it. */
interface ChannelKind<S> {
  /** How messages come in: it asks for them, they are sent to this computer, or not at all. */
  listens(spec: S): 'asks' | 'is_sent' | undefined;
  /** False: it only listens, and what it asks is answered on the default channel. */
  speaks(spec: S): boolean;
  /** True where a question has buttons, and its message can be changed. */
  readonly hasButtons: boolean;
  /** True if its signed answers are sent to this computer, at `/answer/NAME`. */
  takesAnswers(spec: S): boolean;
  /** True where a message that comes twice is read twice, because nobody looks at its id. */
  readonly showsRepeats: boolean;
  /** Undefined for one that sends without a token or secret. */
  keyPlace(spec: S): KeyPlace | undefined;
  /** What can be looked at although nobody is told anything; undefined: nothing. */
  lightCheck(spec: S): { readonly url: string } | { readonly program: string } | undefined;
  /** Field of the settings that an option of `holdfast channels add` gives. */
  readonly options: Readonly<Record<string, string>>;
}

/** Options that every kind has. */
const COMMON = {
  timeout: 'timeout',
  enabled: 'enabled',
  questions: 'questions',
  showInput: 'show_input',
  digest: 'digest',
};

/** Of a bot, where its settings name no other address. */
export const TELEGRAM_URL = 'https://api.telegram.org';

/** Every kind, once. Its adapter is `electron/adapters/channels/<kind>.ts`. */
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
    keyPlace: ({ url: to, secret_env: env, secret_file }) =>
      to === undefined ? undefined : { env, file: secret_file },
    lightCheck: ({ url: to }) => (to === undefined ? undefined : { url: to }),
    options: {
      ...COMMON,
      url: 'url',
      inbound: 'inbound',
      people: 'decide.people',
      decide: 'decide.calls',
      agent: 'agent',
      secretEnv: 'secret_env',
      secretFile: 'secret_file',
    },
  },
  telegram: {
    listens: () => 'asks',
    speaks: () => true,
    showsRepeats: true,
    hasButtons: true,
    takesAnswers: () => false,
    keyPlace: ({ token_env: env, token_file }) => ({ env, file: token_file }),
    lightCheck: ({ base_url = TELEGRAM_URL }) => ({ url: base_url }),
    options: {
      ...COMMON,
      chats: 'chats',
      people: 'decide.people',
      decide: 'decide.calls',
      baseUrl: 'base_url',
      agent: 'agent',
      secretEnv: 'token_env',
      secretFile: 'token_file',
    },
  },
  command: {
    listens: () => undefined,
    speaks: () => true,
    showsRepeats: true,
    hasButtons: false,
    takesAnswers: () => false,
    keyPlace: () => undefined,
    lightCheck: ({ command: program }) => ({ program }),
    options: { ...COMMON, command: 'command', arg: 'args', env: 'env', cwd: 'cwd' },
  },
};

export const channelKinds = Object.keys(CHANNEL_KINDS) as readonly ChannelSettings['kind'][];

/** What its kind says of a channel. */
export const kindOf = (spec: ChannelSettings): ChannelKind<ChannelSettings> =>
  CHANNEL_KINDS[spec.kind];

/** How long a signed answer of a channel counts. */
export const answersCountFor = (spec: ChannelSettings): string | number =>
  (spec.kind === 'webhook' ? spec.decide?.valid_for : undefined) ?? '24h';

/** All of them, by name. */
export const channels = once(() => z.record(channelName(), channelSettings()));

/** Where answers go and messages come from. */
export const CHANNEL_SETTINGS = {
  'channels.default': row(
    () => z.string().min(1).max(64),
    'window',
    'hot',
    'Channel for restart notices, and for replies whose own channel was removed',
  ),
  'channels.own': row(channels, {}, 'hot', 'Your channels: webhook, telegram, command'),
  'channels.port': row(
    port,
    8788,
    'hot',
    'Port on 127.0.0.1 that receives webhooks, or the next free port if it is in use',
  ),
};
