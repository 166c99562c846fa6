/** A process that is killed around the durable writes of a usage limit: 11 sessions, each continued once. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { databaseProblems } from './evidence';
import { configure, createRealm, endRealms, inEveryMode, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';

afterEach(endRealms);

const AGENT = path.resolve('test/helpers/acp-agent.mjs');
const WAIT = { timeout: 60_000, interval: 50 };

/** The writes on the way into a limit, in it and out of it. */
const POINTS = [
  'turn.wait.before',
  'turn.wait.after',
  'provider.contact.before',
  'provider.contact.after',
  'outage.recover.before',
  'outage.recover.after',
] as const satisfies readonly CrashPointName[];

function limitedRealm(mode: Mode): Realm {
  const realm = createRealm(mode);
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.resume_delay': '20ms',
    'approvals.mode': 'off',
    'limits.margin': '100ms',
    'agents.own': {
      executor: 'acp',
      command: process.execPath,
      args: [AGENT, 'plain'],
      workspace: realm.workspace,
    },
  });
  return realm;
}

const file = (realm: Realm): string => path.join(realm.outside, 'provider-down');
const limit = (realm: Realm, inMs: number): void =>
  fs.writeFileSync(
    file(realm),
    JSON.stringify({
      message: "You've hit your session limit · resets 8pm (America/New_York)",
      data: { resets_at: Math.ceil((Date.now() + inMs) / 1_000) },
    }),
  );
const lift = (realm: Realm): void => fs.rmSync(file(realm), { force: true });
const waiting = async (life: Life): Promise<number> =>
  (await life.call('outage.queue', {})).items.length;
const effects = (realm: Realm): readonly string[] => {
  const log = path.join(realm.workspace, 'effects.log');
  return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : [];
};
const send = (life: Life, name: string) =>
  life.call('send', { text: `do: sure ${name}`, session: name, agent: 'own' });

const allDone = (life: Life, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { turns } = await life.call('turns.list', { limit: 50 });
    expect(turns.map((turn) => `${turn.state} ${turn.reason}`)).toEqual(
      Array.from({ length: count }, () => 'completed '),
    );
  }, WAIT);

describe('a process that is killed at', () => {
  it.each(POINTS)('LM-06 %s continues each waiting session once, in 3 modes', async (point) => {
    await inEveryMode(async (mode) => {
      const realm = limitedRealm(mode);
      limit(realm, 15_000);
      const life = startLife(realm, { crash: { point, hit: 1 } });
      await life.ready();
      for (const name of ['a', 'b', 'c']) send(life, name).catch(() => undefined);
      const lifted = setTimeout(() => lift(realm), 14_000);
      expect(await life.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      clearTimeout(lifted);
      lift(realm);
      const next = startLife(realm);
      await next.ready();
      const { turns } = await next.call('turns.list', {});
      await allDone(next, turns.length);
      expect(effects(realm)).toHaveLength(turns.length);
      expect(new Set(effects(realm)).size).toBe(turns.length);
      await next.stop();
      expect(databaseProblems(realm)).toEqual([]);
    });
  });
});

it('LM-06 LM-11 11 sessions wait over two kills and a restart and continue once each at the reset, headless', async () => {
  const realm = limitedRealm('safe_only');
  const names = Array.from({ length: 11 }, (_one, at) => `s${String(at + 1)}`);
  limit(realm, 20_000);
  let life = startLife(realm);
  await life.ready();
  for (const name of names) await send(life, name);
  await vi.waitFor(async () => expect(await waiting(life)).toBe(11), WAIT);
  lift(realm);
  for (const how of ['kill', 'kill', 'stop'] as const) {
    await life[how]();
    life = startLife(realm);
    await life.ready();
    expect(await waiting(life)).toBe(11);
    expect(effects(realm)).toEqual([]);
  }
  await allDone(life, 11);
  // In order up to the ramp of the last ones: the first two went one after the other.
  expect(effects(realm).toSorted()).toEqual(names.toSorted());
  expect(effects(realm)[0]).toBe('s1');
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
});
