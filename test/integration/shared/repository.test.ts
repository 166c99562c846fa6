/** A turn that takes the files of its agent along, on real computers with the real git. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../../helpers/compose-world';
import { resultsSoFar, type Script } from '../../helpers/fake-world';
import { NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { type createComputers, type Computer } from '../../helpers/shared-computers';
import { isLeftOut } from '../../helpers/skips';

let postgres: Postgres;
let computers: ReturnType<typeof createComputers>;
let letGo: () => void = () => undefined;

const LIMIT = { timeout: 120_000, interval: 30 };
const stateOf = (computer: Computer, turnId: number) => () =>
  computer.turn(turnId).then(({ state }) => state);
const reasonOf = (computer: Computer, turnId: number) => () =>
  computer.turn(turnId).then(({ reason }) => reason);
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', cwd, '-c', 'user.name=Ada', '-c', 'user.email=a@b.c', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  });

/** Two worlds whose agents work in clones of one repository. */
function createClones(): { readonly one: World; readonly two: World } {
  const [one, two] = [createWorld(), createWorld()];
  const origin = path.join(one.outside, 'origin.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', origin]);
  git(one.workspace, 'init', '-q', '-b', 'main');
  git(one.workspace, 'remote', 'add', 'origin', origin);
  fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'committed');
  git(one.workspace, 'add', '-A');
  git(one.workspace, 'commit', '-qm', 'first');
  git(one.workspace, 'push', '-q', '-u', 'origin', 'main');
  git(two.workspace, 'clone', '-q', origin, '.');
  return { one, two };
}

/** Reads `note.txt`, adds what it was to `seen.txt`, says it. */
const reading: Script = (request) => {
  const done = resultsSoFar(request);
  if (done === 0) return { calls: [{ tool: 'read_file', args: { path: 'note.txt' } }] };
  if (done === 1)
    return { calls: [{ tool: 'write_file', args: { path: 'seen.txt', content: 'seen' } }] };
  return { text: JSON.stringify(request.messages) };
};

/** Writes what is in `note.txt` into the files that the prompt names, one after the other. */
const writing: Script = (request) => {
  const text = request.messages.find(({ role }) => role === 'user');
  const names = JSON.stringify(text).match(/\b\w+\.(?:txt|key)\b/g) ?? [];
  const name = names[resultsSoFar(request)];
  return name === undefined
    ? { text: 'written' }
    : { calls: [{ tool: 'shell', args: { command: `cat note.txt > ${name}` } }] };
};

/** Each `next` waits for a `fire` behind it, or for one that nobody has waited for. */
function createSignal() {
  let fired = 0;
  let wake = (): void => undefined;
  return {
    fire(): void {
      fired += 1;
      wake();
    },
    async next(): Promise<void> {
      while (fired === 0) await new Promise<void>((resolve) => (wake = resolve));
      fired -= 1;
    },
  };
}

describe.skipIf(isLeftOut('shared work on several computers', NO_POSTGRES))(
  'a turn that moves with its files',
  () => {
    eachOnAnEmptyStore((store, fresh) => {
      postgres = store;
      computers = fresh;
    });
    afterEach(() => letGo());

    it('DW-20 DW-22 another computer with the repository works in the files as they were when it was sent, in a folder of its own', async () => {
      const { one, two } = createClones();
      const a = await computers.start({ name: 'desk-1', script: reading }, one);
      const b = await computers.start({ name: 'desk-2', script: reading }, two);
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'not committed on desk-1');
      fs.writeFileSync(path.join(two.workspace, 'note.txt'), 'not committed on desk-2');
      const turnId = await a.send(`read ${one.workspace}/note.txt`, {
        needs: ['label:desk-2'],
        repository: true,
        session: 'moved',
      });
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'changed since');
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      const shown = await a.app.holdfast.call('turns.show', { turnId }, 'test');
      expect(shown.turn.computer).toBe('desk-2');
      expect(shown.answer).toContain('not committed on desk-1');
      // Neither person's folder has changed.
      expect(fs.readdirSync(one.workspace).toSorted()).toEqual(['.git', 'note.txt']);
      expect(git(two.workspace, 'status', '--porcelain')).toBe(' M note.txt\n');
      expect(fs.readFileSync(path.join(two.workspace, 'note.txt'), 'utf8')).toContain('desk-2');
      const work = path.join(fs.realpathSync(two.dataDir), 'share/work');
      const [uid = ''] = fs.readdirSync(work);
      const folder = path.join(work, uid, 'files');
      expect(git(folder, 'status', '--porcelain')).toBe(' M note.txt\n?? seen.txt\n');
      expect((await b.app.holdfast.call('turns.show', { turnId: 1 }, 'test')).prompt).toBe(
        `read ${folder}/note.txt`,
      );
    });

    const workOf = (world: World): string =>
      path.join(fs.realpathSync(world.dataDir), 'share/work');
    const filesIn = (world: World): readonly string[] =>
      fs.existsSync(workOf(world)) ? fs.readdirSync(workOf(world)) : [];

    it('DW-20 an agent that runs on "repository" takes its files along with each turn that says nothing of it', async () => {
      const { one } = createClones();
      const a = await computers.start({ name: 'desk-1', script: reading }, one);
      const { value } = await a.app.holdfast.call('config.get', { key: 'agents' }, 'test');
      const { fake } = value as Readonly<Record<string, object>>;
      const agent = { ...fake, runs_on: 'repository' } as never;
      await a.app.holdfast.call('agents.edit', { name: 'fake', agent }, 'test');
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'not committed');
      const moved = await a.send(`read ${one.workspace}/note.txt`, { session: 'moved' });
      const here = await a.send('read', { session: 'here', here: true });
      for (const turnId of [moved, here])
        await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      // Only the turn of which nothing was said has worked in a folder of its own.
      const [work = '', ...rest] = filesIn(one);
      expect(rest).toEqual([]);
      const read = (folder: string): readonly string[] => fs.readdirSync(folder).toSorted();
      expect(read(path.join(workOf(one), work, 'files'))).toEqual(['.git', 'note.txt', 'seen.txt']);
      expect(read(one.workspace)).toEqual(['.git', 'note.txt', 'seen.txt']);
      const rows = await postgres.sql<{ needs: unknown }>(
        'SELECT needs FROM holdfast.turn ORDER BY n',
      );
      expect(JSON.stringify(rows[0])).toContain('repository:fake@');
      expect(JSON.stringify(rows[1])).not.toContain('repository:');
    });

    it('DW-20 a computer whose repository lacks the commit gives the turn back, and the sender is told why, in the list of what waits too; nothing half made stays', async () => {
      const { one, two } = createClones();
      const a = await computers.start({ name: 'desk-1', script: reading }, one);
      await computers.start({ name: 'desk-2', script: reading }, two);
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'second');
      git(one.workspace, 'commit', '-qam', 'second');
      git(one.workspace, 'push', '-q');
      const turnId = await a.send('read', { needs: ['label:desk-2'], repository: true });
      const commit = git(one.workspace, 'rev-parse', 'HEAD').slice(0, 12);
      await expect
        .poll(reasonOf(a, turnId), LIMIT)
        .toBe(
          `Waits in the shared queue. desk-2 cannot run it: The commit ${commit} is not in the repository of its agent. Fetch it there.`,
        );
      const why = `The commit ${commit} is not in the repository of its agent. Fetch it there.`;
      const { waiting } = await a.app.holdfast.call('machines.list', {}, 'test');
      expect(waiting).toMatchObject([
        { why: `desk-2 cannot run it: ${why}`, refusals: [{ computer: 'desk-2', why }] },
      ]);
      expect(filesIn(two)).toEqual([]);
      const rows = await postgres.sql('SELECT body FROM holdfast.entry');
      expect(rows).toHaveLength(1);
      expect(await stateOf(a, turnId)()).toBe('waiting');
    });

    it('DW-20 what a turn changed elsewhere comes back to its sender on demand: shown, as a patch, into the folder, and only once', async () => {
      const { one, two } = createClones();
      const a = await computers.start({ name: 'desk-1', script: writing }, one);
      const b = await computers.start({ name: 'desk-2', script: writing }, two);
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'not committed');
      const turnId = await a.send('write 1.txt 2.txt', {
        needs: ['label:desk-2'],
        repository: true,
        session: 'back',
      });
      const filesOf = (more: object, on = a, id = turnId) =>
        on.app.holdfast.call('share.files', { turnId: id, ...more }, 'test');
      await expect(filesOf({})).rejects.toThrow(/has not ended|does not contain the end/);
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      const [first, second] = ['1.txt', '2.txt'].map((file) => ({
        path: file,
        change: 'added',
        added: 1,
        removed: 0,
        stand: 'open',
      }));
      await expect
        .poll(() => filesOf({}), LIMIT)
        .toEqual({
          turnId,
          folder: fs.realpathSync(one.workspace),
          files: [first, second],
          diff: expect.stringMatching(
            /^diff --git a\/1\.txt b\/1\.txt\n.*\+not committed\n.*b\/2\.txt\n/s,
          ) as string,
          more: 0,
          inFolder: 0,
          written: 0,
        });
      const inB = (await b.turnOf('back'))?.id ?? 0;
      expect((await filesOf({}, b, inB)).folder).toBe(fs.realpathSync(two.workspace));
      a.proxy.cut();
      await expect(filesOf({ act: 'apply' })).rejects.toMatchObject({ code: 'SHARE_UNREACHABLE' });
      a.proxy.heal();
      const patchFile = path.join(one.outside, 'new.patch');
      await expect
        .poll(
          () =>
            filesOf({ act: 'patch', patchFile }).then(
              () => true,
              () => false,
            ),
          LIMIT,
        )
        .toBe(true);
      await expect(filesOf({ act: 'patch', patchFile })).rejects.toThrow('was not overwritten');
      const another = path.join(one.outside, 'window.patch');
      const asWindow = { turnId, act: 'patch', patchFile: another } as const;
      await expect(a.app.holdfast.call('share.files', asWindow, 'window')).rejects.toThrow(
        'to a file by its path',
      );
      expect(fs.existsSync(another)).toBe(false);
      const hasFiles = async (id: number) =>
        (await a.app.holdfast.call('turns.show', { turnId: id }, 'test')).hasFiles;
      expect(await hasFiles(turnId)).toBe(true);
      const before = [git(one.workspace, 'for-each-ref'), git(one.workspace, 'ls-files', '-s')];
      expect(await filesOf({ act: 'apply' })).toMatchObject({ inFolder: 2, written: 2 });
      expect(await filesOf({ act: 'apply' })).toMatchObject({ inFolder: 2, written: 0 });
      expect(git(one.workspace, 'status', '--porcelain')).toBe(' M note.txt\n?? 1.txt\n?? 2.txt\n');
      expect([git(one.workspace, 'for-each-ref'), git(one.workspace, 'ls-files', '-s')]).toEqual(
        before,
      );
      expect(fs.readFileSync(path.join(one.workspace, '2.txt'), 'utf8')).toBe('not committed');
      git(two.workspace, 'apply', patchFile);
      expect(await filesOf({}, b, inB)).toMatchObject({ inFolder: 2 });
      const plain = await a.send('write', { session: 'plain' });
      await expect.poll(stateOf(a, plain), LIMIT).toBe('completed');
      await expect(filesOf({}, a, plain)).rejects.toThrow('ran without moved files');
      expect(await hasFiles(plain)).toBeUndefined();
      await expect(filesOf({ act: 'patch' })).rejects.toThrow('Specify a file for a patch');
      await postgres.sql('DELETE FROM holdfast.entry');
      await expect(filesOf({})).rejects.toThrow('does not contain the end of turn');
    });

    it('DW-20 DW-22 only a computer with the repository of that agent is asked, and files that cannot move are refused before anything is sent', async () => {
      const { one, two } = createClones();
      fs.rmSync(path.join(two.workspace, '.git'), { recursive: true });
      const a = await computers.start({ name: 'desk-1', script: reading }, one);
      const b = await computers.start({ name: 'desk-2', script: reading }, two);
      const turnId = await a.send('read', { needs: ['label:desk-2'], repository: true });
      const list = () => a.app.holdfast.call('machines.list', {}, 'test');
      const first = git(one.workspace, 'rev-parse', 'HEAD').trim();
      expect((await list()).waiting[0]?.needs).toEqual([
        'agent:fake',
        'label:desk-2',
        `repository:fake@${first}`,
      ]);
      await expect
        .poll(async () => (await list()).machines.find(({ isThis }) => isThis)?.offers, LIMIT)
        .toContain(`repository:fake@${first}`);
      expect([await stateOf(a, turnId)(), b.requests()]).toEqual(['waiting', 0]);
      fs.writeFileSync(path.join(one.workspace, '.env'), 'SECRET=1');
      await expect(a.send('read', { repository: true })).rejects.toThrow(
        '.env looks like a key or a login file',
      );
      await expect(a.send('read', { repository: true, here: true })).rejects.toThrow(
        'A turn that runs only on this computer does not move files.',
      );
      await expect(b.send('read', { repository: true })).rejects.toThrow('not in a git repository');
      expect(await postgres.sql('SELECT count(*)::int AS n FROM holdfast.turn')).toEqual([
        { n: 1 },
      ]);
    });

    it('DW-20 DW-22 a later turn of its session that takes no files along is never granted to a computer without the repository, and says why it waits', async () => {
      const { one, two } = createClones();
      fs.rmSync(path.join(two.workspace, '.git'), { recursive: true });
      const a = await computers.start({ name: 'desk-1', script: reading }, one);
      const b = await computers.start({ name: 'desk-2', script: reading }, two);
      const first = await a.send('read', { repository: true, session: 'work' });
      await expect.poll(stateOf(a, first), LIMIT).toBe('completed');
      const there = { needs: ['label:desk-2'], session: 'work' };
      const later = await a.send('read', there);
      const other = await a.send('read', { ...there, session: 'other' });
      // By then desk-2 has looked at both.
      await expect.poll(stateOf(a, other), LIMIT).toBe('completed');
      const commit = git(one.workspace, 'rev-parse', 'HEAD').trim();
      const { waiting } = await a.app.holdfast.call('machines.list', {}, 'test');
      expect(waiting).toMatchObject([
        {
          why: `It waits for a computer with agent fake, label desk-2. The earlier turns of its session are only for computers with repository fake@${commit}, and those that sent or ran them.`,
          strangers: ['desk-2'],
        },
      ]);
      expect(
        await postgres.sql("SELECT epoch FROM holdfast.turn WHERE session = 'work' ORDER BY n"),
      ).toEqual([{ epoch: 1 }, { epoch: 0 }]);
      expect(await stateOf(a, later)()).toBe('waiting');
      expect(await b.turnOf('work')).toBeUndefined();
    });

    it('DW-09 DW-20 a turn goes on elsewhere in the files as its last call has left them, and back again; where they could not be passed on, a person is asked', async () => {
      const { one, two } = createClones();
      fs.writeFileSync(path.join(one.workspace, 'note.txt'), 'not committed');
      const stall = { name: 'desk-1', at: 2 };
      const arrived = createSignal();
      const held: (() => void)[] = [];
      letGo = () => {
        for (const release of held) release();
      };
      const startOn = (name: string, world: World) =>
        computers.start(
          {
            name,
            script: writing,
            model: async (request) => {
              if (stall.name !== name || resultsSoFar(request) !== stall.at) return undefined;
              arrived.fire();
              await new Promise<void>((resolve) => held.push(resolve));
              return undefined;
            },
          },
          world,
        );
      const a = await startOn('desk-1', one);
      const turnId = await a.send('write 1.txt 2.txt 3.txt', {
        repository: true,
        session: 'there',
      });
      await arrived.next();
      const b = await startOn('desk-2', two);
      Object.assign(stall, { name: 'desk-2', at: 3 });
      a.proxy.cut();
      await arrived.next();
      // On desk-2 the third file is written, and desk-1 has the first two.
      letGo();
      a.proxy.heal();
      Object.assign(stall, { name: '' });
      b.proxy.cut();
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      const [uid = ''] = filesIn(two);
      for (const world of [one, two]) {
        const folder = path.join(workOf(world), uid, 'files');
        expect(git(folder, 'status', '--porcelain')).toBe(
          ' M note.txt\n?? 1.txt\n?? 2.txt\n?? 3.txt\n',
        );
        expect(fs.readFileSync(path.join(folder, '3.txt'), 'utf8')).toBe('not committed');
      }
      expect(fs.readdirSync(one.workspace).toSorted()).toEqual(['.git', 'note.txt']);

      letGo();
      b.proxy.heal();
      Object.assign(stall, { name: 'desk-1', at: 1 });
      const more = { needs: ['label:desk-1'], repository: true, session: 'secret' };
      await a.send('write tls.key', more);
      await arrived.next();
      await postgres.sql("UPDATE holdfast.turn SET needs = array_remove(needs, 'label:desk-1')");
      a.proxy.cut();
      await expect.poll(async () => (await b.turnOf('secret'))?.state, LIMIT).toBe('parked');
      expect((await b.turnOf('secret'))?.reason).toBe(
        'The agent worked on desk-1 in the files of this turn, and its last changes are only there. tls.key looks like a key or a login file, and those stay on their computer. Add it to .gitignore. Resume it here without them, or discard it.',
      );
    });
  },
);
