/** FB-05: another provider answers a client while its own is down or at its limit. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { clientsOf, DIALECTS, heardOf, prompt, wholeAnswer, type Dialect } from './gateway-clients';
import { KEY, startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
  world.rules.isDown = true;
  // What cannot be answered is told at once here, instead of after a day.
  world.rules.isForOutage = false;
});
afterEach(() => world.stop());
const { modelOf, ask, post } = clientsOf(() => world);

const NAMES: Readonly<Record<Dialect, { own: string; same: string; other: string }>> = {
  'openai-compatible': { own: 'open', same: 'spare', other: 'spare-claude' },
  anthropic: { own: 'claude', same: 'spare-claude', other: 'spare' },
};
const pathOf = (dialect: Dialect): string =>
  dialect === 'anthropic' ? 'messages' : 'chat/completions';
const HELLO = { model: 'm-1', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
const asked = (dialect: Dialect, body: object) =>
  post(`/p/${NAMES[dialect].own}/v1/${pathOf(dialect)}`, body);
const byHeaders = ({ headers }: Response) =>
  ['provider', 'model', 'instead-of'].map((name) => headers.get(`x-holdfast-${name}`));
const firstCalls = () => world.provider.requests.length;
const spareBodies = () =>
  world.spare.requests.map(
    ({ body }) => (typeof body === 'string' ? JSON.parse(body) : body) as unknown,
  );

describe.each(DIALECTS)('FB-05 a client over %s', (dialect) => {
  const { own, same, other } = NAMES[dialect];

  it.each([true, false])(
    'gets the bytes of a provider of its own dialect, stream: %s; only the model in the request is another',
    async (stream) => {
      world.rules.fallbacks = { [own]: [`${same}/m-2`] };
      if (!stream) world.spare.setScript(() => wholeAnswer(dialect, 'whole'));
      const hello = {
        ...HELLO,
        stream,
        ...(own === 'open' && stream ? { stream_options: { include_usage: true } } : {}),
      };
      const answer = await asked(dialect, hello);
      const bytes = await answer.text();
      const direct = await fetch(`${world.spare.baseUrl(dialect)}/${pathOf(dialect)}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${KEY}`,
          'x-api-key': KEY,
        },
        body: JSON.stringify({ ...hello, model: 'm-2' }),
      });
      expect(bytes).toBe(await direct.text());
      expect(byHeaders(answer)).toEqual([same, 'm-2', own]);
      expect(spareBodies()[0]).toEqual({ ...hello, model: 'm-2' });
      expect(firstCalls()).toBe(0);
      expect(world.uses).toMatchObject([{ provider: same, insteadOf: own, isRemembered: false }]);
    },
  );

  it('gets texts and tool calls of a provider of the other dialect as its own library reads them', async () => {
    world.rules.fallbacks = { [own]: [`${other}/m-2`] };
    world.spare.setScript(() => ({
      text: 'one two',
      toolCalls: [{ name: 'look', args: { at: 'x' }, id: 'call_1' }],
      usage: { inputTokens: 10, outputTokens: 5 },
    }));
    const { content, finishReason, usage } = await modelOf(dialect).doGenerate({
      prompt: [
        { role: 'system', content: 'be brief' },
        ...prompt('what is this?').map((message) => ({
          ...message,
          content: [
            ...message.content,
            { type: 'file' as const, mediaType: 'image/png', data: 'aGVsbG8=' },
          ],
        })),
      ],
      maxOutputTokens: 60,
      tools: [
        {
          type: 'function',
          name: 'look',
          description: 'looks',
          inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
        },
      ],
    });
    expect(content).toMatchObject([
      { type: 'text', text: 'one two' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: '{"at":"x"}' },
    ]);
    expect([finishReason.unified, usage.outputTokens.total]).toEqual(['tool-calls', 5]);
    expect(JSON.stringify(spareBodies()[0])).toContain('aGVsbG8=');
    expect(world.uses).toMatchObject([
      { provider: other, insteadOf: own, inputTokens: 10, outputTokens: 5 },
    ]);
    world.spare.setScript(() => ({ text: 'in a stream' }));
    world.rules.move = (others) => ({ kind: 'go', to: others.indexOf(other) });
    const answer = await asked(dialect, { ...HELLO, stream: true });
    expect(byHeaders(answer)).toEqual([other, 'm-2', own]);
    expect(await answer.text()).toContain('in a stream');
    world.rules.isForOutage = true;
    expect(await ask(dialect, 'hi', undefined, { maxOutputTokens: 60 })).toEqual({
      text: 'in a stream',
      finish: 'stop',
      errors: [],
    });
  });

  it('is told in its own form of error why nobody else can answer', async () => {
    world.rules.fallbacks = { [own]: [`${other}/m-2`, 'other/gemini'] };
    const answer = await asked(dialect, {
      ...HELLO,
      ...(dialect === 'anthropic' ? { thinking: { type: 'enabled' } } : { n: 2 }),
    });
    const body = (await answer.json()) as { type?: string; error: { message: string } };
    expect(answer.status).toBe(503);
    expect(body.error.message).toContain(
      dialect === 'anthropic'
        ? 'spare cannot answer in its place: thinking has no equivalent there.'
        : 'spare-claude cannot answer in its place: this value of the field "n" has no equivalent there.',
    );
    expect(body.error.message).toContain('other cannot answer in its place');
    expect(body.type).toBe(dialect === 'anthropic' ? 'error' : undefined);
    expect([firstCalls(), world.spare.requests.length, world.uses.length]).toEqual([0, 0, 0]);
  });

  it('that has part of an answer never gets the rest of another model', async () => {
    world.rules.isDown = false;
    world.rules.fallbacks = { [own]: [`${same}/m-2`] };
    world.provider.setScript(() => ({ text: ['one ', 'two ', 'three'], fault: 'cut' }));
    const heard = await heardOf(await asked(dialect, { ...HELLO, stream: true }));
    expect(heard.text).toContain('one ');
    expect(heard.isBroken).toBe(true);
    expect([firstCalls(), world.spare.requests.length]).toEqual([1, 0]);
    // The same of the one that stands in: its answer that broke off is the end.
    world.rules.isDown = true;
    world.rules.isForOutage = true;
    world.spare.setScript(() => ({ text: ['one ', 'two ', 'three'], fault: 'cut' }));
    const second = await heardOf(await asked(dialect, { ...HELLO, stream: true }));
    expect([second.text.includes('one '), second.isBroken]).toEqual([true, true]);
    expect([firstCalls(), world.spare.requests.length]).toEqual([1, 1]);
    expect(world.uses.at(-1)).toMatchObject({ provider: same, insteadOf: own, isCut: true });
  });
});

describe('FB-05 a request that waits', () => {
  const refusal: FakeReply = { status: 400, error: { message: 'no such model' } };

  it('goes on waiting for its own provider where the other one refuses, and gets its answer', async () => {
    world.rules.fallbacks = { open: ['spare/m-2'] };
    world.rules.isForOutage = true;
    world.spare.setScript(() => refusal);
    const answer = asked('openai-compatible', HELLO);
    await expect.poll(() => world.spare.requests.length).toBe(1);
    await expect.poll(() => world.waiting()).toBe(1);
    world.provider.setScript(() => wholeAnswer('openai-compatible', 'from the first'));
    world.rules.isDown = false;
    world.changed();
    expect(await (await answer).text()).toContain('from the first');
    expect([firstCalls(), world.spare.requests.length]).toEqual([1, 1]);
  });

  it('is answered by another one at the time that the settings name, with a comment where its headers are out', async () => {
    world.rules.fallbacks = { open: ['spare/m-2'] };
    world.rules.isForOutage = true;
    // From the first look on: a busy computer takes its time until then.
    let dueMs = 0;
    world.rules.move = () => {
      dueMs ||= Date.now() + 150;
      return Date.now() < dueMs ? { kind: 'later', atMs: dueMs } : { kind: 'go', to: 0 };
    };
    const answer = await asked('openai-compatible', { ...HELLO, stream: true });
    expect(answer.headers.get('x-holdfast-provider')).toBeNull();
    expect(await answer.text()).toContain(
      ': {"x-holdfast-provider":"spare","x-holdfast-model":"m-2","x-holdfast-instead-of":"open"}\n\n',
    );
    expect(Date.now()).toBeGreaterThanOrEqual(dueMs);
  });

  it('with an id of its own gets the same answer again, and hears who gave it', async () => {
    world.rules.fallbacks = { open: ['spare/m-2'] };
    world.spare.setScript(() => wholeAnswer('openai-compatible', 'kept'));
    const send = () => post('/p/open/v1/chat/completions', HELLO, { 'idempotency-key': 'one' });
    const answers = [await send(), await send()];
    expect(answers.map(byHeaders)).toEqual([
      ['spare', 'm-2', 'open'],
      ['spare', 'm-2', 'open'],
    ]);
    expect(world.spare.requests.length).toBe(1);
  });

  it.each<[string, string, object]>([
    ['names a stored response', 'responses', { previous_response_id: 'resp_1', input: 'hi' }],
    [
      'names a file',
      'chat/completions',
      {
        ...HELLO,
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }],
      },
    ],
  ])('is not sent to another one where it %s of its own', async (_what, path, body) => {
    world.rules.fallbacks = { open: ['spare/m-2'] };
    const answer = await post(`/p/open/v1/${path}`, body);
    expect(await answer.text()).toContain('the request names what only open has');
    expect(world.spare.requests.length).toBe(0);
  });

  it('says who answers in every answer, and asks no other one where its own is well', async () => {
    world.rules.isDown = false;
    world.rules.fallbacks = { open: ['spare/m-2'] };
    world.provider.setScript(() => wholeAnswer('openai-compatible', 'own'));
    expect(byHeaders(await asked('openai-compatible', HELLO))).toEqual(['open', null, null]);
    world.provider.setScript(() => refusal);
    const refused = await asked('openai-compatible', HELLO);
    expect([refused.status, world.spare.requests.length]).toEqual([400, 0]);
  });
});
