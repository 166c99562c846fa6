import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { untilChanged } from '../../../electron/adapters/sqlite/until-changed';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

function world(isReadOnly = false) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-changed-'));
  folders.push(folder);
  const file = path.join(folder, 'a.db');
  const writer = new Database(file);
  writer.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL)');
  const put = writer.prepare('INSERT OR REPLACE INTO t VALUES (?, ?)');
  put.run(1, 'a');
  const db = isReadOnly ? new Database(file, { readonly: true }) : writer;
  const reads: number[] = [];
  const one = db.prepare('SELECT v FROM t WHERE id = ?').pluck();
  const value = untilChanged(db, (id) => {
    reads.push(id);
    return one.get(id) as string | undefined;
  });
  return { db, writer, put, reads, value };
}

it('a turn that is asked for three times after one commit is read once, and anew after the next', () => {
  const { db, put, reads, value } = world();
  expect([value(1), value(1), value(1), reads.length]).toEqual(['a', 'a', 'a', 1]);
  put.run(1, 'b');
  expect([value(1), reads.length]).toEqual(['b', 2]);
  put.run(2, 'other');
  expect([value(1), value(2), value(3), value(1)]).toEqual(['b', 'other', undefined, 'b']);
  db.exec('DELETE FROM t');
  expect(value(1)).toBeUndefined();
});

it('what a transaction has changed is not told after it was taken back', () => {
  const { db, put, value } = world();
  expect(value(1)).toBe('a');
  db.exec('BEGIN');
  put.run(1, 'b');
  expect(value(1)).toBe('b');
  db.exec('ROLLBACK');
  expect(value(1)).toBe('a');
});

it('beside another process that writes it is read each time', () => {
  const { put, value } = world(true);
  expect(value(1)).toBe('a');
  put.run(1, 'b');
  expect(value(1)).toBe('b');
});
