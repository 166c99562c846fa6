/** A process that is killed around what the user decides about a session: it is done, or not begun. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { databaseProblems, rowsOf } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';
import { SESSION_POINTS } from './own-workloads';

afterEach(endRealms);

const PROMPT = 'queued words';

/** A session with a finished turn, in a life that dies at the point. */
async function dying(point: CrashPointName): Promise<{ realm: Realm; life: Life; turnId: number }> {
  const realm = createRealm('always');
  const life = startLife(realm, { crash: { point, hit: 1 } });
  await life.ready();
  const turnId = await life.accept(PROMPT);
  await expect
    .poll(async () => (await life.call('turns.list', {})).turns[0]?.state)
    .toBe('completed');
  return { realm, life, turnId };
}
const diedAt = async (realm: Realm, life: Life, point: CrashPointName): Promise<Life> => {
  expect(await life.ended).toBe('SIGKILL');
  expect(realm.killedAt).toEqual([point]);
  const next = startLife(realm);
  await next.ready();
  return next;
};
const sessionsOf = async (life: Life) => (await life.call('sessions.list', {})).sessions;
const end = async (realm: Realm, life: Life): Promise<void> => {
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
};

describe('a process that is killed at', () => {
  it.each(['session.set.before', 'session.set.after'] as const)(
    '%s has the old title or the new one',
    async (point) => {
      const { realm, life } = await dying(point);
      const [session] = await sessionsOf(life);
      const { key = '', title = '' } = session ?? {};
      void life.ask({ kind: 'call', verb: 'session.edit', input: { session: key, title: 'New' } });
      const next = await diedAt(realm, life, point);
      const [now] = await sessionsOf(next);
      expect(now?.title).toBe(point.endsWith('after') ? 'New' : title);
      await end(realm, next);
    },
  );

  it.each(['session.set.before', 'session.set.after'] as const)(
    '%s has made the fork whole or not at all',
    async (point) => {
      const { realm, life, turnId } = await dying(point);
      const [session] = await sessionsOf(life);
      const key = session?.key ?? '';
      void life.ask({ kind: 'call', verb: 'session.fork', input: { session: key, turnId } });
      const next = await diedAt(realm, life, point);
      const forks = (await sessionsOf(next)).map(({ fork }) => fork?.turnId);
      expect(forks.filter((one) => one !== undefined)).toEqual(
        point.endsWith('after') ? [turnId] : [],
      );
      await end(realm, next);
    },
  );

  it.each(SESSION_POINTS)(
    '%s has deleted the session or not, and what it said goes with the next erasure',
    async (point) => {
      const { realm, life } = await dying(point);
      const [session] = await sessionsOf(life);
      const key = session?.key ?? '';
      void life.ask({ kind: 'call', verb: 'session.delete', input: { session: key } });
      const next = await diedAt(realm, life, point);
      expect(await sessionsOf(next)).toHaveLength(point === 'session.set.before' ? 1 : 0);
      if (point === 'session.set.before') {
        await next.call('session.delete', { session: key });
      } else {
        const other = await next.call('session.create', { agent: 'fake', key: 'other' });
        await next.call('session.delete', { session: other.key });
      }
      await next.stop();
      // What was erased leaves gaps in the numbers, and nothing else.
      expect(databaseProblems(realm)).toEqual([expect.stringMatching(/^\d+ journal rows are/)]);
      expect(JSON.stringify(rowsOf(realm, 'SELECT body FROM journal'))).not.toContain(PROMPT);
    },
  );
});
