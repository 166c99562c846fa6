import { channelKeyName, keySettings, type KeyPlace } from '../../../shared/settings/channel-parts';
import { HoldfastError } from '../../engine/kernel/errors';
import { resolveProviderKey, type KeySources } from '../secrets/provider-key';

/** The token or secret of a channel; undefined if it has none. @throws SECRET_UNREADABLE */
export async function channelSecret(
  channel: string,
  place: KeyPlace | undefined,
  keys: KeySources,
): Promise<string | undefined> {
  const found = await resolveProviderKey(channelKeyName(channel), keySettings(place), keys);
  if (found !== undefined) return found.key;
  if (place?.env === undefined) return undefined;
  throw new HoldfastError(
    'SECRET_UNREADABLE',
    `The secret of the channel "${channel}" is missing: the variable ${place.env} is not set.`,
    { hint: 'Nothing was sent. Set it in the environment of Holdfast, or store it.' },
  );
}
