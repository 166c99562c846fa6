/**
 * A computer that is killed around what it shares: the turn ends once, on it or on another one, and
 * no effect is made twice without a question.
 */
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from '../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import { SHARE_POINTS } from './own-workloads';
import { EFFECT_TOOLS } from './plans';
import type { Life } from './realm';

let postgres: Postgres;

const stateOf = async (life: Life, session: string): Promise<string | undefined> =>
  (await life.call('turns.list', {})).turns.find(({ sessionKey }) => sessionKey === session)?.state;
const LIMIT = { timeout: 20_000, interval: 50 };

describe.skipIf(isLeftOut('kills around shared turns', NO_POSTGRES))(
  'a process that is killed at',
  () => {
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    it.each(SHARE_POINTS)(
      'DW-08 %s has the shared turn ended once after the restart',
      async (point) => {
        await postgres.sql('TRUNCATE holdfast.entry, holdfast.turn, holdfast.machine');
        const realm = createRealm('always', { 'share.lease': '20s', 'share.name': 'desk-1' });
        const isJudged = point.startsWith('share.judge');
        const life = startLife(realm, {
          // A judgment is of a turn that an earlier life has begun.
          crash: isJudged
            ? { point: 'share.append.after', hit: 3 }
            : { point, hit: point.startsWith('share.append') ? 2 : 1 },
        });
        await life.ready();
        const address = `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`;
        await life.call('share.host', { address });
        void life.ask({
          kind: 'call',
          verb: 'share.send',
          input: { text: 'multi cards', agent: 'fake', session: 'cards' },
        });
        let mid = life;
        if (isJudged) {
          expect(await life.ended).toBe('SIGKILL');
          mid = startLife(realm, { crash: { point, hit: 1 } });
        }
        expect(await mid.ended).toBe('SIGKILL');
        expect(realm.killedAt.at(-1)).toBe(point);
        const next = startLife(realm);
        await next.ready();
        await expect.poll(() => stateOf(next, 'cards'), LIMIT).toBe('completed');
        await expect
          .poll(
            async () =>
              (await postgres.sql('SELECT state FROM holdfast.turn')).map((row) => row['state']),
            LIMIT,
          )
          .toEqual(['done']);
        const keys = linesOf(path.join(realm.outside, 'effects.log')).flatMap((line) => {
          const { key, tool } = JSON.parse(line) as { readonly key: string; readonly tool: string };
          return EFFECT_TOOLS.includes(tool) ? [key] : [];
        });
        expect(new Set(keys).size).toBe(keys.length);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      },
    );
  },
);
