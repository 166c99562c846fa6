import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import type { ChannelView } from '../../shared/channel-model';

type ChannelVerb = 'channels.list' | 'channels.test';
type Refuse = (code: string, message: string, hint?: string) => Answer<never>;

/** One channel as the engine tells of it; the rest is that of one that is well. */
export function channelLike(view: Partial<ChannelView> & Pick<ChannelView, 'name'>): ChannelView {
  return {
    kind: 'webhook',
    isDefault: false,
    state: 'ready',
    speaks: true,
    listens: false,
    pending: 0,
    delivered: 0,
    breaker: 'closed',
    failures: 0,
    ...view,
  };
}

/** Channels of the seed: the window, a bot that is down with answers that wait, a webhook that hears. */
export function fakeChannelVerbs(
  nowMs: number,
  refusal: Refuse,
): {
  readonly [V in ChannelVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never>;
} {
  const channels: ChannelView[] = [
    channelLike({ name: 'window', kind: 'window', isDefault: true, listens: true }),
    channelLike({
      name: 'phone',
      kind: 'telegram',
      listens: true,
      pending: 2,
      pendingSinceMs: nowMs - 900_000,
      delivered: 14,
      deliveredAtMs: nowMs - 3_600_000,
      breaker: 'open',
      failures: 5,
      lastError: 'phone: it cannot be reached (ECONNREFUSED).',
      nextTryAtMs: nowMs + 40_000,
    }),
    channelLike({
      name: 'ci',
      listens: true,
      inboundUrl: 'http://127.0.0.1:8788/in/ci',
      delivered: 3,
      deliveredAtMs: nowMs - 120_000,
    }),
  ];
  return {
    'channels.list': () => ({ channels, tokenPath: '/data/channels.token' }),
    'channels.test': ({ name }) =>
      channels.some((one) => one.name === name)
        ? {
            ok: name !== 'phone',
            message:
              name === 'phone'
                ? 'phone: it cannot be reached (ECONNREFUSED).'
                : `The channel "${name}" took a test message.`,
            tookMs: 120,
          }
        : refusal('CHANNEL_UNKNOWN', `There is no channel "${name}".`),
  };
}
