/**
 * A process that is killed around what budgets store: a spent budget is told once and holds back, in
 * each recovery mode, and what was allowed is allowed or not.
 */
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { linesOf } from '../helpers/fake-world';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';
import { BUDGET_POINTS } from './own-workloads';

afterEach(endRealms);

const MODES = ['safe_only', 'always', 'never'] as const;
const [toldBefore, toldAfter, allowedBefore, allowedAfter] = BUDGET_POINTS;
/** The fake provider takes one cent for each answer. */
const CAPS = { daily: { scope: 'all', per: 'month', usd: 0.01 } };

const stateOf = async (life: Life, turnId: number): Promise<string> =>
  (await life.call('turns.show', { turnId })).turn.state;
const asked = (realm: Realm): number => linesOf(path.join(realm.outside, 'requests.log')).length;
const questions = async (life: Life): Promise<readonly string[]> =>
  (await life.call('inbox.list', { includeSettled: false })).items.flatMap(({ title }) =>
    title.includes('budget') ? [title] : [],
  );
const closed = async (realm: Realm, life: Life): Promise<void> => {
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
};
const cases = <P extends string>(...points: readonly P[]) =>
  points.flatMap((point) => MODES.map((mode) => [point, mode] as const));

describe('a process that is killed at', () => {
  it.each(cases(toldBefore, toldAfter))(
    'BU-02 %s with recovery %s tells the spent budget once after the restart, and asks the provider no more',
    async (point, mode) => {
      const realm = createRealm(mode, { 'budgets.caps': CAPS });
      const life = startLife(realm, { crash: { point, hit: 1 } });
      await life.ready();
      void life.ask({ kind: 'call', verb: 'send', input: { text: 'queued one', agent: 'fake' } });
      expect(await life.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      const next = startLife(realm);
      await next.ready();
      await expect.poll(() => questions(next)).toEqual(['The budget "daily" is spent']);
      const second = await next.accept('queued two');
      await expect.poll(() => stateOf(next, second)).toBe('waiting');
      expect(asked(realm)).toBe(1);
      expect(await questions(next)).toHaveLength(1);
      await closed(realm, next);
    },
  );

  it.each(cases(allowedBefore, allowedAfter))(
    'BU-02 %s with recovery %s has allowed more or not, and the turn that waited is asked for once',
    async (point, mode) => {
      const realm = createRealm(mode, { 'budgets.caps': CAPS });
      const life = startLife(realm, { crash: { point, hit: 1 } });
      await life.ready();
      const turn = await life.accept('queued one');
      await expect.poll(() => stateOf(life, turn)).toBe('waiting');
      expect(asked(realm)).toBe(1);
      void life.ask({ kind: 'call', verb: 'budgets.allow', input: { name: 'daily', usd: 1 } });
      expect(await life.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      const next = startLife(realm);
      await next.ready();
      const { budgets } = await next.call('budgets.list', {});
      expect(budgets[0]?.allowedUsd).toBe(point === allowedAfter ? 1 : 0);
      if (point === allowedBefore) await next.call('budgets.allow', { name: 'daily', usd: 1 });
      await expect.poll(() => stateOf(next, turn)).toBe('completed');
      const { steps } = await next.call('turns.show', { turnId: turn });
      expect(asked(realm)).toBe(steps.filter(({ purity }) => purity === 'llm').length);
      await closed(realm, next);
    },
  );
});
