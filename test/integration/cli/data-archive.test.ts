/** Export, import and removal of a data directory, on a real disk. UP-04, X-06 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type * as NodeFs from 'node:fs';
import type * as NodeFsPromises from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { packData, unpackData } from '../../../electron/offline/data-archive';
import { openForDecision } from '../../../electron/offline/open-data';
import { removeData } from '../../../electron/offline/remove-data';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';

// Files share their modules: those that this one changes are its own.
const { synced } = vi.hoisted(() => {
  vi.resetModules();
  return { synced: [] as number[] };
});
afterAll(() => vi.resetModules());
/** Files by their number: a file is synced under one name and gets another. */
vi.mock('node:fs', async (original) => {
  const real = await original<typeof NodeFs>();
  const fsyncSync = (fd: number): void => {
    synced.push(real.fstatSync(fd).ino);
    real.fsyncSync(fd);
  };
  return { ...real, fsyncSync, default: { ...real, fsyncSync } };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof NodeFsPromises>();
  const open = async (...args: Parameters<typeof real.open>) => {
    const handle = await real.open(...args);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      synced.push((await handle.stat()).ino);
      await sync();
    };
    return handle;
  };
  return { ...real, open, default: { ...real, open } };
});

let root: string;
let dataDir: string;
let file: string;
let there: string;
const put = (...parts: string[]): void => {
  const at = path.join(...parts);
  fs.mkdirSync(path.dirname(at), { recursive: true, mode: 0o700 });
  fs.writeFileSync(at, 'SECRET', { mode: 0o600 });
};
const names = (folder: string): string[] => fs.readdirSync(folder).toSorted();
const database = async (folder: string): Promise<void> => {
  fs.mkdirSync(folder, { mode: 0o700 });
  (
    await openDatabase({
      dataDir: folder,
      isReadOnly: false,
      newId: randomUUID,
      nowMs: 1,
      crashPoints: noCrashPoints,
    })
  ).close();
};
/** Overwrites what is behind the first page, which names the file. */
const overwriteMiddle = (folder: string): void => {
  const fd = fs.openSync(path.join(folder, 'holdfast.db'), 'r+');
  fs.writeSync(fd, Buffer.alloc(100_000, 0x5a), 0, 100_000, 8192);
  fs.closeSync(fd);
};
const remove = (folder: string): Promise<boolean> => removeData(folder, () => undefined);
beforeEach(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.homedir(), '.holdfast-archive-')));
  dataDir = path.join(root, 'data');
  there = path.join(root, 'there');
  file = path.join(root, 'out.tgz');
  await database(dataDir);
  synced.length = 0;
});
afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

describe('X-06 data remove of a directory that a link leads to', () => {
  const onDisk = (): string => path.join(root, 'disk', 'data');

  it('deletes the data, what was left beside it, and the link', async () => {
    fs.mkdirSync(path.join(root, 'disk'));
    fs.renameSync(dataDir, onDisk());
    fs.symlinkSync(onDisk(), dataDir);
    await (await openForDecision(dataDir)).close();
    put(onDisk(), 'secrets', 'x.json');
    put(`${onDisk()}.removed-12345678`, 'secrets', 'x.json');
    expect(await remove(dataDir)).toBe(true);
    expect([names(root), names(path.join(root, 'disk'))]).toEqual([['disk'], []]);
    expect(await remove(dataDir)).toBe(false);
  });

  it('finds what a killed removal left through the link, which leads nowhere by then', async () => {
    put(`${onDisk()}.removed-12345678`, 'secrets', 'x.json');
    fs.rmSync(dataDir, { recursive: true });
    fs.symlinkSync(path.join('disk', 'data'), dataDir);
    expect(await remove(dataDir)).toBe(false);
    expect([names(root), names(path.join(root, 'disk'))]).toEqual([['disk'], []]);
  });

  it('deletes a link that leads in a circle, and says that there is no data', async () => {
    fs.rmSync(dataDir, { recursive: true });
    fs.symlinkSync(path.basename(dataDir), dataDir);
    expect(await remove(dataDir)).toBe(false);
    expect(names(root)).toEqual([]);
  });
});

describe('UP-04 an export', () => {
  it('is on disk with its name when it is announced, and is private', async () => {
    await packData(dataDir, file, { withKeys: false });
    expect(synced).toContain(fs.statSync(file).ino);
    expect(synced.at(-1)).toBe(fs.statSync(root).ino);
    expect(fs.statSync(file).mode & 0o077).toBe(0);
  });

  it('S0-13 of damaged data is refused, names no backup where there is none, and leaves no file', async () => {
    overwriteMiddle(dataDir);
    const refused = packData(dataDir, file, { withKeys: false });
    await expect(refused).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringContaining('There is no backup in') as unknown,
    });
    expect(names(root)).toEqual(['data']);
    fs.mkdirSync(path.join(dataDir, 'backups'));
    fs.writeFileSync(path.join(dataDir, 'backups', 'holdfast-57.db'), '');
    await expect(packData(dataDir, file, { withKeys: false })).rejects.toMatchObject({
      hint: expect.stringContaining('put the newest file of') as unknown,
    });
  });

  it('holds no leftover of a killed write, and without keys nothing that was set aside under the name of one', async () => {
    const left = ['answers.key', 'gateway.token', 'secrets/a.json', 'drafts/1/x', 'config.json'];
    for (const name of left) put(dataDir, `${name}.999999-abcdef12-1.tmp`);
    for (const name of ['push.key.untrusted', 'gateway.token.moved', 'secrets.untrusted/a'])
      put(dataDir, name);
    put(dataDir, 'drafts/1/mine.tmp');
    await packData(dataDir, file, { withKeys: false });
    await unpackData(there, file);
    expect(names(there)).toEqual(['drafts', 'holdfast.db']);
    expect(names(path.join(there, 'drafts/1'))).toEqual(['mine.tmp']);
  });

  it('deletes what a killed export to the same file has left, and nothing else there', async () => {
    put(`${file}.999999-abcdef12-1.tmp`);
    put(root, 'theirs.json.999999-abcdef12-1.tmp');
    await packData(dataDir, file, { withKeys: true });
    expect(names(root)).toEqual(['data', 'out.tgz', 'theirs.json.999999-abcdef12-1.tmp']);
  });

  it('can be imported from a directory with links: linked settings go as a file, others stay', async () => {
    put(root, 'dotfiles', 'config.json');
    fs.symlinkSync(path.join(root, 'dotfiles', 'config.json'), path.join(dataDir, 'config.json'));
    put(dataDir, 'drafts', 'x');
    fs.symlinkSync('/etc', path.join(dataDir, 'drafts', 'etc'));
    await packData(dataDir, file, { withKeys: false });
    await unpackData(there, file);
    expect(names(there)).toEqual(['config.json', 'drafts', 'holdfast.db']);
    expect(fs.lstatSync(path.join(there, 'config.json')).isFile()).toBe(true);
    expect(names(path.join(there, 'drafts'))).toEqual(['x']);
  });

  it('keeps a file whose name is more than letters', async () => {
    for (const name of ['drafts/a\nb', 'drafts/-x', 'drafts/[a]*', 'drafts/é']) put(dataDir, name);
    await packData(dataDir, file, { withKeys: false });
    await unpackData(there, file);
    expect(names(path.join(there, 'drafts'))).toEqual(names(path.join(dataDir, 'drafts')));
  });
});

describe('UP-04 an import', () => {
  it('is on disk with every file and folder when it is announced', async () => {
    put(dataDir, 'blobs', '00', 'abc');
    await packData(dataDir, file, { withKeys: true });
    synced.length = 0;
    await unpackData(there, file);
    const all = fs.readdirSync(there, { recursive: true, encoding: 'utf8' });
    for (const name of ['.', ...all, '..'])
      expect(synced, name).toContain(fs.statSync(path.join(there, name)).ino);
  });

  it('deletes what a killed one has left, and so does data remove', async () => {
    await packData(dataDir, file, { withKeys: true });
    put(`${there}.import-12345678`, 'secrets', 'x.json');
    await unpackData(there, file);
    expect(names(root)).toEqual(['data', 'out.tgz', 'there']);
    put(`${there}.import-12345678`, 'secrets', 'x.json');
    await remove(there);
    expect(names(root)).toEqual(['data', 'out.tgz']);
  });

  it.each([
    ['is an empty folder', () => fs.mkdirSync(path.join(root, 'big'))],
    ['is not there yet', () => undefined],
  ])('goes to the place that a link leads to, which %s', async (_what, make) => {
    await packData(dataDir, file, { withKeys: true });
    make();
    fs.symlinkSync('big', there);
    await unpackData(there, file);
    expect(fs.readlinkSync(there)).toBe('big');
    expect(names(path.join(root, 'big'))).toEqual(['holdfast.db']);
  });

  it.each([
    ['half of it', (at: string) => fs.writeFileSync(at, 'half of it')],
    ['nothing', (at: string) => fs.writeFileSync(at, '')],
    ['half of its pages', (at: string) => fs.truncateSync(at, fs.statSync(at).size / 2)],
    ['a folder', (at: string) => (fs.rmSync(at), fs.mkdirSync(at))],
  ])('of a database that is %s is refused', async (_what, damage) => {
    damage(path.join(dataDir, 'holdfast.db'));
    execFileSync('tar', ['-czf', file, '-C', dataDir, '.']);
    await expect(unpackData(there, file)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(names(root)).toEqual(['data', 'out.tgz']);
  });

  it('that unpacks to more than the disk has room for is refused with the limit, before anything is written', async () => {
    fs.writeFileSync(path.join(dataDir, 'zeros'), Buffer.alloc(20_000_000), { mode: 0o600 });
    await packData(dataDir, file, { withKeys: false });
    expect(fs.statSync(file).size).toBeLessThan(200_000);
    await expect(unpackData(there, file, 10e6)).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: `${file} unpacks to more than 10 MB, and with that the disk of ${there} is full. Nothing was imported.`,
    });
    expect(names(root)).toEqual(['data', 'out.tgz']);
    await unpackData(there, file, 50e6);
    expect(fs.statSync(path.join(there, 'zeros')).size).toBe(20_000_000);
  });

  it('of a file whose header names 100 GB is refused, whatever is in it, and nothing of it stays', async () => {
    fs.writeFileSync(path.join(dataDir, 'large'), '');
    fs.truncateSync(path.join(dataDir, 'large'), 100e9);
    execFileSync('tar', ['-cSzf', file, '-C', dataDir, '.']);
    await expect(unpackData(there, file, 1e9)).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: `${file} unpacks to more than 1000 MB, and with that the disk of ${there} is full. Nothing was imported.`,
    });
    expect(names(root)).toEqual(['data', 'out.tgz']);
  });
});
