/** Questions and digests over a night, on a clock that only moves when it is told to. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import {
  BOT_TOKEN,
  startReceiver,
  startTelegram,
  type FakeReceiver,
  type FakeTelegram,
} from '../../helpers/fake-outside';
import { createFakeProvider, createFakeTools, promptOf } from '../../helpers/fake-world';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock';
import { createChannelsWorld, type ChannelsWorld } from './channels-world';

const MINUTE = 60_000;
const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 2, day, hour, minute).getTime();

let site: ChannelsWorld;
let telegram: FakeTelegram;
let desk: FakeReceiver;
let clock: VirtualClock;
afterEach(async () => {
  await site.end();
  await telegram.down();
  await desk.down();
});

async function begin(fromMs: number, settings: Record<string, unknown>): Promise<Composition> {
  telegram = await startTelegram();
  desk = await startReceiver();
  clock = createVirtualClock(fromMs);
  const { phone = {}, ...more } = settings;
  site = createChannelsWorld(
    {
      phone: {
        kind: 'telegram',
        token_env: 'BOT',
        chats: ['7'],
        base_url: telegram.baseUrl,
        questions: true,
        decide: { people: ['7'] },
        ...(phone as object),
      },
      desk: { kind: 'webhook', url: desk.url, secret_env: 'HOOK' },
    },
    { approvals: { tools: { 'fake.*': 'ask', 'fake.put': 'allow' } }, ...more },
  );
  return start();
}

const start = (): Promise<Composition> =>
  site.start({
    clock,
    // Nothing here is scheduled, and ten looks a minute make a night long.
    ticker: () => ({ stop: () => undefined }),
    env: { PATH: process.env['PATH'], BOT: BOT_TOKEN, HOOK: 'a-secret-that-signs-what-is-sent' },
    toolHosts: [createFakeTools({ dir: site.world.outside })],
    providers: [
      createFakeProvider({
        dir: site.world.outside,
        // The prompt names the tool.
        script: (request) =>
          request.messages.at(-1)?.role === 'user'
            ? { calls: [{ tool: promptOf(request), args: {} }] }
            : { text: 'done' },
      }),
    ],
  });

/** Time passes in steps of a minute: between two of them nothing is due that was not before. */
async function goTo(untilMs: number): Promise<void> {
  while (clock.nowMs() < untilMs) await clock.advance(Math.min(MINUTE, untilMs - clock.nowMs()));
}

/** The computer sleeps until then. */
async function jumpTo(untilMs: number): Promise<void> {
  clock.suspend(untilMs - clock.nowMs());
  await clock.advance(MINUTE + 1);
}

async function asks(life: Composition, tool: string): Promise<number> {
  const before = await open(life);
  await life.holdfast.call('send', { text: tool, agent: 'fake', session: `s-${tool}` }, 'test');
  let fresh: number | undefined;
  await expect
    .poll(async () => (fresh = (await open(life)).find((id) => !before.includes(id))))
    .toBeDefined();
  return fresh ?? 0;
}
const open = async (life: Composition): Promise<readonly number[]> =>
  (await life.holdfast.call('approvals.list', {}, 'test')).requests.map((one) => one.requestId);
async function deny(life: Composition, requestId: number): Promise<void> {
  const { requests } = await life.holdfast.call('approvals.list', {}, 'test');
  const requestHash = requests.find((one) => one.requestId === requestId)?.requestHash ?? '';
  await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'test');
}

/** What the phone was sent, in a word and the tools that it names. */
const isRestart = (text: string): boolean => /^(?:Res|S)tarted/.test(text);
const restarts = (): number => telegram.sent.filter(({ text }) => isRestart(text)).length;
const told = (): readonly string[] =>
  telegram.sent.flatMap(({ text }) => {
    if (isRestart(text)) return [];
    const tools = ['send_email', 'charge', 'mystery', 'put'].filter((one) =>
      new RegExp(`\\b${one}\\b`).test(text),
    );
    const what = text.startsWith('Reminder')
      ? 'again'
      : text.startsWith('Daily')
        ? 'digest'
        : 'asks';
    return [[what, ...tools].join(' ')];
  });
const atDesk = (): readonly string[] =>
  desk.posted.map(({ body }) => {
    const { kind, text } = JSON.parse(body) as { kind: string; text: string };
    return `${kind} ${['send_email', 'charge', 'mystery'].filter((one) => text.includes(one)).join(' ')}`.trim();
  });

const NIGHT = {
  notifications: { quiet_hours: '22:00-07:00', urgent: ['fake.charge'] },
  reminders: { escalate_to: 'desk' },
};

describe('a night', () => {
  it('PH-07 nobody is woken: only what is marked as urgent is sent, a rule asks nothing, the rest comes in the morning, is reminded of once after 30 min and then goes to another channel, over two restarts', async () => {
    let life = await begin(at(24, 21, 50), NIGHT);
    await asks(life, 'send_email');
    await expect.poll(told).toEqual(['asks send_email']);
    await goTo(at(24, 23));
    await asks(life, 'mystery');
    // A call that a rule allows.
    await life.holdfast.call('send', { text: 'put', agent: 'fake', session: 'allowed' }, 'test');
    const urgent = await asks(life, 'charge');
    await expect.poll(told).toEqual(['asks send_email', 'asks charge']);
    await goTo(at(24, 23, 40));
    await expect.poll(told).toEqual(['asks send_email', 'asks charge', 'again charge']);
    await deny(life, urgent);
    await expect
      .poll(
        () => [...telegram.messages.values()].find(({ text }) => text.includes('charge'))?.edits,
      )
      .toBe(1);
    await site.stop(life);
    clock.suspend(4 * 60 * MINUTE);
    life = await start();
    await goTo(at(25, 6, 59));
    expect(told()).toEqual(['asks send_email', 'asks charge', 'again charge']);
    expect(atDesk()).toEqual([]);
    expect(restarts()).toBe(0);
    await goTo(at(25, 7, 1));
    await expect
      .poll(told)
      .toEqual([
        'asks send_email',
        'asks charge',
        'again charge',
        'asks mystery',
        'again send_email',
      ]);
    await site.stop(life);
    life = await start();
    await goTo(at(25, 7, 25));
    expect(atDesk()).toEqual([]);
    await goTo(at(25, 7, 33));
    await expect.poll(atDesk).toEqual(['question send_email']);
    await expect.poll(() => told().length).toBe(6);
    await goTo(at(25, 8, 5));
    await expect.poll(atDesk).toEqual(['question send_email', 'question mystery']);
    await goTo(at(25, 12));
    expect(restarts()).toBe(2);
    expect(told()).toEqual([
      'asks send_email',
      'asks charge',
      'again charge',
      'asks mystery',
      'again send_email',
      'again mystery',
    ]);
    expect(atDesk()).toHaveLength(2);
    const { turns } = await life.holdfast.call('turns.list', {}, 'test');
    expect(turns.filter(({ sessionKey }) => sessionKey === 'allowed')).toMatchObject([
      { state: 'completed' },
    ]);
  }, 120_000);

  it('PH-07 a reminder that a channel does not accept is sent later, once; one of two questions is one message; 0 turns reminders off', async () => {
    const life = await begin(at(24, 12), {});
    await asks(life, 'send_email');
    await asks(life, 'mystery');
    await expect.poll(() => told().length).toBe(2);
    telegram.refusals.push({
      status: 429,
      body: { description: 'Too Many Requests', parameters: { retry_after: 5 } },
    });
    await goTo(at(24, 12, 31));
    await expect.poll(() => telegram.refusals.length).toBe(0);
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return told();
      })
      .toEqual(['asks send_email', 'asks mystery', 'again send_email mystery']);
    await life.holdfast.call('config.set', { key: 'reminders.after', value: 0 }, 'test');
    await asks(life, 'charge');
    await expect.poll(() => told().at(-1)).toBe('asks charge');
    await goTo(at(24, 14, 30));
    expect(told()).toHaveLength(4);
  }, 60_000);

  it('CH-03 one digest a day at its time, in place of the restart notice: over restarts, a clock that is set back and forward, and a computer that was off', async () => {
    let life = await begin(at(24, 7), {
      phone: { digest: '08:00', questions: false },
      digest: { at: '' },
    });
    await life.holdfast.call('config.set', { key: 'channels.default', value: 'phone' }, 'test');
    await life.holdfast.call('send', { text: 'put', agent: 'fake', session: 'a' }, 'test');
    const digests = (): readonly string[] =>
      telegram.sent.map(({ text }) => text).filter((text) => text.startsWith('Daily digest'));
    await goTo(at(24, 7, 59));
    expect(telegram.sent).toEqual([]);
    await goTo(at(24, 8, 1));
    await expect.poll(() => digests().length).toBe(1);
    expect(digests()[0]).toContain('1 turn completed');
    await site.stop(life);
    life = await start();
    clock.set(-3 * 60 * MINUTE);
    await jumpTo(at(24, 7, 50));
    await goTo(at(24, 8, 10));
    expect(digests()).toHaveLength(1);
    await site.stop(life);
    clock.suspend(at(25, 12) - clock.nowMs());
    life = await start();
    await expect.poll(() => digests().length).toBe(2);
    expect(digests()[1]).toContain('1 restart.');
    clock.set(24 * 60 * MINUTE);
    await clock.advance(2 * MINUTE);
    await expect.poll(() => digests().length).toBe(3);
    clock.set(-24 * 60 * MINUTE);
    await jumpTo(at(26, 9));
    await site.stop(life);
    life = await start();
    await jumpTo(at(27, 7, 50));
    // No notice of a restart came by itself.
    expect(telegram.sent).toHaveLength(3);
    await goTo(at(27, 8, 1));
    await expect.poll(() => digests().length).toBe(4);
  }, 120_000);
});
