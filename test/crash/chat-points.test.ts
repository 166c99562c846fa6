/**
 * A process that is killed between a message or an answer on Slack, Discord or ntfy and what is on
 * disk about it: each message is one turn, each answer decides once. CH-02, PH-03, K9
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startDiscord, startNtfy, startSlack, type FakeChat } from '../helpers/fake-chats';
import { databaseProblems } from './evidence';
import { createRealm, effectsOf, endLives, inEveryMode, startLife, type Mode } from './lives';
import type { Realm } from './realm';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function chatRealm(
  open: () => Promise<FakeChat>,
  mode: Mode,
): Promise<{ realm: Realm; chat: FakeChat }> {
  const chat = await open();
  cleanUps.push(() => chat.down());
  const { token_env: _env, ...own } = chat.own;
  const realm = createRealm(mode, {
    'observability.enabled': false,
    'channels.port': 0,
    'channels.own': {
      phone: {
        ...own,
        token_file: '~/chat.token',
        questions: true,
        decide: { people: [chat.owner] },
      },
    },
  });
  cleanUps.push(() => realm.remove());
  fs.writeFileSync(path.join(realm.outside, 'chat.token'), Object.values(chat.env)[0] ?? '', {
    mode: 0o600,
  });
  return { realm, chat };
}

const POINTS = [
  ['turn.accept.before', 1],
  ['turn.accept.after', 1],
  // The first one is of the first connection.
  ['channel.offset.before', 2],
  ['channel.offset.after', 2],
] as const;

describe.each([
  ['Slack', startSlack],
  ['Discord', startDiscord],
] as const)('a message on %s', (_name, open) => {
  it.each(POINTS)('CH-02 %s is one turn after the kill, in 3 modes', async (point, hit) => {
    await inEveryMode(async (mode) => {
      const { realm, chat } = await chatRealm(open, mode);
      const first = startLife(realm, { crash: { point, hit } });
      await first.ready();
      await expect.poll(() => chat.connections()).toBe(1);
      await expect
        .poll(async () =>
          (await first.call('channels.list', {})).channels.map((one) => one.breaker),
        )
        .not.toContain('open');
      // It is heard from when its first look is on disk.
      await first.ask({ kind: 'quiet' });
      chat.says?.('talk once');
      expect(await first.ended).toBe('SIGKILL');
      expect(realm.killedAt).toContain(point);
      const life = startLife(realm);
      await life.ready();
      await expect
        .poll(async () => (await life.call('turns.list', {})).turns.map((one) => one.promptStart))
        .toEqual(['talk once']);
      chat.says?.('talk twice');
      await expect.poll(async () => (await life.call('turns.list', {})).turns.length).toBe(2);
      await life.ask({ kind: 'quiet' });
      expect((await life.call('turns.list', {})).turns).toHaveLength(2);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    });
  });
});

describe('a signed answer on ntfy', () => {
  it.each([
    'approval.answer.before',
    'approval.answer.after',
    'channel.offset.before',
    'channel.offset.after',
  ] as const)(
    'PH-03 %s decides once after the kill, and its message says so, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, chat } = await chatRealm(startNtfy, mode);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        void first
          .call('send', { text: 'asked a1', agent: 'fake', session: 's' })
          .catch(() => undefined);
        const asked = () => chat.shown.filter(({ text }) => text.includes('ask_me'));
        await expect.poll(() => asked().length).toBe(1);
        const [one] = asked();
        if (one !== undefined) chat.press(one, 'Deny');
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        await expect.poll(() => asked()[0]?.text).toContain('Denied on phone.');
        const { requests } = await life.call('approvals.list', { includeAnswered: true });
        expect(requests.map(({ answer, by }) => [answer, by])).toEqual([
          ['denied', 'channel:phone:ann'],
        ]);
        await life.ask({ kind: 'quiet' });
        expect(asked()).toHaveLength(1);
        await life.stop();
        expect(effectsOf(realm).filter(({ tool }) => tool === 'ask_me')).toHaveLength(0);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
