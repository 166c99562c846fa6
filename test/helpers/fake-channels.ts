import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import type { ChannelView } from '../../shared/types/channels';

type ChannelVerb = `channels.${'list' | 'add' | 'edit' | 'remove' | 'setKey' | 'link' | 'test'}`;
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
      key: { present: true, storage: 'os-keyring', last4: '77aa' },
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
  const at = (name: string): number => channels.findIndex((one) => one.name === name);
  const change = (name: string, view: Partial<ChannelView>): ChannelView | Answer<never> => {
    const one = channels[at(name)];
    if (one === undefined) return refusal('CHANNEL_UNKNOWN', `There is no channel "${name}".`);
    return (channels[at(name)] = { ...one, ...view });
  };
  const held = (key: string | undefined | null): { key: NonNullable<ChannelView['key']> } => ({
    key:
      key === undefined || key === null
        ? { present: false, storage: 'none' }
        : { present: true, storage: 'os-keyring', last4: key.slice(-4) },
  });
  return {
    'channels.add': ({ name, channel, key }) => {
      if (at(name) >= 0) return refusal('CHANNEL_EXISTS', `There is a channel "${name}" already.`);
      const hasKey = channel.kind !== 'command';
      const made = channelLike({ name, kind: channel.kind, ...(hasKey ? held(key) : {}) });
      channels.push(made);
      return made;
    },
    'channels.edit': ({ name, channel }) =>
      change(name, { state: channel.enabled === false ? 'off' : 'ready' }),
    'channels.remove': ({ name }) => {
      channels.splice(at(name), 1);
      return { name, pending: 0, defaultChannel: 'window' };
    },
    'channels.setKey': ({ name, key }) => change(name, held(key)),
    'channels.list': () => ({ channels, tokenPath: '/data/channels.token' }),
    'channels.link': ({ name, person = 'me' }) =>
      at(name) < 0
        ? refusal('CHANNEL_UNKNOWN', `There is no channel "${name}".`)
        : {
            url: `http://127.0.0.1:8788/page/${name}/s1.link-of-${person}`,
            person,
            validUntilMs: nowMs + 900_000,
          },
    'channels.test': ({ name }) =>
      channels.some((one) => one.name === name)
        ? {
            ok: name !== 'phone',
            message:
              name === 'phone'
                ? 'phone: it cannot be reached (ECONNREFUSED).'
                : `The channel "${name}" accepted a test message.`,
            tookMs: 120,
          }
        : refusal('CHANNEL_UNKNOWN', `There is no channel "${name}".`),
  };
}
