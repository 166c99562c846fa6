/** A process that is killed around the choice of a fallback: asked once, chosen once, no effect twice. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { databaseProblems } from './evidence';
import {
  configure,
  createRealm,
  decideAll,
  effectsOf,
  endRealms,
  inEveryMode,
  startLife,
  type Mode,
} from './lives';
import { FALLBACK_POINTS } from './own-workloads';
import type { Life, Realm } from './realm';

afterEach(endRealms);

const WAIT = { timeout: 120_000, interval: 50 };

/** The provider is down from its second request on: by then the turn has one effect. */
function realmWithFallback(mode: Mode, fallback: 'ask' | 'auto'): Realm {
  const realm = createRealm(mode);
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.resume_delay': '20ms',
    'approvals.mode': 'off',
    'fallback.mode': fallback,
    'fallback.after': '0s',
    'resilience.outage_threshold': 1,
    'resilience.probe_interval': '1h',
    'resilience.early_probe': false,
    'retry.server.max_attempts': 1,
    'agents.fake': {
      provider: 'fake',
      model: 'fake-1',
      workspace: realm.workspace,
      fallback: ['spare/spare-1'],
    },
  });
  fs.writeFileSync(path.join(realm.outside, 'provider-down'), 'later');
  return realm;
}

const asked = async (life: Life): Promise<number> =>
  (await life.call('inbox.list', { includeSettled: false })).items.filter(({ title }) =>
    title.startsWith('Continue the turns of'),
  ).length;

describe('a process that is killed at', () => {
  it.each(FALLBACK_POINTS)(
    'FB-02 FB-03 %s asks once, goes on once with the other model, and makes each effect once, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const isAsking = point.startsWith('fallback.ask');
        const realm = realmWithFallback(mode, isAsking ? 'ask' : 'auto');
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        void life.ask({ kind: 'accept', text: 'one a', channel: 'cli', peer: 'a' });
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const next = startLife(realm);
        await next.ready();
        let most = 0;
        await vi.waitFor(async () => {
          await decideAll(realm, next);
          const count = await asked(next);
          most = Math.max(most, count);
          if (count > 0) await next.call('outage.fallback', { agent: 'fake' });
          const { turns } = await next.call('turns.list', {});
          expect(turns.map(({ state }) => state)).toEqual(['completed']);
          expect(turns[0]?.fallbacks).toHaveLength(1);
        }, WAIT);
        expect(most).toBe(isAsking ? 1 : 0);
        expect(await asked(next)).toBe(0);
        expect(effectsOf(realm)).toHaveLength(1);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
