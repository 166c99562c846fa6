import fs from 'node:fs';
import Database from 'better-sqlite3';
import type { IndexQuery, SearchIndex, SearchText } from '../../ports/search';
import type { JournalTexts } from './journal-texts';

/** Raised when an old index would have different words: it is then rebuilt. */
const FORMAT = '2';
/** Entries and characters per transaction: a few milliseconds. */
const BATCH_ENTRIES = 64;
/** Entries checked in one step of a sweep, and pages written in one step of a merge. */
const SWEEP_ENTRIES = 400;
const MERGE_PAGES = 32;
const PRIVATE = 0o600;

interface SearchIndexDeps {
  /** `D/search.db` */
  readonly file: string;
  readonly isReadOnly: boolean;
  /** ID of the database whose journal it covers. */
  readonly databaseId: string;
  readonly texts: JournalTexts;
  readonly seqAt: (atMs: number) => number;
  /** Index terms of an entry: who and where. */
  readonly marksOf: (text: SearchText) => readonly string[];
}

/** Without texts and word positions: a third of the size of the texts. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    text, content = '', contentless_delete = 1, detail = none, prefix = 3,
    tokenize = "unicode61 remove_diacritics 2");`;

const files = (file: string): readonly string[] => ['', '-wal', '-shm'].map((end) => file + end);
const remove = (file: string): void => {
  for (const name of files(file)) fs.rmSync(name, { force: true });
};

/**
 * Opens the index file, creating it if it is missing; a damaged one, or one of another journal, is
 * discarded.
 */
function openFile({
  file,
  isReadOnly,
  databaseId,
}: SearchIndexDeps): Database.Database | undefined {
  if (isReadOnly) {
    if (!fs.existsSync(file)) return undefined;
    const db = new Database(file, { readonly: true });
    if (factOf(db, 'format') === FORMAT && factOf(db, 'journal') === databaseId) return db;
    db.close();
    return undefined;
  }
  const make = (): Database.Database => {
    if (!fs.existsSync(file)) fs.closeSync(fs.openSync(file, 'wx', PRIVATE));
    const db = new Database(file, { timeout: 1_000 });
    // Losing the last entries in a power cut does no harm: they are indexed again.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON');
    db.exec(TABLES);
    return db;
  };
  let db: Database.Database | undefined;
  try {
    db = make();
    const journal = factOf(db, 'journal');
    if (journal === undefined) {
      setFact(db, 'journal', databaseId);
      setFact(db, 'format', FORMAT);
    } else if (journal !== databaseId || factOf(db, 'format') !== FORMAT) throw new Error('old');
    return db;
  } catch {
    db?.close();
    remove(file);
    const fresh = make();
    setFact(fresh, 'journal', databaseId);
    setFact(fresh, 'format', FORMAT);
    return fresh;
  }
}

const factOf = (db: Database.Database, name: string): string | undefined =>
  (db.prepare('SELECT value FROM facts WHERE name = ?').get(name) as { value: string } | undefined)
    ?.value;
const setFact = (db: Database.Database, name: string, value: string): void => {
  db.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(name, value);
};

/** `word` in FTS5 syntax: never as an operator. */
const literal = (token: string): string => `"${token.replaceAll('"', '""')}"`;

/** The FTS5 expression: all terms are required. */
export const matchOf = ({ tokens, prefix, marks }: IndexQuery): string =>
  [
    ...tokens.map(literal),
    ...(prefix === undefined ? [] : [`${literal(prefix)}*`]),
    ...marks.map(literal),
  ].join(' ');

/** Opens the index on first use. It never contains the only copy of anything. */
export function openSearchIndex(deps: SearchIndexDeps): SearchIndex {
  const { texts } = deps;
  let db = openFile(deps);
  let sweepAfter: number | undefined;
  let dropped = 0;
  const known = (): number => Number((db && factOf(db, 'seq')) ?? 0);
  const behind = (): number => Math.max(0, texts.lastSeq() - known());
  const discard = (): void => {
    db?.close();
    remove(deps.file);
    db = openFile(deps);
    sweepAfter = undefined;
  };
  return {
    find(query, limit) {
      const match = matchOf(query);
      if (db === undefined || match === '') return [];
      return db
        .prepare(
          `SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ?
           ORDER BY rowid DESC LIMIT ?`,
        )
        .pluck()
        .all(match, query.fromSeq, query.beforeSeq, limit) as number[];
    },
    read: (seqs) => texts.read(seqs),
    async fill() {
      if (db === undefined || deps.isReadOnly) return false;
      // A reset starts a new journal.
      if (known() > texts.lastSeq()) discard();
      const next = await texts.after(known(), BATCH_ENTRIES);
      const into = db;
      if (into === undefined) return false;
      into.transaction(() => {
        const insert = into.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
        for (const text of next.texts)
          insert.run(text.seq, [text.text, ...deps.marksOf(text)].join('\n'));
        setFact(into, 'seq', String(next.toSeq));
      })();
      return next.isMore;
    },
    sweep() {
      if (db === undefined || deps.isReadOnly) return false;
      sweepAfter ??= 0;
      if (sweepAfter >= 0) {
        const ids = db
          .prepare('SELECT id FROM words_docsize WHERE id > ? ORDER BY id LIMIT ?')
          .pluck()
          .all(sweepAfter, SWEEP_ENTRIES) as number[];
        const gone = ids.filter((id) => !texts.isThere(id));
        const from = db;
        from.transaction(() => {
          const drop = from.prepare('DELETE FROM words WHERE rowid = ?');
          for (const id of gone) drop.run(id);
        })();
        dropped += gone.length;
        sweepAfter = ids.at(-1) ?? -1;
        if (ids.length > 0) return true;
      }
      // Removed words stay in the file until the parts that contain them are written again.
      const before = total(db);
      const step = dropped > 0 ? -MERGE_PAGES : MERGE_PAGES;
      const isAny = dropped > 0 || sweepAfter === -2;
      if (isAny) db.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)").run(step);
      dropped = 0;
      const isMore = isAny && total(db) - before >= 2;
      sweepAfter = isMore ? -2 : undefined;
      return isMore;
    },
    behind,
    seqAt: deps.seqAt,
    close() {
      db?.close();
      db = undefined;
    },
  };
}

const total = (db: Database.Database): number =>
  (db.prepare('SELECT total_changes() AS n').get() as { n: number }).n;
