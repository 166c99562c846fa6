/** What a provider says with status 200, or with none of its own, that is no answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { heardOf } from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
});
afterEach(() => world.stop());

const script = (...replies: readonly FakeReply[]): void => {
  let next = 0;
  world.provider.setScript(() => replies[Math.min(next++, replies.length - 1)] ?? {});
};
const kinds = (): string[] => world.outcomes.map(({ kind }) => kind);
const stream = (body: string): FakeReply => ({
  body,
  headers: { 'content-type': 'text/event-stream' },
});

describe.each([
  ['open', 'chat/completions'],
  ['claude', 'messages'],
])('the gateway over %s', (provider, path) => {
  const ask = async (): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${world.baseUrl(provider)}/${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${world.token}` },
      body: JSON.stringify({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    });
    return { status: response.status, text: (await heardOf(response)).text };
  };

  it.each<[string, FakeReply]>([
    ['an error', { body: { error: { message: 'busy', type: 'overloaded_error' } } }],
    ['an error in one word', { body: { error: 'busy' } }],
    ['a stream of an error in one word', stream('data: {"error":"busy"}\n\n')],
    ['a stream with nothing before its end', stream('data: [DONE]\n\n')],
    ['a stream of an empty object', stream('data: {}\n\ndata: [DONE]\n\n')],
    ['a stream that cannot be read', stream('data: {"id": not json\n\ndata: [DONE]\n\n')],
    ['a stream of a stop alone', stream('data: {"type":"message_stop"}\n\ndata: [DONE]\n\n')],
    ['an empty object', { body: {} }],
    ['an answer without its text', { body: { choices: [], content: 'x', id: 'm' } }],
  ])(
    'S0-15 asks again after 200 with %s: it is neither an answer, nor paid for, nor kept',
    async (_, fault) => {
      script(fault, fault, { text: 'back' });
      world.rules.maxWaitMs = 0;
      const { text } = await ask();
      expect(text).toContain('No answer within');
      // What it said last, too: that it did not come back would not be true.
      expect(text).toMatch(/(reports an internal error: ..busy|sent an (empty )?answer)/);
      expect([kinds(), world.uses]).toEqual([['failure'], []]);
      expect((await ask()).text).toContain('back');
      expect([kinds(), world.uses.length]).toEqual([['failure', 'success'], 1]);
    },
  );

  it('S0-15 an answer with a piece that cannot be read is cut, counted as such, and not kept', async () => {
    const text = ['one ', 'two ', 'three '];
    script({ text, fault: 'malformed_event' }, { text: 'back' });
    const first = await ask();
    expect(first.text).toContain('one ');
    expect(first.text).toContain('sent an answer that cannot be read');
    expect([kinds(), world.uses.map(({ isCut }) => isCut)]).toEqual([['failure'], [true]]);
    expect((await ask()).text).toContain('back');
    expect(world.uses.map(({ isRemembered }) => isRemembered)).toEqual([false, false]);
  });

  it('R4 407: a proxy asks for a login, which is said at once and is no outage', async () => {
    script({ status: 407 });
    const { status, text } = await ask();
    expect([status, kinds(), world.provider.calls().length]).toEqual([502, ['config'], 1]);
    expect(text).toContain(`A proxy on the way to ${provider}`);
  });

  it('S2-29 a key refused with 200 is refused at once, with the words', async () => {
    script({ body: { error: { message: 'no such key', type: 'authentication_error' } } });
    const { status, text } = await ask();
    expect([status, kinds(), world.uses]).toEqual([502, ['config'], []]);
    expect(text).toContain(`${provider} rejected the API key: \\"no such key\\"`);
  });

  it('S2-29 says where a redirect leads, and does not follow it with the key', async () => {
    script({ status: 302, headers: { location: 'https://elsewhere.example/v1?key=1' }, body: '' });
    const { status, text } = await ask();
    expect([status, kinds(), world.provider.calls().length]).toEqual([502, ['config'], 1]);
    expect(text).toContain('(302): \\"https://elsewhere.example/v1\\"');
  });
});
