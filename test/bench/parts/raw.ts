/** The reference loops: bare better-sqlite3, WAL, full sync, 200-byte rows, nothing else. */
import Database from 'better-sqlite3';

export const ROW_BYTES = 200;
const row = 'x'.repeat(ROW_BYTES);

interface RawStore {
  /** One commit per row: what the anchors call raw. */
  single(steps: number): void;
  /** `size` rows in one commit. */
  group(steps: number, size: number): void;
  /** Intent and result as two commits. */
  twoCommits(steps: number): void;
  /** The intent of the next step in the commit of the result before it. */
  folded(steps: number): void;
  readonly db: Database.Database;
}

export function openRaw(file: string): RawStore {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
  db.exec('CREATE TABLE IF NOT EXISTS intents (id INTEGER PRIMARY KEY, step INTEGER NOT NULL)');
  const insert = db.prepare('INSERT INTO rows (body) VALUES (?)');
  const intend = db.prepare('INSERT INTO intents (step) VALUES (?)');
  const many = db.transaction((count: number) => {
    for (let index = 0; index < count; index += 1) insert.run(row);
  });
  const both = db.transaction((step: number) => {
    insert.run(row);
    intend.run(step);
  });
  return {
    db,
    single(steps) {
      for (let step = 0; step < steps; step += 1) insert.run(row);
    },
    group(steps, size) {
      for (let step = 0; step < steps; step += size) many(Math.min(size, steps - step));
    },
    twoCommits(steps) {
      for (let step = 0; step < steps; step += 1) {
        intend.run(step);
        insert.run(row);
      }
    },
    folded(steps) {
      for (let step = 0; step < steps; step += 1) both(step);
    },
  };
}
