/** A deleted session on a real disk: what goes, what stays, and that the tables are still a fold. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createSessionErasure } from '../../../electron/adapters/sqlite/erase-sessions';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import type { GroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import { createReads } from '../../../electron/adapters/sqlite/tables/reads';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { NO_REASON } from '../../../shared/reason';

let dataDir: string;
let db: Database.Database;
let journal: GroupCommit;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hf-deleted-'));
  db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'id',
    nowMs: 1,
    crashPoints: noCrashPoints,
  });
  journal = createGroupCommit({
    db,
    clock: createSystemClock(),
    crashPoints: noCrashPoints,
    assertOwner: () => undefined,
  });
});
afterEach(async () => {
  await journal.close();
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const session = (sessionId: number): JournalEntry => ({
  kind: 'session.created',
  sessionId,
  key: `s${String(sessionId)}`,
  title: 'A title',
  agent: 'a',
});
const message = (sessionId: number, turnId: number, text = 'a secret prompt'): JournalEntry => ({
  kind: 'message.accepted',
  sessionId,
  turnId,
  text: { kind: 'inline', text },
  promptStart: text,
  channel: 'window',
  peer: '',
});
const answered = (sessionId: number, turnId: number): readonly JournalEntry[] => [
  {
    kind: 'step.started',
    turnId,
    step: 1,
    attempt: 1,
    tool: 'model',
    purity: 'llm',
    key: 'ab'.repeat(32),
    hint: '',
    hasEffects: false,
    isWorkspaceRead: false,
    isIdempotent: false,
  },
  {
    kind: 'step.ended',
    turnId,
    step: 1,
    end: {
      state: 'completed',
      content: { kind: 'inline', text: 'a secret answer' },
      isError: false,
      usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
    },
  },
  {
    kind: 'turn.closed',
    turnId,
    sessionId,
    state: 'completed',
    reason: NO_REASON,
    answerStep: 1,
    hasReply: false,
  },
];
const remove = (sessionId: number): JournalEntry => ({
  kind: 'session.set',
  sessionId,
  isDeleted: true,
});
const erase = (): Promise<void> =>
  createSessionErasure(db, (entries) => journal.commit(entries)).erase();
const dump = (): unknown =>
  FOLD_TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]);
const allText = (): string =>
  JSON.stringify([db.prepare('SELECT body FROM journal').all(), dump()]);

describe('a deleted session on disk', () => {
  it('loses its prompts, answers and steps; other sessions keep theirs, and sums stay', async () => {
    await journal.commit([session(1), message(1, 1), ...answered(1, 1)]);
    await journal.commit([session(2), message(2, 2, 'another prompt'), ...answered(2, 2)]);
    await journal.commit([remove(1)]);
    await erase();
    expect(allText()).not.toContain('a secret prompt');
    expect(allText()).toContain('another prompt');
    expect(db.prepare('SELECT turn_id FROM steps').pluck().all()).toEqual([2]);
    const sums = db.prepare('SELECT tokens_in, cost_usd FROM turns ORDER BY id').all();
    expect(sums).toEqual([
      { tokens_in: 3, cost_usd: 0.5 },
      { tokens_in: 3, cost_usd: 0.5 },
    ]);
    expect(allText().match(/a secret answer/g)).toHaveLength(1);
  });

  it('folds into the same tables when they are made again from the journal', async () => {
    await journal.commit([session(1), message(1, 1), ...answered(1, 1)]);
    await journal.commit([session(2), message(2, 2), ...answered(2, 2)]);
    await journal.commit([remove(1)]);
    await erase();
    const before = dump();
    for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
    journal.refold();
    expect(dump()).toEqual(before);
  });

  it('stays where it was given a turn in the same moment', async () => {
    await journal.commit([session(1)]);
    await Promise.all([journal.commit([message(1, 1)]), journal.commit([remove(1)])]);
    await erase();
    expect(createReads(db).session({ id: 1 })).toMatchObject({
      isDeleted: false,
      title: 'A title',
    });
    expect(allText()).toContain('a secret prompt');
  });

  it('frees its key, and comes back with a message that was accepted behind it', async () => {
    await journal.commit([session(1), remove(1)]);
    const reads = createReads(db);
    expect(reads.session({ key: 's1' })).toBeUndefined();
    expect(reads.sessions(10)).toEqual([]);
    await journal.commit([message(1, 1)]);
    expect(reads.sessions(10)).toMatchObject([{ id: 1, isDeleted: false }]);
  });

  it('erases 45 turns in its batches, and is done when it is asked again', async () => {
    await journal.commit([session(1)]);
    for (let turn = 1; turn <= 45; turn += 1)
      await journal.commit([message(1, turn), ...answered(1, turn)]);
    await journal.commit([remove(1)]);
    await erase();
    const seq = journal.seq();
    await erase();
    expect(journal.seq()).toBe(seq);
    expect(allText()).not.toContain('secret');
  });
});
