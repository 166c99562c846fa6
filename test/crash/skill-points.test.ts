/** A process that is killed around every durable write of a run of a skill, in each recovery mode. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import {
  createRealm,
  decideAll,
  effectsOf,
  endRealms,
  holdEdge,
  inEveryMode,
  startLife,
  type Mode,
} from './lives';
import type { Realm } from './realm';
import { DISCARD_POINTS, SKILL_POINTS } from './own-workloads';

afterEach(endRealms);

function realmWithSkill(mode: Mode): Realm {
  const realm = createRealm(mode);
  const folder = path.join(realm.dataDir, 'skills/three');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'SKILL.md'),
    '---\nname: three\ndescription: three phases\nphases:\n  - name: a\n  - name: b\n  - name: c\n---\n',
  );
  return realm;
}

/** The plan `one` of the fake model has one effect in each phase. */
const MESSAGE = { text: '/skill three one s1', channel: 'cli', peer: 'main' } as const;

async function killAt(mode: Mode, point: CrashPointName, hit: number): Promise<Realm> {
  const realm = realmWithSkill(mode);
  const life = startLife(realm, { crash: { point, hit } });
  await life.ready();
  void life.ask({ kind: 'accept', ...MESSAGE });
  expect(await life.ended).toBe('SIGKILL');
  return realm;
}

describe('S4-08 a run of three phases that is killed at', () => {
  const cases = SKILL_POINTS.flatMap((point) =>
    (point.startsWith('phase.') ? [1, 2, 3] : [1]).map((hit) => ({ point, hit })),
  );
  it.each(cases)(
    '$point, time $hit, ends with one effect in each phase, in 3 modes',
    async ({ point, hit }) => {
      await inEveryMode(async (mode) => {
        const realm = await killAt(mode, point, hit);
        const before = effectsOf(realm).map((effect) => effect.key);
        const life = startLife(realm);
        await life.ready();
        await life.ask({ kind: 'quiet' });
        await decideAll(realm, life);
        const { runs } = await life.call('runs.list', { includeEnded: true });
        expect(runs.map((run) => [run.state, run.visits])).toEqual([
          ['completed', { a: 1, b: 1, c: 1 }],
        ]);
        const keys = effectsOf(realm).map((effect) => effect.key);
        expect(keys.slice(0, before.length)).toEqual(before);
        expect(new Set(keys).size).toBe(3);
        expect(keys).toHaveLength(3);
        await life.stop();
      });
    },
  );
});

describe('S4-28 S4-07 a run inside of a run that is killed at', () => {
  /** In the run inside: at its start, in its second effect, after its end. */
  it.each([
    ['run.start.after', 2],
    ['step.effect.after', 2],
    ['run.end.after', 1],
  ] as const)(
    '%s, time %i, goes on inside of it: each phase once, no finished effect again, in 3 modes',
    async (point, hit) => {
      await inEveryMode(async (mode) => {
        const realm = realmWithSkill(mode);
        const folder = path.join(realm.dataDir, 'skills/outer');
        fs.mkdirSync(folder);
        fs.writeFileSync(
          path.join(folder, 'SKILL.md'),
          '---\nname: outer\ndescription: runs the other\nphases:\n  - name: only\n---\n',
        );
        const life = startLife(realm, { crash: { point, hit } });
        await life.ready();
        void life.ask({ kind: 'accept', text: '/skill outer nest n1', channel: 'cli', peer: 'n' });
        expect(await life.ended).toBe('SIGKILL');
        const before = effectsOf(realm).map((effect) => effect.key);
        const again = startLife(realm);
        await again.ready();
        await again.ask({ kind: 'quiet' });
        await decideAll(realm, again);
        const { runs } = await again.call('runs.list', { includeEnded: true });
        const outer = runs.find((run) => run.skill === 'outer');
        expect(
          runs.map((run) => [run.skill, run.state, run.visits, run.parentRunId]).toSorted(),
        ).toEqual([
          ['outer', 'completed', { only: 1 }, undefined],
          ['three', 'completed', { a: 1, b: 1, c: 1 }, outer?.id],
        ]);
        const keys = effectsOf(realm).map((effect) => effect.key);
        expect(keys.slice(0, before.length)).toEqual(before);
        // Only the effect that was cut off may come again, by the policy "retry".
        const cut = point === 'step.effect.after' ? before.at(-1) : undefined;
        const others = keys.filter((key) => key !== cut);
        expect([new Set(keys).size, others.length]).toEqual([3, cut === undefined ? 3 : 2]);
        const { turns } = await again.call('turns.list', {});
        expect(turns.map((turn) => turn.state)).toEqual(['completed']);
        await again.stop();
      });
    },
  );
});

describe('S4-26 a discard that is cut off at', () => {
  it.each(DISCARD_POINTS)('%s has happened wholly or not at all, in 3 modes', async (point) => {
    await inEveryMode(async (mode) => {
      const realm = realmWithSkill(mode);
      const letGo = holdEdge(realm, 'charge-before');
      const life = startLife(realm, { crash: { point, hit: 1 } });
      await life.ready();
      void life.ask({ kind: 'accept', ...MESSAGE });
      await life.stalled('charge-before');
      const { preview } = await life.call('runs.discard', { runId: 1 });
      const { requestHash } = preview;
      void life.ask({ kind: 'call', verb: 'runs.discard', input: { runId: 1, requestHash } });
      expect(await life.ended).toBe('SIGKILL');
      letGo();
      const again = startLife(realm);
      await again.ready();
      await again.ask({ kind: 'quiet' });
      await decideAll(realm, again);
      const { runs } = await again.call('runs.list', { includeEnded: true });
      const isDone = point === 'run.discard.after';
      expect(runs.map((run) => run.state)).toEqual([isDone ? 'discarded' : 'completed']);
      const { turns } = await again.call('turns.list', {});
      expect(turns.map((turn) => turn.state)).toEqual([isDone ? 'discarded' : 'completed']);
      expect(effectsOf(realm)).toHaveLength(isDone ? 0 : 3);
      await again.stop();
    });
  });
});
