import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForDecision } from '../../../electron/offline/open-data';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../../electron/adapters/sqlite/journal/group-commit';
import { wipe } from '../../../electron/adapters/sqlite/reset';
import { encodeEntry, KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';
import { pruneClosedTurns } from '../../../electron/adapters/sqlite/retention';
import { databasePath, openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { composeIn, createWorld } from '../../helpers/compose-world';
import { NO_REASON } from '../../../shared/reason';

const clock = createSystemClock();
let dataDir: string;
let db: Database.Database;
let journal: GroupCommit;

const journalOf = (of: Database.Database): GroupCommit =>
  createGroupCommit({ db: of, clock, crashPoints: noCrashPoints, assertOwner: () => undefined });

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-refold-'));
  db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs: clock.nowMs(),
    crashPoints: noCrashPoints,
  });
  journal = journalOf(db);
});
afterEach(() => {
  db.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const STEPS = 9;

/** A session with a turn after the other, each commit as the runner writes it. */
async function live(turns: number): Promise<void> {
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
    { kind: 'session.created', sessionId: 1, key: 's1', title: 'S', agent: 'a' },
  ]);
  for (let turnId = 1; turnId <= turns; turnId += 1) {
    const all: JournalEntry[] = [
      {
        kind: 'message.accepted',
        sessionId: 1,
        turnId,
        text: { kind: 'inline', text: `p${String(turnId)}` },
        promptStart: 'p',
        channel: 'c',
        peer: 'p',
      },
      { kind: 'turn.started', turnId, attempt: 1, frameId: 1, framedAtMs: 5 },
    ];
    for (let step = 1; step <= STEPS; step += 1) {
      all.push(
        {
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
        },
        {
          kind: 'step.ended',
          turnId,
          step,
          end: {
            state: 'completed',
            content: { kind: 'inline', text: `r${String(step)}` },
            isError: false,
            usage: { inputTokens: 3, outputTokens: 2 },
          },
        },
      );
    }
    if (turnId < turns)
      all.push({
        kind: 'turn.closed',
        turnId,
        sessionId: 1,
        state: 'completed',
        reason: NO_REASON,
        answerStep: STEPS,
        hasReply: true,
      });
    // One after the other: no commit is what a later one would make of it.
    await journal.commit(all);
  }
}

const dump = (): unknown =>
  FOLD_TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]);

describe('tables that are made anew from the journal', () => {
  it('S4-03 12,000 entries give what 600 commits have given, over the edges of what is read at a time, twice', async () => {
    await live(600);
    const before = dump();
    for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
    expect(journal.refold()).toBe(journal.seq());
    expect(journal.seq()).toBeGreaterThan(12_000);
    expect(dump()).toEqual(before);
    journal.refold();
    expect(dump()).toEqual(before);
    expect(journal.allocate('turn')).toBe(601);
  });

  it.each([
    ['rows that are gone', 'DELETE FROM steps WHERE turn_id = 2'],
    ['rows that say something else', "UPDATE turns SET state = 5, is_closed = 1, reason = 'x'"],
    [
      'rows that nobody wrote',
      "INSERT INTO sessions (id, key, title, agent, created_at, last_event_at) VALUES (77, 'x', 'x', 'x', 1, 1)",
    ],
  ])('S4-03 %s are as the journal says again', async (_what, sql) => {
    await live(3);
    const before = dump();
    db.exec(sql);
    expect(dump()).not.toEqual(before);
    journal.refold();
    expect(dump()).toEqual(before);
  });

  it.each([
    ['a text that is cut', `UPDATE journal SET body = '{"x' WHERE seq = 9`],
    ['a kind that nobody knows', 'UPDATE journal SET kind = 9999 WHERE seq = 9'],
  ])('S4-03 %s is named, never left out, and nothing is changed', async (_what, sql) => {
    await live(3);
    const before = dump();
    db.exec(sql);
    expect(() => journal.refold()).toThrow(
      expect.objectContaining({
        code: 'DATABASE_CORRUPT',
        message: expect.stringContaining('Entry 9 of the journal'),
        hint: expect.stringContaining('backups'),
      }) as Error,
    );
    expect(dump()).toEqual(before);
  });

  it('S4-30 what a reset has left is still what the journal says', async () => {
    await live(3);
    await wipe(db, { dataDir, nowMs: clock.nowMs() });
    const before = dump();
    journal.refold();
    expect(dump()).toEqual(before);
  });
});

describe('what a turn has cost that others have answered, too', () => {
  /** Turn 1: steps 1 to 4 by its own model, the others by two more. Turn 2: by its own alone. */
  async function fallBack(): Promise<void> {
    await live(3);
    const [turnId, sinceMs] = [1, 0];
    const other = (provider: string, afterStep: number): JournalEntry => ({
      kind: 'turn.fell_back',
      turnId,
      provider,
      model: 'm',
      instead: { provider: 'own', model: 'm' },
      cause: 'limit',
      sinceMs,
      afterStep,
      by: 'auto',
    });
    // As if they had come between the steps of the turn, which is folded anew with them.
    const seqOf = (step: number): number =>
      Number(
        db
          .prepare('SELECT started_seq FROM steps WHERE turn_id = 1 AND step = ?')
          .pluck()
          .get(step),
      );
    const at = [seqOf(5), seqOf(8)];
    db.exec('UPDATE journal SET seq = -seq * 10');
    db.exec('UPDATE journal SET seq = -seq');
    for (const [index, name] of ['two', 'three'].entries()) {
      const row = encodeEntry(other(name, index === 0 ? 4 : 7));
      db.prepare(
        'INSERT INTO journal (seq, at_ms, kind, turn_id, body) VALUES (?, ?, ?, ?, ?)',
      ).run((at[index] ?? 0) * 10 - 5, clock.nowMs(), row.kind, turnId, row.body);
    }
    // The others take less in and give more out.
    const split = db.prepare(
      "UPDATE journal SET body = json_set(body, '$.u[0]', ?, '$.u[1]', ?) WHERE kind = ? AND turn_id BETWEEN ? AND ? AND seq > ?",
    );
    split.run(4, 1, KIND_CODES['step.ended'], 1, 3, 0);
    split.run(1, 4, KIND_CODES['step.ended'], turnId, turnId, (at[0] ?? 0) * 10);
    // What each step cost.
    db.prepare("UPDATE journal SET body = json_set(body, '$.u[2]', 0.5) WHERE kind = ?").run(
      KIND_CODES['step.ended'],
    );
    journal = journalOf(db);
    journal.refold();
  }
  const spend = () =>
    db
      .prepare(
        'SELECT turn_id, fallback, sum(tokens), sum(tokens_in), sum(usd) FROM spend GROUP BY 1, 2 ORDER BY 1, 2',
      )
      .raw()
      .all();
  /** Turn, who of its fallbacks, tokens, how many of them went in, cost. */
  const SPENT = [
    [1, 0, 20, 16, 2],
    [1, 1, 15, 3, 1.5],
    [1, 2, 10, 2, 1],
    [2, 0, 45, 36, 4.5],
    [3, 0, 45, 36, 4.5],
  ];
  /** Where only the sums are known, the parts of turn 1 have as much in as the whole of it: 21 of 45. */
  const ALIKE = [[1, 0, 20, 9, 2], [1, 1, 15, 7, 1.5], [1, 2, 10, 5, 1], ...SPENT.slice(3)];

  it('BU-03 FB-06 is kept by who answered each step, also when the tables are made anew, and when the steps are put away', async () => {
    await fallBack();
    expect(spend()).toEqual(SPENT);
    await pruneClosedTurns(db, {
      beforeMs: Infinity,
      commit: (entries) => journal.commit(entries),
      crashPoints: noCrashPoints,
      pause: () => Promise.resolve(),
      signal: new AbortController().signal,
    });
    expect(spend()).toEqual(SPENT);
    journal.refold();
    expect(spend()).toEqual(SPENT);
    // As a version wrote it that kept only the sums.
    db.prepare(
      `UPDATE journal SET body = json_remove(body, ${[0, 1, 2]
        .flatMap((at) => [
          `'$.shares[${String(at)}].inputTokens'`,
          `'$.shares[${String(at)}].slotMs'`,
        ])
        .join(', ')}) WHERE kind = ? AND turn_id = 1`,
    ).run(KIND_CODES['turn.pruned']);
    journal.refold();
    expect(spend()).toEqual(ALIKE);
  });

  /** From the table as the version before has left it. */
  const migrate = (): void => {
    db.exec(`CREATE TABLE older (slot_ms INTEGER NOT NULL, turn_id INTEGER NOT NULL, tokens INTEGER NOT NULL,
        usd REAL, PRIMARY KEY (slot_ms, turn_id)) WITHOUT ROWID;
      INSERT INTO older SELECT slot_ms, turn_id, sum(tokens), sum(usd) FROM spend GROUP BY 1, 2;
      DROP TABLE spend; ALTER TABLE older RENAME TO spend; CREATE INDEX spend_of_turn ON spend (turn_id)`);
    for (const name of ['0057_spend_payer', '0058_spend_tokens_in'])
      db.exec(fs.readFileSync(`electron/adapters/sqlite/migrations/${name}.sql`, 'utf8'));
  };

  it.each([
    ['all of its steps are there', '', ALIKE],
    [
      'only its sum is left: it stays with the last one that answered',
      'DELETE FROM steps WHERE turn_id = 1 AND step < 9',
      [[1, 2, 45, 21, 4.5], ...SPENT.slice(3)],
    ],
    [
      'an entry or the list cannot be read',
      "UPDATE journal SET body = '{' WHERE seq = (SELECT ended_seq FROM steps WHERE turn_id = 1 AND step = 9); UPDATE turns SET fallbacks = '[' WHERE id = 2",
      [...ALIKE.slice(0, 2), [1, 2, 5, 2, 0.5], ...SPENT.slice(3)],
    ],
  ])('BU-03 data of the version before, where %s', async (_what, sql, expected) => {
    await fallBack();
    db.exec(sql);
    migrate();
    expect(spend()).toEqual(expected);
  });
});

it('S4-03 a decision on data that do not run makes lagging tables anew before it is written', async () => {
  const world = createWorld();
  try {
    const app = composeIn(world);
    await app.lifecycle.start();
    const { id: sessionId } = await app.holdfast.call('session.create', { agent: 'fake' }, 'test');
    await app.lifecycle.stop('stop');
    const file = new Database(databasePath(world.dataDir));
    file.exec('DELETE FROM sessions; UPDATE fold SET applied_seq = 1');
    file.close();
    const opened = await openForDecision(world.dataDir);
    const { sessions } = await opened.holdfast.call('sessions.list', {}, 'test');
    await opened.close();
    expect(sessions.map((one) => one.id)).toEqual([sessionId]);
  } finally {
    world.remove();
  }
});
