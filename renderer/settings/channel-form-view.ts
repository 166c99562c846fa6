/** What the form of a channel holds, and the settings that it makes. Pure. */
import type { VerbInput } from '../../shared/contract';

export type ChannelInput = VerbInput<'channels.add'>['channel'];
type ChannelKind = ChannelInput['kind'];
export const FORM_KINDS = ['telegram', 'webhook', 'command'] as const satisfies ChannelKind[];

/** One field each, as typed; fields of another kind are retained and not written. */
export interface ChannelDraft {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly isOn: boolean;
  readonly url: string;
  readonly hears: boolean;
  readonly chats: readonly string[];
  readonly agent: string;
  /** Variable that holds the token or secret, for who keeps it outside. */
  readonly keyEnv: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
}

const EMPTY: ChannelDraft = {
  name: '',
  kind: 'telegram',
  isOn: true,
  url: '',
  hears: false,
  chats: [],
  agent: '',
  keyEnv: '',
  command: '',
  args: [],
  env: [],
};

/** The fields of an existing channel, or empty ones. */
export function draftOf(name: string, stored: ChannelInput | undefined): ChannelDraft {
  if (stored === undefined) return { ...EMPTY, name };
  const common = { ...EMPTY, name, kind: stored.kind, isOn: stored.enabled !== false };
  switch (stored.kind) {
    case 'webhook':
      return {
        ...common,
        url: stored.url ?? '',
        hears: stored.inbound === true,
        agent: stored.agent ?? '',
        keyEnv: stored.secret_env ?? '',
      };
    case 'telegram':
      return {
        ...common,
        chats: stored.chats,
        agent: stored.agent ?? '',
        keyEnv: stored.token_env ?? '',
      };
    case 'command':
      return {
        ...common,
        command: stored.command,
        args: stored.args ?? [],
        env: stored.env ?? [],
      };
  }
}

const text = <K extends string>(key: K, value: string): { [P in K]?: string } =>
  (value.trim() === '' ? {} : { [key]: value.trim() }) as { [P in K]?: string };

/** True if everything that this kind needs is filled in. */
export function isComplete(draft: ChannelDraft): boolean {
  if (draft.name.trim() === '') return false;
  switch (draft.kind) {
    case 'webhook':
      return draft.url.trim() !== '' || draft.hears;
    case 'telegram':
      return draft.chats.length > 0;
    case 'command':
      return draft.command.trim() !== '';
  }
}

/** Fields of the settings that the form shows. */
const SHOWN: ReadonlySet<string> = new Set([
  'enabled',
  'url',
  'inbound',
  'agent',
  'secret_env',
  'chats',
  'token_env',
  'command',
  'args',
  'env',
]);

/** The settings of the draft. What the form does not show stays: time-outs, files, addresses. */
export function channelOf(draft: ChannelDraft, stored: ChannelInput | undefined): ChannelInput {
  const kept = Object.entries(stored?.kind === draft.kind ? stored : {}).filter(
    ([field]) => !SHOWN.has(field),
  );
  const common = { ...Object.fromEntries(kept), ...(draft.isOn ? {} : { enabled: false }) };
  switch (draft.kind) {
    case 'webhook':
      return {
        ...common,
        kind: 'webhook',
        ...text('url', draft.url),
        ...(draft.hears ? { inbound: true } : {}),
        ...text('agent', draft.agent),
        ...text('secret_env', draft.keyEnv),
      };
    case 'telegram':
      return {
        ...common,
        kind: 'telegram',
        chats: [...draft.chats],
        ...text('agent', draft.agent),
        ...text('token_env', draft.keyEnv),
      };
    case 'command':
      return {
        ...common,
        kind: 'command',
        command: draft.command.trim(),
        ...(draft.args.length === 0 ? {} : { args: [...draft.args] }),
        ...(draft.env.length === 0 ? {} : { env: [...draft.env] }),
      };
  }
}
