/** `data remove` where the directory cannot be moved, such as the root of a disk of its own. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isDataDir } from '../../../electron/data-dir';
import { removeData } from '../../../electron/offline/remove-data';

const NOBODY = 65_534;
const { renameSync, rmSync } = fs;
let root: string;
let dataDir: string;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-in-place-')));
  dataDir = path.join(root, 'data');
  fs.mkdirSync(path.join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
  for (const name of ['config.json', 'holdfast.db', 'holdfast.db-wal', 'secrets/office.json'])
    fs.writeFileSync(path.join(dataDir, name), 'x', { mode: 0o600 });
});
const unpatch = (): void => {
  Object.assign(fs, { renameSync, rmSync });
  syncBuiltinESMExports();
};
afterEach(() => {
  unpatch();
  fs.rmSync(root, { recursive: true, force: true });
});

const busy = (): never => {
  throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
};

it('X-06 is known as unfinished when it is stopped in between, and the next one does the rest: the database goes first, the lock last', async () => {
  Object.assign(fs, {
    renameSync: (...given: Parameters<typeof renameSync>): void => {
      if (given[0] === dataDir) busy();
      renameSync(...given);
    },
    rmSync: (...given: Parameters<typeof rmSync>): void => {
      if (path.basename(String(given[0])) === 'secrets') busy();
      rmSync(...given);
    },
  });
  syncBuiltinESMExports();
  const remove = () => removeData(dataDir, () => undefined);
  await expect(remove()).rejects.toMatchObject({ code: 'EBUSY' });
  const left = fs.readdirSync(dataDir);
  expect(left).toEqual(expect.arrayContaining(['lock.db', 'secrets']));
  expect(left).not.toContain('holdfast.db');
  expect(isDataDir(dataDir)).toBe(true);
  Object.assign(fs, { rmSync });
  syncBuiltinESMExports();
  expect(await remove()).toBe(true);
  expect(fs.existsSync(dataDir)).toBe(false);
});

it('X-06 succeeds below a folder whose names this account may neither change nor list', async () => {
  const isRoot = process.geteuid?.() === 0;
  fs.chmodSync(root, 0o711);
  if (isRoot)
    for (const name of ['.', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })])
      fs.chownSync(path.join(dataDir, name), NOBODY, NOBODY);
  else fs.chmodSync(root, 0o100);
  try {
    if (isRoot) process.seteuid?.(NOBODY);
    expect(await removeData(dataDir, () => undefined)).toBe(true);
    expect(fs.readdirSync(dataDir)).toEqual([]);
  } finally {
    if (isRoot) process.seteuid?.(0);
    fs.chmodSync(root, 0o700);
  }
});
