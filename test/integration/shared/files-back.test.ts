/** What a turn has changed in its files, brought to the folder of a person, with the real git. */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMovedFiles } from '../../../electron/adapters/git-workspace';
import type { FilesMove, MovedFiles, ReturnAct } from '../../../electron/ports/moved-files';

let base: string;
/** The person's folder, and one in which the turn works. */
let here: string;
let there: string;
let files: MovedFiles;
let hit: (point: string) => void;
const texts = new Map<string, string>();
const turn = randomUUID();

const env = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: base,
  GIT_CONFIG_NOSYSTEM: '1',
});
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', cwd, ...args], { env: env(), encoding: 'utf8', stdio: 'pipe' });
const write = (folder: string, name: string, content: string | Buffer): void => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
};
const read = (name: string): string => fs.readFileSync(path.join(here, name), 'utf8');
const numbered = (...changed: readonly [number, string][]): string =>
  Array.from({ length: 30 }, (_, at) => {
    const found = changed.find(([line]) => line === at);
    return `${found?.[1] ?? `line ${String(at)}`}\n`;
  }).join('');

async function moveOf(folder: string): Promise<FilesMove> {
  const answer = await files.capture(folder);
  if (answer.kind === 'refused') throw new Error(answer.why);
  const { texts: sent, repository: _repository, ...rest } = answer.files;
  const pieces = sent.map((text) => {
    const hash = randomUUID();
    texts.set(hash, text);
    return hash;
  });
  return { ...rest, pieces };
}

/** Sent as `here` is now; `work` is what the turn does with the same files. */
async function worked(work: () => void): Promise<{ sent: FilesMove; newest: FilesMove }> {
  fs.cpSync(here, there, { recursive: true, verbatimSymlinks: true });
  const sent = await moveOf(here);
  work();
  return { sent, newest: await moveOf(there) };
}
type Moves = Awaited<ReturnType<typeof worked>>;

const back = (moves: Moves, act: ReturnAct = { kind: 'apply' }) =>
  files.giveBack(turn, here, moves, { act, piece: (hash) => Promise.resolve(texts.get(hash)) });
const stands = async (moves: Moves) => {
  const answer = await back(moves, { kind: 'show' });
  return answer.kind === 'refused'
    ? answer.why
    : Object.fromEntries(answer.files.map((file) => [file.path, file.stand]));
};
/** All that is in the folder and in its `.git`. */
function everything(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(here, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const { mode } = fs.lstatSync(file);
    const content = entry.isFile()
      ? fs.readFileSync(file, 'base64')
      : entry.isSymbolicLink()
        ? fs.readlinkSync(file)
        : '';
    found[path.relative(here, file)] = `${mode.toString(8)} ${content}`;
  }
  return found;
}
const inGit = () => Object.entries(everything()).filter(([name]) => name.startsWith('.git/'));

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-back-')));
  fs.writeFileSync(
    path.join(base, '.gitconfig'),
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n',
  );
  fs.mkdirSync(path.join(base, 'data'));
  [here, there] = [path.join(base, 'here'), path.join(base, 'there')];
  execFileSync('git', ['init', '-q', here], { env: env() });
  write(here, 'long.txt', numbered());
  write(here, 'gone/old.txt', 'old\n');
  write(here, 'run.sh', 'echo\n');
  write(here, 'image.bin', randomBytes(4_000));
  git(here, 'add', '-A');
  git(here, 'commit', '-qm', 'first');
  write(here, 'note.txt', 'not committed\n');
  hit = () => undefined;
  files = createMovedFiles({
    dataDir: path.join(base, 'data'),
    env: env(),
    crashPoints: {
      hit: (point) => {
        hit(point);
      },
    },
  });
});
afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true });
  texts.clear();
});

const changeAll = (): void => {
  write(there, 'long.txt', numbered([2, 'two']));
  write(there, 'new folder/ä.txt', 'new\n');
  write(there, 'note.txt', 'not committed\nby the turn\n');
  write(there, 'image.bin', randomBytes(4_000));
  fs.chmodSync(path.join(there, 'run.sh'), 0o755);
  fs.rmSync(path.join(there, 'gone'), { recursive: true });
  fs.symlinkSync('note.txt', path.join(there, 'link'));
};

describe('files of a turn that come back', () => {
  it('DW-20 shown, they come with what changed in them as text; binary content is only named, and what is too long is left to the patch', async () => {
    const diffOf = async (moves: Moves, act?: ReturnAct) => {
      const answer = await back(moves, act ?? { kind: 'show' });
      return answer.kind === 'files' ? answer.diff : answer.why;
    };
    const moves = await worked(changeAll);
    const diff = await diffOf(moves);
    expect(diff).toContain('\n-line 2\n+two\n');
    expect(diff).toContain('Binary files a/image.bin and b/image.bin differ');
    expect(diff).not.toContain('GIT binary patch');
    expect(await diffOf(moves, { kind: 'apply' })).toBeUndefined();
    fs.rmSync(there, { recursive: true });
    const long = await worked(() => write(there, 'long.txt', 'x\n'.repeat(60_000)));
    expect(await diffOf(long)).toBeUndefined();
  });

  it('DW-20 new, changed, deleted, binary, executable and linked files are shown and applied; .git stays byte for byte; a second time nothing is left to do', async () => {
    const moves = await worked(changeAll);
    const git1 = inGit();
    expect(await back(moves, { kind: 'show' })).toMatchObject({
      kind: 'files',
      top: here,
      files: [
        { path: 'gone/old.txt', change: 'deleted', lines: { added: 0, removed: 1 }, stand: 'open' },
        { path: 'image.bin', change: 'changed', stand: 'open' },
        { path: 'link', change: 'added', stand: 'open' },
        { path: 'long.txt', change: 'changed', lines: { added: 1, removed: 1 }, stand: 'open' },
        { path: 'new folder/ä.txt', change: 'added', stand: 'open' },
        { path: 'note.txt', change: 'changed', lines: { added: 1, removed: 0 }, stand: 'open' },
        { path: 'run.sh', change: 'changed', stand: 'open' },
      ],
    });
    expect(await back(moves)).toMatchObject({ kind: 'files', written: 7 });
    expect(inGit()).toEqual(git1);
    expect((await moveOf(here)).tree).toBe(moves.newest.tree);
    expect(fs.existsSync(path.join(here, 'gone'))).toBe(false);
    expect(fs.statSync(path.join(here, 'run.sh')).mode & 0o111).not.toBe(0);
    expect(fs.readlinkSync(path.join(here, 'link'))).toBe('note.txt');
    const after = everything();
    expect(await back(moves)).toMatchObject({ kind: 'files', written: 0 });
    expect(everything()).toEqual(after);
  });

  it('DW-20 lines that the person has changed since are kept where both fit; where one does not, nothing at all is written', async () => {
    const moves = await worked(() => {
      write(there, 'long.txt', numbered([2, 'two']));
      write(there, 'note.txt', 'by the turn\n');
    });
    write(here, 'long.txt', numbered([25, 'mine']));
    expect(await stands(moves)).toEqual({ 'long.txt': 'edited', 'note.txt': 'open' });
    write(here, 'note.txt', 'mine too\n');
    const before = everything();
    expect(await back(moves)).toEqual({
      kind: 'refused',
      why: 'The folder has changed too, and the changes of the turn do not apply to note.txt.',
    });
    expect(everything()).toEqual(before);
    write(here, 'note.txt', 'not committed\n');
    expect(await back(moves)).toMatchObject({ written: 2 });
    expect(read('long.txt')).toBe(numbered([2, 'two'], [25, 'mine']));
    // It stays applied, whatever the person changes elsewhere in it.
    write(here, 'long.txt', numbered([2, 'two'], [20, 'more']));
    expect(await back(moves)).toMatchObject({ written: 0 });
    expect(read('long.txt')).toBe(numbered([2, 'two'], [20, 'more']));
  });

  it('DW-20 a new file that is there with other content, a folder, a link on the way and a deleted file that was changed are conflicts', async () => {
    const moves = await worked(() => {
      for (const name of ['a/new.txt', 'b.txt', 'c.txt']) write(there, name, 'new\n');
      fs.rmSync(path.join(there, 'gone'), { recursive: true });
    });
    write(here, 'b.txt', 'mine\n');
    fs.mkdirSync(path.join(here, 'c.txt'));
    write(here, 'gone/old.txt', 'still needed\n');
    const outside = path.join(base, 'outside');
    fs.mkdirSync(outside);
    fs.symlinkSync(outside, path.join(here, 'a'));
    expect(await stands(moves)).toEqual({
      'a/new.txt': 'conflict',
      'b.txt': 'conflict',
      'c.txt': 'conflict',
      'gone/old.txt': 'conflict',
    });
    expect(await back(moves)).toMatchObject({ kind: 'refused' });
    expect(fs.readdirSync(outside)).toEqual([]);
    expect(read('gone/old.txt')).toBe('still needed\n');
  });

  it('DW-20 a patch is written once, for `git apply` by hand, and replaces a file only where a person has said so', async () => {
    const moves = await worked(changeAll);
    const file = path.join(base, 'turn.patch');
    const before = everything();
    expect(await back(moves, { kind: 'patch', file })).toMatchObject({ kind: 'files' });
    expect(everything()).toEqual(before);
    git(here, 'apply', file);
    expect((await moveOf(here)).tree).toBe(moves.newest.tree);
    fs.writeFileSync(file, 'mine');
    expect(await back(moves, { kind: 'patch', file })).toEqual({
      kind: 'refused',
      why: `${file} already exists and was not overwritten.`,
    });
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
    const replace = { kind: 'patch', file, mayReplace: true } as const;
    expect(await back(moves, replace)).toMatchObject({ kind: 'files' });
    git(there, 'apply', '--check', '--reverse', file);
    expect(await back(moves, { ...replace, file: base })).toMatchObject({ kind: 'refused' });
    const nowhere = path.join(base, 'no/turn.patch');
    expect(await back(moves, { kind: 'patch', file: nowhere })).toMatchObject({ kind: 'refused' });
    expect(fs.readdirSync(base).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('DW-20 stopped before each file, the folder is as before or some files are whole, and the same command writes the rest', async () => {
    const moves = await worked(changeAll);
    const before = everything();
    const stop = (point: string, later: number): void => {
      let left = later;
      hit = (name) => {
        if (name !== point) return;
        left -= 1;
        if (left < 0) throw new Error('Stopped.');
      };
    };
    stop('share.files.laid', 0);
    expect(await back(moves)).toEqual({ kind: 'refused', why: 'Stopped.' });
    expect(everything()).toEqual(before);
    stop('share.files.placed', 2);
    expect(await back(moves)).toEqual({
      kind: 'refused',
      why: 'Stopped. 3 of 7 files were written before that. Repeat the command for the rest.',
    });
    const some = Object.values(await stands(moves));
    expect(some.toSorted()).toEqual([...Array(3).fill('done'), ...Array(4).fill('open')]);
    hit = () => undefined;
    expect(await back(moves)).toMatchObject({ kind: 'files', written: 4 });
    expect((await moveOf(here)).tree).toBe(moves.newest.tree);
  });

  it('DW-20 a file that is changed while it is applied is not overwritten', async () => {
    const moves = await worked(changeAll);
    hit = (point) => {
      if (point === 'share.files.laid') write(here, 'long.txt', 'typed just now\n');
    };
    expect(await back(moves)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('long.txt was changed while the changes were applied.'),
    });
    expect(read('long.txt')).toBe('typed just now\n');
  });

  it.each([
    ['out of the folder', '../out.txt', '100644', 'x\n'],
    ['into .git', '.git/hooks/post-checkout', '100755', 'x\n'],
  ])('DW-20 a hostile patch (%s) writes nothing', async (_what, name, mode, content) => {
    const { sent } = await worked(() => undefined);
    const patch = `diff --git a/${name} b/${name}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+${content}`;
    texts.set('hostile', gzipSync(patch).toString('base64'));
    const before = everything();
    const newest = { ...sent, tree: sent.tree, pieces: ['hostile'] };
    expect(await back({ sent, newest })).toMatchObject({
      why: expect.stringContaining('The changes do not apply'),
    });
    expect(everything()).toEqual(before);
    expect(fs.existsSync(path.join(base, 'out.txt'))).toBe(false);
  });

  it('DW-20 a link that leads out of the repository is not made', async () => {
    const { sent } = await worked(() => undefined);
    fs.symlinkSync('/etc/passwd', path.join(there, 'link'));
    git(there, 'add', '-A');
    const tree = git(there, 'write-tree').trim();
    const patch = git(there, 'diff', '--cached', '--binary', '--full-index', sent.base);
    texts.set('hostile', gzipSync(patch).toString('base64'));
    const before = everything();
    expect(await back({ sent, newest: { ...sent, tree, pieces: ['hostile'] } })).toEqual({
      kind: 'refused',
      why: 'The link link leads out of their folder.',
    });
    expect(everything()).toEqual(before);
  });

  it('DW-20 texts that are missing, a commit that is missing and a folder without a repository are refused with the reason', async () => {
    const moves = await worked(changeAll);
    texts.clear();
    expect(await back(moves)).toMatchObject({ why: expect.stringContaining('not the ones') });
    const sent = { ...moves.sent, base: '0'.repeat(40) };
    expect(await back({ ...moves, sent })).toMatchObject({
      why: 'The commit 000000000000 is not in the repository of its agent. Fetch it there.',
    });
    fs.rmSync(path.join(here, '.git'), { recursive: true });
    expect(await back(moves)).toMatchObject({
      why: 'The folder of its agent here is not in a git repository.',
    });
  });
});
