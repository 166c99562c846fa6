/** A process that is killed around a reminder of an open question, and around the digest of a day. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BOT_TOKEN, startTelegram, type FakeTelegram } from '../helpers/fake-outside';
import { changeDatabase, databaseProblems } from './evidence';
import { createRealm, endLives, inEveryMode, startLife, type Mode } from './lives';
import { DIGEST_POINTS, REMINDER_POINTS } from './own-workloads';
import type { Realm } from './realm';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function phoneRealm(
  mode: Mode,
  settings: Record<string, unknown>,
): Promise<{ realm: Realm; telegram: FakeTelegram }> {
  const telegram = await startTelegram();
  cleanUps.push(() => telegram.down());
  const realm = createRealm(mode, {
    'observability.enabled': false,
    'channels.port': 0,
    ...settings,
    'channels.own': {
      phone: {
        kind: 'telegram',
        token_file: '~/bot.token',
        chats: ['7'],
        base_url: telegram.baseUrl,
        agent: 'fake',
        questions: true,
        decide: { people: ['7'] },
      },
    },
  });
  cleanUps.push(() => realm.remove());
  fs.writeFileSync(path.join(realm.outside, 'bot.token'), BOT_TOKEN, { mode: 0o600 });
  return { realm, telegram };
}

/** As if the first start had been a day earlier, in the journal and in what is made from it. */
const YESTERDAY = `
  UPDATE starts SET started_at = started_at - 86400000;
  UPDATE journal SET at_ms = at_ms - 86400000
  WHERE kind = (SELECT kind FROM journal_kinds WHERE name = 'marker.started')`;

const starting = (telegram: FakeTelegram, words: string): number =>
  telegram.sent.filter(({ text }) => text.startsWith(words)).length;

describe('a process that is killed at', () => {
  it.each(REMINDER_POINTS)(
    'PH-07 %s reminds once at most, and of what is still open; the question is there all the time, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, telegram } = await phoneRealm(mode, { 'reminders.after': '1s' });
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        telegram.says(7, { text: 'asked a1' });
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        expect(starting(telegram, 'Reminder')).toBe(point === 'question.reminded.after' ? 1 : 0);
        const life = startLife(realm);
        await life.ready();
        // A second question, whose reminder comes after any that the first one still gets.
        telegram.says(7, { text: 'asked a2' });
        // With it on record and not sent, it counts as sent: nobody is reminded twice.
        const of = point === 'question.remind.after' ? 0 : 1;
        await expect.poll(() => starting(telegram, 'Reminder')).toBe(of + 1);
        await life.ask({ kind: 'quiet' });
        expect(starting(telegram, 'Reminder')).toBe(of + 1);
        expect(telegram.messages.size).toBe(2);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(DIGEST_POINTS)(
    'CH-03 %s sends the digest of the day once at most, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, telegram } = await phoneRealm(mode, { 'digest.at': '00:00' });
        // Data of today would get its first digest tomorrow.
        const before = startLife(realm);
        await before.ready();
        await before.stop();
        expect(starting(telegram, 'Daily digest')).toBe(0);
        changeDatabase(realm, YESTERDAY);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        expect(starting(telegram, 'Daily digest')).toBe(point === 'digest.send.after' ? 1 : 0);
        const wanted = point === 'digest.attempt.after' ? 0 : 1;
        for (const _start of [1, 2]) {
          const life = startLife(realm);
          await life.ready();
          // An answer goes out behind it.
          telegram.says(7, { text: 'talk t' });
          const answers = telegram.sent.length;
          await expect.poll(() => telegram.sent.length).toBeGreaterThan(answers);
          await expect.poll(() => starting(telegram, 'Daily digest')).toBe(wanted);
          await life.stop();
        }
        expect(starting(telegram, 'Daily digest')).toBe(wanted);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
