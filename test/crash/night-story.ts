/**
 * What happens in the night, and what must be so in the morning. Each step can be done again: a kill may
 * have come before anybody was told that it is done.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { effectsOf, requestsOf } from './lives';
import { at, HOUR, KILLS, type Night } from './night';
import type { Life } from './realm';

export const turnsOf = async (life: Life) =>
  (await life.call('turns.list', { limit: 200 })).turns.toReversed();
const turnIn = async (life: Life, session: string) =>
  (await turnsOf(life)).find(({ sessionKey }) => sessionKey === session);
const isIn = (session: string, state: string) => async (life: Life) =>
  (await turnIn(life, session))?.state === state;

/** Accepted once, though the sender may be told nothing of it. */
const send = (night: Night, session: string, agent: string, text: string): Promise<void> =>
  night.does(async (life) => {
    if ((await turnIn(life, session)) === undefined)
      await life.call('send', { text, session, agent });
  });

interface Wish {
  readonly prompt: string;
  readonly schedule: string;
  readonly check?: string;
}
const task = (night: Night, name: string, wish: Wish): Promise<void> =>
  night.does(async (life) => {
    const { tasks } = await life.call('tasks.list', {});
    if (!tasks.some((one) => one.name === name))
      await life.call('tasks.add', { name, agent: 'fake', ...wish });
  });

const outside = ({ realm }: Night, name: string): string => path.join(realm.outside, name);

/** The message about the call that needs approval, as it stands in the chat now. */
const question = ({ telegram }: Night) =>
  [...telegram.messages]
    .map(([id, message]) => ({ id, ...message, labels: message.buttons.map(({ text }) => text) }))
    .filter(({ text }) => text.includes('ask_me'))
    .at(-1);

export async function playNight(night: Night): Promise<void> {
  await evening(night);
  await answersOnThePhone(night);
  await night.goTo(at(23, 59));
  fs.writeFileSync(outside(night, 'provider-down'), '');
  await night.goTo(at(0, 20));
  await send(night, 'outage', 'fake', 'multi outage');
  await night.until('the provider is down', isIn('outage', 'waiting'));
  await night.goTo(at(1, 0));
  fs.rmSync(outside(night, 'provider-down'), { force: true });
  fs.rmSync(outside(night, 'limited'), { force: true });
  await night.goTo(at(3, 0));
  await night.sleep(1.5 * HOUR);
  await night.goTo(at(8, 0));
}

/** Two agents at the limit of their account, two tasks, a question, and two budgets that are spent. */
async function evening(night: Night): Promise<void> {
  await task(night, 'hourly', { prompt: 'one hourly', schedule: 'every 1h' });
  const check = `command: test -e ${outside(night, 'new-mail')}`;
  await task(night, 'mailbox', { prompt: 'one mailbox', schedule: 'every 30m', check });
  const limit = { message: "You've hit your session limit · resets 1am" };
  fs.writeFileSync(outside(night, 'limited'), JSON.stringify(limit));
  await night.goTo(at(22, 5));
  await send(night, 'one-a', 'one', 'do: sure one-a1\ndo: limited\ndo: sure one-a2');
  await night.until('the first agent is at its limit', isIn('one-a', 'waiting'));
  await send(night, 'two-a', 'two', 'do: sure two-a1');
  await send(night, 'one-b', 'one', 'do: sure one-b1');
  await night.until('its account waits', isIn('two-a', 'waiting'));
  await night.goTo(at(22, 30));
  await send(night, 'asked', 'fake', 'asked night');
  await night.until('it is asked about', isIn('asked', 'requires_action'));
  await night.goTo(at(22, 50));
  await send(night, 'saver', 'saver', 'mail saved');
  await send(night, 'payer', 'payer', 'mail paid');
  await night.until('the budget of the day is spent', isIn('saver', 'waiting'));
  await night.until('the budget of the month is spent', isIn('payer', 'waiting'));
}

/** Two people press at the same time. */
async function answersOnThePhone(night: Night): Promise<void> {
  await night.until('the question is on the phone', async () => question(night) !== undefined);
  for (const label of ['Allow once', 'Yes, allow once']) {
    const { id = 0, labels = [] } = question(night) ?? {};
    if (labels.includes(label))
      for (const person of [7, 8]) night.telegram.presses(id, { label }, person);
    await night.until('the press is taken', async () => {
      for (let look = 0; look < 50 && question(night)?.labels.includes(label) === true; look += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return question(night)?.labels.includes(label) !== true;
    });
  }
  await night.until('the call has run', isIn('asked', 'completed'));
}

const countOf = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};
const tagOf = (args: unknown): string => {
  const { tag, to } = args as { readonly tag?: string; readonly to?: string };
  return tag ?? to ?? '';
};

export async function judgeMorning(night: Night): Promise<void> {
  const { realm, telegram } = night;
  expect(night.kills()).toBe(KILLS);
  expect(night.paidAgain()).toEqual([]);

  const turns = await night.does(turnsOf);
  const open = turns.filter(({ state }) => state !== 'completed');
  expect(open.map(({ sessionKey, state }) => [sessionKey, state])).toEqual([['payer', 'waiting']]);

  const slotsOf = (name: string) =>
    night.does(async (life) => {
      const { tasks } = await life.call('tasks.list', {});
      const taskId = tasks.find((one) => one.name === name)?.id ?? 0;
      return (await life.call('tasks.history', { taskId, limit: 200 })).runs;
    });
  const runs = (await slotsOf('hourly')).filter(({ outcome }) => outcome === 'ran').length;
  // Each hour from 22:50 on, one for all that the outage held back, and one for those of the sleep.
  expect(runs).toBeGreaterThanOrEqual(7);
  const mailbox = await slotsOf('mailbox');
  expect(new Set(mailbox.map(({ why }) => why))).toEqual(new Set(['nothing']));
  expect(mailbox.length).toBeGreaterThan(14);
  expect(requestsOf(realm).filter(({ prompt }) => prompt.includes('mailbox'))).toEqual([]);

  const effects = effectsOf(realm).filter(({ tool }) => tool !== 'look');
  expect(countOf(effects.map(({ tool, args }) => `${tool} ${tagOf(args)}`))).toEqual({
    'ask_me night': 1,
    'charge hourly': runs,
    'charge night': 1,
    'charge outage': 2,
    'charge saved': 1,
    'put night': 1,
    'put outage': 2,
    'send_email paid': 1,
    'send_email saved': 1,
  });
  const log = fs.readFileSync(path.join(realm.workspace, 'effects.log'), 'utf8');
  expect(countOf(log.trim().split('\n'))).toEqual({
    'one-a1': 1,
    'one-a2': 1,
    'one-b1': 1,
    'two-a1': 1,
  });

  const digests = telegram.sent.filter(({ text }) => text.startsWith('Daily digest'));
  // The first start was behind the time of that day: it has none.
  expect(digests).toHaveLength(1);
  const completed = turns.filter(
    ({ state, endedAtMs = 0 }) => state === 'completed' && endedAtMs < at(7),
  ).length;
  const lines = digests[0]?.text.split('\n') ?? [];
  expect(lines).toContain(`${String(completed)} turns completed.`);
  expect(lines.find((line) => line.includes('restarts'))).toMatch(
    new RegExp(`^${String(KILLS)} restarts`),
  );
  expect(lines.slice(-2)).toEqual([
    '1 question needs your decision:',
    '• The budget "monthly" is spent: 1 turn waits',
  ]);
  expect(lines.join(' ')).not.toMatch(/is down|is back/);

  const { items } = await night.does((life) => life.call('inbox.list', { includeSettled: false }));
  // Beside what it tells of starts and of the outage, which needs no answer.
  const [restarted = '', ...more] = items
    .map(({ title }) => title)
    .filter((title) => title.startsWith('Restarted'));
  expect([/^Restarted (\d+) times since \d\d:\d\d\. /.exec(restarted)?.[1], more]).toEqual([
    String(KILLS),
    [],
  ]);
  expect(
    items.map(({ title }) => title).filter((title) => !/^Restarted|is back$/.test(title)),
  ).toEqual(['The budget "monthly" is spent']);
}
