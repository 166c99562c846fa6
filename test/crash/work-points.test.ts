/**
 * A process that is killed around the durable writes of the work room: a turn that waits to be tried
 * again, a wake that is queued and consumed, a run that is taken over; in each recovery mode.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type { TurnSummary } from '../../shared/types';
import { databaseProblems } from './evidence';
import {
  createRealm,
  decideAll,
  effectsOf,
  endRealms,
  holdEdge,
  inEveryMode,
  type Mode,
  startLife,
} from './lives';
import type { Life, Realm } from './realm';
import { WORK_POINTS } from './own-workloads';

afterEach(endRealms);

function realmFor(mode: Mode, config: Record<string, unknown> = {}): Realm {
  return createRealm(mode, { 'work.requeue_delay': '20ms', ...config });
}

async function killAt(realm: Realm, point: CrashPointName, text: string): Promise<void> {
  const life = startLife(realm, { crash: { point, hit: 1 } });
  await life.ready();
  void life.ask({ kind: 'accept', text, channel: 'cli', peer: 'main' });
  expect(await life.ended).toBe('SIGKILL');
  expect(realm.killedAt).toEqual([point]);
}

/** Until as many turns as expected have ended; answers what is asked as a person would. */
async function whenEnded(realm: Realm, life: Life, count: number): Promise<readonly TurnSummary[]> {
  for (let round = 0; round < 3_000; round += 1) {
    await life.ask({ kind: 'quiet' });
    await decideAll(realm, life);
    const { turns } = await life.call('turns.list', {});
    if (turns.filter((turn) => turn.endedAtMs !== undefined).length >= count) return turns;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(JSON.stringify((await life.call('turns.list', {})).turns));
}

/** The next start completes the one turn, whose effect has happened once. */
async function completedByNextStart(realm: Realm): Promise<void> {
  const life = startLife(realm);
  await life.ready();
  const turns = await whenEnded(realm, life, 1);
  expect(turns.map((turn) => turn.state)).toEqual(['completed']);
  expect(effectsOf(realm)).toHaveLength(1);
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
}

describe('a process that is killed at', () => {
  it.each(WORK_POINTS.filter((point) => point.startsWith('turn.requeue.')))(
    'S3-12 S3-13 %s tries the turn again and completes it with 1 effect, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmFor(mode, { 'retry.server.max_attempts': 1 });
        await killAt(realm, point, 'flaky f');
        await completedByNextStart(realm);
      });
    },
  );

  it.each(WORK_POINTS.filter((point) => point.startsWith('wake.')))(
    'S3-16 S3-17 %s runs the wake once, with 1 effect, beside the turn that asked for it, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        await killAt(realm, point, 'later w');
        const life = startLife(realm);
        await life.ready();
        const turns = await whenEnded(realm, life, 2);
        expect(turns.map((turn) => [turn.promptStart, turn.state])).toEqual([
          ['You asked to be woken now: one w', 'completed'],
          ['later w', 'completed'],
        ]);
        const { events } = await life.call('activations.events', {});
        const acked = events.filter((one) => one.kind === 'acked');
        expect(acked).toHaveLength(2);
        expect(effectsOf(realm)).toHaveLength(1);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it('S3-18 S3-19 lease.lost.after gives the turn to the next start, which completes it with 1 effect, in 3 modes', async () => {
    await inEveryMode(async (mode) => {
      const realm = realmFor(mode, { 'work.lease_stale': '1s', 'work.lease_renew': '20ms' });
      const release = holdEdge(realm, 'provider');
      await killAt(realm, 'lease.lost.after', 'one l');
      release();
      await completedByNextStart(realm);
    });
  });
});
