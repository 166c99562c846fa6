/**
 * A process that is killed around text that was typed and not sent: it is unsent or accepted, never
 * both, never neither; and what the field has called kept is there.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';
import { UNSENT_POINTS } from './own-workloads';

afterEach(endRealms);

const FIELD = 'ask';
const TEXT = 'queued typed';
const keep = (life: Life, text: string, rev: number) =>
  life.ask({ kind: 'call', verb: 'unsent.keep', input: { field: FIELD, text, rev } });

/** What the next start finds: the text of the field, and the turns that it became. */
async function found(realm: Realm): Promise<readonly [string | undefined, readonly string[]]> {
  const life = startLife(realm);
  await life.ready();
  const { kept } = await life.call('unsent.read', { field: FIELD });
  const { turns } = await life.call('turns.list', {});
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
  return [kept?.text, turns.map(({ promptStart }) => promptStart)];
}

/** Keeps, sends with the kept text, and dies somewhere on the way; undefined where it did not. */
async function dieAt(point: CrashPointName, hit: number) {
  const realm = createRealm('always');
  const life = startLife(realm, { crash: { point, hit } });
  const isReady = await life.ready().then(
    () => true,
    () => false,
  );
  if (!isReady) return { isTold: false, realm, isBefore: true };
  const isKept = (await keep(life, TEXT, 1)) !== undefined;
  const sent = await life.ask({
    kind: 'call',
    verb: 'send',
    input: { text: TEXT, agent: 'fake', unsent: { field: FIELD, rev: 1 } },
  });
  if (sent !== undefined) {
    await life.kill();
    await life.ended;
    return { isTold: true, realm, isBefore: false };
  }
  expect(await life.ended).toBe('SIGKILL');
  return { isTold: false, realm, isBefore: !isKept };
}

describe('F1 text that was typed and not sent, with a process that is killed at', () => {
  it.each(UNSENT_POINTS)('%s is the old one or the new one', async (point) => {
    const realm = createRealm('always');
    const life = startLife(realm, { crash: { point, hit: 2 } });
    await life.ready();
    await keep(life, 'Hel', 1);
    void keep(life, 'Hello', 2);
    expect(await life.ended).toBe('SIGKILL');
    expect(realm.killedAt).toEqual([point]);
    expect(await found(realm)).toEqual([point.endsWith('after') ? 'Hello' : 'Hel', []]);
  });

  it.each([
    ['turn.accept.before', [TEXT, []]],
    ['turn.accept.after', [undefined, [TEXT]]],
  ] as const)('%s is unsent or accepted', async (point, expected) => {
    const { realm } = await dieAt(point, 1);
    expect(realm.killedAt).toEqual([point]);
    expect(await found(realm)).toEqual(expected);
  });

  it('any commit around the acceptance is unsent or accepted, never both and never neither', async () => {
    let judged = 0;
    for (const point of ['journal.commit.inside', 'journal.commit.after'] as const) {
      for (let hit = 1; hit <= 20; hit += 1) {
        const { realm, isTold, isBefore } = await dieAt(point, hit);
        if (isBefore) {
          realm.remove();
          continue;
        }
        const [text, turns] = await found(realm);
        expect([point, hit, text === TEXT, turns.length]).toEqual([
          point,
          hit,
          turns.length === 0,
          turns.length === 0 ? 0 : 1,
        ]);
        if (isTold) expect(turns).toEqual([TEXT]);
        realm.remove();
        judged += 1;
        if (isTold) break;
      }
    }
    expect(judged).toBeGreaterThanOrEqual(4);
  });
});
