import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS, type CrashPointName } from '../../electron/engine/kernel/crash-points';
import { FOLD_TABLES } from '../../electron/adapters/sqlite/tables/fold';
import { changeDatabase, databaseProblems, dumpTables } from './evidence';
import { OWN_WORKLOADS, REBUILD_POINTS } from './own-workloads';
import { createRealm, endRealms, inEveryMode, type Mode, MODES, startLife } from './lives';
import type { Realm } from './realm';
import { recoverAndJudge, snapshot, wholeLife, type Snapshot } from './workload';

const killed = new Map<Mode, Set<string>>(MODES.map((mode) => [mode, new Set()]));
/** How often a whole life without a crash comes to each point. */
let counts: Readonly<Record<string, number>> = {};

function realmFor(mode: Mode): Realm {
  return createRealm(mode);
}

beforeAll(async () => {
  const realm = realmFor('safe_only');
  const life = await wholeLife(realm, {});
  counts = life.lines.at(-1)?.['counts'] as Record<string, number>;
  expect(await recoverAndJudge(realm, 'safe_only', [])).toEqual([]);
});

afterEach(() => {
  endRealms();
});

interface Kill {
  readonly point: CrashPointName;
  readonly hit: number;
}

/** One process after another, each killed at its point; then a start that may finish. */
async function killAndJudge(mode: Mode, kills: readonly Kill[]): Promise<void> {
  const realm = realmFor(mode);
  const snapshots: Snapshot[] = [];
  for (const [index, crash] of kills.entries()) {
    if (index === 0) await wholeLife(realm, { crash });
    else {
      const life = startLife(realm, { crash });
      expect(await life.ended).toBe('SIGKILL');
    }
    snapshots.push(snapshot(realm));
  }
  expect(realm.killedAt).toEqual(kills.map((kill) => kill.point));
  for (const point of realm.killedAt) killed.get(mode)?.add(point);
  expect(await recoverAndJudge(realm, mode, snapshots)).toEqual([]);
}

const killInEveryMode = (kills: readonly Kill[]): Promise<void> =>
  inEveryMode((mode) => killAndJudge(mode, kills));

const HOT = [
  'journal.commit.before',
  'journal.commit.inside',
  'journal.commit.after',
  'provider.request.before',
  'provider.answer.after',
  'step.effect.before',
  'step.effect.after',
  'step.result.after',
] as const;
const OURS = CRASH_POINTS.filter((point) => !OWN_WORKLOADS.has(point));
const FIRST = OURS.filter((point) => point !== 'prune.batch.after');

describe('S0-01 a process that is killed at', () => {
  it.each(FIRST)(
    '%s loses no accepted turn and repeats no finished effect, in 3 modes',
    async (point) => {
      await killInEveryMode([{ point, hit: 1 }]);
    },
  );

  it.each(HOT)('%s in the middle of the work does the same, in 3 modes', async (point) => {
    const hit = Math.ceil((counts[point] ?? 0) / 2);
    expect(hit).toBeGreaterThan(1);
    await killInEveryMode([{ point, hit }]);
  });

  const DURING_START = [
    'lock.file.beforeRename',
    'marker.started.before',
    'marker.started.after',
    'recovery.plan.before',
    'recovery.decide.before',
    'recovery.decide.after',
    'journal.commit.inside',
  ] as const;
  it.each(DURING_START)(
    'step.effect.after and again at %s of the next start does the same, in 3 modes',
    async (point) => {
      await killInEveryMode([
        { point: 'step.effect.after', hit: 4 },
        { point, hit: 1 },
      ]);
    },
  );

  it('prune.batch.after has removed whole turns only, and the next pruning ends it', async () => {
    await inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      await wholeLife(realm, {});
      const before = snapshot(realm).evidence;
      const life = startLife(realm, { crash: { point: 'prune.batch.after', hit: 1 } });
      await life.ready();
      void life.ask({ kind: 'prune' });
      expect(await life.ended).toBe('SIGKILL');
      for (const point of realm.killedAt) killed.get(mode)?.add(point);
      const again = startLife(realm);
      await again.ready();
      await again.ask({ kind: 'prune' });
      await again.kill();
      const after = snapshot(realm).evidence;
      expect(after?.turns.map((turn) => [turn.id, turn.state, turn.usage])).toEqual(
        before?.turns.map((turn) => [turn.id, turn.state, turn.usage]),
      );
      for (const turn of after?.turns ?? []) {
        const kept = after?.steps.get(turn.id)?.map((step) => step.step);
        expect(kept).toEqual(turn.answerStep === undefined ? [] : [turn.answerStep]);
      }
      expect(databaseProblems(realm).filter((one) => !one.includes('are numbered'))).toEqual([]);
    });
  });

  it('S4-03 tables that are made anew: killed inside they are as before, after it they are whole', async () => {
    const realm = realmFor('safe_only');
    await wholeLife(realm, { crash: { point: 'step.effect.after', hit: 4 } });
    const before = snapshot(realm);
    const whole = dumpTables(realm, FOLD_TABLES);
    changeDatabase(realm, FOLD_TABLES.map((table) => `DELETE FROM ${table};`).join('\n'));
    const emptied = dumpTables(realm, FOLD_TABLES);
    for (const point of REBUILD_POINTS) {
      const life = startLife(realm, { crash: { point, hit: 1 } });
      expect(await life.ended).toBe('SIGKILL');
      const isInside = point === 'tables.rebuild.inside';
      expect(dumpTables(realm, FOLD_TABLES)).toBe(isInside ? emptied : whole);
    }
    expect(await recoverAndJudge(realm, 'safe_only', [before])).toEqual([]);
  });

  it('every name of the list was reached and killed at, in 3 modes', () => {
    for (const mode of MODES) {
      expect([...(killed.get(mode) ?? [])].sort()).toEqual([...OURS].sort());
    }
  });
});
