/** A process that is killed around the durable writes of a usage limit: 11 sessions, each continued once. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { databaseProblems } from './evidence';
import { configure, createRealm, endRealms, inEveryMode, startLife, type Mode } from './lives';
import { CHOICE_POINTS } from './own-workloads';
import type { Life, Realm } from './realm';
import { ACP_AGENT } from '../helpers/acp-agent-program';
import { wholeLines } from '../helpers/whole-lines';

afterEach(endRealms);

const WAIT = { timeout: 120_000, interval: 50 };

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
      args: [ACP_AGENT, 'plain'],
      workspace: realm.workspace,
    },
  });
  return realm;
}

const file = (realm: Realm): string => path.join(realm.outside, 'provider-down');
const MINUTE_MS = 60_000;
/**
 * Where the clock of a life stands that meets the limit: an hour ago. It passes only when it is told to, so that
 * a slow computer does not come to the reset before what is judged has happened.
 */
const clockOf = () => ({ clockMs: Date.now() - 60 * MINUTE_MS });
/** The reset is half an hour before now: a life on the clock of the computer finds it over. */
const RESET_IN_MS = 30 * MINUTE_MS;
const limit = (realm: Realm, resetMs: number): void =>
  fs.writeFileSync(
    file(realm),
    JSON.stringify({
      message: "You've hit your session limit · resets 8pm (America/New_York)",
      data: { resets_at: Math.ceil(resetMs / 1_000) },
    }),
  );
const lift = (realm: Realm): void => fs.rmSync(file(realm), { force: true });
const waiting = async (life: Life): Promise<number> =>
  (await life.call('outage.queue', {})).items.length;
const effects = (realm: Realm): readonly string[] => {
  const log = path.join(realm.workspace, 'effects.log');
  return wholeLines(log);
};
const send = (life: Life, name: string) =>
  life.call('send', { text: `do: sure ${name}`, session: name, agent: 'own' });

/** Resumes what was interrupted and is asked about, as a person does in the mode that asks. */
async function resumeHeld(life: Life): Promise<void> {
  const { decisions } = await life.call('recovery.list', {});
  for (const { turnId, requestHash } of decisions)
    await life.call('recovery.resume', { turnId, requestHash });
}

/** Only the mode that asks about every interrupted turn may hold one. */
const allDone = (life: Life, count: number, mode: Mode = 'safe_only'): Promise<void> =>
  vi.waitFor(async () => {
    if (mode === 'never') await resumeHeld(life);
    const { turns } = await life.call('turns.list', { limit: 50 });
    expect(turns.map((turn) => `${turn.state} ${turn.reason}`)).toEqual(
      Array.from({ length: count }, () => 'completed '),
    );
  }, WAIT);

describe('a process that is killed at', () => {
  it.each(POINTS)(
    'LM-06 %s continues each waiting session once, in 3 modes; in the one that asks, an interrupted turn asks first',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = limitedRealm(mode);
        const early = clockOf();
        const life = startLife(realm, { ...early, crash: { point, hit: 1 } });
        await life.ready();
        limit(realm, early.clockMs + RESET_IN_MS);
        for (const name of ['a', 'b', 'c']) send(life, name).catch(() => undefined);
        // Those who get as far as the reset find the limit gone.
        void vi
          .waitFor(async () => expect(await waiting(life)).toBe(3), WAIT)
          .then(() => lift(realm))
          .then(() => life.ask({ kind: 'advance', byMs: RESET_IN_MS + 5 * MINUTE_MS }))
          .catch(() => undefined);
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        lift(realm);
        const next = startLife(realm);
        await next.ready();
        const { turns } = await next.call('turns.list', {});
        await allDone(next, turns.length, mode);
        expect(effects(realm)).toHaveLength(turns.length);
        expect(new Set(effects(realm)).size).toBe(turns.length);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});

describe('the warning before the end of a window', () => {
  it.each([
    ['provider.contact.before', undefined],
    ['provider.contact.after', 85],
  ] as const)(
    'LM-09 killed at %s it shows %s percent at the next start, although the agent tells it once',
    async (point, usedPercent) => {
      await inEveryMode(async (mode) => {
        const realm = limitedRealm(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        life
          .call('send', { text: 'do: warn 0.85', session: 'a', agent: 'own' })
          .catch(() => undefined);
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const next = startLife(realm);
        await next.ready();
        const { turns } = await next.call('turns.list', {});
        await allDone(next, turns.length, mode);
        const { limits = [] } = await next.call('status.get', {});
        expect(limits.map((one) => one.usedPercent)).toEqual(
          usedPercent === undefined ? [] : [usedPercent],
        );
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});

describe('what a person decides about one waiting turn', () => {
  const waits = async (life: Life, realm: Realm): Promise<number> => {
    limit(realm, Date.now() + 60 * MINUTE_MS);
    const { turnId } = await send(life, 'one');
    await vi.waitFor(async () => expect(await waiting(life)).toBe(1), WAIT);
    return turnId;
  };
  const state = async (life: Life, turnId: number): Promise<string> =>
    (await life.call('turns.show', { turnId })).turn.state;

  it.each(CHOICE_POINTS)(
    'LM-10 %s: killed there, "continue now" is done once after the restart, or asked for again, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = limitedRealm(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        const turnId = await waits(life, realm);
        lift(realm);
        life.call('outage.now', { turnId }).catch(() => undefined);
        expect(await life.ended).toBe('SIGKILL');
        const next = startLife(realm);
        await next.ready();
        if (point === 'turn.choice.before') {
          expect(await waiting(next)).toBe(1);
          await next.call('outage.now', { turnId });
        }
        await allDone(next, 1);
        expect(effects(realm)).toEqual(['one']);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(CHOICE_POINTS)(
    'LM-10 %s: killed there, "not automatically" holds after the restart, or is asked for again, and it can still be resumed, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = limitedRealm(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        const turnId = await waits(life, realm);
        lift(realm);
        // Until the run that met the limit has ended.
        void vi.waitFor(() => life.call('outage.hold', { turnId }), WAIT).catch(() => undefined);
        expect(await life.ended).toBe('SIGKILL');
        const next = startLife(realm);
        await next.ready();
        if (point === 'turn.choice.before') {
          expect(await waiting(next)).toBe(1);
          await next.call('outage.hold', { turnId });
        }
        expect(await state(next, turnId)).toBe('parked');
        expect(await waiting(next)).toBe(0);
        await next.call('outage.probe', { provider: 'agent.own' });
        expect(await state(next, turnId)).toBe('parked');
        expect(effects(realm)).toEqual([]);
        await resumeHeld(next);
        await allDone(next, 1);
        expect(effects(realm)).toEqual(['one']);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});

it('LM-06 LM-11 11 sessions wait over two kills and a restart and continue once each at the reset, headless', async () => {
  const realm = limitedRealm('safe_only');
  const names = Array.from({ length: 11 }, (_one, at) => `s${String(at + 1)}`);
  const early = clockOf();
  limit(realm, early.clockMs + RESET_IN_MS);
  let life = startLife(realm, early);
  await life.ready();
  for (const name of names) await send(life, name);
  await vi.waitFor(async () => expect(await waiting(life)).toBe(11), WAIT);
  lift(realm);
  for (const how of ['kill', 'kill', 'stop'] as const) {
    await life[how]();
    life = startLife(realm, early);
    await life.ready();
    expect(await waiting(life)).toBe(11);
    expect(effects(realm)).toEqual([]);
  }
  await life.ask({ kind: 'advance', byMs: RESET_IN_MS - MINUTE_MS });
  expect(await waiting(life)).toBe(11);
  expect(effects(realm)).toEqual([]);
  // The ramp behind the reset takes its own time.
  const passing = setInterval(() => {
    life.ask({ kind: 'advance', byMs: MINUTE_MS }).catch(() => undefined);
  }, 500);
  await allDone(life, 11).finally(() => {
    clearInterval(passing);
  });
  // In order up to the ramp of the last ones: the first two went one after the other.
  expect(effects(realm).toSorted()).toEqual(names.toSorted());
  expect(effects(realm)[0]).toBe('s1');
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
});
