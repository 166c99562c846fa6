/** Commands of a chat, and the questions about interrupted turns and missed tasks there. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { turnIn } from '../../helpers/compose-world';
import { startTelegram, type FakeTelegram } from '../../helpers/fake-outside';
import { createQuestionsWorld, type QuestionsWorld } from './questions-world';

let world: QuestionsWorld;
let telegram: FakeTelegram;
afterEach(async () => {
  await world.site.end();
  await telegram.down();
});

async function phone(more: Record<string, unknown> = {}): Promise<Composition> {
  telegram = await startTelegram();
  world = createQuestionsWorld(telegram, more);
  return world.start();
}
/** The newest message that is no question: those have buttons, and come when they come. */
const last = (): string =>
  telegram.sent.filter((_one, at) => !telegram.messages.has(at + 1)).at(-1)?.text ?? '';
const turnCount = async (life: Composition): Promise<number> =>
  (await life.holdfast.call('turns.list', { limit: 100 }, 'test')).turns.length;

describe('commands of a chat', () => {
  it('PH-08 /status, /waiting, /stop, /stopall, /pause and /resume answer without a model, and do what they say', async () => {
    const life = await phone();
    telegram.says(7, { text: '/status' });
    await expect.poll(last).toBe('Nothing needs your decision.\nNo turn is running.');
    const requestId = await world.asks(life, 'one');
    telegram.says(7, { text: '/status' });
    await expect
      .poll(last)
      .toMatch(
        /^Need your decision: 1\. To see them: \/waiting\n(?:Turn 1, |Nothing else is running\.$)/,
      );
    telegram.says(7, { text: '/waiting@some_bot' });
    await expect.poll(last).toMatch(/^fake: Allow .*send_email/);
    const { requests } = await life.holdfast.call('approvals.list', {}, 'test');
    const turnId = requests.find((one) => one.requestId === requestId)?.turnId ?? 0;
    telegram.says(7, { text: `/stop ${String(turnId)}` });
    await turnIn(life, turnId, ['cancelled']);
    await expect.poll(last).toBe(`Turn ${String(turnId)} was canceled.`);
    telegram.says(7, { text: '/stop me' });
    await expect.poll(last).toBe('Specify a turn: /stop 12');
    telegram.says(7, { text: '/stopall' });
    await expect.poll(last).toContain('/stopall yes');
    telegram.says(7, { text: '/pause' });
    await expect.poll(last).toContain('New turns are paused.');
    expect(life.holdfast.status()).toHaveProperty('paused');
    telegram.says(7, { text: '/resume' });
    await expect.poll(last).toBe('New turns start again.');
    expect(await turnCount(life)).toBe(1);
  });

  it('PH-08 /status names each of 2 queued turns by its title, which is the first sentence of its prompt', async () => {
    const life = await phone();
    await life.holdfast.call('intake.pause', {}, 'test');
    const send = (session: string, text: string): Promise<unknown> =>
      life.holdfast.call('send', { session, text, agent: 'fake' }, 'test');
    await send('march', 'Mail the figures of March to Ada. Then file what she answers');
    await send('open', 'Count the open invoices\nand those of last year');
    telegram.says(7, { text: '/status' });
    await expect.poll(last).toMatch(/^Nothing needs your decision\./);
    expect(last().split('\n').slice(1).toSorted()).toEqual([
      'Turn 1, queued, fake: Mail the figures of March to Ada',
      'Turn 2, queued, fake: Count the open invoices',
    ]);
  });

  it('PH-08 /send makes one turn in that session, answered in the chat; a session that is not there is named and made by nothing', async () => {
    const life = await phone();
    telegram.says(7, { text: '/send nowhere do it' });
    await expect.poll(last).toContain('nowhere');
    expect(await turnCount(life)).toBe(0);
    await world.asks(life, 'one');
    telegram.says(7, { text: '/send one and again' });
    await expect.poll(() => turnCount(life)).toBe(2);
    const { turns } = await life.holdfast.call('turns.list', { limit: 10 }, 'test');
    expect(turns[0]).toMatchObject({
      sessionKey: 'one',
      promptStart: 'and again',
      channel: 'phone',
    });
    telegram.says(7, { text: '/tail one' });
    await expect.poll(last).toContain('You: one');
  });

  it('PH-08 a member of the chat who is not listed can use no command, and /tail shows nothing where input is not shown', async () => {
    const life = await phone({ show_input: false });
    const requestId = await world.asks(life, 'one');
    telegram.says(7, { text: '/stopall yes', from: { id: 8 } });
    await expect.poll(last).toBe('You are not listed to use commands here.');
    telegram.says(7, { text: '/tail one' });
    await expect.poll(last).toBe('Texts of sessions are only shown on your computer.');
    const { requests } = await life.holdfast.call('approvals.list', {}, 'test');
    expect(requests.map((one) => one.requestId)).toEqual([requestId]);
  });

  it('PH-08 where nobody is listed, a command is a message to the agent as before', async () => {
    const life = await phone({ decide: undefined });
    telegram.says(7, { text: '/status' });
    await expect.poll(() => turnCount(life)).toBe(1);
  });
});
