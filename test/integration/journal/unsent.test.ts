/** Text that was typed and not sent, on a real disk: what goes with which commit. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import type { GroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { wipe } from '../../../electron/adapters/sqlite/reset';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createUnsentRows } from '../../../electron/adapters/sqlite/tables/unsent';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { UnsentTexts } from '../../../electron/ports/unsent';

const MAX_FIELDS = 200;

let dataDir: string;
let db: Database.Database;
let journal: GroupCommit;
let texts: UnsentTexts;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hf-unsent-'));
  db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'id',
    nowMs: 1,
    crashPoints: noCrashPoints,
  });
  const rows = createUnsentRows(db);
  journal = createGroupCommit({
    db,
    clock: createSystemClock(),
    crashPoints: noCrashPoints,
    assertOwner: () => undefined,
    together: (entry) => rows.together(entry),
    forget: rows.forget,
  });
  texts = rows.texts((work) => journal.run(work));
});
afterEach(async () => {
  await journal.close();
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const fields = (): unknown => db.prepare('SELECT field FROM unsent ORDER BY field').pluck().all();
const session = (sessionId: number) =>
  ({
    kind: 'session.created',
    sessionId,
    key: `s${String(sessionId)}`,
    title: 's',
    agent: 'a',
  }) as const;

describe('F1 unsent text on disk', () => {
  it('is what was typed last, whatever arrives last', async () => {
    await texts.keep('ask', { text: 'Hello', rev: 2 });
    await texts.keep('ask', { text: 'Hel', rev: 1 });
    expect(texts.read('ask')).toEqual({ text: 'Hello', rev: 2 });
    await texts.keep('ask', { text: '', rev: 3 });
    expect(texts.read('ask')).toBeUndefined();
  });

  it('goes in the very commit that accepts it, and stays where that is not written', async () => {
    await texts.keep('ask', { text: 'Hello', rev: 2 });
    const broken = { ...session(1), key: undefined } as never;
    await expect(journal.commit([broken], { sent: { field: 'ask', rev: 2 } })).rejects.toThrow();
    expect(texts.read('ask')).toEqual({ text: 'Hello', rev: 2 });
    await journal.commit([session(1)], { sent: { field: 'ask', rev: 2 } });
    expect(texts.read('ask')).toBeUndefined();
  });

  it('that was typed after what is accepted stays', async () => {
    await texts.keep('ask', { text: 'Hello, and then', rev: 3 });
    await journal.commit([session(1)], { sent: { field: 'ask', rev: 2 } });
    expect(texts.read('ask')?.text).toBe('Hello, and then');
  });

  it(`is bounded to ${String(MAX_FIELDS)} fields; the one touched longest ago goes`, async () => {
    for (let at = 1; at <= MAX_FIELDS + 5; at += 1)
      await texts.keep(`agent/of-${String(at)}`, { text: 'x', rev: 1 });
    expect(db.prepare('SELECT count(*) FROM unsent').pluck().get()).toBe(MAX_FIELDS);
    expect(texts.read('agent/of-1')).toBeUndefined();
    expect(texts.read(`agent/of-${String(MAX_FIELDS + 5)}`)?.text).toBe('x');
  });

  it('goes with its session, its task and its question', async () => {
    await journal.commit([session(1)]);
    for (const field of ['session/1', 'session/2', 'task/4', 'note/5', 'result/5'])
      await texts.keep(field, { text: 'x', rev: 1 });
    // What is of nothing goes with the next new field.
    await texts.keep('task/new', { text: 'x', rev: 1 });
    expect(fields()).toEqual(['session/1', 'task/new']);
  });

  it('below a question goes in the commit of its answer', async () => {
    for (const field of ['note/5', 'result/5', 'note/6'])
      db.prepare('INSERT INTO unsent VALUES (?, 1, 1, ?)').run(field, 'x');
    await journal.commit([
      {
        kind: 'approval.answered',
        requestId: 5,
        turnId: 1,
        sessionId: 1,
        answer: 'denied',
        scope: 'once',
        grant: '',
        by: 'window',
        note: 'x',
      },
    ]);
    expect(fields()).toEqual(['note/6']);
  });

  it('stays through a rebuild of the tables and goes with a reset', async () => {
    await journal.commit([session(1)]);
    await texts.keep('session/1', { text: 'x', rev: 1 });
    journal.refold();
    expect(fields()).toEqual(['session/1']);
    await wipe(db, { dataDir, nowMs: 2 });
    expect(fields()).toEqual([]);
  });
});
