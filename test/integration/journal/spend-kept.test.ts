/** What was spent, after the steps of its turn have gone. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_REASON } from '../../../shared/reason';
import { createSessionErasure } from '../../../electron/adapters/sqlite/erase-sessions';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { pruneClosedTurns } from '../../../electron/adapters/sqlite/retention';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';

const DAY_MS = 86_400_000;
let nowMs: number;
let dataDir: string;
let db: Database.Database;
let journal: GroupCommit;
beforeEach(async () => {
  nowMs = Date.parse('2026-11-24T12:00:00Z');
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-spend-'));
  db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs,
    crashPoints: noCrashPoints,
  });
  journal = createGroupCommit({
    db,
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      sleep: () => Promise.resolve(),
    },
    crashPoints: noCrashPoints,
    assertOwner: () => undefined,
  });
});
afterEach(() => {
  db.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const step = (n: number, costUsd: number, isElsewhere?: true): readonly JournalEntry[] => [
  {
    kind: 'step.started',
    turnId: 1,
    step: n,
    attempt: 1,
    tool: 'model',
    purity: 'llm',
    key: 'ab'.repeat(32),
    hint: '',
    hasEffects: false,
    isWorkspaceRead: false,
    isIdempotent: true,
  },
  {
    kind: 'step.ended',
    turnId: 1,
    step: n,
    ...(isElsewhere === true ? { isElsewhere } : {}),
    end: {
      state: 'completed',
      content: { kind: 'inline', text: 'r' },
      isError: false,
      usage: { inputTokens: 3, outputTokens: 2, costUsd },
    },
  },
];

/** A turn that costs 4 on one day, 7 on another computer, and 0.5 two days later, when it ends. */
async function turnOverDays(): Promise<void> {
  await journal.commit([
    { kind: 'session.created', sessionId: 1, key: 's1', title: 'S', agent: 'a' },
    {
      kind: 'message.accepted',
      sessionId: 1,
      turnId: 1,
      text: { kind: 'inline', text: 'p' },
      promptStart: 'p',
      channel: 'c',
      peer: 'p',
    },
    { kind: 'turn.started', turnId: 1, attempt: 1, frameId: 1, framedAtMs: 5 },
    ...step(1, 4),
  ]);
  nowMs += DAY_MS;
  await journal.commit([...step(2, 7, true)]);
  nowMs += DAY_MS;
  await journal.commit([
    ...step(3, 0.5),
    {
      kind: 'turn.closed',
      turnId: 1,
      sessionId: 1,
      state: 'completed',
      reason: NO_REASON,
      answerStep: 3,
      hasReply: false,
    },
  ]);
}
const SPENT = [
  ['2026-11-24T12:00:00Z', 5, 3, 4],
  ['2026-11-26T12:00:00Z', 5, 3, 0.5],
];
const spend = (): unknown[] =>
  db
    .prepare(
      `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', slot_ms / 1000, 'unixepoch'), tokens, tokens_in, usd
       FROM spend ORDER BY 1`,
    )
    .raw()
    .all();
const commit = (entries: readonly JournalEntry[]) => journal.commit(entries);

describe('what was spent on a turn', () => {
  it.each([
    [
      'its session was deleted',
      async () => {
        await journal.commit([{ kind: 'session.set', sessionId: 1, isDeleted: true }]);
        await createSessionErasure(db, commit).erase();
      },
    ],
    [
      'its steps have become too old',
      async () => {
        await pruneClosedTurns(db, {
          beforeMs: Infinity,
          commit,
          crashPoints: noCrashPoints,
          pause: () => Promise.resolve(),
          signal: new AbortController().signal,
        });
      },
    ],
  ])(
    'BU-03 DW-25 stays on its days, without what another computer paid, after %s',
    async (_what, putAway) => {
      await turnOverDays();
      expect(spend()).toEqual(SPENT);
      await putAway();
      // The answer stays where the session does.
      expect(db.prepare('SELECT count(*) FROM steps').pluck().get()).toBeLessThan(2);
      expect(spend()).toEqual(SPENT);
      journal.refold();
      expect(spend()).toEqual(SPENT);
    },
  );
});
