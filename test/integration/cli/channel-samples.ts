import type { ChannelList } from '../../../shared/types/channels';
import { channelLike } from '../../helpers/fake-channels';
import { NOW_MS } from '../control/fake-holdfast';

/** The window, a bot that is down while answers wait, a webhook that only hears. */
export const CHANNELS: ChannelList = {
  channels: [
    channelLike({ name: 'window', kind: 'window', isDefault: true, listens: true }),
    channelLike({
      name: 'phone',
      kind: 'telegram',
      listens: true,
      pending: 2,
      pendingSinceMs: NOW_MS - 900_000,
      delivered: 14,
      deliveredAtMs: NOW_MS - 3_600_000,
      breaker: 'open',
      failures: 5,
      lastError: 'phone: no answer in time.',
      nextTryAtMs: NOW_MS + 40_000,
    }),
    channelLike({
      name: 'ci',
      speaks: false,
      listens: true,
      inboundUrl: 'http://127.0.0.1:8788/in/ci',
    }),
  ],
  tokenPath: '/data/channels.token',
};

/** What a change of a channel answers. */
export const made = (name: string): ChannelList['channels'][number] =>
  channelLike({ name, key: { present: true, storage: 'os-keyring', last4: '9f3a' } });
