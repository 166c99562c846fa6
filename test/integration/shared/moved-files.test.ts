/** Files of a repository that move to another computer, with the real git. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMovedFiles } from '../../../electron/adapters/git-workspace';
import type { FilesMove, MovedFiles } from '../../../electron/ports/moved-files';

const LFS = (oid: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12345\n`;

let base: string;
/** The person's folder on the first computer, and the clone on the second. */
let here: string;
let there: string;
let sends: MovedFiles;
let takes: MovedFiles;
let points: string[];

const env = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: path.join(base, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
});
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', cwd, ...args], { env: env(), encoding: 'utf8', stdio: 'pipe' });
const write = (name: string, content: string | Buffer, folder = here): string => {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
};
const commit = (cwd: string, message: string, ...more: readonly string[]): void => {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', message, ...more);
};

/** Every file with its mode and content, as a computer sees it; without what git keeps. */
function listing(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(folder, at), { withFileTypes: true })) {
      const name = path.join(at, entry.name);
      const file = path.join(folder, name);
      if (name === '.git') continue;
      if (entry.isDirectory()) walk(name);
      else if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(file)}`;
      else {
        const isProgram = (fs.statSync(file).mode & 0o100) !== 0;
        const hash = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
        found[name] = `${isProgram ? 'x' : '-'} ${hash}`;
      }
    }
  };
  walk('');
  return found;
}

/** What a person would see of the repository itself. */
const stateOf = (folder: string): readonly string[] => [
  git(folder, 'for-each-ref'),
  git(folder, 'rev-parse', 'HEAD'),
  git(folder, 'status', '--porcelain=v2', '-z', '--ignored'),
  git(folder, 'stash', 'list'),
  git(folder, 'worktree', 'list'),
  createHash('sha256')
    .update(fs.readFileSync(path.join(folder, '.git/index')))
    .digest('hex'),
  git(folder, 'count-objects', '-v'),
];

async function captured(folder = here) {
  const answer = await sends.capture(folder);
  if (answer.kind === 'refused') throw new Error(answer.why);
  const { texts, repository, ...files } = answer.files;
  const sent = new Map(texts.map((text, at) => [`piece ${String(at)}`, text]));
  const move: FilesMove = { ...files, pieces: [...sent.keys()] };
  return { move, sent, repository };
}
type Sent = Awaited<ReturnType<typeof captured>>;

const arrive = (turn: string, { move, sent }: Pick<Sent, 'move' | 'sent'>, from = there) =>
  takes.arrive(turn, from, move, {
    isEqual: true,
    piece: (hash) => Promise.resolve(sent.get(hash)),
  });

/** Sends and takes; the folder of the turn there. */
async function moved(folder = here, from = there): Promise<string> {
  const turn = randomUUID();
  const sent = await captured(folder);
  expect(await arrive(turn, sent, from)).toEqual({ kind: 'here' });
  return takes.placeOf(turn, sent.move.prefix);
}
const whyNot = async (folder = here): Promise<string> => {
  const answer = await sends.capture(folder);
  return answer.kind === 'refused' ? answer.why : 'it moves';
};

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-moved-')));
  for (const name of ['home', 'data-1', 'data-2']) fs.mkdirSync(path.join(base, name));
  fs.writeFileSync(
    path.join(base, 'home/.gitconfig'),
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  const origin = path.join(base, 'origin.git');
  execFileSync('git', ['init', '-q', '--bare', origin], { env: env() });
  here = path.join(base, 'here');
  execFileSync('git', ['clone', '-q', origin, here], { env: env(), stdio: 'pipe' });
  write('a.txt', 'one\ntwo\nthree\n');
  write('bin/run.sh', '#!/bin/sh\necho hi\n');
  write('image.bin', randomBytes(5_000));
  write('.gitignore', 'out/\n*.log\n');
  commit(here, 'first');
  git(here, 'push', '-q', 'origin', 'HEAD');
  there = path.join(base, 'there');
  execFileSync('git', ['clone', '-q', origin, there], { env: env(), stdio: 'pipe' });
  points = [];
  const crashPoints = { hit: (name: string) => void points.push(name) };
  const made = (name: string) =>
    createMovedFiles({ dataDir: path.join(base, name), env: env(), crashPoints });
  [sends, takes] = [made('data-1'), made('data-2')];
});
afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true });
});

describe('files of a repository that move', () => {
  it('DW-20 staged, unstaged, deleted, renamed, untracked, binary, executable, linked and strangely named files arrive equal; the repositories of both stay untouched', async () => {
    write('a.txt', 'one\n2\nthree\nfour\n');
    git(here, 'add', 'a.txt');
    write('a.txt', 'one\n2\n3\nfour\n');
    fs.chmodSync(path.join(here, 'bin/run.sh'), 0o755);
    git(here, 'mv', 'image.bin', 'picture.bin');
    write('picture.bin', randomBytes(70_000));
    write('new folder/a file.txt', 'without a line end');
    write('new folder/line\nbreak "and" \\ tab\t ü.txt', 'x\r\n');
    write('-dash', 'd');
    write(':(top)magic', 'm');
    write('program', '#!/bin/sh\n');
    fs.chmodSync(path.join(here, 'program'), 0o755);
    fs.symlinkSync('../a.txt', path.join(here, 'bin/link'));
    fs.symlinkSync('nowhere', path.join(here, 'broken'));
    write('forced.log', 'ignored, and added all the same');
    git(here, 'add', '-f', 'forced.log');
    write('plain.log', 'ignored');
    write('out/built.js', 'ignored');
    const before = [stateOf(here), stateOf(there)];
    const wanted = { ...listing(here) };
    const folder = await moved();
    delete wanted['plain.log'];
    delete wanted['out/built.js'];
    expect(listing(folder)).toEqual(wanted);
    expect([stateOf(here), stateOf(there)]).toEqual(before);
    expect(points).toEqual(['share.files.made', 'share.files.named']);
    // The agent finds the changes as changes on the commit, on no branch.
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(here, 'rev-parse', 'HEAD'));
    expect(git(folder, 'branch', '--list')).toBe('* (no branch)\n');
    expect(git(folder, 'status', '--porcelain', 'a.txt', 'program')).toBe(' M a.txt\n?? program\n');
    expect(git(folder, 'remote', 'get-url', 'origin')).toBe(
      git(there, 'remote', 'get-url', 'origin'),
    );
    expect(fs.readdirSync(path.join(base, 'data-1/share/work'))).toEqual([]);
  });

  it('DW-20 a subfolder, a linked worktree, commits that are not pushed and a repository without a change arrive equal', async () => {
    expect(listing(await moved())).toEqual(listing(here));
    write('packages/a/index.ts', 'export {}');
    expect(listing(await moved(path.join(here, 'packages/a')))).toEqual({
      'index.ts': expect.stringMatching(/^- /),
    });
    const tree = path.join(base, 'tree');
    git(here, 'worktree', 'add', '-q', '-b', 'side', tree);
    write('a.txt', 'in the worktree', tree);
    commit(tree, 'not pushed');
    commit(tree, 'empty', '--allow-empty');
    write('b.txt', 'and not committed', tree);
    const wanted = listing(tree);
    const folder = await moved(tree);
    const found = listing(folder);
    expect(found).toEqual(wanted);
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(there, 'rev-parse', 'HEAD'));
    expect(await sends.repositoryOf(tree)).toBe(await takes.repositoryOf(there));
  });

  it('DW-20 pointers of Git LFS arrive as pointers, changed or not; content that a filter keeps elsewhere is refused', async () => {
    write('.gitattributes', '*.psd filter=lfs diff=lfs merge=lfs -text\n');
    write('old.psd', LFS('1'.repeat(64)));
    // As git-lfs leaves it; the program is not installed.
    for (const way of ['clean', 'smudge', 'process'])
      git(here, 'config', `filter.lfs.${way}`, `touch ${base}/ran; cat`);
    git(here, '-c', 'filter.lfs.process=', '-c', 'filter.lfs.clean=cat', 'add', '-A');
    git(here, '-c', 'filter.lfs.process=', '-c', 'filter.lfs.clean=cat', 'commit', '-qm', 'lfs');
    git(here, 'push', '-q', 'origin', 'HEAD');
    git(there, 'fetch', '-q');
    write('new.psd', LFS('2'.repeat(64)));
    const ran = path.join(base, 'ran');
    fs.rmSync(ran, { force: true });
    const folder = await moved();
    expect(listing(folder)).toEqual(listing(here));
    expect(fs.readFileSync(path.join(folder, 'new.psd'), 'utf8')).toBe(LFS('2'.repeat(64)));
    write('old.psd', randomBytes(300));
    expect(await whyNot()).toBe(
      'The content of old.psd is stored by the git filter "lfs" and not in the repository.',
    );
    // A pipe in its place is not opened: until somebody wrote to it, nothing else would run.
    fs.rmSync(path.join(here, 'old.psd'));
    execFileSync('mkfifo', [path.join(here, 'old.psd')]);
    const writer = spawn('sh', ['-c', 'sleep 30; : > ../opened; : > old.psd'], { cwd: here });
    expect(await whyNot()).toContain('old.psd');
    expect(fs.existsSync(path.join(here, '../opened'))).toBe(false);
    writer.kill('SIGKILL');
    expect(fs.existsSync(ran)).toBe(false);
  });

  it('DW-20 a submodule without files arrives as one; one with files, and a repository inside the repository, are refused', async () => {
    const module = path.join(base, 'module');
    execFileSync('git', ['clone', '-q', path.join(base, 'origin.git'), module], {
      env: env(),
      stdio: 'pipe',
    });
    git(here, 'submodule', '--quiet', 'add', module, 'lib');
    commit(here, 'with a submodule');
    const inside =
      ' is a submodule or another git repository inside this one, and its files do not move with a turn.';
    expect(await whyNot()).toBe(`lib${inside}`);
    git(here, 'push', '-q', 'origin', 'HEAD');
    expect(await whyNot()).toBe(`lib${inside}`);
    git(there, 'pull', '-q');
    // As a clone has it.
    write('a.txt', 'changed', there);
    const turn = randomUUID();
    const sent = await captured(there);
    expect(await arrive(turn, sent, here)).toEqual({ kind: 'here' });
    const folder = takes.placeOf(turn, '');
    expect(listing(folder)).toEqual(listing(there));
    expect(fs.readdirSync(path.join(folder, 'lib'))).toEqual([]);
    execFileSync('git', ['init', '-q', path.join(there, 'nested')], { env: env() });
    write('nested/file', 'x', there);
    git(path.join(there, 'nested'), 'add', '-A');
    git(path.join(there, 'nested'), 'commit', '-qm', 'x');
    expect(await whyNot(there)).toBe(`nested${inside}`);
  });

  it('DW-20 200 MB that are committed arrive equal; 200 MB that are not are refused with the largest file, and nothing is copied for it', async () => {
    const large = write('large.bin', '');
    fs.truncateSync(large, 200_000_000);
    commit(here, 'large');
    git(here, 'push', '-q', 'origin', 'HEAD');
    git(there, 'fetch', '-q');
    write('a.txt', 'changed');
    const folder = await moved();
    expect(listing(folder)).toEqual(listing(here));
    fs.truncateSync(write('larger.bin', ''), 200_000_001);
    expect(await whyNot()).toBe(
      'The changed and new files have 191 MB, and at most 64 MB move with a turn. The largest is larger.bin. Commit and push it, or add it to .gitignore.',
    );
    expect(fs.readdirSync(path.join(base, 'data-1/share/work'))).toEqual([]);
  });

  it('DW-20 what is unfinished, or no repository with a commit, is refused with the reason', async () => {
    const plain = path.join(base, 'plain');
    fs.mkdirSync(plain);
    expect(await whyNot(plain)).toBe(
      `${plain} is not in a git repository, or git does not trust it.`,
    );
    git(plain, 'init', '-q');
    expect(await whyNot(plain)).toBe('The repository has no commit yet.');
    fs.mkdirSync(path.join(here, 'empty'));
    expect(await whyNot(path.join(here, 'empty'))).toBe(
      `Git tracks no file in ${path.join(here, 'empty')}.`,
    );
    git(here, 'checkout', '-qb', 'side');
    write('a.txt', 'side');
    commit(here, 'side');
    git(here, 'checkout', '-q', 'main');
    write('a.txt', 'main');
    commit(here, 'main');
    const conflict = (...args: readonly string[]): void => {
      expect(() => git(here, ...args)).toThrow();
    };
    conflict('merge', 'side');
    expect(await whyNot()).toBe('The repository is in the middle of a merge. Finish it first.');
    git(here, 'merge', '--abort');
    conflict('rebase', 'side');
    expect(await whyNot()).toBe('The repository is in the middle of a rebase. Finish it first.');
    git(here, 'rebase', '--abort');
    conflict('cherry-pick', 'side');
    expect(await whyNot()).toMatch(/middle of a cherry-pick/);
    git(here, 'cherry-pick', '--abort');
    write('a.txt', 'stashed');
    git(here, 'stash');
    write('a.txt', 'other');
    commit(here, 'other');
    conflict('stash', 'pop');
    expect(await whyNot()).toMatch(/middle of conflicts/);
  });

  it('DW-18 DW-20 keys, login files and links that lead out of the repository are refused, ignored ones stay', async () => {
    for (const name of ['.env', 'tls/server.key']) {
      const file = write(name, 'SECRET=1');
      expect(await whyNot()).toBe(
        `${name} looks like a key or a login file, and those stay on their computer. Add it to .gitignore.`,
      );
      fs.rmSync(file);
    }
    write('.env.example', 'SECRET=');
    write('.git/info/exclude', '.env\n');
    fs.mkdirSync(path.join(base, 'home/.config/git'), { recursive: true });
    fs.writeFileSync(path.join(base, 'home/.config/git/ignore'), '*.pem\n');
    write('.env', 'SECRET=1');
    write('a.pem', 'SECRET=1');
    const folder = await moved();
    expect(fs.readdirSync(folder).toSorted()).toEqual(
      ['.env.example', '.git', '.gitignore', 'a.txt', 'bin', 'image.bin'].toSorted(),
    );
    for (const target of ['/etc/passwd', 'bin/../../x']) {
      const link = path.join(here, 'link');
      fs.symlinkSync(target, link);
      expect(await whyNot()).toBe('link is a link that leads out of the repository.');
      fs.rmSync(link);
    }
  });

  it('DW-20 rules of ignored files that are longer than 1 MB are refused with their path: none may be left out, and no more is read', async () => {
    const global = path.join(base, 'home/.config/git/ignore');
    fs.mkdirSync(path.dirname(global), { recursive: true });
    for (const file of [global, path.join(here, '.git/info/exclude')]) {
      fs.writeFileSync(file, `${'#'.repeat(1_000_000)}\n*.pem\n`);
      expect(await whyNot()).toBe(`${file} is larger than 1 MB, so its rules are not read.`);
      fs.rmSync(file);
    }
    expect(await moved()).toBeTruthy();
  });

  it('DW-20 nothing that either repository configures is run', async () => {
    const ran = path.join(base, 'ran');
    const program = write('../program', `#!/bin/sh\ntouch ${ran}\ncat\n`);
    fs.chmodSync(program, 0o755);
    for (const folder of [here, there]) {
      for (const key of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge', 'diff.x.textconv'])
        git(folder, 'config', key, program);
      git(folder, 'config', 'diff.external', program);
      git(folder, 'config', 'core.hooksPath', path.join(base, 'hooks'));
    }
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      write(`../hooks/${hook}`, `#!/bin/sh\ntouch ${ran}\n`);
      fs.chmodSync(path.join(base, 'hooks', hook), 0o755);
    }
    write('.gitattributes', '*.dat filter=x diff=x\n');
    write('a.txt', 'changed');
    const folder = await moved();
    expect(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('changed');
    write('b.dat', 'x');
    expect(await whyNot()).toMatch(/stored by the git filter "x"/);
    expect(fs.existsSync(ran)).toBe(false);
  });
});

/** A patch as another computer might send it. */
const packed = (patch: string | Buffer): string => gzipSync(patch).toString('base64');

describe('files that arrive', () => {
  const asked = async (patch: string, more: Partial<FilesMove> = {}) => {
    const { move } = await captured();
    return arrive(randomUUID(), {
      move: { ...move, pieces: ['piece'], ...more },
      sent: new Map([['piece', patch]]),
    });
  };
  const added = (name: string, mode = '100644', content = 'evil'): string =>
    `diff --git a/${name} b/${name}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+${content}\n\\ No newline at end of file\n`;
  const isEmpty = (): void => {
    expect(fs.readdirSync(path.join(base, 'data-2/share/work'))).toEqual([]);
    expect(points).toEqual([]);
  };
  /** What git makes of an index, which has no rules about where links lead. */
  const crafted = (mode: string, content: string, name: string) => {
    const head = git(there, 'rev-parse', 'HEAD').trim();
    const index = { ...env(), GIT_INDEX_FILE: path.join(base, 'crafted') };
    const craft = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-C', there, ...args], { env: index, input, encoding: 'utf8' }).trim();
    craft(['read-tree', head]);
    const id = mode === '160000' ? head : craft(['hash-object', '-w', '--stdin'], content);
    craft(['update-index', '--add', '--cacheinfo', `${mode},${id},${name}`]);
    const tree = craft(['write-tree']);
    const patch = git(there, 'diff-tree', '-p', '--binary', '--full-index', head, tree);
    return { patch: packed(patch), move: { tree } };
  };

  it('DW-20 paths that lead out, into .git or through a link write nothing, and nothing half made stays', async () => {
    for (const name of [
      '../evil',
      '/tmp/evil',
      '.git/hooks/post-checkout',
      'a/../../evil',
      '.GIT/x',
    ])
      expect(await asked(packed(added(name)))).toMatchObject({
        kind: 'refused',
        why: expect.stringMatching(/do not apply|not the ones/),
      });
    const through = added('out', '120000', base) + added('out/evil');
    expect(await asked(packed(through))).toMatchObject({ kind: 'refused' });
    for (const [mode, content, name, why] of [
      ['120000', base, 'out', /The link out leads out/],
      ['120000', '../../../evil', 'bin/out', /The link bin\/out leads out/],
      ['160000', '', 'module', /another repository/],
    ] as const) {
      const { patch, move } = crafted(mode, content, name);
      expect(await asked(patch, move)).toMatchObject({ why: expect.stringMatching(why) });
    }
    expect(fs.readdirSync(base).toSorted()).not.toContain('evil');
    isEmpty();
  });

  it('DW-20 a patch that is damaged, missing, another one or far too large is refused, and so is a commit that is not there', async () => {
    write('a.txt', 'changed');
    const { move, sent } = await captured();
    const [text = ''] = sent.values();
    const other = 'The files that arrived are not the ones that were sent.';
    for (const wrong of [text.slice(0, -8), 'no base64 at all', packed(added('b.txt')), packed('')])
      expect((await asked(wrong)) as object).toMatchObject({ kind: 'refused' });
    expect(await asked(text, { tree: '0'.repeat(40) })).toEqual({ kind: 'refused', why: other });
    expect(await arrive(randomUUID(), { move, sent: new Map() })).toEqual({
      kind: 'refused',
      why: other,
    });
    expect(await asked(packed(Buffer.alloc(200_000_000)))).toEqual({ kind: 'refused', why: other });
    expect(await asked(text, { base: '1'.repeat(40) })).toEqual({
      kind: 'refused',
      why: 'The commit 111111111111 is not in the repository of its agent. Fetch it there.',
    });
    expect(await arrive(randomUUID(), { move, sent }, base)).toEqual({
      kind: 'refused',
      why: 'The folder of its agent there is not in a git repository.',
    });
    isEmpty();
    await expect(async () =>
      takes.arrive('../../evil', there, move, {
        isEqual: true,
        piece: () => Promise.resolve(text),
      }),
    ).rejects.toThrow('not a turn ID');
  });

  it('DW-20 files that are there stay once an agent has worked in them; before that, what a power cut has damaged is made again', async () => {
    write('a.txt', 'changed');
    const sent = await captured();
    const turn = randomUUID();
    const left = path.join(base, 'data-2/share/work', `.new-${turn}`);
    fs.mkdirSync(path.join(left, 'files'), { recursive: true });
    fs.writeFileSync(path.join(left, 'files/half'), 'of a process that was killed');
    expect(await arrive(turn, sent)).toEqual({ kind: 'here' });
    const folder = takes.placeOf(turn, '');
    expect(listing(folder)).toEqual(listing(here));
    fs.writeFileSync(path.join(folder, 'a.txt'), '');
    await arrive(turn, sent);
    expect(listing(folder)).toEqual(listing(here));
    fs.writeFileSync(path.join(folder, 'a.txt'), 'of the agent');
    await takes.arrive(turn, there, sent.move, {
      isEqual: false,
      piece: () => Promise.reject(new Error('not asked for')),
    });
    expect(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('of the agent');
    // Kept as long as the turn is.
    await takes.sweep(Date.now(), () => false);
    expect(fs.existsSync(folder)).toBe(true);
    fs.mkdirSync(left);
    await takes.sweep(Date.now(), () => true);
    expect(fs.readdirSync(path.dirname(left))).toEqual([`.new-${turn}`]);
    await takes.sweep(Date.now() + 3_700_000, () => true);
    expect(fs.readdirSync(path.dirname(left))).toEqual([]);
  });

  it('DW-20 what an agent makes of the files moves on: written, deleted, committed, ignored and added', async () => {
    write('a.txt', 'changed');
    const sent = await captured();
    const turn = randomUUID();
    await arrive(turn, sent);
    const folder = takes.placeOf(turn, '');
    const next = async (): Promise<void> => {
      const seen = await takes.recapture(turn, sent.move.base);
      if (seen.kind === 'refused') throw new Error(seen.why);
      const pieces = new Map(seen.files.texts.map((text, at) => [String(at), text]));
      const move = { ...sent.move, tree: seen.files.tree, pieces: [...pieces.keys()] };
      const other = randomUUID();
      const from = { isEqual: true, piece: (at: string) => Promise.resolve(pieces.get(at)) };
      expect(await sends.arrive(other, here, move, from)).toEqual({ kind: 'here' });
      expect(listing(sends.placeOf(other, ''))).toEqual(listing(folder));
    };
    await next();
    fs.rmSync(path.join(folder, 'bin'), { recursive: true });
    write('src/new.ts', 'new', folder);
    await next();
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'of the agent');
    write('src/new.ts', 'newer', folder);
    fs.rmSync(path.join(folder, 'image.bin'));
    await next();
    write('kept.log', 'ignored, and added', folder);
    git(folder, 'add', '-f', 'kept.log');
    await next();
    write('id_rsa', 'a key', folder);
    expect(await takes.recapture(turn, sent.move.base)).toMatchObject({
      why: expect.stringContaining('id_rsa looks like a key'),
    });
    fs.rmSync(path.join(folder, '.git'), { recursive: true });
    expect(await takes.recapture(turn, sent.move.base)).toMatchObject({ kind: 'refused' });
  });
});
