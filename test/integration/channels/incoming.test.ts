/** Messages on their way in: a webhook on 127.0.0.1 and a bot, with real sockets. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { REPEAT_NOTE } from '../../../electron/engine/replies/reply-attempt';
import { turnIn } from '../../helpers/compose-world';
import { BOT_TOKEN, startTelegram, type FakeTelegram } from '../../helpers/fake-outside';
import { createChannelsWorld, type ChannelsWorld } from './channels-world';

let site: ChannelsWorld;
let telegram: FakeTelegram | undefined;
afterEach(async () => {
  await site.end();
  await telegram?.down();
  telegram = undefined;
});

const turns = async (life: Composition) =>
  (await life.holdfast.call('turns.list', { limit: 100 }, 'test')).turns.toReversed();

describe('a webhook that hears', () => {
  const ci = { kind: 'webhook', inbound: true, agent: 'fake' };
  const urlOf = async (life: Composition): Promise<string> => {
    await expect.poll(async () => (await site.view(life, 'ci'))?.inboundUrl).toBeTruthy();
    return (await site.view(life, 'ci'))?.inboundUrl ?? '';
  };
  const token = (): string =>
    fs.readFileSync(path.join(site.world.dataDir, 'channels.token'), 'utf8').trim();
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${token()}`,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('S1-12 S2-53 makes a turn of a message, one of two with the same id, also at once and after a restart; what is no message makes none', async () => {
    site = createChannelsWorld({ ci });
    const life = await site.start();
    const url = await urlOf(life);
    const said = { id: 'build-7', peer: 'builds', text: 'it is red' };
    const [first, second] = await Promise.all([post(url, said), post(url, said)]);
    expect([first.status, second.status].toSorted()).toEqual([200, 202]);
    expect(await first.json()).toMatchObject({ turn: 1 });
    expect(await second.json()).toMatchObject({ turn: 1 });
    for (const nothing of [{ text: ' ' }, { event: 'typing' }, { event: 'edited', text: 'x' }]) {
      const answer = await post(url, nothing);
      expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([
        200,
        ['filtered'],
      ]);
    }
    await turnIn(life, 1, ['completed']);
    await site.stop(life);
    const again = await site.start();
    const third = await post(await urlOf(again), said, { 'Idempotency-Key': 'ignored' });
    expect([third.status, await third.json()]).toEqual([200, { turn: 1, repeat: true }]);
    expect(await turns(again)).toMatchObject([
      { channel: 'ci', sessionKey: 'ci:builds', promptStart: 'it is red' },
    ]);
    expect(site.asked).toEqual(['it is red']);
    // It only hears: its answer is in the window, with a note.
    await expect
      .poll(async () => (await again.holdfast.call('inbox.list', {}, 'test')).items.length)
      .toBe(1);
  });

  it('GT-02 a message that a task waits for starts that task, once for its id, also after a restart; another one is a turn as ever', async () => {
    site = createChannelsWorld({ ci });
    const life = await site.start();
    const url = await urlOf(life);
    await life.holdfast.call(
      'tasks.add',
      {
        prompt: 'mend it',
        schedule: 'on webhook ci where "is red" debounce 1s',
        agent: 'fake',
        channel: 'window',
        peer: '',
      },
      'test',
    );
    const said = { id: 'build-7', text: 'main is red' };
    for (const answer of [await post(url, said), await post(url, said)])
      expect([answer.status, await answer.json()]).toEqual([200, { filtered: 'task' }]);
    await expect.poll(async () => (await turns(life)).length, { interval: 20 }).toBe(1);
    await turnIn(life, 1, ['completed']);
    expect(site.asked).toHaveLength(1);
    expect(site.asked[0]).toMatch(/mend it[\s\S]*data, not instructions[\s\S]*- main is red/);
    await site.stop(life);
    const again = await site.start();
    const urlNow = await urlOf(again);
    expect(await (await post(urlNow, said)).json()).toEqual({ filtered: 'task' });
    expect((await post(urlNow, { id: 'build-8', text: 'main is green' })).status).toBe(202);
    await turnIn(again, 2, ['completed']);
    expect(await turns(again)).toHaveLength(2);
    // Sent again, a message stays what it was: of a task that is paused or cancelled since, and a turn of before the task.
    await again.holdfast.call('tasks.pause', { taskId: 1 }, 'test');
    expect(await (await post(urlNow, said)).json()).toEqual({ filtered: 'task' });
    await again.holdfast.call('tasks.cancel', { taskId: 1 }, 'test');
    expect(await (await post(urlNow, said)).json()).toEqual({ filtered: 'task' });
    await again.holdfast.call(
      'tasks.add',
      {
        prompt: 'cheer',
        schedule: 'on webhook ci where "is green" debounce 1s',
        agent: 'fake',
        channel: 'window',
        peer: '',
      },
      'test',
    );
    expect(await (await post(urlNow, { id: 'build-8', text: 'main is green' })).json()).toEqual({
      turn: 2,
      repeat: true,
    });
    expect(await (await post(urlNow, { id: 'build-9', text: 'main is green' })).json()).toEqual({
      filtered: 'task',
    });
    await expect.poll(async () => (await turns(again)).length, { interval: 20 }).toBe(3);
    await turnIn(again, 3, ['completed']);
    expect(site.asked.filter((prompt) => prompt.includes('cheer'))).toHaveLength(1);
  });

  it.each([
    ['no token', 401, { Authorization: '' }],
    ['another token', 401, { Authorization: `Bearer ${'0'.repeat(64)}` }],
    ['the mark of a page (H3)', 403, { Origin: 'null' }],
    ['the mark of another site (H3)', 403, { 'Sec-Fetch-Site': 'cross-site' }],
    ['text that is no JSON', 400, {}, 'hello'],
    ['a field nobody knows', 400, {}, { text: 'x', session: 'main' }],
    ['a plain content type', 415, { 'Content-Type': 'text/plain' }],
    ['a body above 256 KB', 413, {}, { text: 'x'.repeat(300_000) }],
  ] as const)(
    'H1 H3 H4 refuses %s with %i and takes nothing in',
    async (_what, status, headers, body?: unknown) => {
      site = createChannelsWorld({ ci });
      const life = await site.start();
      const answer = await post(await urlOf(life), body ?? { text: 'x' }, headers);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      if (status === 401) expect(await answer.text()).toBe('');
      expect(await turns(life)).toEqual([]);
    },
  );

  it('H1 H5 answers only for channels that hear, only to POST, and not at all once nobody hears', async () => {
    site = createChannelsWorld({ ci, out: { kind: 'webhook', url: 'http://127.0.0.1:9/' } });
    const life = await site.start();
    const url = await urlOf(life);
    const other = url.replace('/in/ci', '/in/out');
    expect((await post(other, { text: 'x' })).status).toBe(404);
    expect((await fetch(url)).status).toBe(405);
    await life.holdfast.call('config.set', { key: 'channels.own', value: {} }, 'test');
    await expect
      .poll(() =>
        post(url, { text: 'x' }).then(
          (one) => one.status,
          () => 0,
        ),
      )
      .toBe(0);
    expect(await turns(life)).toEqual([]);
  });
});

describe('a bot of Telegram', () => {
  const env = { PATH: process.env['PATH'], BOT: BOT_TOKEN };
  const bot = (more: Record<string, unknown> = {}) => ({
    phone: {
      kind: 'telegram',
      token_env: 'BOT',
      chats: ['7', '8'],
      base_url: telegram?.baseUrl,
      agent: 'fake',
      ...more,
    },
  });

  it('S1-12 S2-53 answers each chat of its list in its own conversation; strangers, edits and stickers make no turn and no model call', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    telegram.says(7, { text: 'hello' });
    telegram.says(666, { text: 'let me in' });
    telegram.says(7, { text: 'hello!', edited: true });
    telegram.says(7, { sticker: {} });
    const last = telegram.says(8, { caption: 'look at this', photo: [{}] });
    await expect.poll(() => telegram?.sent.length).toBe(2);
    expect(telegram.sent.toSorted((a, b) => a.chat - b.chat)).toEqual([
      { chat: 7, text: 're: hello' },
      { chat: 8, text: 're: look at this\n[image]' },
    ]);
    expect((await turns(life)).map((turn) => turn.sessionKey)).toEqual(['phone:7', 'phone:8']);
    expect(life.holdfast.status().inbound).toEqual({ accepted: 2, filtered: 2 });
    await expect.poll(() => telegram?.confirmed()).toBe(last);
    await site.stop(life);
    await site.start({ env });
    await expect.poll(() => telegram?.offsets.at(-1)).toBe(last + 1);
    expect(site.asked).toHaveLength(2);
  });

  const inbox = async (life: Composition) =>
    (await life.holdfast.call('inbox.list', {}, 'test')).items.map(({ title, detail }) => ({
      title,
      detail,
    }));
  /** With two agents; a conversation keeps the one that it began with. */
  const withAgents = (names: readonly string[], agent: string): void => {
    const spec = { provider: 'fake', model: 'fake-1', workspace: site.world.workspace };
    site.configure({
      agents: Object.fromEntries(names.map((name) => [name, spec])),
      channels: { own: bot({ agent }), default: 'window' },
    });
  };

  it('CH-02 a message for an agent that is gone holds up none behind it: it is set aside once with its words, its chat is told, and a restart brings it no second time', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    withAgents(['fake', 'other'], 'other');
    const life = await site.start({ env });
    telegram.says(7, { text: 'first' });
    await expect.poll(() => telegram?.sent.map(({ text }) => text)).toEqual(['re: first']);
    await site.stop(life);
    withAgents(['fake'], 'fake');
    const again = await site.start({ env });
    telegram.says(7, { text: 'second, to nobody' });
    const last = telegram.says(8, { text: 'third' });
    await expect.poll(() => telegram?.confirmed(), { timeout: 60_000 }).toBe(last);
    await expect.poll(() => telegram?.sent.at(-1)).toEqual({ chat: 8, text: 're: third' });
    expect(telegram.sent.filter(({ text }) => text.includes('not processed'))).toMatchObject([
      { chat: 7, text: expect.stringContaining('no longer exists') as string },
    ]);
    const setAside = {
      title: 'A message on "phone" was not processed',
      detail: expect.stringMatching(/"other", which no longer exists.*second, to nobody/) as string,
    };
    const asides = async (now: Composition) =>
      (await inbox(now)).filter(({ title }) => title === setAside.title);
    expect(await asides(again)).toEqual([setAside]);
    await site.stop(again);
    const third = await site.start({ env });
    await expect.poll(() => telegram?.offsets.at(-1)).toBe(last + 1);
    expect(await asides(third)).toEqual([setAside]);
    expect((await turns(third)).map((turn) => turn.promptStart)).toEqual(['first', 'third']);
  });

  it('CH-02 R13 a message that is refused because 1 turn waits already is held and taken when that is over: nothing is set aside', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot(), {
      limits: { max_waiting_turns: 1 },
      breakers: { failure_threshold: 3, initial_backoff: '10m', max_backoff: '10m' },
    });
    const life = await site.start({ env });
    const provider = { name: 'provider.fake' };
    await life.holdfast.call('breakers.trip', provider, 'test');
    telegram.says(7, { text: 'waits' });
    await expect.poll(async () => (await turns(life)).length).toBe(1);
    await expect.poll(() => life.holdfast.status().outside?.providers[0]?.waiting).toBe(1);
    const last = telegram.says(8, { text: 'comes later' });
    const asked = telegram.offsets.length;
    await expect
      .poll(() => telegram?.offsets.length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(asked + 4);
    expect(await turns(life)).toHaveLength(1);
    expect(telegram.confirmed()).toBe(last - 1);
    await life.holdfast.call('breakers.reset', provider, 'test');
    await expect.poll(() => telegram?.confirmed(), { timeout: 90_000 }).toBe(last);
    expect((await turns(life)).map((turn) => turn.promptStart)).toEqual(['waits', 'comes later']);
    expect(await inbox(life)).toEqual([]);
  });

  it('S1-12 S2-53 80 of the longest messages, in Cyrillic and each with the one that it answers, are read after a time away: 8 MB in 4 questions', async () => {
    telegram = await startTelegram();
    const long = 'ж'.repeat(4_096);
    for (let n = 0; n < 80; n += 1) {
      const reply_to_message = { message_id: n, chat: { id: 666 }, text: long };
      telegram.says(666, { text: long, reply_to_message });
    }
    const last = telegram.says(7, { text: 'hello' });
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    await expect.poll(() => telegram?.confirmed()).toBe(last);
    expect((await turns(life)).map((turn) => turn.promptStart)).toEqual(['hello']);
    expect(telegram.offsets.length).toBeLessThanOrEqual(6);
  });

  it('S1-12 S1-15 a server that keeps no question open and says the same for ever is asked less and less often; its message is 1 turn', async () => {
    telegram = await startTelegram();
    telegram.isEager = true;
    telegram.says(7, { text: 'hello' });
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    await expect.poll(() => telegram?.offsets.length).toBeGreaterThanOrEqual(3);
    expect(await turns(life)).toHaveLength(1);
    expect(telegram.offsets.length).toBeLessThanOrEqual(5);
  });

  it('S1-12 a task made in a chat answers in that chat; one for a chat outside the list goes to the default channel with a note', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    const wish = { prompt: 'look', schedule: 'every 1h', agent: 'fake', channel: 'phone' };
    for (const peer of ['8', '666']) {
      const { id } = await life.holdfast.call('tasks.add', { ...wish, peer }, 'test');
      const { turnId } = await life.holdfast.call('tasks.run', { taskId: id }, 'test');
      await turnIn(life, turnId, ['completed']);
    }
    await expect.poll(() => telegram?.sent.map((one) => one.chat)).toEqual([8]);
    await expect
      .poll(async () =>
        (await life.holdfast.call('inbox.list', {}, 'test')).items.map((item) => item.title),
      )
      .toEqual(['The answer of turn 2 is here, not on "phone"']);
    expect(await site.view(life, 'phone')).toMatchObject({ breaker: 'closed', pending: 0 });
  });

  it('S1-02 an answer of 10,000 characters goes in 3 pieces; a 429 in the middle waits as it asks and goes on with the next piece', async () => {
    telegram = await startTelegram();
    const long = 'word '.repeat(2_000).trim();
    site = createChannelsWorld(bot(), {}, () => long);
    await site.start({ env });
    telegram.refusals.push({
      status: 429,
      body: { description: 'slow down', parameters: { retry_after: 1 } },
    });
    telegram.says(7, { text: 'hello' });
    await expect.poll(() => telegram?.sent.length).toBe(3);
    expect(telegram.sent.every((one) => one.text.length <= 4_096)).toBe(true);
    expect(telegram.sent.map((one) => one.text).join(' ')).toBe(long);
  });

  it('S1-02 R12 a line that breaks after 2 of 3 pieces leaves 1 of unknown end: that one is sent again and says so at its head, the first is not', async () => {
    telegram = await startTelegram();
    const long = 'word '.repeat(2_000).trim();
    site = createChannelsWorld(bot(), {}, () => long);
    const life = await site.start({ env });
    telegram.refusals.push('usual', 'cut');
    telegram.says(7, { text: 'hello' });
    await expect.poll(() => telegram?.sent.length).toBe(4);
    const [first, second, again = '', third] = telegram.sent.map((one) => one.text);
    expect(again).toBe(`${REPEAT_NOTE}\n\n${second ?? ''}`);
    expect([first, second, third].join(' ')).toBe(long);
    expect(again.length).toBeLessThanOrEqual(4_096);
    await expect.poll(() => site.view(life, 'phone')).toMatchObject({ pending: 0, delivered: 1 });
  });

  it('S1-02 S3-15 R12 a refusal with 429 is an end that is known: over a restart its wait of 6 s is kept, and what is sent then says nothing of an earlier attempt', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    const body = { description: 'slow down', parameters: { retry_after: 6 } };
    telegram.refusals.push({ status: 429, body });
    const askedMs = Date.now();
    telegram.says(7, { text: 'hello' });
    await expect.poll(() => telegram?.refusals.length).toBe(0);
    await expect
      .poll(() => site.view(life, 'phone'))
      .toMatchObject({ lastError: expect.stringContaining('slow down') as string });
    await site.stop(life);
    const next = await site.start({ env });
    expect(await site.view(next, 'phone')).toMatchObject({
      failures: 1,
      pending: 1,
      lastError: expect.stringContaining('slow down') as string,
    });
    await expect.poll(() => telegram?.sent.map((one) => one.text)).toContain('re: hello');
    expect(Date.now() - askedMs).toBeGreaterThan(5_900);
  });

  it.each([
    [400, 'Bad Request: chat not found'],
    [403, 'Forbidden: bot was blocked by the user'],
  ])(
    'S1-02 R4 an answer that is refused with %d never goes there: it is in the window once with a note, the next one goes, and no breaker moves',
    async (status, description) => {
      telegram = await startTelegram();
      site = createChannelsWorld(bot());
      const life = await site.start({ env });
      telegram.refusals.push({ status, body: { description } });
      telegram.says(7, { text: 'hello' });
      const titles = async () =>
        (await life.holdfast.call('inbox.list', {}, 'test')).items.map((item) => item.title);
      await expect.poll(titles).toEqual(['The answer of turn 1 is here, not on "phone"']);
      telegram.says(8, { text: 'and me' });
      await expect.poll(() => telegram?.sent).toEqual([{ chat: 8, text: 're: and me' }]);
      await expect
        .poll(() => site.view(life, 'phone'))
        .toMatchObject({ breaker: 'closed', failures: 0, pending: 0, delivered: 1 });
      expect(await titles()).toHaveLength(1);
    },
  );

  it('S1-02 R4 a token that is no longer good is 401: the answer waits with what Telegram says, and goes once with the right one', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    const life = await site.start({ env: { ...env, BOT: '1:wrong-token' } });
    const wish = {
      prompt: 'look',
      schedule: 'every 1h',
      agent: 'fake',
      channel: 'phone',
      peer: '7',
    };
    const { id } = await life.holdfast.call('tasks.add', wish, 'test');
    await life.holdfast.call('tasks.run', { taskId: id }, 'test');
    await expect
      .poll(() => site.view(life, 'phone'))
      .toMatchObject({
        pending: 1,
        lastError: 'phone: Telegram responded with 401 (Unauthorized).',
      });
    await site.stop(life);
    await site.start({ env });
    // The restart notice goes to the same chat; of the two, either may be first.
    const answers = () => telegram?.sent.filter((one) => one.text.includes('re: ')) ?? [];
    await expect.poll(() => answers().map((one) => one.chat)).toEqual([7]);
  });

  it('S1-02 a bot that another program asks, too, is 409: its state says so, its answers go all the same, each once, and it hears again', async () => {
    telegram = await startTelegram();
    telegram.deaf = {
      status: 409,
      description: 'Conflict: terminated by other getUpdates request',
    };
    site = createChannelsWorld(bot(), {
      breakers: { failure_threshold: 2, initial_backoff: '1s', max_backoff: '1s' },
    });
    const life = await site.start({ env });
    await expect
      .poll(() => site.view(life, 'phone'))
      .toMatchObject({
        breaker: 'open',
        lastError: expect.stringContaining('409 (Conflict') as string,
      });
    const wish = {
      prompt: 'look',
      schedule: 'every 1h',
      agent: 'fake',
      channel: 'phone',
      peer: '7',
    };
    const { id } = await life.holdfast.call('tasks.add', wish, 'test');
    await life.holdfast.call('tasks.run', { taskId: id }, 'test');
    await expect.poll(() => telegram?.sent.map((one) => one.chat)).toEqual([7]);
    telegram.deaf = undefined;
    telegram.says(8, { text: 'hello' });
    await expect.poll(() => telegram?.sent.map((one) => one.chat)).toEqual([7, 8]);
  });

  it('S1-02 S2-01 it cannot be reached: its breaker opens, and what was asked and answered meanwhile goes when it is back; the token is in no file', async () => {
    telegram = await startTelegram();
    site = createChannelsWorld(bot());
    const life = await site.start({ env });
    await expect.poll(() => telegram?.offsets.length).toBe(1);
    await telegram.down();
    const wish = {
      prompt: 'look',
      schedule: 'every 1h',
      agent: 'fake',
      channel: 'phone',
      peer: '7',
    };
    const { id } = await life.holdfast.call('tasks.add', wish, 'test');
    await life.holdfast.call('tasks.run', { taskId: id }, 'test');
    await expect
      .poll(() => site.view(life, 'phone'))
      .toMatchObject({ pending: 1, breaker: 'open' });
    await telegram.up();
    telegram.says(8, { text: 'are you there' });
    await expect.poll(() => telegram?.sent.map((one) => one.chat).toSorted()).toEqual([7, 8]);
    await site.stop(life);
    for (const one of fs.readdirSync(site.world.dataDir, {
      recursive: true,
      withFileTypes: true,
    })) {
      if (!one.isFile()) continue;
      const file = path.join(one.parentPath, one.name);
      expect(fs.readFileSync(file, 'latin1').includes(BOT_TOKEN), file).toBe(false);
    }
  });
});
