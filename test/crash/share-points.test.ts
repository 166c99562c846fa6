/**
 * A computer that is killed around what it shares: the turn ends once, on it or on another one, and
 * no effect is made twice without a question.
 */
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from '../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, holdEdge, inEveryMode, startLife, type Mode } from './lives';
import { SHARE_POINTS } from './own-workloads';
import { EFFECT_TOOLS } from './plans';
import type { Life, Realm } from './realm';

type SharePoint = (typeof SHARE_POINTS)[number];

let postgres: Postgres;

const LIMIT = { timeout: 120_000, interval: 50 };
const stateOf = async (life: Life, session: string): Promise<string | undefined> =>
  (await life.call('turns.list', {})).turns.find(({ sessionKey }) => sessionKey === session)?.state;

/** Each recovery mode has a store of its own on the one server. */
async function storeOf(mode: Mode | 'poison' | 'neighbors'): Promise<string> {
  await postgres.sql(`CREATE DATABASE ${mode}`);
  return `postgres://owner@127.0.0.1:${String(postgres.port)}/${mode}`;
}

/** Ends the turn of a session, answering what is asked; returns whether anything was. */
async function ending(life: Life, session: string): Promise<boolean> {
  let isAsked = false;
  await expect
    .poll(async () => {
      const { decisions } = await life.call('recovery.list', {});
      for (const { turnId, requestHash } of decisions) {
        isAsked = true;
        await life.call('recovery.resume', { turnId, requestHash });
      }
      return stateOf(life, session);
    }, LIMIT)
    .toBe('completed');
  return isAsked;
}

/** The third append has the answer of the model and the intents of its calls. */
const LATER: Readonly<Partial<Record<SharePoint, number>>> = {
  'share.append.before': 1,
  'share.append.after': 2,
};
const [, , , , judgeBefore, judgeAfter] = SHARE_POINTS;
/** Reached by sending; a judgment is of a turn that an earlier life has begun. */
const BY_SENDING = SHARE_POINTS.filter((point) => point !== judgeBefore && point !== judgeAfter);

describe.skipIf(isLeftOut('kills around shared turns', NO_POSTGRES))(
  'a process that is killed around what it shares',
  () => {
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    it(`DW-08 DW-10 in each recovery mode, at ${SHARE_POINTS.join(', ')}: each turn ends once, no effect is made twice, and a person is asked exactly where the rules of a restart ask`, async () => {
      const asked: Partial<Record<Mode, readonly string[]>> = {};
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode, { 'share.lease': '20s', 'share.name': 'desk-1' });
        let life = startLife(realm);
        await life.ready();
        await life.call('share.host', { address: await storeOf(mode) });
        const questions: string[] = [];
        for (const point of BY_SENDING) {
          await life.ask({ kind: 'arm', point, later: LATER[point] ?? 0 });
          void life.ask({
            kind: 'call',
            verb: 'share.send',
            input: { text: `multi ${point}`, agent: 'fake', session: point },
          });
          expect(await life.ended).toBe('SIGKILL');
          expect(realm.killedAt.at(-1)).toBe(point);
          if (point === 'share.append.after')
            for (const judging of [judgeBefore, judgeAfter]) {
              const mid = startLife(realm, { crash: { point: judging, hit: 1 } });
              expect(await mid.ended).toBe('SIGKILL');
              expect(realm.killedAt.at(-1)).toBe(judging);
            }
          life = startLife(realm);
          await life.ready();
          if (await ending(life, point)) questions.push(point);
        }
        asked[mode] = questions;
        await life.stop();
        const keys = linesOf(path.join(realm.outside, 'effects.log')).flatMap((line) => {
          const { key, tool } = JSON.parse(line) as { readonly key: string; readonly tool: string };
          return EFFECT_TOOLS.includes(tool) ? [key] : [];
        });
        expect(keys).toHaveLength(BY_SENDING.length * 4);
        expect(new Set(keys).size).toBe(keys.length);
        expect(databaseProblems(realm)).toEqual([]);
        const client = new pg.Client({ ...postgres.owner, database: mode });
        await client.connect();
        const { rows } = await client.query(
          `SELECT t.session, t.state, count(*) FILTER (WHERE e.body LIKE '{"k":"close"%')::int AS ends
           FROM holdfast.turn t JOIN holdfast.entry e ON e.turn = t.id GROUP BY t.n, t.session, t.state ORDER BY t.n`,
        );
        await client.end();
        expect(rows).toEqual(BY_SENDING.map((session) => ({ session, state: 'done', ends: 1 })));
      });
      // What had begun may be made again under its key, and of 3 ends only the first was at work on the turn (DW-11).
      expect(asked).toEqual({
        always: [],
        safe_only: [],
        never: ['share.append.before', 'share.append.after'],
      });
    });

    it('DW-11 a turn that ends each computer that runs it is parked after 3 ends on two computers together', async () => {
      const realms = ['desk-1', 'desk-2'].map((name) =>
        createRealm('always', { 'share.lease': '2s', 'share.name': name }),
      );
      const [one, two] = realms as [Realm, Realm];
      const host = startLife(one);
      const other = startLife(two);
      await Promise.all([host.ready(), other.ready()]);
      await host.call('share.host', { address: await storeOf('poison') });
      const { invitation } = await host.call('share.invite', { name: 'desk-2' });
      await other.call('share.join', { invitation });
      await host.call('share.admit', { name: 'desk-2' });
      await Promise.all([host.stop(), other.stop()]);
      let isSent = false;
      for (const realm of [one, two, one]) {
        const life = startLife(realm, { isPoisoned: true });
        await life.ready();
        if (!isSent)
          await expect
            .poll(
              async () =>
                life
                  .call('share.send', { text: 'poison p', agent: 'fake', session: 'poison' })
                  .then(() => true)
                  .catch(() => false),
              LIMIT,
            )
            .toBe(true);
        isSent = true;
        expect(await life.ended).toBe('SIGKILL');
      }
      const last = startLife(two, { isPoisoned: true });
      await last.ready();
      await expect
        .poll(async () => (await last.call('recovery.list', {})).decisions, LIMIT)
        .toMatchObject([{ kind: 'parked' }]);
      await last.stop();
      const ends = realms
        .flatMap((realm) => linesOf(path.join(realm.outside, 'effects.log')))
        .filter((line) => (JSON.parse(line) as { readonly tool: string }).tool === 'kill_host');
      expect(ends).toHaveLength(3);
    });

    it('DW-11 3 shared turns at work in 2 ends go on one by one: the one that ends its computer alone is parked, 2 complete', async () => {
      const realm = createRealm('always', { 'share.lease': '2s', 'share.name': 'desk-1' });
      const host = startLife(realm);
      await host.ready();
      await host.call('share.host', { address: await storeOf('neighbors') });
      await host.stop();
      const letPut = holdEdge(realm, 'put-before');
      const together = async (life: Life, isFirst: boolean): Promise<void> => {
        const letKill = holdEdge(realm, 'kill_host-before');
        await life.ready();
        if (isFirst) {
          const send = (text: string): Promise<boolean> =>
            life.call('share.send', { text, agent: 'fake', session: text.replace(' ', '-') }).then(
              () => true,
              () => false,
            );
          await expect.poll(() => send('multi a'), LIMIT).toBe(true);
          for (const text of ['multi b', 'poison p']) expect(await send(text)).toBe(true);
        }
        await life.stalled('kill_host-before');
        let stalls = 0;
        await life.line((line) => line['stalled'] === 'put-before' && (stalls += 1) === 2);
        letKill();
        expect(await life.ended).toBe('SIGKILL');
      };
      await together(startLife(realm, { isPoisoned: true }), true);
      await together(startLife(realm, { isPoisoned: true }), false);

      const third = startLife(realm, { isPoisoned: true });
      await third.ready();
      await third.stalled('put-before');
      // One that is not claimed yet is still what the last end has left of it.
      const states = async (): Promise<readonly string[]> =>
        (await third.call('turns.list', { limit: 10 })).turns.map(({ state }) => state).toSorted();
      await expect.poll(states, LIMIT).toEqual(['queued', 'queued', 'running']);
      letPut();
      expect(await third.ended).toBe('SIGKILL');

      const last = startLife(realm, { isPoisoned: true });
      await last.ready();
      for (const session of ['multi-a', 'multi-b'])
        await expect.poll(() => stateOf(last, session), LIMIT).toBe('completed');
      await expect.poll(() => stateOf(last, 'poison-p'), LIMIT).toBe('parked');
      expect((await last.call('recovery.list', {})).decisions).toHaveLength(1);
      await last.stop();
      expect(databaseProblems(realm)).toEqual([]);
    });
  },
);
