import type { ChannelSettings } from '../../../shared/settings/channels';
import type { ChannelDeps, CreateChannel } from './channel-deps';

/**
 * Each loads its code and its library on first use. A new kind begins in
 * shared/settings/channels.ts.
 */
const CREATE: { readonly [K in ChannelSettings['kind']]: () => Promise<CreateChannel<K>> } = {
  webhook: async () => (await import('./webhook')).createWebhook,
  telegram: async () => (await import('./telegram')).createTelegram,
  ntfy: async () => (await import('./ntfy')).createNtfy,
  slack: async () => (await import('./slack')).createSlack,
  discord: async () => (await import('./discord')).createDiscord,
  mail: async () => (await import('./mail')).createMail,
  webpush: async () => (await import('./webpush')).createWebpush,
  command: async () => (await import('./command')).createCommand,
};

type Kind = ChannelSettings['kind'];

/** A configured channel, by its kind; loaded on first use, because most starts have none. */
export async function createConfiguredChannel(
  deps: ChannelDeps<Kind>,
): Promise<ReturnType<CreateChannel<Kind>>> {
  const create = (await CREATE[deps.spec.kind]()) as CreateChannel<Kind>;
  return create(deps);
}
