import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';

test('set-up no code of an entry has two meanings', () => {
  const codes = Object.values(KIND_CODES);
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
});

test('set-up no two migrations have one number', () => {
  const numbers = readdirSync('electron/adapters/sqlite/migrations').map((name) =>
    name.slice(0, 4),
  );
  expect(numbers.length).toBeGreaterThan(30);
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

test('set-up each migration runs, and the newest number last', () => {
  const source = readFileSync('electron/adapters/sqlite/migrations.ts', 'utf8');
  const files = new Map(
    [...source.matchAll(/^import (\w+) from '\.\/migrations\/(\d{4}_\w+\.sql)\?raw';$/gm)].map(
      ([, name = '', file = '']) => [name, file],
    ),
  );
  const list = /const MIGRATIONS[^=]*= \[([^\]]*)\]/.exec(source)?.[1] ?? '';
  const run = [...list.matchAll(/\w+/g)].map(([name]) => files.get(name));
  const there = readdirSync('electron/adapters/sqlite/migrations').toSorted();
  // 0049 landed behind 0050: what has run somewhere keeps its place.
  expect(run.toSorted()).toEqual(there);
  expect(run.at(-1)).toBe(there.at(-1));
});
