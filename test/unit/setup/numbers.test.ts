import { readdirSync } from 'node:fs';
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
