/** Questions and messages on ntfy, Slack and Discord, with doubles of their protocols on real sockets. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { turnIn } from '../../helpers/compose-world';
import {
  startDiscord,
  startNtfy,
  startSlack,
  type FakeChat,
  type ShownMessage,
} from '../../helpers/fake-chats';
import { HOSTILE_TEXTS } from './hostile-chat-texts';
import { createAskingWorld, effectsIn, refusalsIn, type AskingWorld } from './questions-world';
import { SLACK } from '../../helpers/slack';

let world: AskingWorld;
let chat: FakeChat;
afterEach(async () => {
  await world.site.end();
  await chat.down();
});

const CHATS = [
  ['ntfy', startNtfy],
  ['Slack', startSlack],
  ['Discord', startDiscord],
] as const;
const TALKING = CHATS.slice(1);

async function begin(
  open: () => Promise<FakeChat>,
  more: Record<string, unknown> = {},
): Promise<Composition> {
  chat = await open();
  const phone = {
    ...chat.own,
    questions: true,
    show_input: true,
    decide: { people: [chat.owner] },
    ...more,
  };
  world = createAskingWorld({ phone }, chat.env);
  const life = await world.start();
  await expect.poll(() => chat.connections()).toBeGreaterThan(0);
  return life;
}

const view = async (life: Composition, requestId: number) =>
  (await life.holdfast.call('approvals.list', { includeAnswered: true }, 'test')).requests.find(
    (one) => one.requestId === requestId,
  );
const labels = (message: ShownMessage): readonly string[] =>
  message.buttons.map(({ label }) => label);

/** What stands in the chat, without the notice that Holdfast started again. */
const shown = (): readonly ShownMessage[] =>
  chat.shown.filter(({ text }) => !text.startsWith('Started again'));
async function question(count = 1): Promise<ShownMessage> {
  await expect.poll(() => shown().length).toBe(count);
  return shown().at(-1) as ShownMessage;
}

describe.each(CHATS)('a question on %s', (_name, open) => {
  it('PH-01 CH-01 has its buttons, asks twice before a call that reaches outside, and says what happened; the call runs once', async () => {
    const life = await begin(open);
    const requestId = await world.asks(life);
    const one = await question();
    expect(labels(one)).toEqual(['Allow once', 'Deny', 'Details']);
    expect(one.text).toContain('send_email');
    chat.press(one, 'Allow once');
    await expect.poll(() => labels(one)).toEqual(['Yes, allow once', 'Back']);
    expect(effectsIn(world.site)).toBe(0);
    chat.press(one, 'Yes, allow once');
    await expect.poll(() => one.text).toContain('Allowed once on phone.');
    expect(labels(one)).toEqual([]);
    const end = await view(life, requestId);
    expect(end).toMatchObject({ answer: 'allowed', by: `channel:phone:${chat.owner}` });
    await turnIn(life, end?.turnId ?? 0, ['completed']);
    expect(effectsIn(world.site)).toBe(1);
    expect(shown()).toHaveLength(1);
  });

  it('PH-01 shows the details and the question again, and takes a denial with one press', async () => {
    const life = await begin(open);
    const requestId = await world.asks(life);
    const one = await question();
    chat.press(one, 'Details');
    await expect.poll(() => one.text).toContain('"to": "a@example.org"');
    chat.press(one, 'Deny');
    await expect.poll(() => one.text).toContain('Denied on phone.');
    expect(await view(life, requestId)).toMatchObject({ answer: 'denied' });
    expect(effectsIn(world.site)).toBe(0);
  });

  it('PH-05 another device was first: the message says so within 2 s, also after a line that was cut, and an old button decides nothing', async () => {
    const life = await begin(open);
    const requestId = await world.asks(life);
    const one = await question();
    const old = { ...one };
    chat.cut();
    await expect.poll(() => chat.connections(), { timeout: 120_000 }).toBe(2);
    const { requestHash = '' } = (await view(life, requestId)) ?? {};
    const answeredAtMs = Date.now();
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'window');
    await expect.poll(() => one.text).toContain('Denied in the window.');
    expect(Date.now() - answeredAtMs).toBeLessThan(2_000 * SLACK);
    chat.press(old, 'Allow once');
    await expect
      .poll(() => refusalsIn(world.site))
      .toMatchObject([{ reason: 'REQUEST_ANSWERED', by: `channel:phone:${chat.owner}` }]);
    expect(effectsIn(world.site)).toBe(0);
  });

  it('PH-06 offline: what is decided meanwhile is never sent, the other question is sent once', async () => {
    const life = await begin(open);
    await chat.down();
    const first = await world.asks(life, 'one');
    await world.asks(life, 'two');
    const { requestHash = '' } = (await view(life, first)) ?? {};
    await life.holdfast.call('approvals.deny', { requestId: first, requestHash }, 'window');
    await world.site.stop(life);
    await world.start();
    const before = chat.connections();
    await chat.up();
    await expect.poll(() => chat.connections(), { timeout: 120_000 }).toBeGreaterThan(before);
    const one = await question();
    chat.press(one, 'Deny');
    await expect.poll(() => one.text).toContain('Denied on phone.');
    expect(shown()).toHaveLength(1);
  });

  it('PH-04 nobody is listed: the question has no buttons', async () => {
    chat = await open();
    const { reply_topic: _none, ...own } = chat.own;
    world = createAskingWorld({ phone: { ...own, questions: true } }, chat.env);
    const life = await world.start();
    await world.asks(life, 'a secret plan');
    const one = await question();
    expect(labels(one)).toEqual([]);
    expect(one.text).toContain('See it on your computer.');
    expect(chat.received.join('\n')).not.toMatch(/secret plan|example\.org/);
  });

  it('CH-01 sends a test message, and a long answer in pieces that the service takes', async () => {
    chat = await open();
    world = createAskingWorld({ phone: chat.own }, chat.env);
    const life = await world.start();
    const sent = await life.holdfast.call('channels.test', { name: 'phone' }, 'test');
    expect(sent).toMatchObject({ ok: true });
    expect(chat.shown.at(-1)?.text).toContain('A test from Holdfast');
    for (const secret of Object.values(chat.env).flatMap((one) => one.split(',')))
      expect(chat.received.join('\n')).not.toContain(secret);
  });

  it.each(HOSTILE_TEXTS)(
    'CH-01 shows %s as it is, and nothing of it is a mark, a mention or a button',
    async (_what, hostile) => {
      const life = await begin(open);
      await world.asks(life, hostile);
      const one = await question();
      chat.press(one, 'Details');
      await expect.poll(() => one.text).toContain('Turn 1');
      expect(labels(one)).toEqual(['Allow once', 'Deny', 'Details']);
      const bodies = chat.received.join('\n');
      expect(bodies).not.toMatch(/"type":"mrkdwn"|"markdown":true|"parse":\["/);
      // Blocks of plain text are shown as they are; in these fields, marks would count.
      const marked = chat.received.flatMap((body) => {
        const { text, content } = JSON.parse(body.startsWith('{') ? body : '{}') as {
          text?: string;
          content?: string;
        };
        return [text ?? [], content ?? []].flat();
      });
      if (open !== startNtfy) expect(marked.join('\n')).not.toMatch(/(?<!\\)<[!@#]/);
    },
  );
});

describe('who may press', () => {
  it.each(TALKING)(
    'PH-04 on %s a member of the chat who is not listed decides nothing, and is audited',
    async (_name, open) => {
      const life = await begin(open);
      const requestId = await world.asks(life);
      const one = await question();
      chat.press(one, 'Deny', chat.stranger);
      await expect
        .poll(() => refusalsIn(world.site))
        .toMatchObject([{ reason: 'NOT_LISTED', by: `channel:phone:${chat.stranger}` }]);
      await expect.poll(() => chat.notes).toEqual(['You are not listed to decide here.']);
      expect(await view(life, requestId)).not.toHaveProperty('answer');
    },
  );

  it('PH-03 on ntfy only a signed answer counts: anything else on the topic of replies does nothing, writes nothing and is not answered', async () => {
    const life = await begin(startNtfy);
    const requestId = await world.asks(life);
    const one = await question();
    const token = one.buttons[1]?.data ?? '';
    const { replyUrl } = chat as Awaited<ReturnType<typeof startNtfy>>;
    for (const body of ['hello', token.replace('.d.', '.A.'), token.slice(0, -3), '{"event":"x"}'])
      await fetch(replyUrl, { method: 'POST', body });
    await expect.poll(() => refusalsIn(world.site).map(({ reason }) => reason)).toEqual(['FORGED']);
    expect(await view(life, requestId)).not.toHaveProperty('answer');
    expect(shown()).toHaveLength(1);
    expect(one.edits).toBe(0);
    chat.press(one, 'Deny');
    await expect.poll(() => one.text).toContain('Denied on phone.');
  });

  it('PH-01 on an ntfy server that cannot replace a notification, a second one says what happened', async () => {
    const life = await begin(() => startNtfy({ knowsSequences: false }));
    await world.asks(life);
    chat.press(await question(), 'Deny');
    expect((await question(2)).text).toContain('Denied on phone.');
  });
});

describe.each(TALKING)('work from %s', (_name, open) => {
  const turns = async (life: Composition) =>
    (await life.holdfast.call('turns.list', { limit: 100 }, 'test')).turns.toReversed();

  it('CH-02 a message of a listed chat is one turn, and its answer comes there; the same again, after a cut and a restart, is none', async () => {
    chat = await open();
    const { createChannelsWorld } = await import('./channels-world');
    const site = createChannelsWorld({ phone: chat.own });
    world = {
      site,
      start: () => site.start({ env: { PATH: process.env['PATH'], ...chat.env } }),
      asks: () => Promise.resolve(0),
    };
    const life = await world.start();
    await expect.poll(() => chat.connections()).toBe(1);
    await expect.poll(async () => (await site.view(life, 'phone'))?.breaker).toBe('closed');
    chat.says?.('hello you');
    await expect.poll(() => shown().map(({ text }) => text)).toEqual(['re: hello you']);
    chat.cut();
    await expect.poll(() => chat.connections(), { timeout: 120_000 }).toBe(2);
    await site.stop(life);
    chat.says?.('while you were away');
    const again = await world.start();
    await expect
      .poll(() => shown().map(({ text }) => text), { timeout: 120_000 })
      .toEqual(['re: hello you', 're: while you were away']);
    expect((await turns(again)).map(({ promptStart }) => promptStart)).toEqual([
      'hello you',
      'while you were away',
    ]);
  });

  it('CH-02 a message for an agent that is gone is set aside once, and its chat is told; once the agent is back it starts nothing though it comes again, and the next one is a turn', async () => {
    chat = await open();
    const { createChannelsWorld } = await import('./channels-world');
    const site = createChannelsWorld({ phone: chat.own });
    world = {
      site,
      start: () => site.start({ env: { PATH: process.env['PATH'], ...chat.env } }),
      asks: () => Promise.resolve(0),
    };
    const spec = { provider: 'fake', model: 'fake-1', workspace: site.world.workspace };
    const withAgents = (agents: Record<string, unknown>): void => {
      const own = { phone: { ...chat.own, agent: Object.keys(agents)[0] } };
      site.configure({ agents, channels: { own, default: 'window' } });
    };
    withAgents({ other: spec });
    const life = await world.start();
    await expect.poll(() => chat.connections()).toBe(1);
    await expect.poll(async () => (await site.view(life, 'phone'))?.breaker).toBe('closed');
    chat.says?.('first');
    await expect.poll(() => shown().map(({ text }) => text)).toEqual(['re: first']);
    await site.stop(life);
    withAgents({ fake: spec });
    const again = await world.start();
    chat.says?.('second, to nobody');
    await expect
      .poll(() => shown().at(-1)?.text, { timeout: 60_000 })
      .toMatch(/^This message was not processed. .*no longer exists/);
    await again.holdfast.call(
      'config.set',
      { key: 'agents', value: { fake: spec, other: spec } },
      'test',
    );
    chat.again?.();
    chat.says?.('third');
    await expect.poll(() => shown().at(-1)?.text, { timeout: 60_000 }).toBe('re: third');
    const asides = (await again.holdfast.call('inbox.list', {}, 'test')).items.filter(({ title }) =>
      title.startsWith('A message on "phone"'),
    );
    expect(asides.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('second, to nobody'),
    ]);
    expect((await turns(again)).map(({ promptStart }) => promptStart)).toEqual(['first', 'third']);
  });

  it('CH-02 PH-08 a message of another chat starts nothing and is audited once; a command of a listed person costs no model request', async () => {
    const life = await begin(open);
    await expect.poll(async () => (await world.site.view(life, 'phone'))?.breaker).toBe('closed');
    const other = _name === 'Slack' ? 'C0000000009' : '700000000000000009';
    chat.says?.('let me in', { chat: other });
    chat.says?.('!status');
    await expect.poll(() => chat.shown.at(-1)?.text).toMatch(/running|queued|waiting/i);
    expect(await turns(life)).toEqual([]);
    expect(world.site.asked).toEqual([]);
  });

  it('CH-02 PH-08 a command is carried out once, also after 2 cuts and a restart', async () => {
    const life = await begin(open);
    await expect.poll(async () => (await world.site.view(life, 'phone'))?.breaker).toBe('closed');
    const count = (text: string): number =>
      shown().filter((message) => message.text.startsWith(text)).length;
    chat.says?.('!pause');
    await expect.poll(() => count('New turns are paused.')).toBe(1);
    for (const connections of [2, 3]) {
      chat.cut();
      await expect.poll(() => chat.connections(), { timeout: 120_000 }).toBe(connections);
    }
    await world.site.stop(life);
    const again = await world.start();
    await expect
      .poll(async () => (await world.site.view(again, 'phone'))?.breaker, { timeout: 120_000 })
      .toBe('closed');
    // It comes behind whatever is caught up.
    chat.says?.('!status');
    await expect.poll(() => count('Nothing needs'), { timeout: 120_000 }).toBe(1);
    expect(count('New turns are paused.')).toBe(1);
  });
});
