import type { ChannelSettings } from '../../../shared/settings/channels';
import type { ChannelDeps, CreateChannel } from './channel-deps';
import { createCommand } from './command';
import { createTelegram } from './telegram';
import { createWebhook } from './webhook';

const CREATE: { readonly [K in ChannelSettings['kind']]: CreateChannel<K> } = {
  webhook: createWebhook,
  telegram: createTelegram,
  command: createCommand,
};

type Kind = ChannelSettings['kind'];

/** A channel of the settings, by its kind; loaded with its first use: most starts have none. */
export const createConfiguredChannel = (deps: ChannelDeps<Kind>): ReturnType<CreateChannel<Kind>> =>
  (CREATE[deps.spec.kind] as CreateChannel<Kind>)(deps);
