/** Questions on a phone: a bot with a double of the Bot API, over real sockets. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { REPEAT_NOTE } from '../../../electron/engine/replies/reply-attempt';
import { turnIn } from '../../helpers/compose-world';
import { startTelegram, type FakeTelegram } from '../../helpers/fake-outside';
import {
  createQuestionsWorld,
  effectsIn,
  OWNER,
  refusalsIn,
  type QuestionsWorld,
} from './questions-world';
import { SLACK } from '../../helpers/slack';

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

const view = async (life: Composition, requestId: number) =>
  (await life.holdfast.call('approvals.list', { includeAnswered: true }, 'test')).requests.find(
    (one) => one.requestId === requestId,
  );

const refusals = () => refusalsIn(world.site);

/** Questions whose try has begun and is neither taken nor refused, as the database has it. */
function questionsOnTheirWay(): unknown {
  const db = new Database(path.join(world.site.world.dataDir, 'holdfast.db'), { readonly: true });
  try {
    return db.prepare('SELECT count(*) FROM sent_questions WHERE is_open = 1').pluck().get();
  } finally {
    db.close();
  }
}

const effects = (): number => effectsIn(world.site);

async function question(count = 1): Promise<number> {
  await expect.poll(() => telegram.messages.size).toBe(count);
  return world.messages().at(-1)?.id ?? 0;
}
const textOf = (id: number): string => telegram.messages.get(id)?.text ?? '';
const labels = (id: number): readonly string[] =>
  (telegram.messages.get(id)?.buttons ?? []).map(({ text }) => text);

/** Like nothing that a maker of keys has marked. */
const KNOWN_KEY = 'Zq8vK2mN4pR7tW9xLb3c';

describe('a question on the phone', () => {
  it('F4 says nothing of a key that Holdfast knows, in any form: not in the question, its details or an answer to a command', async () => {
    const life = await phone();
    await life.holdfast.call('channels.setKey', { name: 'phone', key: KNOWN_KEY }, 'test');
    const base64 = Buffer.from(KNOWN_KEY).toString('base64');
    await world.asks(life, `deploy with ${KNOWN_KEY} and ${base64}`);
    const id = await question();
    telegram.presses(id, { label: 'Details' });
    await expect.poll(() => textOf(id)).toContain('"to": "a@example.org"');
    telegram.says(OWNER, { text: '/status' });
    await expect
      .poll(() => telegram.sent.some(({ text }) => text.includes('Need your decision')))
      .toBe(true);
    const all = [textOf(id), ...telegram.sent.map(({ text }) => text)].join('\n');
    expect(all).toContain('deploy with');
    for (const form of [KNOWN_KEY, base64, KNOWN_KEY.slice(0, 12)]) expect(all).not.toContain(form);
  });

  it('PH-02 has Allow once, Deny and Details, asks twice before a call that reaches outside, and says what happened; the call runs once', async () => {
    const life = await phone();
    const requestId = await world.asks(life);
    const id = await question();
    expect(labels(id)).toEqual(['Allow once', 'Deny', 'Details']);
    expect(textOf(id)).toContain('send_email');
    const asked = await view(life, requestId);
    for (const { callback_data } of telegram.messages.get(id)?.buttons ?? [])
      expect(callback_data).toMatch(
        new RegExp(`^q1:[adi]:${String(requestId)}:${asked?.requestHash.slice(0, 16) ?? ''}$`),
      );
    telegram.presses(id, { label: 'Allow once' });
    await expect.poll(() => labels(id)).toEqual(['Yes, allow once', 'Back']);
    expect(effects()).toBe(0);
    telegram.presses(id, { label: 'Yes, allow once' });
    await expect.poll(() => textOf(id)).toContain('Allowed once on phone.');
    expect(labels(id)).toEqual([]);
    await turnIn(life, asked?.turnId ?? 0, ['completed']);
    expect(effects()).toBe(1);
    expect(await view(life, requestId)).toMatchObject({
      answer: 'allowed',
      scope: 'once',
      by: 'channel:phone:7',
    });
    expect(telegram.notes.at(-1)).toBe('Allowed once on phone.');
  });

  it('PH-02 Details shows the exact input, Back and Deny work from there, and Deny needs one press', async () => {
    const life = await phone();
    const requestId = await world.asks(life);
    const id = await question();
    telegram.presses(id, { label: 'Details' });
    await expect.poll(() => textOf(id)).toContain('"to": "a@example.org"');
    telegram.presses(id, { label: 'Deny' });
    await expect.poll(() => textOf(id)).toContain('Denied on phone.');
    expect(await view(life, requestId)).toMatchObject({ answer: 'denied' });
    expect(effects()).toBe(0);
  });

  it('PH-05 another device was first: within 2 s the message says so and has no buttons, and an old button decides nothing', async () => {
    const life = await phone();
    const requestId = await world.asks(life);
    const id = await question();
    const old = telegram.messages.get(id)?.buttons[0]?.callback_data ?? '';
    const { requestHash = '' } = (await view(life, requestId)) ?? {};
    const answeredAtMs = Date.now();
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'window');
    await expect.poll(() => textOf(id)).toContain('Denied in the window.');
    expect(Date.now() - answeredAtMs).toBeLessThan(2_000 * SLACK);
    telegram.presses(id, { data: old.replace(':a:', ':A:') });
    await expect.poll(() => telegram.notes.at(-1)).toBe('Denied in the window.');
    expect(await view(life, requestId)).toMatchObject({ answer: 'denied', by: 'window' });
    await expect
      .poll(refusals)
      .toMatchObject([{ reason: 'REQUEST_ANSWERED', by: 'channel:phone:7' }]);
  });

  it.each([
    ['a member of the chat who is not listed', (data: string) => ({ data }), 8, 'NOT_LISTED'],
    [
      'a wrong hash',
      (data: string) => ({ data: data.replace(/.{16}$/, '0'.repeat(16)) }),
      OWNER,
      'REQUEST_STALE',
    ],
    [
      'an answer that the question does not have',
      (data: string) => ({ data: data.replace(/:\w:/, ':r:') }),
      OWNER,
      'UNKNOWN_BUTTON',
    ],
    ['data that is no button', () => ({ data: 'allow all' }), OWNER, 'UNKNOWN_BUTTON'],
  ] as const)(
    'PH-04 refuses and audits %s, and decides nothing',
    async (_what, forge, person, reason) => {
      const life = await phone();
      const requestId = await world.asks(life);
      const id = await question();
      const real = telegram.messages.get(id)?.buttons[0]?.callback_data.replace(':a:', ':A:') ?? '';
      telegram.presses(id, forge(real), person);
      await expect
        .poll(refusals)
        .toMatchObject([{ reason, by: `channel:phone:${String(person)}` }]);
      expect(await view(life, requestId)).not.toHaveProperty('answer');
      expect(effects()).toBe(0);
    },
  );

  it('PH-04 without show_input no message holds the input, neither as a question nor as details', async () => {
    const life = await phone({ show_input: false });
    await world.asks(life, 'a secret plan');
    const id = await question();
    expect(textOf(id)).toContain('What it would do is only shown on your computer.');
    telegram.presses(id, { label: 'Details' });
    await expect.poll(() => telegram.notes.at(-1)).toBe('Details are only shown on your computer.');
    for (const { text } of telegram.sent) expect(text).not.toMatch(/example\.org|secret plan/);
    expect(textOf(id)).not.toMatch(/example\.org|secret plan/);
  });

  it('PH-04 nobody is listed: the question has no buttons, and says where it is decided', async () => {
    const life = await phone({ decide: undefined });
    await world.asks(life);
    const id = await question();
    expect(labels(id)).toEqual([]);
    expect(textOf(id)).toContain('See it on your computer.');
  });

  it('PH-06 offline: two questions wait, the one decided meanwhile is never sent, and after a restart the other goes once', async () => {
    const life = await phone();
    await expect.poll(() => telegram.offsets.length).toBeGreaterThan(0);
    await telegram.down();
    // A question that goes out over the connection that is just ending may have arrived.
    await expect.poll(() => world.site.view(life, 'phone')).toHaveProperty('lastError');
    const first = await world.asks(life, 'one');
    await world.asks(life, 'two');
    const { requestHash = '' } = (await view(life, first)) ?? {};
    await life.holdfast.call('approvals.deny', { requestId: first, requestHash }, 'window');
    // A try that the stop cuts off may have arrived: the question would rightly say so.
    await expect.poll(questionsOnTheirWay).toBe(0);
    await world.site.stop(life);
    await world.start();
    await telegram.up();
    const id = await question();
    expect(textOf(id)).toContain('send_email');
    telegram.presses(id, { label: 'Deny' });
    await expect.poll(() => textOf(id)).toContain('Denied on phone.');
    const asked = telegram.sent.filter(({ text }) => text.includes('send_email'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.text).not.toContain(REPEAT_NOTE);
  });

  it('PH-06 decided while the line was cut: the message is closed when the bot is back, also after a restart', async () => {
    const life = await phone();
    const requestId = await world.asks(life);
    const id = await question();
    const { requestHash = '' } = (await view(life, requestId)) ?? {};
    await telegram.down();
    await life.holdfast.call(
      'approvals.allow',
      { requestId, requestHash, scope: 'session' },
      'cli',
    );
    await world.site.stop(life);
    await world.start();
    await telegram.up();
    await expect.poll(() => textOf(id)).toContain('Allowed for the session on the command line.');
    expect(telegram.messages.size).toBe(1);
  });

  it('PH-02 a line that breaks while a question is sent leaves it unknown: it is sent once more and says so, and one press of the first closes both', async () => {
    telegram = await startTelegram();
    telegram.refusals.push('cut');
    world = createQuestionsWorld(telegram);
    const life = await world.start();
    await world.asks(life);
    const id = await question(2);
    expect(textOf(id)).toContain(REPEAT_NOTE);
    const [first] = world.messages();
    telegram.presses(first?.id ?? 0, { label: 'Deny' });
    await expect.poll(() => textOf(id)).toContain('Denied on phone.');
    await expect.poll(() => textOf(first?.id ?? 0)).toContain('Denied on phone.');
    expect([labels(id), labels(first?.id ?? 0)]).toEqual([[], []]);
  });

  it('PH-02 a press that a disk refuses is not lost: it comes again, decides once, and is answered once, also over a restart', async () => {
    telegram = await startTelegram();
    world = createQuestionsWorld(telegram);
    let refused = 0;
    const refusing = {
      hit(name: string) {
        if (name !== 'approval.answer.before') return;
        refused += 1;
        throw new HoldfastError('DISK_FULL', 'The disk is full.', { retryable: true });
      },
    };
    const first = await world.start({ crashPoints: refusing });
    const requestId = await world.asks(first);
    const id = await question();
    const press = telegram.presses(id, { label: 'Deny' });
    await expect.poll(() => refused).toBeGreaterThan(1);
    expect(telegram.notes).toEqual([]);
    expect(telegram.confirmed()).toBeLessThan(press);
    expect(await view(first, requestId)).not.toHaveProperty('answer');
    await world.site.stop(first);
    const life = await world.start();
    await expect.poll(() => textOf(id)).toContain('Denied on phone.');
    expect(await view(life, requestId)).toMatchObject({ answer: 'denied', by: 'channel:phone:7' });
    await expect.poll(() => telegram.confirmed()).toBe(press);
    expect(telegram.notes).toEqual(['Denied on phone.']);
  });

  it('PH-02 a press that meets an unknown error is tried 5 times and then answered with it, so that later ones are heard', async () => {
    telegram = await startTelegram();
    world = createQuestionsWorld(telegram);
    let tries = 0;
    const broken = {
      hit(name: string) {
        if (name !== 'approval.answer.before') return;
        tries += 1;
        if (tries <= 5) throw new Error('Something is broken.');
      },
    };
    const life = await world.start({ crashPoints: broken });
    await world.asks(life);
    const id = await question();
    telegram.presses(id, { label: 'Deny' });
    await expect.poll(() => telegram.notes, { timeout: 60_000 }).toEqual(['Something is broken.']);
    expect(tries).toBe(5);
    telegram.presses(id, { label: 'Deny' });
    await expect.poll(() => textOf(id)).toContain('Denied on phone.');
  }, 90_000);

  it('PH-05 of 1,000 presses and calls that answer at once, one decides; everybody learns the same', async () => {
    const life = await phone();
    const requestId = await world.asks(life);
    const id = await question();
    const { requestHash = '', turnId = 0 } = (await view(life, requestId)) ?? {};
    const real = telegram.messages.get(id)?.buttons[0]?.callback_data ?? '';
    const calls = Array.from({ length: 900 }, (_, n) =>
      life.holdfast
        .call(
          n % 2 === 0 ? 'approvals.allow' : 'approvals.deny',
          { requestId, requestHash },
          'window',
        )
        .then(
          () => 1,
          (error: unknown) => ((error as { code?: string }).code === 'REQUEST_ANSWERED' ? 0 : 99),
        ),
    );
    for (let n = 0; n < 100; n += 1)
      telegram.presses(id, { data: real.replace(':a:', n % 2 === 0 ? ':A:' : ':d:') });
    const wins = (await Promise.all(calls)).reduce((sum: number, one) => sum + one, 0);
    await expect.poll(() => telegram.notes.length).toBe(100);
    const end = await view(life, requestId);
    expect(wins).toBe(end?.by === 'window' ? 1 : 0);
    await turnIn(life, turnId, ['completed']);
    expect(effects()).toBe(end?.answer === 'allowed' ? 1 : 0);
    expect(new Set(telegram.notes).size).toBe(1);
    await expect.poll(() => refusals().length).toBe(999);
  });
});
