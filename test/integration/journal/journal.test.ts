import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openReadOnly } from '../../../electron/offline/open-data';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { isFoldBehind } from '../../../electron/adapters/sqlite/applied';
import { createFold, FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../../electron/adapters/sqlite/journal/group-commit';
import { checkIntegrity } from '../../../electron/adapters/sqlite/check-integrity';
import { wipe } from '../../../electron/adapters/sqlite/reset';
import {
  giveBackSpace,
  pruneClosedTurns,
  usedBlobs,
} from '../../../electron/adapters/sqlite/retention';
import {
  databasePath,
  openDatabase,
  SCHEMA_VERSION,
} from '../../../electron/adapters/sqlite/open-database';
import { createReads } from '../../../electron/adapters/sqlite/tables/reads';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';
import { NO_REASON, quoted } from '../../../shared/reason';

const clock = createSystemClock();
let dataDir: string;
let open: Database.Database[] = [];

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-journal-'));
});
afterEach(() => {
  for (const db of open) db.close();
  open = [];
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function openHere(): Promise<{ db: Database.Database; journal: GroupCommit }> {
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs: clock.nowMs(),
    crashPoints: noCrashPoints,
  });
  open.push(db);
  return {
    db,
    journal: createGroupCommit({
      db,
      clock,
      crashPoints: noCrashPoints,
      assertOwner: () => undefined,
    }),
  };
}

const session = (sessionId: number): JournalEntry => ({
  kind: 'session.created',
  sessionId,
  key: `s${String(sessionId)}`,
  title: 'S',
  agent: 'a',
});
const message = (turnId: number, sessionId = 1): JournalEntry => ({
  kind: 'message.accepted',
  sessionId,
  turnId,
  text: { kind: 'inline', text: `prompt ${String(turnId)} \u0000 \u{1f680}` },
  promptStart: 'prompt',
  channel: 'chanA',
  peer: 'p',
});
const started = (turnId: number, step: number): JournalEntry => ({
  kind: 'step.started',
  turnId,
  step,
  attempt: 1,
  tool: 'fake.charge',
  purity: 'side_effect',
  key: 'ab'.repeat(32),
  hint: 'h',
  hasEffects: true,
  isWorkspaceRead: false,
  isIdempotent: false,
});
const ended = (turnId: number, step: number, text = 'result'): JournalEntry => ({
  kind: 'step.ended',
  turnId,
  step,
  end: {
    state: 'completed',
    content: { kind: 'inline', text },
    isError: false,
    usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
  },
});
const closed = (turnId: number, answerStep: number, sessionId = 1): JournalEntry => ({
  kind: 'turn.closed',
  turnId,
  sessionId,
  state: 'completed',
  reason: NO_REASON,
  answerStep,
  hasReply: true,
});

async function story(journal: GroupCommit): Promise<void> {
  await journal.commit([session(1), message(1)]);
  await journal.commit([
    {
      kind: 'frame.recorded',
      frameId: 1,
      hash: 'cd'.repeat(32),
      frame: { provider: 'p', model: 'm', system: 's', tools: [], workspace: '/w', env: [] },
    },
    { kind: 'turn.started', turnId: 1, attempt: 1, frameId: 1, framedAtMs: 5 },
    started(1, 1),
  ]);
  await journal.commit([ended(1, 1), started(1, 2)]);
  await journal.commit([
    ended(1, 2, 'the answer'),
    { kind: 'steps.reused', turnId: 1, steps: [1], saved: { inputTokens: 3, outputTokens: 2 } },
  ]);
  await journal.commit([
    closed(1, 2),
    message(2),
    { kind: 'inbox.opened', inboxId: 1, item: 'problem', title: 't', detail: quoted('d') },
  ]);
  await journal.commit([
    { kind: 'inbox.settled', inboxId: 1, outcome: 'dismissed' },
    { kind: 'session.interrupted', sessionId: 1, note: '' },
  ]);
}

const dump = (db: Database.Database): unknown =>
  FOLD_TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]);

describe('the journal', () => {
  it('S4-17 has an entry on disk when its commit resolves, also for a reader of its own: WAL, synced whole', async () => {
    const { db, journal } = await openHere();
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'auto_vacuum'];
    expect(pragmas.map((name) => db.pragma(name, { simple: true }))).toEqual(['wal', 2, 1, 2]);
    await journal.commit([session(1), message(1)]);
    const other = new Database(databasePath(dataDir), { readonly: true });
    open.push(other);
    expect(other.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(2);
    expect(other.prepare('SELECT status, prompt FROM turn_journal').get()).toEqual({
      status: 'open',
      prompt: 'prompt 1 \u0000 \u{1f680}',
    });
  });

  it('design 3.2 a follower that skips steps is told of 2 of 5 commits, whole, and of none once it has let go', async () => {
    const { journal } = await openHere();
    const heard: string[][] = [];
    const all: string[][] = [];
    const kinds = (entries: readonly JournalEntry[]): string[] => entries.map(({ kind }) => kind);
    const letGo = journal.onCommitted((entries) => heard.push(kinds(entries)), {
      skipsSteps: true,
    });
    journal.onCommitted((entries) => all.push(kinds(entries)));
    await journal.commit([session(1), message(1)]);
    await journal.commit([started(1, 1)]);
    await journal.commit([ended(1, 1), started(1, 2)]);
    await journal.commit([ended(1, 2)]);
    await journal.commit([started(1, 3), closed(1, 2)]);
    expect(heard).toEqual([
      ['session.created', 'message.accepted'],
      ['step.started', 'turn.closed'],
    ]);
    letGo();
    await journal.commit([session(2)]);
    expect([heard.length, all.length]).toEqual([2, 6]);
  });

  it('design 3.2 puts 50 commits that wait together into 1 transaction', async () => {
    const { db, journal } = await openHere();
    await journal.commit([session(1)]);
    let transactions = 0;
    journal.onCommitted(() => undefined);
    const before = db.pragma('data_version', { simple: true });
    const probe = new Database(databasePath(dataDir), { readonly: true });
    open.push(probe);
    const versionOf = (): unknown => probe.pragma('data_version', { simple: true });
    let last = versionOf();
    const all = Array.from({ length: 50 }, (_, index) =>
      journal.commit([message(index + 1)]).then(() => {
        const now = versionOf();
        if (now !== last) transactions += 1;
        last = now;
      }),
    );
    await Promise.all(all);
    expect(transactions).toBe(1);
    expect(before).toBeDefined();
  });

  it('S4-17 an entry that is written again after a rollback changes the same tables as at the first try', async () => {
    const waits = (turnId: number): JournalEntry[] => [
      {
        kind: 'turn.recovered',
        turnId,
        action: 'resume',
        reason: NO_REASON,
        crashes: 2,
        startId: 1,
      },
      { kind: 'turn.waits', turnId, provider: 'p', cause: 'outage', reason: NO_REASON },
      {
        kind: 'turn.requeued',
        turnId,
        streak: 3,
        dueAtMs: 9,
        failure: 'network',
        error: 'e',
        reason: NO_REASON,
      },
      started(turnId, 1),
    ];
    const after = async (isRolledBack: boolean): Promise<unknown> => {
      const { db, journal } = await openHere();
      await journal.commit([session(1), message(1), message(2)]);
      await journal.commit([...waits(1), ...waits(2)]);
      const written = journal.commit([ended(1, 1), closed(2, 1)]);
      if (isRolledBack) {
        const bad = journal.run(() => {
          throw new Error('refused');
        });
        await expect(bad).rejects.toThrow('refused');
      }
      await written;
      const found = ['crashes', 'streak'].map((column) =>
        db.prepare(`SELECT ${column} FROM turns WHERE id = 1`).pluck().get(),
      );
      const held = db.prepare('SELECT turn_id FROM held_work').pluck().all();
      await journal.close();
      db.close();
      fs.rmSync(databasePath(dataDir));
      return [found, held];
    };
    expect(await after(false)).toEqual([[0, 0], [1]]);
    expect(await after(true)).toEqual([[0, 0], [1]]);
  });

  it('design 3 rebuilds the same tables from the journal alone', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    const before = dump(db);
    for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
    expect(journal.refold()).toBeGreaterThan(8);
    expect(dump(db)).toEqual(before);
  });

  it('design 3.6 knows how far its tables are without writing it for steps, and sees 1 step that is missing', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    await journal.commit([
      {
        kind: 'marker.started',
        startId: 1,
        reason: 'kill',
        bootId: 'b',
        instanceId: 'i',
        machineId: 'm',
        version: '1',
      },
    ]);
    const written = (): unknown => db.prepare('SELECT applied_seq FROM fold').pluck().get();
    const before = written();
    expect(before).toBe(journal.seq());
    for (let step = 1; step <= 20; step += 1) {
      await journal.commit([started(2, step)]);
      await journal.commit([ended(2, step)]);
    }
    expect([written(), journal.seq(), isFoldBehind(db)]).toEqual([
      before,
      Number(before) + 40,
      false,
    ]);
    db.exec('DELETE FROM steps WHERE turn_id = 2 AND step = 7');
    expect(isFoldBehind(db)).toBe(true);
    journal.refold();
    expect(isFoldBehind(db)).toBe(false);
    db.exec('UPDATE steps SET ended_seq = NULL WHERE turn_id = 2 AND step = 20');
    // A refold has written how far it went: what is edited after that is for the full check.
    expect([written(), isFoldBehind(db)]).toEqual([journal.seq(), false]);
    await journal.commit([closed(2, 20)]);
    expect(written()).toBe(journal.seq());
  });

  it('design 3.6 writes how far its tables are at least every 500 entries', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    let widest = 0;
    for (let step = 1; step <= 600; step += 1) {
      await journal.commit([started(2, step), ended(2, step)]);
      const written = Number(db.prepare('SELECT applied_seq FROM fold').pluck().get());
      widest = Math.max(widest, journal.seq() - written);
    }
    expect(widest).toBe(498);
  });

  it('S4-+10 numbers of turns and entries go on after a restart and after a reset', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    const { seq } = { seq: journal.seq() };
    await wipe(db, { dataDir, nowMs: clock.nowMs() });
    const again = createGroupCommit({
      db,
      clock,
      crashPoints: noCrashPoints,
      assertOwner: () => undefined,
    });
    expect(again.allocate('turn')).toBe(3);
    const receipt = await again.commit([session(9)]);
    expect(receipt.firstSeq).toBe(seq + 1);
    expect(fs.readdirSync(path.join(dataDir, 'backups'))).toHaveLength(1);
  });

  it('S0-+02 prunes the steps of turns closed 31 days ago, keeps message and answer, never an open turn', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    await journal.commit([
      { kind: 'turn.started', turnId: 2, attempt: 1, frameId: 1, framedAtMs: 5 },
      started(2, 1),
    ]);
    db.exec('UPDATE turns SET ended_at = ended_at - 31 * 86400000 WHERE is_closed = 1');
    db.exec('UPDATE turns SET accepted_at = accepted_at - 31 * 86400000');
    const pruned = await pruneClosedTurns(db, {
      beforeMs: clock.nowMs() - 30 * 86_400_000,
      commit: (entries) => journal.commit(entries),
      crashPoints: noCrashPoints,
      pause: () => Promise.resolve(),
      signal: new AbortController().signal,
    });
    expect(pruned).toBe(1);
    const reads = createReads(db);
    expect(reads.steps(1).map((step) => step.step)).toEqual([2]);
    expect(reads.steps(2).map((step) => step.step)).toEqual([1]);
    const [asked, answered] = reads
      .events(1, { limit: 10 })
      .filter((event) => event.turnId === 1 && event.step === undefined);
    expect(asked?.text).toEqual({ kind: 'inline', text: 'prompt 1 \u0000 \u{1f680}' });
    expect(answered?.text).toEqual({ kind: 'inline', text: 'the answer' });
    const before = dump(db);
    journal.refold();
    const rows = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replace(/"(slot_ms|ended_at|accepted_at)":\d+/g, '"$1":0'));
    expect(rows(dump(db))).toEqual(rows(before));
  });

  it('S0-+02 45 old turns go in 3 batches, their space in goes of 200 pages, each with a pause; the file is smaller', async () => {
    const { db, journal } = await openHere();
    await journal.commit([session(1)]);
    for (let turnId = 1; turnId <= 45; turnId += 1) {
      await journal.commit([message(turnId), started(turnId, 1)]);
      await journal.commit([ended(turnId, 1, 'x'.repeat(80_000)), started(turnId, 2)]);
      await journal.commit([ended(turnId, 2), closed(turnId, 2)]);
    }
    db.exec('UPDATE turns SET ended_at = ended_at - 31 * 86400000');
    const free = (): number => db.pragma('freelist_count', { simple: true }) as number;
    const pages = (): number => db.pragma('page_count', { simple: true }) as number;
    const seen: number[] = [];
    const options = {
      beforeMs: clock.nowMs() - 30 * 86_400_000,
      commit: (entries: readonly JournalEntry[]) => journal.commit(entries),
      crashPoints: noCrashPoints,
      pause: () => Promise.resolve(void seen.push(free())),
      signal: new AbortController().signal,
    };
    expect([await pruneClosedTurns(db, options), seen.length]).toEqual([45, 3]);
    const [before, freed] = [pages(), free()];
    expect(freed).toBeGreaterThan(600);
    seen.length = 0;
    await giveBackSpace(db, options);
    expect(seen).toHaveLength(Math.ceil(freed / 200));
    for (const [go, left] of seen.entries()) {
      const was = seen[go - 1] ?? freed;
      expect(was - left).toBeLessThanOrEqual(200);
    }
    expect(free()).toBe(0);
    expect(pages()).toBeLessThanOrEqual(before - freed);
    seen.length = 0;
    await giveBackSpace(db, options);
    expect([await pruneClosedTurns(db, options), seen]).toEqual([0, []]);
    expect(createReads(db).steps(1)).toHaveLength(1);
  });

  it('S0-+02 S4-+05 large texts that the journal names are found in goes of 5,000 rows, also one that is named later', async () => {
    const { db } = await openHere();
    db.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
       INSERT INTO journal (kind, at_ms, body) SELECT 19, 1, '{}' FROM n`,
    );
    const journal = createGroupCommit({
      db,
      clock,
      crashPoints: noCrashPoints,
      assertOwner: () => undefined,
    });
    const [first = '', later = '', other = ''] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
    const naming = (turnId: number, address: string): JournalEntry =>
      ({ ...message(turnId), text: { kind: 'blob', address, chars: 40_000 } }) as JournalEntry;
    await journal.commit([session(1), naming(1, first)]);
    let pauses = 0;
    const isUsed = await usedBlobs(db, {
      pause: () => Promise.resolve(void (pauses += 1)),
      signal: new AbortController().signal,
    });
    expect(pauses).toBe(3);
    expect([first, later, other].map(isUsed)).toEqual([true, false, false]);
    await journal.commit([naming(2, later)]);
    expect([first, later, other].map(isUsed)).toEqual([true, true, false]);
  });

  it('S4-17 refuses new work while the disk is full, keeps what has happened, and goes on by itself', async () => {
    const { db, journal } = await openHere();
    await journal.commit([session(1), message(1)]);
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${String(pages)}`);
    const big = {
      ...message(2),
      text: { kind: 'inline', text: 'x'.repeat(200_000) },
    } as JournalEntry;
    await expect(journal.commit([big])).rejects.toMatchObject({
      code: 'DISK_FULL',
      retryable: true,
    });
    expect(journal.refusal()?.code).toBe('DISK_FULL');
    const outcome = journal.commit([started(1, 1), ended(1, 1, 'y'.repeat(200_000))], {
      isOutcome: true,
    });
    let isSettled = false;
    void outcome.then(() => (isSettled = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isSettled).toBe(false);
    db.pragma('max_page_count = 1000000');
    await outcome;
    expect(journal.refusal()).toBeUndefined();
    expect(createReads(db).steps(1)[0]?.state).toBe('completed');
    await journal.commit([message(3)]);
  });
});

describe.skipIf(isLeftOut('a journal whose disk gives no page', NOT_LINUX))(
  'a disk that does not give a page',
  () => {
    it.each([
      ['is what fails: new work is refused, what has happened waits, both go on', true],
      ['gives the file: only what met the damage fails', false],
    ])('R17 S4-31 SQLite says "malformed" and the disk %s', async (_how, isFailing) => {
      const { db } = await openHere();
      // Reading the file of this name at 0 ends with EIO.
      const name = isFailing ? '/proc/self/mem' : db.name;
      const named = new Proxy({} as typeof db, {
        get: (_none, key: keyof typeof db) => {
          if (key === 'name') return name;
          const own: unknown = db[key];
          return typeof own === 'function' ? (own.bind(db) as unknown) : own;
        },
      });
      const journal = createGroupCommit({
        db: named,
        clock,
        crashPoints: noCrashPoints,
        assertOwner: () => undefined,
      });
      await journal.commit([session(1), message(1)]);
      const malformed = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' });
      const begin = vi.spyOn(clock, 'nowMs').mockImplementation(() => {
        begin.mockRestore();
        throw malformed;
      });
      const outcome = journal.commit([started(1, 1), ended(1, 1)], { isOutcome: true });
      if (!isFailing) {
        await expect(outcome).rejects.toBe(malformed);
        expect(journal.refusal()).toBeUndefined();
        return;
      }
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(journal.refusal()?.code).toBe('DISK_FAILED');
      await expect(journal.commit([message(2)])).rejects.toMatchObject({ code: 'DISK_FAILED' });
      await outcome;
      expect(journal.refusal()).toBeUndefined();
      expect(createReads(db).steps(1)[0]?.state).toBe('completed');
    });
  },
);

describe('a disk that may only be read', () => {
  it('S4-17 refuses new work with the reason, keeps what has happened, and goes on when it may be written again', async () => {
    const { db, journal } = await openHere();
    await journal.commit([session(1), message(1)]);
    const seq = journal.seq();
    db.pragma('query_only = ON');
    await expect(journal.commit([message(2)])).rejects.toMatchObject({
      code: 'DISK_READ_ONLY',
      retryable: true,
    });
    expect([journal.refusal()?.code, journal.seq()]).toEqual(['DISK_READ_ONLY', seq]);
    const outcome = journal.commit([started(1, 1), ended(1, 1)], { isOutcome: true });
    db.pragma('query_only = OFF');
    await outcome;
    expect(createReads(db).steps(1)[0]?.state).toBe('completed');
    expect(db.prepare('SELECT count(*) FROM turns').pluck().get()).toBe(1);
    await journal.commit([message(3)]);
    expect(journal.refusal()).toBeUndefined();
  });
});

describe('opening the database', () => {
  const hashOf = (file: string): string => fs.readFileSync(file).toString('base64');
  const options = { isReadOnly: false, newId: () => 'x', nowMs: 1, crashPoints: noCrashPoints };

  it('S4-31 refuses a newer database, names both versions and changes nothing', async () => {
    const { db } = await openHere();
    db.pragma(`user_version = ${String(SCHEMA_VERSION + 1)}`);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    open = [];
    const file = databasePath(dataDir);
    const before = hashOf(file);
    const names = fs.readdirSync(dataDir).sort();
    await expect(openDatabase({ dataDir, ...options })).rejects.toMatchObject({
      code: 'DATABASE_NEWER',
      facts: { found: SCHEMA_VERSION + 1, expected: SCHEMA_VERSION },
    });
    expect(hashOf(file)).toBe(before);
    expect(fs.readdirSync(dataDir).sort()).toEqual(names);
  });

  it('S4-31 refuses a database of another program, marked as its own or not, a folder, and text that is none', async () => {
    const file = databasePath(dataDir);
    for (const mark of [77, 0]) {
      const foreign = new Database(file);
      foreign.pragma(`application_id = ${String(mark)}`);
      foreign.exec('CREATE TABLE t (x)');
      foreign.close();
      const before = hashOf(file);
      await expect(openDatabase({ dataDir, ...options })).rejects.toMatchObject({
        code: 'DATABASE_UNKNOWN',
      });
      expect(hashOf(file)).toBe(before);
      fs.rmSync(file);
    }
    fs.mkdirSync(file);
    await expect(openDatabase({ dataDir, ...options })).rejects.toMatchObject({
      code: 'DATABASE_UNKNOWN',
    });
    fs.rmdirSync(file);
    fs.writeFileSync(file, 'this is no database '.repeat(50));
    await expect(openDatabase({ dataDir, ...options })).rejects.toMatchObject({
      code: 'DATABASE_CORRUPT',
    });
  });

  it('S4-31 damage that shows only while reading is named like damage found at the opening', async () => {
    (await openDatabase({ dataDir, ...options })).close();
    const file = databasePath(dataDir);
    const whole = fs.openSync(file, 'r+');
    fs.writeSync(whole, Buffer.alloc(80_000, 0xde), 0, 80_000, 4_096);
    fs.closeSync(whole);
    const read = openReadOnly(dataDir).then(async (opened) => {
      try {
        return await opened.holdfast.call('turns.list', {}, 'cli');
      } finally {
        await opened.close();
      }
    });
    await expect(read).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
  });

  it('S4-03 reports damage in the middle instead of skipping it', async () => {
    const { db, journal } = await openHere();
    for (let turn = 1; turn < 60; turn += 1) {
      await journal.commit([
        ...(turn === 1 ? [session(1)] : []),
        { ...message(turn), text: { kind: 'inline', text: 'x'.repeat(3000) } } as JournalEntry,
      ]);
    }
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    open = [];
    const file = databasePath(dataDir);
    const fd = fs.openSync(file, 'r+');
    fs.writeSync(fd, Buffer.alloc(8192, 0xaa), 0, 8192, 4096 * 30);
    fs.closeSync(fd);
    const report = await checkIntegrity(dataDir);
    expect(report.isOk).toBe(false);
    expect(report.problems.length).toBeGreaterThan(0);
  });

  it('S4-30 a backup is complete and opens as a database of its own', async () => {
    const { db, journal } = await openHere();
    await story(journal);
    const saved = await wipe(db, { dataDir, nowMs: 0 });
    const copy = new Database(saved, { readonly: true });
    open.push(copy);
    expect(copy.prepare('SELECT count(*) FROM turns').pluck().get()).toBe(2);
    expect(db.prepare('SELECT count(*) FROM turns').pluck().get()).toBe(0);
    expect(createFold(db)).toBeTypeOf('function');
  });
});
