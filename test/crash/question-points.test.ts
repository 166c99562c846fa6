/**
 * A process that is killed between a question, its message on a phone, the press that answers it,
 * and what the message says in the end. PH-02, PH-05, PH-06, K9
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { REPEAT_NOTE } from '../../electron/engine/replies/reply-attempt';
import { BOT_TOKEN, startTelegram, type FakeTelegram } from '../helpers/fake-outside';
import { databaseProblems, rowsOf } from './evidence';
import {
  createRealm,
  effectsOf,
  endLives,
  inEveryMode,
  startLife,
  type LifeOptions,
  type Mode,
} from './lives';
import { QUESTION_POINTS } from './own-workloads';
import type { Life, Realm } from './realm';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function phoneRealm(
  mode: Mode,
  more: Record<string, unknown> = {},
): Promise<{ realm: Realm; telegram: FakeTelegram }> {
  const telegram = await startTelegram();
  cleanUps.push(() => telegram.down());
  const realm = createRealm(mode, {
    'observability.enabled': false,
    'channels.port': 0,
    ...more,
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

/** The messages about the call that needs approval, oldest first, as they stand now. */
const asked = (telegram: FakeTelegram) =>
  [...telegram.messages]
    .map(([id, message]) => ({ id, ...message, labels: message.buttons.map(({ text }) => text) }))
    .filter(({ text }) => text.includes('ask_me'));

/** Messages whose place is on disk: one that has only arrived is sent again after a kill. */
const recorded = (realm: Realm): number =>
  rowsOf(realm, 'SELECT 1 FROM sent_questions WHERE ref IS NOT NULL').length;

const callsOf = (realm: Realm): number =>
  effectsOf(realm).filter(({ tool }) => tool === 'ask_me').length;

const answersOf = async (life: Life) =>
  (await life.call('approvals.list', { includeAnswered: true })).requests.map(({ answer, by }) => [
    answer,
    by,
  ]);

async function started(
  realm: Realm,
  telegram: FakeTelegram,
  crash: NonNullable<LifeOptions['crash']>,
): Promise<Life> {
  const life = startLife(realm, { crash });
  await life.ready();
  telegram.says(7, { text: 'asked a1' });
  return life;
}

describe('a process that is killed at', () => {
  it.each(QUESTION_POINTS.slice(0, 3))(
    'PH-02 PH-06 %s asks on the phone once more only where the first may be there, which says so; allowed there, the call runs once, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, telegram } = await phoneRealm(mode);
        const first = await started(realm, telegram, { point, hit: 1 });
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toContain(point);
        expect(asked(telegram)).toHaveLength(point === 'question.ask.after' ? 1 : 0);
        const life = startLife(realm);
        await life.ready();
        const count = point === 'question.ask.after' ? 2 : 1;
        await expect.poll(() => asked(telegram).length).toBe(count);
        const last = asked(telegram).at(-1);
        expect(last?.text.includes(REPEAT_NOTE)).toBe(point !== 'question.ask.before');
        const id = last?.id ?? 0;
        telegram.presses(id, { label: 'Allow once' });
        await expect
          .poll(() => asked(telegram).at(-1)?.labels)
          .toEqual(['Yes, allow once', 'Back']);
        telegram.presses(id, { label: 'Yes, allow once' });
        await expect.poll(() => asked(telegram).at(-1)?.text).toContain('Allowed once on phone.');
        await expect.poll(() => callsOf(realm)).toBe(1);
        await life.ask({ kind: 'quiet' });
        expect(asked(telegram)).toHaveLength(count);
        await life.stop();
        expect(callsOf(realm)).toBe(1);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(['approval.answer.before', 'approval.answer.after'] as const)(
    'PH-02 PH-05 %s has taken a press once: it comes again after the kill, decides once, and the message says so, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, telegram } = await phoneRealm(mode);
        const first = await started(realm, telegram, { point, hit: 1 });
        await expect.poll(() => asked(telegram).length).toBe(1);
        await expect.poll(() => recorded(realm)).toBe(1);
        const id = asked(telegram)[0]?.id ?? 0;
        telegram.presses(id, { label: 'Deny' });
        expect(await first.ended).toBe('SIGKILL');
        expect(asked(telegram)[0]?.labels).toContain('Deny');
        const life = startLife(realm);
        await life.ready();
        await expect.poll(() => asked(telegram)[0]?.text).toContain('Denied on phone.');
        await expect.poll(() => telegram.notes).toEqual(['Denied on phone.']);
        expect(await answersOf(life)).toEqual([['denied', 'channel:phone:7']]);
        expect(asked(telegram)).toHaveLength(1);
        await life.stop();
        expect(callsOf(realm)).toBe(0);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(QUESTION_POINTS.slice(3))(
    'PH-05 PH-06 %s has the message say what another device did, at the latest after the next start, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, telegram } = await phoneRealm(mode);
        const first = await started(realm, telegram, { point, hit: 1 });
        await expect.poll(() => asked(telegram).length).toBe(1);
        const [turn] = (await first.call('turns.list', {})).turns;
        void first.call('turns.cancel', { turnId: turn?.id ?? 0 }).catch(() => undefined);
        expect(await first.ended).toBe('SIGKILL');
        const isEdited = point === 'question.edit.after';
        expect(asked(telegram)[0]?.labels.length === 0).toBe(isEdited);
        const life = startLife(realm);
        await life.ready();
        await expect
          .poll(() => asked(telegram)[0])
          .toMatchObject({
            text: expect.stringContaining('the turn no longer waits for it') as string,
            labels: [],
            edits: 1,
          });
        await life.stop();
        expect(asked(telegram)).toHaveLength(1);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it('PH-01 PH-02 a missed task is a question with Run now: it runs once, however often that is pressed, and there is no second notice', async () => {
    const { realm, telegram } = await phoneRealm('always', {
      'resilience.scheduler.catchup_window': 'off',
    });
    const first = startLife(realm);
    await first.ready();
    const task = { prompt: 'talk t', schedule: 'in 6s', agent: 'fake', name: 'Look' };
    const { nextRunAtMs = 0 } = await first.call('tasks.add', {
      ...task,
      channel: 'phone',
      peer: '7',
    });
    await first.kill();
    await expect.poll(() => Date.now()).toBeGreaterThan(nextRunAtMs);
    const life = startLife(realm);
    await life.ready();
    await expect.poll(() => telegram.messages.size).toBe(1);
    const [id = 0] = telegram.messages.keys();
    const data =
      telegram.messages.get(id)?.buttons.find(({ text }) => text === 'Run now')?.callback_data ??
      '';
    telegram.presses(id, { data });
    telegram.presses(id, { data });
    await expect.poll(() => telegram.messages.get(id)?.text).toContain('It was run.');
    await expect.poll(() => telegram.notes.length).toBe(2);
    await life.ask({ kind: 'quiet' });
    expect((await life.call('turns.list', {})).turns).toHaveLength(1);
    expect(telegram.sent.filter(({ text }) => text.includes('issed'))).toHaveLength(1);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it('PH-01 PH-02 a call of unknown outcome has its own answers on the phone: Mark as done ends the question, and the call does not run again', async () => {
    const { realm, telegram } = await phoneRealm('never');
    const first = startLife(realm, { crash: { point: 'step.effect.after', hit: 1 } });
    await first.ready();
    telegram.says(7, { text: 'mail1 a1' });
    expect(await first.ended).toBe('SIGKILL');
    const life = startLife(realm);
    await life.ready();
    await expect.poll(() => telegram.messages.size).toBe(1);
    const [id = 0] = telegram.messages.keys();
    const labels = () => telegram.messages.get(id)?.buttons.map(({ text }) => text);
    expect(labels()).toEqual(['Mark as done', 'Skip step', 'Run again', 'Discard turn', 'Details']);
    telegram.presses(id, { label: 'Run again' });
    await expect.poll(labels).toEqual(['Yes, run again', 'Back']);
    telegram.presses(id, { label: 'Back' });
    await expect.poll(() => labels()?.length).toBe(5);
    telegram.presses(id, { label: 'Mark as done' });
    await expect.poll(() => telegram.messages.get(id)?.text).toContain('Marked as done.');
    await life.ask({ kind: 'quiet' });
    expect((await life.call('recovery.list', {})).decisions).toEqual([]);
    expect(effectsOf(realm).filter(({ tool }) => tool === 'send_email')).toHaveLength(1);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });
});
