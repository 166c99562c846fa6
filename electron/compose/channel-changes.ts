import type { ChannelView } from '../../shared/types/channels';
import { channelName, type ChannelSettings } from '../../shared/settings/channels';
import type { KeySources } from '../adapters/secrets/provider-key';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import type { JournalReads } from '../ports/journal/reads';
import type { Audit } from '../ports/log';
import type { SettingsPort } from '../ports/settings';
import { channelKeyName, keyPlace, type ChannelsPart } from './channels';
import { keepKey } from './store-key';

interface ChannelChangesDeps {
  readonly part: ChannelsPart;
  readonly settings: SettingsPort;
  readonly keys: KeySources;
  readonly reads: JournalReads;
  readonly audit: Audit;
  readonly isRunning: () => boolean;
}

type Change = 'add' | 'edit' | 'remove' | 'setKey';

type Own = Readonly<Record<string, ChannelSettings>>;
const ownOf = ({ settings }: ChannelChangesDeps): Own => settings.get('channels.own');

function need(deps: ChannelChangesDeps, name: string): ChannelSettings {
  const all = ownOf(deps);
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  throw new HoldfastError(
    'CHANNEL_UNKNOWN',
    deps.part.isOfHost(name) || !channelName().safeParse(name).success
      ? `The channel "${name.slice(0, 60)}" is not one of yours.`
      : `There is no channel "${name.slice(0, 60)}".`,
    { hint: 'Nothing was changed. See which there are: holdfast channels list' },
  );
}

async function write(
  { settings, part }: ChannelChangesDeps,
  name: string,
  channel: ChannelSettings | undefined,
): Promise<void> {
  await settings.setEntry('channels.own', name, channel);
  part.refresh();
}

async function keep(
  { keys, isRunning }: ChannelChangesDeps,
  name: string,
  key: string | null,
  allowPlaintext = false,
): Promise<void> {
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new HoldfastError('INPUT_INVALID', 'A token or secret is one line without spaces.', {
      hint: 'Nothing was changed.',
    });
  await keepKey({ ...keys, isRunning }, channelKeyName(name), key, allowPlaintext);
}

/** Changes of the channels of the settings. A key goes to the keyring, never into the settings. */
export function createChannelChanges(
  deps: ChannelChangesDeps,
  viewOf: (name: string) => Promise<ChannelView>,
): Handlers<`channels.${Change}`> {
  const { part, audit } = deps;
  return {
    'channels.add': async ({ name, channel, key, allowPlaintext }, by) => {
      if (Object.hasOwn(ownOf(deps), name) || part.isOfHost(name))
        throw new HoldfastError('CHANNEL_EXISTS', `There is a channel "${name}" already.`, {
          hint: 'Nothing was changed. Choose another name, or change that one.',
        });
      if (key !== undefined && keyPlace(channel) === undefined) throw keyless(name);
      if (key !== undefined) await keep(deps, name, key, allowPlaintext);
      await write(deps, name, channel);
      audit.record('channel_added', { channel: name, kind: channel.kind, by });
      return viewOf(name);
    },
    'channels.edit': async ({ name, channel }, by) => {
      const before = need(deps, name);
      if (before.kind !== channel.kind)
        throw new HoldfastError('INPUT_INVALID', `"${name}" is a ${before.kind} channel.`, {
          hint: 'Nothing was changed. Remove it and add another of the kind that you want.',
        });
      await write(deps, name, channel);
      audit.record('channel_changed', { channel: name, by });
      return viewOf(name);
    },
    'channels.remove': async ({ name }, by) => {
      need(deps, name);
      const waiting = deps.reads.pendingChannels().find((one) => one.channel === name);
      await write(deps, name, undefined);
      await deps.keys.secrets.write(channelKeyName(name), null, { allowPlaintext: false });
      audit.record('channel_removed', { channel: name, by });
      return { name, pending: waiting?.count ?? 0, defaultChannel: part.defaultName() };
    },
    'channels.setKey': async ({ name, key, allowPlaintext }, by) => {
      if (keyPlace(need(deps, name)) === undefined) throw keyless(name);
      await keep(deps, name, key, allowPlaintext);
      part.keyChanged(name);
      audit.record(key === null ? 'channel_key_removed' : 'channel_key_set', {
        channel: name,
        by,
      });
      return viewOf(name);
    },
  };
}

const keyless = (name: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', `"${name}" sends nothing that takes a token or secret.`, {
    hint: 'Nothing was changed. A bot takes a token, a webhook with an address a secret.',
  });
