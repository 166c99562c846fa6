import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { askForDrafts, decideDrafts, draftSpace } from './drafts';
import { databaseProblems } from './evidence';
import { createRealm, decideAll, endRealms, inEveryMode, startLife } from './lives';
import type { Life, Realm } from './realm';
import { RESTORE_POINTS } from './own-workloads';
import { contentOf } from './plans';

afterEach(endRealms);

/** Asks for drafts in a process that is killed there. */
async function killedWhileStaging(realm: Realm, point: CrashPointName, hit: number): Promise<void> {
  const life = startLife(realm, { crash: { point, hit } });
  await life.ready();
  void askForDrafts(life);
  expect(await life.ended).toBe('SIGKILL');
}

/** Lets the drafts be written, then is killed at a point of the decision about them. */
async function killedWhileDeciding(realm: Realm, point: CrashPointName): Promise<void> {
  const life = startLife(realm, { crash: { point, hit: 1 } });
  await life.ready();
  // Accepted first: a quiet moment before that is no answer.
  await askForDrafts(life);
  await life.ask({ kind: 'quiet' });
  void decideDrafts(life).catch(() => undefined);
  expect(await life.ended).toBe('SIGKILL');
}

async function started(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  await life.ask({ kind: 'quiet' });
  await decideAll(realm, life);
  return life;
}

const listed = async (life: Life): Promise<string[]> =>
  (await life.call('drafts.list', {})).drafts.map((draft) => `${draft.path} ${draft.state ?? ''}`);
const fileOf = (realm: Realm, name: string): string =>
  fs.readFileSync(path.join(draftSpace(realm), name), 'utf8');

const lines = (...changed: number[]): string =>
  Array.from({ length: 40 }, (_one, at) => (changed.includes(at) ? `new ${at}\n` : `${at}\n`)).join(
    '',
  );
const OLD_LINES = lines();
const PART_LINES = lines(20);
const NEW_LINES = lines(2, 20, 38);

/** One mode here: `crash-points.test.ts` walks the same points in all three, and judges the files. */
const MODE = 'safe_only';

describe('drafts over a SIGKILL', () => {
  it.each([
    ['draft.stage.beforeRename', 1],
    ['draft.stage.afterRename', 1],
    ['step.effect.before', 1],
    ['step.effect.after', 1],
  ] as const)(
    'S3-21 killed at %s: the resumed run reads the draft, the files stay as they were',
    async (point, hit) => {
      const realm = createRealm(MODE);
      await killedWhileStaging(realm, point, hit);
      const life = await started(realm);
      expect(await listed(life)).toEqual(['d1-a.txt ready', 'd1-b.txt ready']);
      const { turns } = await life.call('turns.list', {});
      const turnId = turns[0]?.id ?? 0;
      const { turn, steps } = await life.call('turns.show', { turnId, withTexts: true });
      expect(turn.state).toBe('completed');
      const read = steps.find((step) => step.tool === 'files.read_file');
      expect(read?.result).toBe(contentOf('d1', 'a'));
      expect(fileOf(realm, 'd1-a.txt')).toBe('the file before\n');
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it.each([
    ['draft.promote.beforeRename', 'the file before\n', ['d1-a.txt ready', 'd1-b.txt ready']],
    ['draft.promote.afterRename', contentOf('d1', 'a'), ['d1-b.txt ready']],
    ['draft.promote.after', contentOf('d1', 'a'), ['d1-b.txt ready']],
  ] as const)(
    'S3-20 killed at %s: one of both files is there, and the journal knows which',
    async (point, content, left) => {
      const realm = createRealm(MODE);
      await killedWhileDeciding(realm, point);
      expect(fileOf(realm, 'd1-a.txt')).toBe(content);
      const life = await started(realm);
      expect(fileOf(realm, 'd1-a.txt')).toBe(content);
      expect(await listed(life)).toEqual([...left]);
      const { drafts } = await life.call('drafts.list', { decided: true });
      expect(drafts.map(({ stage }) => stage)).toEqual(left.length === 2 ? [] : ['promoted']);
      await decideDrafts(life);
      expect(fileOf(realm, 'd1-a.txt')).toBe(contentOf('d1', 'a'));
      expect(fileOf(realm, 'd1-b.txt')).toBe('the file before\n');
      expect(fs.readdirSync(draftSpace(realm)).sort()).toEqual(['d1-a.txt', 'd1-b.txt']);
      await life.stop();
    },
  );

  it.each([
    ['draft.discard.before', ['d1-b.txt ready']],
    ['draft.discard.after', []],
  ] as const)('S3-20 killed at %s: the draft is there, or it is discarded', async (point, left) => {
    const realm = createRealm(MODE);
    await killedWhileDeciding(realm, point);
    const life = await started(realm);
    expect(await listed(life)).toEqual([...left]);
    expect(fileOf(realm, 'd1-b.txt')).toBe('the file before\n');
    await life.stop();
  });

  it.each([
    ...RESTORE_POINTS.map((point) => [point, 1, contentOf('d1', 'a'), 'd1-a.txt ready'] as const),
    ['draft.promote.beforeRename', 2, contentOf('d1', 'a'), 'd1-a.txt ready'],
    ['draft.promote.afterRename', 2, 'the file before\n', undefined],
  ] as const)(
    'S3-20 killed at %s (hit %i) while the old file is put back: one of both is there, and it can be gone on with, in 3 modes',
    async (point, hit, content, left) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode);
        const first = startLife(realm, { crash: { point, hit } });
        await first.ready();
        await askForDrafts(first);
        await first.ask({ kind: 'quiet' });
        await decideDrafts(first);
        const [done] = (await first.call('drafts.list', { decided: true })).drafts.filter(
          ({ keptHash }) => keptHash !== undefined,
        );
        const { draftId = 0, requestHash = '' } = done ?? {};
        void first.call('drafts.restore', { draftId, requestHash }).catch(() => undefined);
        expect(await first.ended).toBe('SIGKILL');
        expect(fileOf(realm, 'd1-a.txt')).toBe(content);
        const life = await started(realm);
        expect(fileOf(realm, 'd1-a.txt')).toBe(content);
        expect(await listed(life)).toEqual(left === undefined ? [] : [left]);
        await decideDrafts(life);
        expect(fileOf(realm, 'd1-a.txt')).toBe('the file before\n');
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each([
    ['draft.promote.beforeRename', OLD_LINES, 3],
    ['draft.promote.afterRename', PART_LINES, 2],
    ['draft.promote.after', PART_LINES, 2],
  ] as const)(
    'S3-20 killed at %s while 1 of 3 changes is applied: the file has it or not, and no other change is lost',
    async (point, content, left) => {
      const realm = createRealm(MODE);
      const file = path.join(draftSpace(realm), 'd1-a.txt');
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      await askForDrafts(first);
      await first.ask({ kind: 'quiet' });
      // The draft gets three changes far from each other, as an editor would write them.
      const [draft] = (await first.call('drafts.list', {})).drafts;
      fs.writeFileSync(file, OLD_LINES);
      fs.writeFileSync(draft?.place ?? '', NEW_LINES);
      const [now] = (await first.call('drafts.list', {})).drafts;
      const { draftId = 0, requestHash = '' } = now ?? {};
      void first
        .call('drafts.promote', { draftId, requestHash, hunks: [1], overChanged: true })
        .catch(() => undefined);
      expect(await first.ended).toBe('SIGKILL');
      const life = await started(realm);
      expect(fs.readFileSync(file, 'utf8')).toBe(content);
      const [again] = (await life.call('drafts.list', {})).drafts;
      expect(again).toMatchObject({ draftId, stage: 'staged', state: 'ready' });
      const { hunks } = await life.call('drafts.diff', { draftId });
      expect(hunks).toHaveLength(left);
      await life.call('drafts.promote', {
        draftId,
        requestHash: again?.requestHash ?? '',
        overChanged: true,
      });
      expect(fs.readFileSync(file, 'utf8')).toBe(NEW_LINES);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it('S3-20 killed after its draft is staged again, undo of a new file: the file is there, and undo works', async () => {
    const realm = createRealm(MODE);
    const file = path.join(draftSpace(realm), 'd1-a.txt');
    fs.rmSync(file);
    const first = startLife(realm, { crash: { point: 'draft.restore.staged', hit: 1 } });
    await first.ready();
    await askForDrafts(first);
    await first.ask({ kind: 'quiet' });
    await decideDrafts(first);
    const [done] = (await first.call('drafts.list', { decided: true })).drafts.filter(
      ({ stage }) => stage === 'promoted',
    );
    const { draftId = 0, requestHash = '' } = done ?? {};
    void first.call('drafts.restore', { draftId, requestHash }).catch(() => undefined);
    expect(await first.ended).toBe('SIGKILL');
    const life = await started(realm);
    expect(fs.readFileSync(file, 'utf8')).toBe(contentOf('d1', 'a'));
    expect(await listed(life)).toEqual(['d1-a.txt in_sync']);
    const [staged] = (await life.call('drafts.list', {})).drafts;
    await life.call('drafts.discard', {
      draftId: staged?.draftId ?? 0,
      requestHash: staged?.requestHash ?? '',
    });
    expect(await life.call('drafts.restore', { draftId, requestHash })).toMatchObject({
      outcome: 'removed',
    });
    expect(fs.existsSync(file)).toBe(false);
    expect(await listed(life)).toEqual(['d1-a.txt ready']);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });
});
