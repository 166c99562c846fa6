/** What the system says of a branch of a real repository. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchBranch } from '../../../electron/adapters/triggers/branch-watch';

let folder: string;
let watching: { stop(): void } | undefined;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-branch-'));
});
afterEach(() => {
  watching?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const git = (at: string, ...args: string[]): void => {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: at,
    stdio: 'ignore',
  });
};
function repository(name: string, ...options: string[]): string {
  const at = path.join(folder, name);
  fs.mkdirSync(at);
  git(at, 'init', '-b', 'main', ...options);
  return at;
}
const commit = (at: string) => git(at, 'commit', '--allow-empty', '-m', 'more');
const still = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether the system says something of it when that is done, and nothing before. */
async function saysWhen(place: string, ref: string, move: () => void): Promise<void> {
  let hints = 0;
  watching = watchBranch(place, ref, () => (hints += 1));
  expect(watching).toBeDefined();
  await still(300);
  expect(hints).toBe(0);
  move();
  await expect.poll(() => hints).toBeGreaterThan(0);
}

describe('GT-02 a branch is said to move at once', () => {
  it('at a commit, and not at a status or a commit on another branch', async () => {
    const place = repository('one');
    commit(place);
    git(place, 'branch', 'other');
    git(place, 'switch', 'other');
    let hints = 0;
    watching = watchBranch(place, 'main', () => (hints += 1));
    fs.writeFileSync(path.join(place, 'new.txt'), 'x');
    git(place, 'add', '.');
    git(place, 'status');
    commit(place);
    await still(300);
    expect(hints).toBe(0);
    watching?.stop();
    await saysWhen(place, 'main', () => {
      git(place, 'switch', 'main');
      commit(place);
    });
  });

  it('at a push into a bare repository, in a branch with a folder in its name', async () => {
    const place = repository('bare', '--bare');
    const source = repository('source');
    commit(source);
    git(source, 'push', place, 'main:refs/heads/team/main');
    commit(source);
    await saysWhen(place, 'team/main', () =>
      git(source, 'push', place, 'main:refs/heads/team/main'),
    );
  });

  it('in a worktree, whose branches are those of its repository, and at a tag', async () => {
    const main = repository('main');
    commit(main);
    const tree = path.join(folder, 'tree');
    git(main, 'worktree', 'add', '-b', 'work', tree);
    await saysWhen(tree, 'work', () => commit(tree));
    watching?.stop();
    await saysWhen(tree, 'refs/tags/v1', () => git(main, 'tag', 'v1'));
  });

  it('T6 never of a place whose .git is a pipe, which is not opened: until somebody wrote to it, nothing else would run', () => {
    for (const [name, pipe] of [
      ['pipe', '.git'],
      ['common', 'kept/commondir'],
    ] as const) {
      const place = path.join(folder, name);
      fs.mkdirSync(path.join(place, 'kept'), { recursive: true });
      if (pipe !== '.git') fs.writeFileSync(path.join(place, '.git'), 'gitdir: kept\n');
      execFileSync('mkfifo', [path.join(place, pipe)]);
      const opened = path.join(place, 'opened');
      const writer = spawn('sh', ['-c', 'sleep 20; : > opened; : > "$0"', pipe], { cwd: place });
      expect(watchBranch(place, 'main', () => undefined)).toBeUndefined();
      expect(fs.existsSync(opened)).toBe(false);
      writer.kill('SIGKILL');
    }
  });

  it.each(['.git', 'kept/commondir'])(
    'T6 never of a place whose %s has more than 64 KiB: it is not read',
    (large) => {
      const main = repository('main');
      const place = path.join(folder, 'large');
      fs.mkdirSync(path.join(place, 'kept'), { recursive: true });
      fs.writeFileSync(path.join(place, '.git'), 'gitdir: kept\n');
      fs.writeFileSync(path.join(place, 'kept/commondir'), `${path.join(main, '.git')}\n`);
      watching = watchBranch(place, 'main', () => undefined);
      expect(watching).toBeDefined();
      // Git reads the first line alone.
      fs.appendFileSync(path.join(place, large), '\n'.repeat(65_536));
      expect(watchBranch(place, 'main', () => undefined)).toBeUndefined();
      fs.truncateSync(path.join(place, large), 2 ** 31);
      expect(watchBranch(place, 'main', () => undefined)).toBeUndefined();
    },
  );

  it('never of a place that is no repository here', () => {
    expect(watchBranch(folder, 'main', () => undefined)).toBeUndefined();
    expect(watchBranch(path.join(folder, 'gone'), 'main', () => undefined)).toBeUndefined();
    expect(watchBranch('https://example.org/x.git', 'main', () => undefined)).toBeUndefined();
  });
});
