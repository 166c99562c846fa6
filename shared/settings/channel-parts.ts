/** What the settings of channels of all kinds are made of. */
import { z } from 'zod';
import { once } from '../once';
import { parseDuration } from '../durations';
import { safeUrl, variable } from './base';

export const file = once(() => z.string().min(1).max(4096));
export const url = once(() => safeUrl(2000));
export const duration = (leastMs: number, mostMs: number, between: string) =>
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

export const common = () => ({
  /** False: the channel is off and replies are queued. Default: true. */
  enabled: z.boolean().optional(),
  /** Maximum wait until one message is accepted. Default: 10 s. */
  timeout: timeout().optional(),
  /** True: everything that needs a decision is sent to the channel as a question. */
  questions: z.boolean().optional(),
  /** True: a question shows the command or input of its tool call. False: only the tool name. */
  show_input: z.boolean().optional(),
  /**
   * One digest a day at this local time instead of single notices, such as `08:00`; `off` for none.
   * Default: the time in `digest.at`.
   */
  digest: z
    .string()
    .regex(/^off$|^([01]\d|2[0-3]):[0-5]\d$/, 'a clock time such as "08:00", or "off"')
    .optional(),
});

/** Which questions may be decided away from the computer. */
export const REMOTE_DECISIONS = ['all', 'local', 'none'] as const;
const remote = once(() => z.enum(REMOTE_DECISIONS));

/** How people are named on a channel. */
const PEOPLE = {
  telegram: {
    form: /^\d{1,20}$/,
    error: 'a user ID is a number written as text, such as "12345678"',
  },
  slack: { form: /^[UW][A-Z0-9]{2,20}$/, error: 'a member ID looks like "U0123456789"' },
  discord: { form: /^\d{5,20}$/, error: 'a user ID is a number written as text' },
  mail: { form: /^[^\s@<>",;:\\()[\]]{1,64}@[A-Za-z0-9.-]{1,60}$/, error: 'use a mail address' },
  named: { form: /^[\w.-]{1,64}$/, error: 'use letters, digits, dots, dashes and underscores' },
} as const;

/** Who may decide on a channel, and what. If omitted, no one may. */
export const decide = (who: keyof typeof PEOPLE) =>
  z.strictObject({
    /** IDs of the people on the channel. Other members of a listed group cannot decide. */
    people: z.array(z.string().regex(PEOPLE[who].form, PEOPLE[who].error)).min(1).max(50),
    /**
     * Default: `all`. `local`: nothing that deletes, runs again, or reaches beyond this computer.
     */
    calls: remote().optional(),
    /** The same for single agents, by name. */
    agents: z
      .array(z.strictObject({ agent: z.string().min(1).max(64), calls: remote() }))
      .max(100)
      .optional(),
  });
/** The same where an answer is known by its signature. */
export const signedDecide = (who: keyof typeof PEOPLE) =>
  decide(who).extend({
    /** How long a link or button is valid. Default: 24h. */
    valid_for: duration(60_000, 30 * 86_400_000, 'from 1m to 30d').optional(),
  });
/** Agent of the sessions that start on the channel. Default: the default agent. */
export const agent = once(() => z.string().min(1).max(64).optional());

/** Where the settings say that a token or secret is; the stored one where they name neither. */
export interface KeyPlace {
  readonly env: string | undefined;
  readonly file: string | undefined;
}

/** Under which its key is stored; no provider can have this name. */
export const channelKeyName = (channel: string): string => `channel ${channel}`;

/** Where the settings place a secret, as for provider keys. */
export const keySettings = (
  place: KeyPlace | undefined,
): { api_key_env?: string; api_key_file?: string } => ({
  ...(place?.env === undefined ? {} : { api_key_env: place.env }),
  ...(place?.file === undefined ? {} : { api_key_file: place.file }),
});

/** What is known of a kind of channel from its settings alone: nothing is loaded or asked for it. */
export interface ChannelKind<S> {
  /** How messages come in: it asks for them, they are sent to this computer, or not at all. */
  listens(spec: S): 'asks' | 'is_sent' | undefined;
  /** False: it only listens, and what it asks is answered on the default channel. */
  speaks(spec: S): boolean;
  /** True where a question has buttons, and its message can be changed. */
  readonly hasButtons: boolean;
  /** True if its signed answers are sent to this computer, at `/answer/NAME`. */
  takesAnswers(spec: S): boolean;
  /** True if its links open pages of this computer, at `/page/NAME`. */
  hasPage(spec: S): boolean;
  /** True if a repeated message is read twice, because no one checks its ID. */
  readonly showsRepeats: boolean;
  /** Undefined for one that sends without a token or secret. */
  keyPlace(spec: S): KeyPlace | undefined;
  /** What can be checked without sending anything; undefined: nothing. */
  lightCheck(spec: S): { readonly url: string } | { readonly program: string } | undefined;
  /** Field of the settings that an option of `holdfast channels add` gives. */
  readonly options: Readonly<Record<string, string>>;
}

/** The place of a token that is stored, or named by a variable or a file. */
export const tokenFields = () => ({
  /** Environment variable with the token. Default: the stored one. */
  token_env: variable().optional(),
  /** File (mode 0600) with the token. */
  token_file: file().optional(),
});
export const tokenPlace = (spec: {
  readonly token_env?: string | undefined;
  readonly token_file?: string | undefined;
}): KeyPlace => ({ env: spec.token_env, file: spec.token_file });

/** Options that every kind has. */
export const COMMON = {
  timeout: 'timeout',
  enabled: 'enabled',
  questions: 'questions',
  showInput: 'show_input',
  digest: 'digest',
};

/** Options of a kind whose people decide with buttons. */
export const DECIDING = { people: 'decide.people', decide: 'decide.calls' };
/** Options of a kind with a token. */
export const WITH_TOKEN = { secretEnv: 'token_env', secretFile: 'token_file' };
