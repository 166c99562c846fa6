import { describe, expect, it } from 'vitest';
import { createChannels } from '../../../electron/engine/replies/channels';
import type { LoopbackServer } from '../../../electron/ports/loopback';
import type { ChannelSettings } from '../../../shared/settings/channels';

const HOOK: ChannelSettings = {
  kind: 'webhook',
  url: 'http://127.0.0.1:9/',
  questions: true,
  decide: { people: ['ann'] },
};
const BOT: ChannelSettings = {
  kind: 'telegram',
  token_env: 'BOT',
  chats: ['7'],
  questions: true,
  decide: { people: ['7'] },
};

/** The channels of a start, and the port that opens when it is let. */
function world(own: Record<string, ChannelSettings>, notPublished?: string) {
  let open = (_server: LoopbackServer): void => undefined;
  let refuse = (_error: Error): void => undefined;
  const opening = new Promise<LoopbackServer>((resolve, reject) => {
    [open, refuse] = [resolve, reject];
  });
  const values: Readonly<Record<string, unknown>> = {
    'channels.own': own,
    'channels.address': '',
    'reminders.escalate_to': '',
    'digest.at': '',
  };
  let changes = 0;
  const channels = createChannels({
    settings: {
      get: (key: string) => values[key],
      onChange: () => () => undefined,
    } as never,
    clock: { nowMs: () => 0 },
    breakers: { forget: () => undefined },
    hostChannels: [],
    load: () => Promise.reject(new Error('not loaded here')),
    tokens: {
      sign: () => Promise.resolve(''),
      make: () => Promise.resolve(''),
      read: () => Promise.resolve(undefined),
    },
    inbound: { open: () => opening, publishPort: () => notPublished, tokenPath: '' },
    hide: (text) => Promise.resolve(text),
    audit: { record: () => undefined } as never,
    log: { warn: () => undefined } as never,
    onChange: () => (changes += 1),
  });
  return {
    start: () => channels.start(() => ({}) as never),
    isHeard: (name: string) =>
      channels
        .list()
        .find((one) => one.name === name)
        ?.questions?.isHeard?.(),
    open: () => open({ port: 7000, stop: () => Promise.resolve() }),
    refuse: () => refuse(new Error('the port is taken')),
    changes: () => changes,
    inbound: () => channels.inbound(),
    stop: () => channels.stop(),
  };
}

describe('whether the answer to a question can come back', () => {
  it('PH-01 PH-03 to a webhook not before its port is open, and then what waits is sent', async () => {
    const one = world({ hook: HOOK });
    expect(one.isHeard('hook')).toBe(false);
    one.start();
    expect([one.isHeard('hook'), one.changes()]).toEqual([false, 0]);
    one.open();
    await expect.poll(() => [one.isHeard('hook'), one.changes()]).toEqual([true, 1]);
  });

  it('PH-01 PH-03 a port that is taken holds no question back: the window takes the answer', async () => {
    const one = world({ hook: HOOK });
    one.start();
    one.refuse();
    await expect.poll(() => [one.isHeard('hook'), one.changes()]).toEqual([true, 1]);
  });

  it('PH-01 a port that cannot be announced is said: it is open all the same until it is stopped', async () => {
    const one = world({ hook: HOOK }, 'channels.port cannot be set to 7000');
    one.start();
    one.open();
    const problem = 'channels.port cannot be set to 7000';
    await expect.poll(() => one.inbound()).toEqual({ port: 7000, problem });
    await one.stop();
    expect(one.inbound()).toEqual({ problem });
  });

  it('PH-01 a chat that keeps answers for us is asked at once, and a webhook that nobody answers on, too', () => {
    const { decide: _, ...deaf } = HOOK as Extract<ChannelSettings, { kind: 'webhook' }>;
    const one = world({ bot: BOT, deaf });
    expect([one.isHeard('bot'), one.isHeard('deaf')]).toEqual([true, true]);
  });
});
