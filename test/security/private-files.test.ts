/** K5: what Holdfast writes is for its own account alone, from the instant that it is there. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backup, databasePath, openDatabase } from '../../electron/adapters/sqlite/open-database';
import { copyDurably } from '../../electron/disk/durable-file';
import { noCrashPoints, type CrashPointName } from '../../electron/engine/kernel/crash-points';
import { builtProgram } from '../helpers/built-program';
import { isLeftOut } from '../helpers/skips';

let root: string;
let dataDir: string;
let umask: number;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-private-'));
  dataDir = path.join(root, 'data');
  fs.mkdirSync(dataDir, { mode: 0o700 });
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
  fs.rmSync(root, { recursive: true, force: true });
});

/** Files that anybody else may read or write, with their modes. */
function open(folder = dataDir): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const facts = fs.lstatSync(path.join(folder, name));
    const mode = facts.mode & 0o777;
    return facts.isFile() && (mode & 0o077) !== 0 ? [`${name} ${mode.toString(8)}`] : [];
  });
}

const opened = (hit: (point: CrashPointName) => void = () => undefined) =>
  openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'x',
    nowMs: 0,
    crashPoints: { ...noCrashPoints, hit },
  });

describe.each([
  { mask: 0o022, shown: '022' },
  { mask: 0o000, shown: '000' },
])('K5 under umask $shown', ({ mask }) => {
  it('K5 database, WAL, shared memory and backups are 0600 before the first byte is in them', async () => {
    process.umask(mask);
    const points: string[] = [];
    const seen: string[] = [];
    const db = await opened((point) => {
      points.push(point);
      seen.push(...open());
    });
    const names = fs.readdirSync(dataDir);
    expect(names).toEqual(
      expect.arrayContaining(['holdfast.db', 'holdfast.db-shm', 'holdfast.db-wal']),
    );
    expect(points).toContain('database.make.beforeRename');
    expect(seen).toEqual([]);
    await backup(db, { dataDir, nowMs: 0 }, 'x');
    expect(open()).toEqual([]);
    db.close();
  });

  it('K5 files that an earlier version left open to others are tightened before they are used', async () => {
    process.umask(mask);
    (await opened()).close();
    const file = databasePath(dataDir);
    const old = new Database(file);
    old.pragma('user_version = 1');
    // What a kill leaves: a WAL with something in it and the memory beside it.
    for (const ending of ['-wal', '-shm']) fs.copyFileSync(`${file}${ending}`, `${root}/${ending}`);
    old.close();
    for (const ending of ['-wal', '-shm']) fs.copyFileSync(`${root}/${ending}`, `${file}${ending}`);
    fs.mkdirSync(path.join(dataDir, 'backups'));
    fs.writeFileSync(path.join(dataDir, 'backups', 'holdfast-1-old.db'), 'x');
    const loose = [file, `${file}-wal`, `${file}-shm`, `${dataDir}/backups/holdfast-1-old.db`];
    for (const one of loose) fs.chmodSync(one, 0o644);
    const seen: string[] = [];
    await expect(
      opened((point) => {
        seen.push(...open());
        if (point === 'migrate.afterBackup') throw new Error('far enough');
      }),
    ).rejects.toThrow('far enough');
    expect(seen).toEqual([]);
    expect(fs.readdirSync(path.join(dataDir, 'backups'))).toHaveLength(2);
    expect(open()).toEqual([]);
  });

  it('K5 the copy of a readable file is private', async () => {
    process.umask(mask);
    const from = path.join(root, 'from');
    fs.writeFileSync(from, 'a'.repeat(300_000), { mode: 0o644 });
    await copyDurably(from, path.join(dataDir, 'copy'));
    expect(open()).toEqual([]);
    expect(fs.readFileSync(path.join(dataDir, 'copy'), 'utf8')).toBe('a'.repeat(300_000));
  });
});

const hasStrace = (() => {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(
  isLeftOut('private files as the kernel sees them', !hasStrace && 'strace does not run here'),
)('K5 as the kernel sees it', () => {
  it('K5 no call of a whole start under umask 000 makes a file in D that others may read', async () => {
    const trace = path.join(root, 'trace');
    const program = `umask 000; exec strace -D -f -qq -e trace=open,openat,creat,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,chmod,fchmod,fchmodat -o '${trace}' '${process.execPath}' '${builtProgram()}' start --headless --data-dir '${dataDir}'`;
    const child = spawn('sh', ['-c', program], {
      env: { PATH: process.env['PATH'], HOME: root, HOLDFAST_NO_RELAUNCH: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const whileItRuns = open();
    child.kill('SIGTERM');
    await ended;
    expect(whileItRuns).toEqual([]);
    const made = new Set<string>();
    const loose: string[] = [];
    for (const line of fs.readFileSync(trace, 'utf8').split('\n')) {
      const names = [...line.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
      const file = names.at(-1) ?? '';
      if (!file.startsWith(dataDir)) continue;
      if (/ (?:rename|link)/.test(line)) made.add(file);
      if (!/O_CREAT|creat\(/.test(line)) continue;
      // SQLite asks for 0644 each time; what is there already keeps its mode.
      if (!made.has(file) && /, 0?[0-7]*(?:[1-7][0-7]|[0-7][1-7])\) = \d/.test(line))
        loose.push(line);
      made.add(file);
    }
    expect([...made]).toContain(databasePath(dataDir));
    expect(loose).toEqual([]);
    expect(open()).toEqual([]);
  });
});
