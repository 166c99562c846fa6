/** The fields of a channel's form, by its kind. Pure. */
import type { VerbInput } from '../../shared/contract';
import type { EN_CHANNELS } from '../../shared/messages/en-channels';

export type ChannelInput = VerbInput<'channels.add'>['channel'];
export type ChannelKind = ChannelInput['kind'];

/** A catalogue text without parameters. */
type PlainKey =
  | {
      [K in keyof typeof EN_CHANNELS]: (typeof EN_CHANNELS)[K] extends `${string}{${string}`
        ? never
        : K;
    }[keyof typeof EN_CHANNELS]
  | 'agent.env';

export interface ChannelField {
  /** Key in the settings; `decide.people` is nested. */
  readonly field: string;
  /**
   * `lines`: one entry per line; `agent`: one of the existing agents; `decides`: what may be
   * decided in the channel.
   */
  readonly input: 'text' | 'tags' | 'lines' | 'switch' | 'agent' | 'decides';
  readonly label: PlainKey;
  readonly about: PlainKey;
  readonly placeholder?: string;
  readonly isWide?: boolean;
}

interface KindForm {
  readonly fields: readonly ChannelField[];
  /** True if every field required for this kind is filled in. */
  readonly isComplete: (has: (field: string) => boolean) => boolean;
  /**
   * The name of its token or secret, and the field for the environment variable that contains it.
   */
  readonly key?: {
    readonly label: PlainKey;
    readonly envField: string;
    /** Absent: always. */
    readonly isUsed?: (has: (field: string) => boolean) => boolean;
  };
}

const AGENT: ChannelField = {
  field: 'agent',
  input: 'agent',
  label: 'channelForm.agent',
  about: 'channelForm.agentAbout',
};
const chats = (placeholder: string): ChannelField => ({
  field: 'chats',
  input: 'tags',
  label: 'channelForm.chats',
  about: 'channelForm.chatsAbout',
  placeholder,
  isWide: true,
});

const ASKS: readonly ChannelField[] = [
  {
    field: 'questions',
    input: 'switch',
    label: 'channelForm.asks',
    about: 'channelForm.asksAbout',
    isWide: true,
  },
  {
    field: 'show_input',
    input: 'switch',
    label: 'channelForm.showsInput',
    about: 'channelForm.showsInputAbout',
    isWide: true,
  },
];
const DIGEST: ChannelField = {
  field: 'digest',
  input: 'text',
  label: 'channelForm.digest',
  about: 'channelForm.digestAbout',
  placeholder: '08:00',
};
/** What the channel asks, who decides it there, and the daily digest. PH-04, CH-03 */
const asks = (
  placeholder: string,
  about: PlainKey = 'channelForm.peopleAbout',
): readonly ChannelField[] => [
  ...ASKS,
  { field: 'decide.people', input: 'tags', label: 'channelForm.people', about, placeholder },
  {
    field: 'decide.calls',
    input: 'decides',
    label: 'channelForm.decides',
    about: 'channelForm.decidesAbout',
  },
  DIGEST,
];

export const CHANNEL_FORMS: { readonly [K in ChannelKind]: KindForm } = {
  telegram: {
    fields: [chats('12345678'), AGENT, ...asks('12345678')],
    isComplete: (has) => has('chats'),
    key: { label: 'channelForm.key.telegram', envField: 'token_env' },
  },
  slack: {
    fields: [chats('C0123456789'), AGENT, ...asks('U0123456789')],
    isComplete: (has) => has('chats'),
    key: { label: 'channelForm.key.slack', envField: 'token_env' },
  },
  discord: {
    fields: [chats('123456789012345678'), AGENT, ...asks('123456789012345678')],
    isComplete: (has) => has('chats'),
    key: { label: 'channelForm.key.telegram', envField: 'token_env' },
  },
  ntfy: {
    fields: [
      {
        field: 'topic',
        input: 'text',
        label: 'channelForm.topic',
        about: 'channelForm.topicAbout',
        placeholder: 'holdfast-7f3k9q',
      },
      {
        field: 'reply_topic',
        input: 'text',
        label: 'channelForm.replyTopic',
        about: 'channelForm.replyTopicAbout',
      },
      {
        field: 'server',
        input: 'text',
        label: 'channelForm.server',
        about: 'channelForm.serverAbout',
        placeholder: 'https://ntfy.sh',
        isWide: true,
      },
      ...asks('ann', 'channelForm.peopleNamed'),
    ],
    isComplete: (has) => has('topic'),
    key: { label: 'channelForm.key.ntfy', envField: 'token_env' },
  },
  mail: {
    fields: [
      {
        field: 'to',
        input: 'tags',
        label: 'channelForm.mailTo',
        about: 'channelForm.mailToAbout',
        placeholder: 'ann@example.com',
        isWide: true,
      },
      {
        field: 'from',
        input: 'text',
        label: 'channelForm.mailFrom',
        about: 'channelForm.mailFromAbout',
        placeholder: 'holdfast@example.com',
      },
      {
        field: 'host',
        input: 'text',
        label: 'channelForm.mailHost',
        about: 'channelForm.mailHostAbout',
        placeholder: 'smtp.example.com',
      },
      {
        field: 'user',
        input: 'text',
        label: 'channelForm.mailUser',
        about: 'channelForm.mailUserAbout',
      },
      {
        field: 'page',
        input: 'switch',
        label: 'channelForm.page',
        about: 'channelForm.pageAbout',
        isWide: true,
      },
      {
        field: 'imap_host',
        input: 'text',
        label: 'channelForm.imapHost',
        about: 'channelForm.imapHostAbout',
        placeholder: 'imap.example.com',
      },
      {
        field: 'auth_server',
        input: 'text',
        label: 'channelForm.authServer',
        about: 'channelForm.authServerAbout',
        placeholder: 'mx.example.com',
      },
      {
        field: 'writers',
        input: 'tags',
        label: 'channelForm.writers',
        about: 'channelForm.writersAbout',
        placeholder: 'ann@example.com',
      },
      AGENT,
      ...asks('ann@example.com', 'channelForm.peopleMail'),
    ],
    isComplete: (has) => has('to') && has('from') && has('host'),
    key: {
      label: 'channelForm.key.mail',
      envField: 'password_env',
      isUsed: (has) => has('user'),
    },
  },
  webpush: {
    fields: [
      {
        field: 'contact',
        input: 'text',
        label: 'channelForm.contact',
        about: 'channelForm.contactAbout',
        placeholder: 'ann@example.com',
      },
      ...asks('ann', 'channelForm.peoplePush'),
    ],
    isComplete: (has) => has('contact'),
  },
  webhook: {
    fields: [
      {
        field: 'url',
        input: 'text',
        label: 'channelForm.url',
        about: 'channelForm.urlAbout',
        placeholder: 'https://example.com/hook',
        isWide: true,
      },
      {
        field: 'inbound',
        input: 'switch',
        label: 'channelForm.hears',
        about: 'channelForm.hearsAbout',
        isWide: true,
      },
      AGENT,
      ...asks('ann', 'channelForm.peopleNamed'),
    ],
    isComplete: (has) => has('url') || has('inbound'),
    key: {
      label: 'channelForm.key.webhook',
      envField: 'secret_env',
      isUsed: (has) => has('url'),
    },
  },
  command: {
    fields: [
      {
        field: 'command',
        input: 'text',
        label: 'channelForm.command',
        about: 'channelForm.commandAbout',
        placeholder: '/usr/local/bin/say-it',
        isWide: true,
      },
      {
        field: 'args',
        input: 'lines',
        label: 'channelForm.args',
        about: 'channelForm.argsAbout',
      },
      { field: 'env', input: 'tags', label: 'agent.env', about: 'channelForm.envAbout' },
      ...ASKS,
      DIGEST,
    ],
    isComplete: (has) => has('command'),
  },
};

/** In the order they are offered. */
export const FORM_KINDS = Object.keys(CHANNEL_FORMS) as ChannelKind[];
