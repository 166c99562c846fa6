import Database from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../electron/adapters/sqlite/migrations';

const PATH = 'electron/adapters/sqlite/schema.sql';
const HEAD = `-- The outcome of all migrations, which a new database takes at once.
-- Made from them by: UPDATE_DOCS=1 npx vitest run test/unit/docs\n\n`;

interface Part {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

function filled(scripts: readonly string[]): Database.Database {
  const db = new Database(':memory:');
  for (const script of scripts) db.exec(script);
  return db;
}

const partsOf = (db: Database.Database): Part[] =>
  db.prepare<[], Part>('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();

/** Each table with its rows, in the order of the names of the tables. */
const rowsOf = (db: Database.Database): [string, Record<string, unknown>[]][] =>
  partsOf(db)
    .filter(({ type }) => type === 'table')
    .map(({ name }): [string, Record<string, unknown>[]] => [
      name,
      db.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all(),
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

const literal = (value: unknown): string =>
  typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

function dumpOf(db: Database.Database): string {
  const tables = partsOf(db).flatMap(({ name, sql }) =>
    sql === null || name.startsWith('sqlite_') ? [] : [`${sql};\n`],
  );
  const rows = rowsOf(db).flatMap(([name, all]) =>
    name.startsWith('sqlite_')
      ? []
      : all.map(
          (row) => `INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(', ')});\n`,
        ),
  );
  return HEAD + [...tables, ...rows].join('');
}

test('S4-31 schema.sql creates the tables, indexes, views and rows that all migrations create', () => {
  const migrated = filled(MIGRATIONS);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PATH, dumpOf(migrated));
  const text = readFileSync(PATH, 'utf8');
  expect(text).toBe(dumpOf(migrated));
  const made = filled([text]);
  const byName = (db: Database.Database): Part[] =>
    partsOf(db).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  expect(byName(made)).toEqual(byName(migrated));
  expect(byName(made).length).toBeGreaterThan(100);
  expect(rowsOf(made)).toEqual(rowsOf(migrated));
});
