import fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ComposeOptions, Composition } from '../../../electron/compose/options';
import type { CrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { DraftView } from '../../../shared/types/drafts';
import { composeIn, QUIET, turnIn, writeConfig } from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar } from '../../helpers/fake-world';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld();

beforeEach(() => {
  withDrafts(true);
});

function withDrafts(drafts: boolean): void {
  const fake = { provider: 'fake', model: 'fake-1', workspace: world.workspace };
  writeConfig(world, { agents: { fake: { ...fake, ...(drafts ? { drafts } : {}) } } });
}

interface Call {
  readonly tool: string;
  readonly args: unknown;
}
const write = (file: string, content: string): Call => ({
  tool: 'write_file',
  args: { path: file, content },
});
const read = (file: string): Call => ({ tool: 'read_file', args: { path: file } });

/** An app whose model does the calls that a message says as JSON, and answers with all results. */
async function start(extra: Partial<ComposeOptions> = {}): Promise<Composition> {
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) => {
      const calls = JSON.parse(promptOf(request)) as Call[];
      const call = calls[resultsSoFar(request)];
      if (call !== undefined) return { calls: [call] };
      const results = request.messages.slice(-2 * calls.length);
      return {
        text: JSON.stringify(
          results.flatMap((message) => (message.role === 'tool' ? [message.content] : [])),
        ),
      };
    },
  });
  const composition = composeIn(world, { providers: [provider], ...extra });
  running.push(composition);
  await composition.lifecycle.start();
  return composition;
}

/** Lets the agent do the calls; gives back what the model saw of each. */
async function work(app: Composition, calls: readonly Call[], session = 's'): Promise<string[]> {
  const text = JSON.stringify(calls);
  const { turnId } = await app.holdfast.call('send', { text, session, agent: 'fake' }, 'test');
  await turnIn(app, turnId, [...QUIET]);
  const { turn, answer } = await app.holdfast.call('turns.show', { turnId }, 'test');
  expect(turn.state, turn.reason).toBe('completed');
  return JSON.parse(answer ?? '[]') as string[];
}

const list = async (app: Composition): Promise<DraftView[]> =>
  (await app.holdfast.call('drafts.list', {}, 'test')).drafts;
async function only(app: Composition): Promise<DraftView> {
  const [draft, ...rest] = await list(app);
  if (draft === undefined || rest.length > 0) throw new Error(`${String(rest.length)} more drafts`);
  return draft;
}
const apply = (app: Composition, draft: DraftView, overChanged = false) =>
  app.holdfast.call(
    'drafts.promote',
    { draftId: draft.draftId, requestHash: draft.requestHash, overChanged },
    'test',
  );
const choice = ({ draftId, requestHash }: DraftView) => ({ draftId, requestHash });
const restore = (app: Composition, draft: DraftView | undefined) =>
  app.holdfast.call('drafts.restore', choice(draft as DraftView), 'test');
const all = async (app: Composition): Promise<DraftView[]> =>
  (await app.holdfast.call('drafts.list', { decided: true }, 'test')).drafts;
/** The newest that was decided about a file. */
const decided = async (app: Composition, file: string): Promise<DraftView> =>
  (await all(app)).find((draft) => draft.path === file) as DraftView;
const at = (file: string): string => path.join(world.workspace, file);
const put = (file: string, content: string): void => {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true });
  fs.writeFileSync(at(file), content);
};
const text = (file: string): string => fs.readFileSync(at(file), 'utf8');

describe('an agent with drafts', () => {
  it('S3-20 keeps the draft that a phase of a skill has written: 1 draft, and it can be promoted', async () => {
    put('a.txt', 'old\n');
    const folder = path.join(world.dataDir, 'skills', 'edit');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'SKILL.md'), '---\nname: edit\ndescription: edits\n---\n');
    const app = await start();
    const calls = JSON.stringify([write('a.txt', 'new\n'), read('a.txt')]);
    const input = { text: `/skill edit ${calls}`, session: 's', agent: 'fake' };
    const { turnId } = await app.holdfast.call('send', input, 'test');
    await turnIn(app, turnId, [...QUIET]);
    const { turn, answer } = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect([turn.state, turn.reason]).toEqual(['completed', '']);
    expect(JSON.parse(answer ?? '[]')).toEqual([
      expect.stringContaining('draft of a.txt'),
      'new\n',
    ]);
    expect(text('a.txt')).toBe('old\n');
    await apply(app, await only(app));
    expect(text('a.txt')).toBe('new\n');
  });

  it('S3-20 writes into a draft, the file stays, and a promotion puts it in place and keeps the old one', async () => {
    put('a.txt', 'old\n');
    fs.chmodSync(at('a.txt'), 0o750);
    const app = await start();
    const [told] = await work(app, [write('a.txt', 'new\n')]);
    expect(told).toMatch(/^Staged 4 bytes as a draft of a\.txt\. .* the shell works on the real/);
    expect(text('a.txt')).toBe('old\n');
    const draft = await only(app);
    expect(draft).toMatchObject({
      path: 'a.txt',
      state: 'ready',
      sourceChanged: false,
      draftChanged: false,
      isNewFile: false,
      agent: 'fake',
      sessionKey: 's',
    });
    expect(fs.readFileSync(draft.place, 'utf8')).toBe('new\n');
    const done = await apply(app, draft);
    expect(done).toMatchObject({ outcome: 'promoted' });
    expect([text('a.txt'), fs.statSync(at('a.txt')).mode & 0o777]).toEqual(['new\n', 0o750]);
    const kept = done.keptHash ?? '';
    const keptFile = path.join(world.dataDir, 'drafts', 'kept', kept.slice(0, 2), kept);
    expect(fs.readFileSync(keptFile, 'utf8')).toBe('old\n');
    expect(await list(app)).toEqual([]);
    expect(fs.existsSync(draft.place)).toBe(false);
    const { drafts } = await app.holdfast.call('drafts.list', { decided: true }, 'test');
    expect(drafts).toMatchObject([{ stage: 'promoted', keptHash: kept }]);
    expect(fs.readdirSync(world.workspace)).toEqual(['a.txt']);
  });

  it('S3-20 the old file comes back with 1 call, once; what it replaced can come back, too', async () => {
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'new\n'), write('b.txt', 'first\n')]);
    for (const draft of await list(app)) await apply(app, draft);
    const back = await restore(app, await decided(app, 'a.txt'));
    expect(back).toMatchObject({ path: 'a.txt', outcome: 'promoted' });
    expect(text('a.txt')).toBe('old\n');
    expect(await list(app)).toEqual([]);
    // The first promotion is not what the file is any more.
    const [, first] = (await all(app)).filter((draft) => draft.path === 'a.txt');
    await expect(restore(app, first)).rejects.toMatchObject({ code: 'DRAFT_SOURCE_CHANGED' });
    await restore(app, await decided(app, 'a.txt'));
    expect(text('a.txt')).toBe('new\n');
  });

  it('S3-20 undo of a new file removes it and stages its draft again, once, and never over a change', async () => {
    const app = await start();
    await work(app, [write('new/b.txt', 'first\n')]);
    await apply(app, await only(app));
    const done = await decided(app, 'new/b.txt');
    put('new/b.txt', 'mine\n');
    await expect(restore(app, done)).rejects.toMatchObject({ code: 'DRAFT_SOURCE_CHANGED' });
    expect(text('new/b.txt')).toBe('mine\n');
    put('new/b.txt', 'first\n');
    expect(await restore(app, done)).toMatchObject({ path: 'new/b.txt', outcome: 'removed' });
    expect(fs.existsSync(at('new/b.txt'))).toBe(false);
    const again = await only(app);
    expect(again).toMatchObject({ state: 'ready', isNewFile: true, sourceChanged: false });
    await expect(restore(app, done)).rejects.toMatchObject({ code: 'DRAFT_STATE' });
    await apply(app, again);
    expect(text('new/b.txt')).toBe('first\n');
  });

  describe('on a disk that does not confirm the folder of the file', () => {
    let sync: (this: FileHandle) => Promise<void>;
    let handles: { sync: (this: FileHandle) => Promise<void> };
    let failing = false;
    beforeEach(async () => {
      const one = await open(world.outside);
      handles = Object.getPrototypeOf(one) as typeof handles;
      await one.close();
      ({ sync } = handles);
      failing = true;
      handles.sync = async function failingSync() {
        const isOurs = fs.readlinkSync(`/proc/self/fd/${String(this.fd)}`) === world.workspace;
        if (failing && isOurs) throw Object.assign(new Error('EIO: sync'), { code: 'EIO' });
        await sync.call(this);
      };
    });
    afterEach(() => {
      handles.sync = sync;
    });
    const REFUSED = {
      code: 'DISK_FAILED',
      message: 'a.txt was changed, but the disk did not confirm it (EIO).',
    };

    it('S3-20 S4-14 a promotion counts only once the disk confirms it: its draft stays, the event says why, and the same again is enough', async () => {
      put('a.txt', 'old\n');
      const app = await start();
      await work(app, [write('a.txt', 'new\n')]);
      await expect(apply(app, await only(app))).rejects.toMatchObject(REFUSED);
      expect(text('a.txt')).toBe('new\n');
      const draft = await only(app);
      expect(draft).toMatchObject({ stage: 'staged', state: 'in_sync' });
      const { events } = await app.holdfast.call('events.list', {}, 'test');
      expect(JSON.stringify(events)).toContain(
        `Draft ${String(draft.draftId)} is still staged: its file was changed`,
      );
      await expect(apply(app, draft)).rejects.toMatchObject(REFUSED);
      failing = false;
      expect(await apply(app, draft)).toMatchObject({ outcome: 'settled' });
      expect(await list(app)).toEqual([]);
    });

    it('S3-20 S4-14 nor does the next start count one that was cut off before the folder was synced', async () => {
      put('a.txt', 'old\n');
      const crashPoints: CrashPoints = {
        hit(name) {
          if (name === 'draft.promote.afterRename') throw new Error('cut off here');
        },
      };
      const app = await start({ crashPoints });
      await work(app, [write('a.txt', 'new\n')]);
      await apply(app, await only(app)).catch(() => undefined);
      expect(await only(app)).toMatchObject({ stage: 'promoting' });
      await app.lifecycle.stop('stop');
      expect(await only(await start())).toMatchObject({ stage: 'staged', state: 'in_sync' });
    });
  });

  it('S3-20 takes single changes: one into the file, one out of the draft, and the rest can be decided', async () => {
    const lines = (...changed: number[]): string =>
      Array.from({ length: 40 }, (_one, line) =>
        changed.includes(line) ? `new ${line}` : `${line}`,
      )
        .join('\n')
        .concat('\n');
    put('a.txt', lines());
    const app = await start();
    await work(app, [write('a.txt', lines(2, 20, 38))]);
    const first = await only(app);
    const part = (draft: DraftView, hunks: number[]) =>
      app.holdfast.call('drafts.promote', { ...choice(draft), hunks }, 'test');
    await expect(part(first, [3])).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    const applied = await part(first, [1]);
    expect(applied).toMatchObject({ outcome: 'part', keptHash: expect.any(String) });
    expect(text('a.txt')).toBe(lines(20));
    const second = await only(app);
    expect(second).toMatchObject({ draftId: first.draftId, state: 'ready', sourceChanged: false });
    expect(second.requestHash).not.toBe(first.requestHash);
    await expect(part(first, [0])).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    await app.holdfast.call('drafts.discard', { ...choice(second), hunks: [0] }, 'test');
    expect(text('a.txt')).toBe(lines(20));
    const third = await only(app);
    const diff = await app.holdfast.call('drafts.diff', { draftId: third.draftId }, 'test');
    expect(diff.hunks).toHaveLength(1);
    expect(third).toMatchObject({ state: 'ready', sourceChanged: false, draftChanged: false });
    // The last change is the whole draft.
    expect(await part(third, [0])).toMatchObject({ outcome: 'promoted' });
    expect(text('a.txt')).toBe(lines(20, 38));
    expect(await list(app)).toEqual([]);
    await restore(app, await decided(app, 'a.txt'));
    expect(text('a.txt')).toBe(lines(20));
  });

  it('S3-20 the old file does not come back over a change, over a newer draft, or unseen', async () => {
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'new\n')]);
    await apply(app, await only(app));
    const done = await decided(app, 'a.txt');
    await expect(restore(app, { ...done, requestHash: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'REQUEST_STALE',
    });
    put('a.txt', 'mine\n');
    await expect(restore(app, done)).rejects.toMatchObject({ code: 'DRAFT_SOURCE_CHANGED' });
    expect(text('a.txt')).toBe('mine\n');
    put('a.txt', 'new\n');
    await work(app, [write('a.txt', 'newer\n')]);
    await expect(restore(app, done)).rejects.toMatchObject({
      code: 'DRAFT_STATE',
      message: expect.stringContaining('is staged: apply or discard it first'),
    });
    expect(text('a.txt')).toBe('new\n');
    fs.rmSync(path.join(world.dataDir, 'drafts', 'kept'), { recursive: true });
    await app.holdfast.call('drafts.discard', await only(app).then(choice), 'test');
    await expect(restore(app, done)).rejects.toMatchObject({
      message: expect.stringContaining('no longer saved'),
    });
  });

  it('S3-21 sees its own drafts when it reads, lists and searches; other sessions see the files', async () => {
    put('src/a.txt', 'old needle\n');
    const app = await start();
    const results = await work(app, [
      write('src/a.txt', 'new needle\n'),
      write('src/deep/b.txt', 'needle two\n'),
      read('src/a.txt'),
      { tool: 'list_files', args: { depth: 3 } },
      { tool: 'search_files', args: { pattern: 'needle' } },
      { tool: 'list_files', args: { path: 'src/deep' } },
      { tool: 'shell', args: { command: 'cat src/a.txt' } },
    ]);
    expect(results[2]).toBe('new needle\n');
    expect(results[3]?.split('\n')).toEqual(['src/', 'src/a.txt', 'src/deep/', 'src/deep/b.txt']);
    expect(results[4]?.split('\n')).toEqual([
      'src/a.txt:1: new needle',
      'src/deep/b.txt:1: needle two',
    ]);
    expect(results[5]).toBe('b.txt');
    expect(results[6]).toContain('old needle');
    expect(fs.existsSync(at('src/deep'))).toBe(false);
    expect(await work(app, [read('src/a.txt')], 'other')).toEqual(['old needle\n']);
    expect(await work(app, [read('src/a.txt')])).toEqual(['new needle\n']);
  });

  it('S3-20 a second write is a new version of the same draft, with the base of the first', async () => {
    put('a.txt', 'one\n');
    const app = await start();
    await work(app, [write('a.txt', 'two\n')]);
    put('a.txt', 'changed\n');
    await work(app, [write('a.txt', 'three\n')]);
    const draft = await only(app);
    expect(draft).toMatchObject({ draftId: 1, state: 'ready', sourceChanged: true });
    expect(fs.readFileSync(draft.place, 'utf8')).toBe('three\n');
  });

  it('S3-20 a file that changed meanwhile is shown with its newer lines and never replaced by accident', async () => {
    put('a.txt', 'a\nb\nc\n');
    const app = await start();
    await work(app, [write('a.txt', 'a\nB\nc\n')]);
    put('a.txt', 'a\nb\nc\nnewer\n');
    const draft = await only(app);
    expect(draft).toMatchObject({ state: 'ready', sourceChanged: true });
    const diff = await app.holdfast.call('drafts.diff', { draftId: draft.draftId }, 'test');
    expect(diff.summary).toEqual({ added: 1, removed: 2, newer: 1, revived: 0 });
    expect(diff.hunks[0]?.rows.map((row) => [row.kind, row.text])).toEqual([
      ['same', 'a'],
      ['removed', 'b'],
      ['added', 'B'],
      ['same', 'c'],
      ['newer', 'newer'],
    ]);
    await expect(apply(app, draft)).rejects.toMatchObject({ code: 'DRAFT_SOURCE_CHANGED' });
    put('a.txt', 'a\nb\nc\nnewest\n');
    await expect(apply(app, draft, true)).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    expect(text('a.txt')).toBe('a\nb\nc\nnewest\n');
    const again = await only(app);
    const done = await apply(app, again, true);
    expect(text('a.txt')).toBe('a\nB\nc\n');
    const kept = done.keptHash ?? '';
    expect(
      fs.readFileSync(path.join(world.dataDir, 'drafts/kept', kept.slice(0, 2), kept), 'utf8'),
    ).toBe('a\nb\nc\nnewest\n');
  });

  it('S3-20 a draft edited by hand is flagged, and promoted as it is', async () => {
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'new\n')]);
    const before = await only(app);
    fs.writeFileSync(before.place, 'by hand\n');
    await expect(apply(app, before)).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    const draft = await only(app);
    expect(draft).toMatchObject({ state: 'ready', draftChanged: true });
    await apply(app, draft);
    expect(text('a.txt')).toBe('by hand\n');
  });

  it('S3-21 in_sync, draft_missing and substrate_missing are told apart', async () => {
    for (const file of ['same.txt', 'gone.txt', 'lost.txt']) put(file, 'old\n');
    const app = await start();
    await work(
      app,
      ['same.txt', 'gone.txt', 'lost.txt'].map((file) => write(file, 'new\n')),
    );
    const drafts = await list(app);
    put('same.txt', 'new\n');
    fs.rmSync(at('gone.txt'));
    fs.rmSync(drafts.find(({ path: file }) => file === 'lost.txt')?.place ?? '');
    const now = await list(app);
    expect(now.map((draft) => [draft.path, draft.state])).toEqual([
      ['gone.txt', 'substrate_missing'],
      ['lost.txt', 'draft_missing'],
      ['same.txt', 'in_sync'],
    ]);
    const [gone, lost, same] = now as [DraftView, DraftView, DraftView];
    await expect(apply(app, lost)).rejects.toMatchObject({ code: 'DRAFT_STATE' });
    await expect(apply(app, gone)).rejects.toMatchObject({ code: 'DRAFT_SOURCE_CHANGED' });
    expect(await apply(app, same)).toMatchObject({ outcome: 'settled' });
    expect(await apply(app, gone, true)).toMatchObject({ outcome: 'promoted' });
    expect(text('gone.txt')).toBe('new\n');
    const { stagedDrafts } = await app.holdfast.call('session.status', { session: 's' }, 'test');
    expect(stagedDrafts).toEqual({
      count: 1,
      drafts: [
        {
          path: 'lost.txt',
          target: fs.realpathSync(at('lost.txt')),
          status: 'draft_missing',
          sourceChanged: false,
          draftChanged: false,
        },
      ],
    });
  });

  it('S3-20 S3-21 keeps bytes and line ends, and says that the folder of a draft is gone, which a promotion makes again', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10]);
    fs.writeFileSync(at('logo.bin'), bytes);
    put('win.txt', 'a\r\nb\r\n');
    put('deep/er/a.txt', 'old\n');
    const app = await start();
    const [ownRead] = await work(app, [
      read('win.txt'),
      write('logo.bin', 'text\n'),
      write('win.txt', 'a\r\nB\r\n'),
      write('deep/er/a.txt', 'new\n'),
    ]);
    expect(ownRead).toBe('a\r\nb\r\n');
    const of = async (file: string): Promise<DraftView> =>
      (await list(app)).find((draft) => draft.path === file) as DraftView;
    const diff = async (file: string) =>
      app.holdfast.call('drafts.diff', { draftId: (await of(file)).draftId }, 'test');
    expect(await diff('logo.bin')).toMatchObject({ kind: 'binary', hunks: [] });
    expect((await diff('win.txt')).summary).toMatchObject({ added: 1, removed: 1 });
    fs.rmSync(at('deep'), { recursive: true });
    expect(await of('deep/er/a.txt')).toMatchObject({ state: 'substrate_missing' });
    fs.renameSync(world.workspace, `${world.workspace}-away`);
    const away = await of('win.txt');
    expect(away).toMatchObject({ state: 'substrate_missing' });
    await expect(apply(app, away, true)).rejects.toMatchObject({ code: 'DRAFT_REFUSED' });
    expect(fs.existsSync(world.workspace)).toBe(false);
    fs.renameSync(`${world.workspace}-away`, world.workspace);
    const { keptHash = '' } = await apply(app, await of('logo.bin'));
    const kept = path.join(world.dataDir, 'drafts/kept', keptHash.slice(0, 2), keptHash);
    expect(fs.readFileSync(kept)).toEqual(bytes);
    await apply(app, await of('win.txt'));
    expect(text('win.txt')).toBe('a\r\nB\r\n');
    await apply(app, await of('deep/er/a.txt'), true);
    expect(text('deep/er/a.txt')).toBe('new\n');
  });

  it('S3-20 a path that leads outside is refused when staging, and a link put there later when promoting', async () => {
    put('dir/a.txt', 'old\n');
    fs.writeFileSync(path.join(world.outside, 'secret.txt'), 'secret\n');
    fs.symlinkSync(path.join(world.outside, 'secret.txt'), at('link.txt'));
    const app = await start();
    const results = await work(app, [
      write('../x.txt', 'x'),
      write(path.join(world.outside, 'secret.txt'), 'x'),
      write('link.txt', 'x'),
      write('dir', 'x'),
      write('dir/a.txt', 'new\n'),
      write('dir/a.txt/b.txt', 'x'),
    ]);
    for (const refused of results.slice(0, 3)) expect(refused).toContain('TOOL_OUTSIDE_WORKSPACE');
    expect(results[3]).toContain('not a regular file');
    expect(results[5]).not.toContain('Staged');
    const draft = await only(app);
    fs.rmSync(at('dir'), { recursive: true });
    fs.symlinkSync(world.outside, at('dir'));
    fs.writeFileSync(path.join(world.outside, 'a.txt'), 'old\n');
    expect(await only(app)).toMatchObject({ state: 'substrate_missing' });
    const now = await only(app);
    await expect(apply(app, now, true)).rejects.toMatchObject({ code: 'DRAFT_REFUSED' });
    await expect(apply(app, draft, true)).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    expect(fs.readFileSync(path.join(world.outside, 'a.txt'), 'utf8')).toBe('old\n');
    expect(fs.existsSync(path.join(world.root, 'x.txt'))).toBe(false);
  });

  it('S3-20 of two promotions of one file at once one is in place, the other is told that it changed', async () => {
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'one\n')], 'one');
    await work(app, [write('a.txt', 'two\n')], 'two');
    const drafts = await list(app);
    const ends = await Promise.allSettled(drafts.map((draft) => apply(app, draft)));
    const won = ends.findIndex((end) => end.status === 'fulfilled');
    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(1);
    const lost = ends[1 - won];
    expect(lost?.status === 'rejected' ? (lost.reason as { code: string }).code : '').toBe(
      'REQUEST_STALE',
    );
    expect(text('a.txt')).toBe(won === 0 ? 'one\n' : 'two\n');
    expect(await only(app)).toMatchObject({ stage: 'staged', state: 'ready', sourceChanged: true });
  });

  it.each(['apply', 'discard'] as const)(
    'S3-20 to %s a draft in the instant in which the agent writes its next version is refused: that version stays staged',
    async (decision) => {
      put('a.txt', 'old\n');
      let now: () => void = () => undefined;
      const crashPoints: CrashPoints = {
        hit: (point) => (point === 'draft.stage.afterRename' ? now() : undefined),
      };
      const app = await start({ crashPoints });
      await work(app, [write('a.txt', 'one\n')]);
      const first = await only(app);
      let end: Promise<unknown> | undefined;
      now = () => {
        now = () => undefined;
        end =
          decision === 'apply'
            ? apply(app, first)
            : app.holdfast.call('drafts.discard', choice(first), 'test');
        end.catch(() => undefined);
      };
      const [told] = await work(app, [write('a.txt', 'two\n')]);
      expect(told).toContain('Staged');
      await expect(end).rejects.toMatchObject({
        code: 'DRAFT_STATE',
        message: 'Draft 1 is being written, applied or discarded right now.',
      });
      const draft = await only(app);
      expect([text('a.txt'), fs.readFileSync(draft.place, 'utf8')]).toEqual(['old\n', 'two\n']);
      await apply(app, draft);
      expect(text('a.txt')).toBe('two\n');
    },
  );

  it('S3-20 a new file never replaces one that has come meanwhile', async () => {
    const app = await start();
    await work(app, [write('new/deep/a.txt', 'mine\n')]);
    const draft = await only(app);
    expect(draft).toMatchObject({ state: 'ready', isNewFile: true });
    put('new/deep/a.txt', 'theirs\n');
    await expect(apply(app, draft, true)).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    expect(text('new/deep/a.txt')).toBe('theirs\n');
    fs.rmSync(at('new'), { recursive: true });
    await apply(app, await only(app));
    expect(text('new/deep/a.txt')).toBe('mine\n');
  });

  it('S3-20 a discarded draft is gone, its file is as it was, and the next write begins from the file', async () => {
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'new\n')]);
    const draft = await only(app);
    const { draftId, requestHash } = draft;
    await expect(
      app.holdfast.call('drafts.discard', { draftId, requestHash: 'f'.repeat(64) }, 'test'),
    ).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    await app.holdfast.call('drafts.discard', { draftId, requestHash }, 'test');
    expect([await list(app), fs.existsSync(draft.place), text('a.txt')]).toEqual([
      [],
      false,
      'old\n',
    ]);
    await expect(apply(app, draft)).rejects.toMatchObject({ code: 'DRAFT_STATE' });
    expect(await work(app, [read('a.txt'), write('a.txt', 'again\n')])).toMatchObject([
      'old\n',
      {},
    ]);
    expect(await only(app)).toMatchObject({ draftId: draftId + 1, sourceChanged: false });
  });

  it('S3-20 S3-31 6 drafts survive a stop, with everything that was known of them; the status names the first 5 and counts 6', async () => {
    put('a.txt', 'old\n');
    const first = await start();
    await work(
      first,
      ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt'].map((file) => write(file, 'new\n')),
    );
    const before = await list(first);
    const { stagedDrafts, stagedDraftStatus } = await first.holdfast.call(
      'session.status',
      { session: 's' },
      'test',
    );
    expect([before.length, stagedDrafts.count, stagedDraftStatus.length]).toEqual([6, 6, 6]);
    expect(stagedDrafts.drafts.map(({ path: file }) => file)).toEqual([
      ...['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'],
    ]);
    await first.lifecycle.stop('stop');
    running.length = 0;
    const again = await start();
    expect(await list(again)).toEqual(before);
    expect(await work(again, [read('a.txt')])).toEqual(['new\n']);
  });

  it('S3-20 compares files of 10,000 lines, also entirely different ones, within its bounds', async () => {
    const lines = (word: string): string =>
      Array.from({ length: 10_000 }, (_one, index) => `${word} ${String(index)}\n`).join('');
    put('near.txt', lines('same'));
    put('far.txt', lines('old'));
    const app = await start();
    const near = lines('same').replace('same 5000\n', 'other\n').replace('same 9000\n', '');
    await work(app, [write('near.txt', near), write('far.txt', lines('new'))]);
    const [far, close] = await list(app);
    const diffOf = (draft: DraftView | undefined) =>
      app.holdfast.call('drafts.diff', { draftId: draft?.draftId ?? 0 }, 'test');
    const [coarse, exact] = [await diffOf(far), await diffOf(close)];
    expect(exact.summary).toEqual({ added: 1, removed: 2, newer: 0, revived: 0 });
    expect([exact.hunks.length, exact.isCut, exact.isCoarse]).toEqual([2, false, false]);
    expect(exact.hunks[1]?.fileStart).toBe(8998);
    expect(coarse.summary).toMatchObject({ added: 10_000, removed: 10_000 });
    expect([coarse.isCut, coarse.isCoarse]).toEqual([true, true]);
    expect(coarse.hunks.flatMap(({ rows }) => rows)).toHaveLength(4_000);
  });
});

describe('an agent without drafts', () => {
  it('S3-20 writes the file itself, as ever', async () => {
    withDrafts(false);
    put('a.txt', 'old\n');
    const app = await start();
    await work(app, [write('a.txt', 'new\n')]);
    expect([text('a.txt'), await list(app)]).toEqual(['new\n', []]);
    expect(fs.existsSync(path.join(world.dataDir, 'drafts'))).toBe(false);
  });
});
