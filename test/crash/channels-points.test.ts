/**
 * A process that is killed between a message and what its channel is told, on the way in and on the
 * way out: each message is one turn, each answer arrives, and who knows its id shows it once.
 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BOT_TOKEN,
  startReceiver,
  startTelegram,
  type FakeReceiver,
  type FakeTelegram,
} from '../helpers/fake-outside';
import { createFakeChannel } from '../helpers/fake-world';
import { REPEAT_NOTE } from '../../electron/engine/replies/reply-attempt';
import { databaseProblems } from './evidence';
import {
  createRealm,
  endLives,
  inEveryMode,
  type LifeOptions,
  type Mode,
  startLife,
} from './lives';
import type { Life, Realm } from './realm';
import { isPortOpened, sendToWebhook } from './inbound';
import {
  ATTEMPT_POINTS,
  CHANNEL_POINTS,
  MISSED_ATTEMPT_POINTS,
  MISSED_POINTS,
  PIECE_POINTS,
  REPLY_POINTS,
} from './own-workloads';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function realmWith(
  own: Record<string, unknown>,
  mode: Mode = 'always',
  more: Record<string, unknown> = {},
): Realm {
  const realm = createRealm(mode, {
    'observability.enabled': false,
    'channels.own': own,
    'channels.port': 0,
    ...more,
  });
  cleanUps.push(() => realm.remove());
  return realm;
}

async function promptsOf(life: Life): Promise<readonly string[]> {
  await life.ask({ kind: 'quiet' });
  return (await life.call('turns.list', {})).turns.map((turn) => turn.promptStart);
}

/** Sends when somebody listens. */
async function deliver(realm: Realm, body: Record<string, unknown>): Promise<number> {
  await expect.poll(() => isPortOpened(realm)).toBe(true);
  return sendToWebhook(realm, 'ci', body);
}

async function telegramRealm(
  more: Record<string, unknown> = {},
): Promise<{ realm: Realm; telegram: FakeTelegram }> {
  const telegram = await startTelegram();
  cleanUps.push(() => telegram.down());
  const tokenFile = '~/bot.token';
  const own = {
    phone: {
      kind: 'telegram',
      token_file: tokenFile,
      chats: ['7'],
      base_url: telegram.baseUrl,
      agent: 'fake',
    },
  };
  const realm = realmWith(own, 'always', more);
  fs.writeFileSync(path.join(realm.outside, 'bot.token'), BOT_TOKEN, { mode: 0o600 });
  return { realm, telegram };
}

/** What the desktop was told of at once, each time. */
const toldIn = (realm: Realm): readonly unknown[] =>
  createFakeChannel({ dir: realm.outside, name: 'window' }).told();

const windowPending = async (life: Life): Promise<number | undefined> =>
  (await life.call('channels.list', {})).channels.find(({ kind }) => kind === 'window')?.pending;

/** Nothing that was missed is made up for. */
const NO_CATCHUP = { 'resilience.scheduler.catchup_window': 'off' };

/** A task comes due while nothing runs; the start that finds it is killed at the point. */
async function killedAsItTells(
  realm: Realm,
  asked: { readonly channel: string; readonly peer: string },
  crash: NonNullable<LifeOptions['crash']>,
): Promise<void> {
  const first = startLife(realm);
  await first.ready();
  // Killed before it is due on a slow machine, too: what has run is not there to be missed.
  const task = { prompt: 'talk t', schedule: 'in 6s', agent: 'fake', name: 'Look', ...asked };
  const { nextRunAtMs = 0 } = await first.call('tasks.add', task);
  await first.kill();
  await expect.poll(() => Date.now()).toBeGreaterThan(nextRunAtMs);
  const second = startLife(realm, { crash });
  expect(await second.ended).toBe('SIGKILL');
  expect(realm.killedAt).toContain(crash.point);
}

/** The channels that are known to have taken a notice of something missed. */
function toldOn(realm: Realm): readonly unknown[] {
  const db = new Database(path.join(realm.dataDir, 'holdfast.db'), { readonly: true });
  try {
    return db.prepare("SELECT told_on FROM inbox WHERE title LIKE 'Missed: %'").pluck().all();
  } finally {
    db.close();
  }
}

const webhookOut = (receiver: FakeReceiver) => ({ team: { kind: 'webhook', url: receiver.url } });

describe('a process that is killed at', () => {
  it('S1-12 turn.accept.after has not told the sender of a webhook; sent again with its id, the message is the same turn', async () => {
    const realm = realmWith({ ci: { kind: 'webhook', inbound: true, agent: 'fake' } });
    const first = startLife(realm, { crash: { point: 'turn.accept.after', hit: 1 } });
    await first.ready();
    const said = { id: 'build-1', peer: 'b', text: 'talk red' };
    expect(await deliver(realm, said).catch(() => 0)).toBe(0);
    expect(await first.ended).toBe('SIGKILL');
    fs.rmSync(path.join(realm.dataDir, 'run', 'channels.port'), { force: true });
    const life = startLife(realm);
    await life.ready();
    expect(await deliver(realm, said)).toBe(200);
    expect(await promptsOf(life)).toEqual(['talk red']);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it.each(['turn.accept.after', ...CHANNEL_POINTS] as const)(
    'S1-12 %s has each update of a bot as one turn, and asks on behind it',
    async (point) => {
      const { realm, telegram } = await telegramRealm();
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      const last = telegram.says(7, { text: 'talk once' });
      expect(await first.ended).toBe('SIGKILL');
      expect(telegram.confirmed()).toBeLessThan(last);
      const life = startLife(realm);
      await life.ready();
      await expect.poll(() => telegram.confirmed()).toBe(last);
      expect(await promptsOf(life)).toEqual(['talk once']);
      await expect
        .poll(async () => (await life.call('channels.list', {})).channels.map((one) => one.pending))
        .toEqual([0, 0, 0, 0]);
      expect(telegram.sent.length).toBeGreaterThanOrEqual(1);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it('S0-+04 S1-12 turn.accept.before in 3 starts with the same update of a bot leaves it set aside in the 4th, shown with its words, and takes the one behind it', async () => {
    const { realm, telegram } = await telegramRealm();
    telegram.says(7, { text: 'talk poison' });
    const last = telegram.says(7, { text: 'talk fine' });
    for (let start = 0; start < 3; start += 1) {
      const dying = startLife(realm, { crash: { point: 'turn.accept.before', hit: 1 } });
      expect(await dying.ended).toBe('SIGKILL');
    }
    const life = startLife(realm);
    await life.ready();
    await expect.poll(() => telegram.confirmed(), { timeout: 60_000 }).toBe(last);
    expect(await promptsOf(life)).toEqual(['talk fine']);
    const { items } = await life.call('inbox.list', {});
    expect(items.filter(({ title }) => title.includes('not processed'))).toMatchObject([
      { detail: expect.stringMatching(/ended 3 times .*talk poison/) as string },
    ]);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it.each(['reply.deliver.before', 'reply.deliver.after'] as const)(
    'S1-02 %s sends the answer of a webhook until that is on record, always with the same id',
    async (point) => {
      const receiver = await startReceiver();
      cleanUps.push(() => receiver.down());
      const realm = realmWith(webhookOut(receiver));
      const task = { prompt: 'talk t', schedule: 'in 1s', agent: 'fake' };
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      await first.call('tasks.add', { ...task, channel: 'team', peer: 'anna' });
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      const team = async () =>
        (await life.call('channels.list', {})).channels.find((one) => one.name === 'team');
      await expect.poll(team).toMatchObject({ pending: 0, delivered: 1 });
      const ids = receiver.posted
        .map(({ body }) => JSON.parse(body) as { id: string; peer: string })
        .map(({ id, peer }) => `${peer} ${id}`);
      expect(ids).toHaveLength(point === 'reply.deliver.before' ? 1 : 2);
      expect(new Set(ids).size).toBe(1);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it.each(ATTEMPT_POINTS)(
    'S2-25 S2-51 S3-15 %s knows a wait of 1 h that a webhook asked for once it is on disk, in 3 modes, and nothing of it once the answer has arrived',
    async (point) => {
      await inEveryMode(async (mode) => {
        const receiver = await startReceiver();
        cleanUps.push(() => receiver.down());
        const isOver = point.startsWith('attempts.over');
        if (isOver) receiver.next.push({ status: 503 });
        else receiver.answer = { status: 429, headers: { 'Retry-After': '3600' } };
        const realm = realmWith(webhookOut(receiver), mode);
        const task = { prompt: 'talk t', schedule: 'in 1s', agent: 'fake' };
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', { ...task, channel: 'team', peer: 'anna' });
        await expect.poll(() => receiver.posted.length).toBeGreaterThanOrEqual(1);
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        const team = async () =>
          (await life.call('channels.list', {})).channels.find((one) => one.name === 'team');
        await expect
          .poll(team)
          .toMatchObject(isOver ? { pending: 0, failures: 0 } : { pending: 1, failures: 1 });
        // One more only where the wait was not on disk yet.
        const isForgotten = point === 'attempts.keep.before';
        await expect.poll(() => receiver.posted.length).toBe(isOver || isForgotten ? 2 : 1);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each([...REPLY_POINTS, 'reply.deliver.after'] as const)(
    'S1-02 R12 %s sends the answer of a bot once more, with words at its head that it may be the second',
    async (point) => {
      const { realm, telegram } = await telegramRealm();
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      telegram.says(7, { text: 'talk once' });
      expect(await first.ended).toBe('SIGKILL');
      const before = telegram.sent.map((one) => one.text);
      expect(before).toHaveLength(point === 'reply.deliver.after' ? 1 : 0);
      const life = startLife(realm);
      await life.ready();
      await expect.poll(() => telegram.sent.length).toBeGreaterThan(before.length);
      await expect
        .poll(async () => (await life.call('channels.list', {})).channels.map((one) => one.pending))
        .toEqual([0, 0, 0, 0]);
      const after = telegram.sent.slice(before.length).map((one) => one.text);
      expect(after).toEqual([expect.stringContaining(`${REPEAT_NOTE}\n\n${before[0] ?? ''}`)]);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it.each(PIECE_POINTS)(
    'S1-02 R12 %s sends a piece of an answer again only where it is not on disk that it is there',
    async (point) => {
      const { realm, telegram } = await telegramRealm();
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      telegram.says(7, { text: 'long answer' });
      expect(await first.ended).toBe('SIGKILL');
      const sent = () => telegram.sent.map((one) => one.text);
      const [head = ''] = sent();
      const life = startLife(realm);
      await life.ready();
      const rest = 'word '
        .repeat(1_000)
        .trim()
        .slice(head.length + 1);
      const noted = (text: string): string => `${REPEAT_NOTE}\n\n${text}`;
      await expect
        .poll(sent)
        .toEqual(point === 'reply.piece.before' ? [head, noted(head), rest] : [head, noted(rest)]);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it.each(['reply.deliver.before', ...REPLY_POINTS, 'reply.deliver.after'] as const)(
    'S1-02 R12 %s tells the desktop of the answer of a task once more, in 3 modes, and where it may be the second time says so',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode, { 'observability.enabled': false });
        cleanUps.push(() => realm.remove());
        fs.writeFileSync(path.join(realm.outside, 'window'), '');
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        const task = { prompt: 'talk t', schedule: 'in 1s', agent: 'fake' };
        await first.call('tasks.add', { ...task, channel: 'desktop', peer: '' });
        expect(await first.ended).toBe('SIGKILL');
        const before = toldIn(realm);
        expect(before).toHaveLength(point === 'reply.deliver.after' ? 1 : 0);
        const life = startLife(realm);
        await life.ready();
        await expect
          .poll(() => toldIn(realm).slice(before.length))
          .toMatchObject([[{ mayBeSecond: point !== 'reply.deliver.before', by: { taskId: 1 } }]]);
        await expect.poll(() => windowPending(life)).toBe(0);
        await life.stop();
        expect(toldIn(realm)).toHaveLength(before.length + 1);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(MISSED_POINTS)(
    'S0-24 R11 %s tells a webhook of a missed task until that is on record, in 3 modes, always with the same id, and at no later start',
    async (point) => {
      await inEveryMode(async (mode) => {
        const receiver = await startReceiver();
        cleanUps.push(() => receiver.down());
        const realm = realmWith(webhookOut(receiver), mode, NO_CATCHUP);
        await killedAsItTells(realm, { channel: 'team', peer: 'anna' }, { point, hit: 1 });
        const isSent = point === 'missed.tell.after';
        expect(receiver.posted).toHaveLength(isSent ? 1 : 0);
        for (let start = 0; start < 2; start += 1) {
          const life = startLife(realm);
          await life.ready();
          await expect.poll(() => toldOn(realm)).toEqual(['team']);
          await life.stop();
        }
        const posted = receiver.posted.map(
          ({ body }) => JSON.parse(body) as Record<'id' | 'kind' | 'peer' | 'text', string>,
        );
        expect(posted).toHaveLength(isSent ? 2 : 1);
        expect(new Set(posted.map(({ id }) => id)).size).toBe(1);
        for (const { kind, peer, text } of posted)
          expect([kind, peer, text.split('\n')[0]]).toEqual(['missed', 'anna', 'Missed: Look']);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each([...MISSED_POINTS, ...MISSED_ATTEMPT_POINTS])(
    'S0-24 R11 R12 %s tells a bot of a missed task once more, with words that it may be the second where it may',
    async (point) => {
      const { realm, telegram } = await telegramRealm(NO_CATCHUP);
      await killedAsItTells(realm, { channel: 'phone', peer: '7' }, { point, hit: 1 });
      const before = telegram.sent.map(({ text }) => text);
      expect(before).toHaveLength(point === 'missed.tell.after' ? 1 : 0);
      const life = startLife(realm);
      await life.ready();
      await expect.poll(() => toldOn(realm)).toEqual(['phone']);
      const after = telegram.sent.slice(before.length).map(({ text }) => text);
      expect(after).toEqual([
        point === 'missed.tell.before'
          ? expect.stringMatching(/^Missed: Look/)
          : expect.stringContaining(`${REPEAT_NOTE}\n\n${before[0] ?? 'Missed: Look'}`),
      ]);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it('S1-02 any instant while "do not disturb" is on has both answers on disk: told of at once when that ends', async () => {
    const realm = realmWith({});
    const quiet = path.join(realm.outside, 'quiet');
    fs.writeFileSync(path.join(realm.outside, 'window'), '');
    fs.writeFileSync(quiet, '');
    const first = startLife(realm);
    await first.ready();
    for (const prompt of ['talk a', 'talk b']) {
      const task = { prompt, schedule: 'in 1s', agent: 'fake' };
      await first.call('tasks.add', { ...task, channel: 'desktop', peer: '' });
    }
    await expect.poll(() => windowPending(first)).toBe(2);
    await first.kill();
    const second = startLife(realm);
    await second.ready();
    expect(await windowPending(second)).toBe(2);
    expect(toldIn(realm)).toEqual([]);
    await second.kill();
    fs.rmSync(quiet);
    const third = startLife(realm);
    await third.ready();
    await expect.poll(() => windowPending(third)).toBe(0);
    expect(toldIn(realm)).toMatchObject([[{ mayBeSecond: false }, { mayBeSecond: false }]]);
    await third.stop();
  });
});
