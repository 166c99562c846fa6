import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../../electron/engine/replies/without-secrets';
import type { Channel } from '../../../electron/ports/channel';

const KEY = 'xyzzy-9417';
const hide = (text: string): Promise<string> => Promise.resolve(text.replaceAll(KEY, '[redacted]'));

function world(hasButtons: boolean) {
  const sent: unknown[] = [];
  const channel = withoutSecrets(
    {
      name: 'phone',
      speaks: true,
      isReady: () => true,
      deliver: (delivery) => Promise.resolve(void sent.push(delivery)),
      ...(hasButtons && {
        ask: (question) => {
          sent.push(question);
          return Promise.resolve({ peer: question.peer, ref: '7' });
        },
        edit: (place, message) => Promise.resolve(void sent.push({ place, message })),
      }),
    } satisfies Channel,
    hide,
  );
  return { sent, channel };
}

const { signal } = new AbortController();
const BUTTONS = [[{ label: `Send ${KEY}`, data: `1:${KEY}` }], [{ label: 'Deny', data: '2' }]];
const SHOWN = [[{ label: 'Send [redacted]', data: `1:${KEY}` }], [{ label: 'Deny', data: '2' }]];

describe('R1 a channel', () => {
  it('R1 is sent no secret in an answer, a question, its buttons or what a message says later; what it carries stays', async () => {
    const { sent, channel } = world(true);
    const about = {
      peer: '12',
      sessionKey: 'phone:12',
      pieces: { there: 2, took: async () => {} },
    };
    await channel.deliver(
      { deliveryId: 'a', kind: 'answer', text: `It is ${KEY}.`, ...about },
      signal,
    );
    const place = await channel.ask?.(
      { id: 'b', inboxId: 3, peer: '12', text: `Allow ${KEY}?`, buttons: BUTTONS },
      signal,
    );
    expect(place).toEqual({ peer: '12', ref: '7' });
    await channel.edit?.(
      { peer: '12', ref: '7' },
      { text: `Allowed ${KEY}.`, buttons: BUTTONS },
      signal,
    );
    expect(sent).toEqual([
      { deliveryId: 'a', kind: 'answer', text: 'It is [redacted].', ...about },
      { id: 'b', inboxId: 3, peer: '12', text: 'Allow [redacted]?', buttons: SHOWN },
      {
        place: { peer: '12', ref: '7' },
        message: { text: 'Allowed [redacted].', buttons: SHOWN },
      },
    ]);
  });

  it('R1 has no more ways to speak than before', () => {
    const { channel } = world(false);
    expect([channel.name, channel.speaks, channel.isReady()]).toEqual(['phone', true, true]);
    expect('ask' in channel || 'edit' in channel).toBe(false);
  });
});
