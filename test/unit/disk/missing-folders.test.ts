import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeMissingFolders } from '../../../electron/disk/missing-folders';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-folders-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

it('makes each missing level for this account alone, says the first of them, and makes none twice', () => {
  const deep = path.join(root, 'a', 'b', 'c');
  expect(makeMissingFolders(deep)).toBe(path.join(root, 'a'));
  expect(makeMissingFolders(deep)).toBeUndefined();
  if (process.platform !== 'win32')
    expect(fs.statSync(path.join(root, 'a')).mode & 0o777).toBe(0o700);
});

it('throws at once where a level is a file, leads nowhere, or cannot be made', () => {
  fs.writeFileSync(path.join(root, 'file'), '');
  expect(() => makeMissingFolders(path.join(root, 'file', 'x'))).toThrow(/EEXIST|ENOTDIR/);
  fs.symlinkSync(path.join(root, 'gone'), path.join(root, 'link'));
  expect(() => makeMissingFolders(path.join(root, 'link', 'x'))).toThrow(/EEXIST/);
  if (process.platform === 'linux')
    expect(() => makeMissingFolders('/proc/hf/x')).toThrow(/ENOENT/);
});

it('is the only way to make folders: the one of Node runs for ever where a new level stays missing', () => {
  const files = fs
    .readdirSync('electron', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((name) =>
    /\bmkdir(Sync)?\([^;]*recursive/.test(fs.readFileSync(path.join('electron', name), 'utf8')),
  );
  expect(found).toEqual([]);
});
