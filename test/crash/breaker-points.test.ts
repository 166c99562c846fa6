/**
 * A process that is killed around the durable writes of one outside call: a failed try of a chain,
 * a breaker that counts; in each recovery mode.
 */
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import type { TurnSummary } from '../../shared/types';
import { databaseProblems } from './evidence';
import { createRealm, decideAll, effectsOf, endRealms, inEveryMode, startLife } from './lives';
import type { Life, Realm } from './realm';
import { BREAKER_POINTS } from './own-workloads';

afterEach(endRealms);

async function whenEnded(realm: Realm, life: Life): Promise<readonly TurnSummary[]> {
  for (let round = 0; round < 3_000; round += 1) {
    await life.ask({ kind: 'quiet' });
    await decideAll(realm, life);
    const { turns } = await life.call('turns.list', {});
    if (turns.some((turn) => turn.endedAtMs !== undefined)) return turns;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(JSON.stringify((await life.call('turns.list', {})).turns));
}

function failuresOnDisk(realm: Realm): readonly unknown[] {
  const db = new Database(path.join(realm.dataDir, 'holdfast.db'));
  try {
    return db.prepare('SELECT failures FROM breakers').pluck().all();
  } finally {
    db.close();
  }
}

const FAST = { 'work.requeue_delay': '20ms', 'retry.server.first_wait': '20ms' };

describe('a process that is killed at', () => {
  it.each(BREAKER_POINTS)(
    'S2-25 S2-+04 %s goes on with the call and completes the turn with 1 effect, in 3 modes',
    async (point) => {
      // A chain of one call fails at once, so its breaker counts.
      const chain = point.startsWith('breaker.') ? { 'retry.server.max_attempts': 1 } : {};
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode, { ...FAST, ...chain });
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        void first.ask({ kind: 'accept', text: 'flaky f', channel: 'cli', peer: 'main' });
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        // What was announced is on disk; a kill before that costs the count of one failure.
        if (point === 'breaker.move.after') expect(failuresOnDisk(realm)).toEqual([1]);
        const life = startLife(realm);
        await life.ready();
        const turns = await whenEnded(realm, life);
        expect(turns.map((turn) => turn.state)).toEqual(['completed']);
        expect(effectsOf(realm)).toHaveLength(1);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
