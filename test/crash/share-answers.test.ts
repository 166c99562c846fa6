/** Computers that are killed around an answer to a shared turn, and around a shared task. */
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dailyFarAway } from '../helpers/far-away';
import { linesOf } from '../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';

let postgres: Postgres;

const LIMIT = { timeout: 120_000, interval: 50 };
const ownerUrl = (): string => `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`;
const asked = async (life: Life) => {
  await expect
    .poll(async () => (await life.call('approvals.list', {})).requests.length, LIMIT)
    .toBe(1);
  const [{ requestId, requestHash } = { requestId: 0, requestHash: '' }] = (
    await life.call('approvals.list', {})
  ).requests;
  return { requestId, requestHash };
};
const stateOf = (life: Life, session: string) => async (): Promise<string | undefined> =>
  (await life.call('turns.list', {})).turns.find(({ sessionKey }) => sessionKey === session)?.state;
const effects = (realm: Realm, tool: string): number =>
  linesOf(path.join(realm.outside, 'effects.log')).filter(
    (line) => (JSON.parse(line) as { readonly tool: string }).tool === tool,
  ).length;

describe.skipIf(isLeftOut('kills around shared answers', NO_POSTGRES))(
  'a computer that is killed around an answer to a shared turn',
  () => {
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    it('DW-23 answers once: killed where it was answered, the turn goes on elsewhere; killed where the turn runs, it is asked again under another epoch', async () => {
      const realms = ['desk-1', 'desk-2'].map((name) =>
        createRealm('safe_only', {
          'share.lease': '20s',
          'share.name': name,
          'share.labels': [name],
        }),
      );
      const [here, there] = realms as [Realm, Realm];
      let [one, two] = [startLife(here), startLife(there)];
      await Promise.all([one.ready(), two.ready()]);
      await one.call('share.host', { address: ownerUrl() });
      const { invitation } = await one.call('share.invite', { name: 'desk-2' });
      await two.call('share.join', { invitation });
      await one.call('share.admit', { name: 'desk-2' });
      const send = (session: string) =>
        one.call('share.send', {
          text: `asked ${session}`,
          agent: 'fake',
          session,
          needs: ['label:desk-2'],
        });
      await send('first');
      await one.ask({ kind: 'arm', point: 'approval.answer.before', later: 0 });
      void one.call('approvals.allow', await asked(one)).catch(() => undefined);
      expect(await one.ended).toBe('SIGKILL');
      await expect.poll(stateOf(two, 'first'), LIMIT).toBe('completed');
      one = startLife(here);
      await one.ready();
      await expect.poll(stateOf(one, 'first'), LIMIT).toBe('completed');
      expect((await one.call('approvals.list', {})).requests).toEqual([]);

      await send('second');
      const question = await asked(one);
      await asked(two);
      await two.ask({ kind: 'arm', point: 'approval.answer.before', later: 0 });
      await one.call('approvals.allow', question);
      expect(await two.ended).toBe('SIGKILL');
      two = startLife(there);
      await two.ready();
      // What was answered was answered to a run that is gone.
      await asked(two);
      const again = await asked(one);
      expect(again.requestId).not.toBe(question.requestId);
      await one.call('approvals.allow', again);
      for (const life of [one, two])
        await expect.poll(stateOf(life, 'second'), LIMIT).toBe('completed');
      await Promise.all([one.stop(), two.stop()]);
      expect([effects(here, 'ask_me'), effects(there, 'ask_me')]).toEqual([0, 2]);
      expect(realms.flatMap((realm) => databaseProblems(realm))).toEqual([]);
    });

    it('DW-24 a time of a shared task that is on disk and not yet in the queue is sent by the next start, once', async () => {
      const realm = createRealm('safe_only', { 'share.lease': '20s', 'share.name': 'desk-3' });
      let life = startLife(realm);
      await life.ready();
      await life.call('share.host', { address: ownerUrl() });
      const task = await life.call('tasks.add', {
        prompt: 'one task',
        name: 'standup',
        agent: 'fake',
        schedule: dailyFarAway(),
        zone: 'UTC',
        shared: true,
      });
      for (const point of ['task.fire.before', 'task.fire.after'] as const) {
        await life.ask({ kind: 'arm', point, later: 0 });
        void life.call('tasks.run', { taskId: task.id }).catch(() => undefined);
        expect(await life.ended).toBe('SIGKILL');
        life = startLife(realm);
        await life.ready();
      }
      await expect.poll(stateOf(life, 'shared-task standup'), LIMIT).toBe('completed');
      await life.stop();
      expect(
        await postgres.sql("SELECT state FROM holdfast.turn WHERE dedupe LIKE 'task standup %'"),
      ).toEqual([{ state: 'done' }]);
      expect(effects(realm, 'charge')).toBe(1);
      expect(databaseProblems(realm)).toEqual([]);
    });
  },
);
