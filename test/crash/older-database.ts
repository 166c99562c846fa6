import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Realm } from './realm';

const SQL = path.resolve('electron/adapters/sqlite/migrations');
const APPLICATION_ID = 0x48667374;

/** Makes the database of a stopped process the one that the version before has written; its number. */
export function makeOlder(realm: Realm): number {
  const file = path.join(realm.dataDir, 'holdfast.db');
  const older = path.join(realm.root, 'older.db');
  const migrations = fs.readdirSync(SQL).sort().slice(0, -1);
  const db = new Database(older);
  for (const name of migrations) db.exec(fs.readFileSync(path.join(SQL, name), 'utf8'));
  db.prepare('ATTACH ? AS newer').run(file);
  const tables = `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
  for (const table of db.prepare(tables).pluck().all() as string[]) {
    const columns = columnsOf(db, 'main', table);
    const there = columnsOf(db, 'newer', table);
    const both = columns.filter((name) => there.includes(name)).join(', ');
    db.exec(`DELETE FROM main.${table}`);
    if (both !== '')
      db.exec(`INSERT INTO main.${table} (${both}) SELECT ${both} FROM newer.${table}`);
  }
  db.exec('DETACH newer');
  db.pragma(`application_id = ${String(APPLICATION_ID)}`);
  db.pragma(`user_version = ${String(migrations.length)}`);
  db.close();
  for (const ending of ['', '-wal', '-shm']) fs.rmSync(`${file}${ending}`, { force: true });
  fs.renameSync(older, file);
  return migrations.length;
}

const columnsOf = (db: Database.Database, schema: string, table: string): string[] =>
  (db.pragma(`${schema}.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
