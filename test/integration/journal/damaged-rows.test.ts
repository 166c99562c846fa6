import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createJournalTexts } from '../../../electron/adapters/search/journal-texts';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createApprovalReads } from '../../../electron/adapters/sqlite/tables/approvals';
import { createHistoryReads } from '../../../electron/adapters/sqlite/tables/history';
import { createReads } from '../../../electron/adapters/sqlite/tables/reads';
import { createScheduleReads } from '../../../electron/adapters/sqlite/tables/schedule';
import { decodeAnswer } from '../../../electron/engine/journal/answer-codec';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';

const prompt = (turnId: number): JournalEntry => ({
  ...{ kind: 'message.accepted', sessionId: 1, turnId, channel: 'cli', peer: '' },
  ...{ text: { kind: 'inline', text: `Prompt ${String(turnId)}` }, promptStart: '' },
});
const request = (requestId: number): JournalEntry => ({
  ...{ kind: 'approval.requested', requestId, turnId: 1, sessionId: 1, request: 'approval' },
  ...{ tool: 'shell', inputKey: 'k', input: { kind: 'inline', text: '' }, hint: '' },
  ...{ reason: '', grant: '' },
});
const item = (inboxId: number): JournalEntry => ({
  ...{ kind: 'inbox.opened', inboxId, item: 'restart_notice', title: `Item ${String(inboxId)}` },
  ...{ detail: { key: 'reason.chosen' }, facts: { some: 'fact' } },
});

it('S4-34 a row whose text is damaged hides no other one, in the lists of tasks, questions, the inbox, the history and search', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-damaged-'));
  const clock = {
    ...{ nowMs: () => 1_000, monotonicMs: () => performance.now() },
    sleep: () => Promise.resolve(),
  };
  const crashPoints = noCrashPoints;
  const db = await openDatabase({
    ...{ dataDir, isReadOnly: false, newId: () => 'db-1', nowMs: 1_000, crashPoints },
  });
  try {
    const journal = createGroupCommit({ db, clock, crashPoints, assertOwner: () => undefined });
    await journal.commit([
      { kind: 'session.created', sessionId: 1, key: 's', title: '', agent: 'fake' },
      ...[1, 2].map(prompt),
      ...[11, 12].map(request),
      ...[21, 22].map(item),
    ] as JournalEntry[]);
    const task = db.prepare(
      `INSERT INTO tasks (id, name, prompt, schedule, rule, zone, catchup, agent, channel, peer, made_by, created_at, updated_at, next_run_at)
       VALUES (?, 'n', 'p', 's', ?, 'UTC', 'default', 'fake', '', '', 'user', 1, 1, 5)`,
    );
    task.run(1, '{"kind":"onc');
    task.run(2, '{"kind":"once","atMs":5}');
    db.exec("UPDATE inbox SET facts = '{' WHERE id = 21");
    db.exec(
      "UPDATE journal SET body = '{' WHERE turn_id = 1 AND seq IN (SELECT min(seq) FROM journal WHERE turn_id = 1 UNION SELECT min(requested_seq) FROM requests)",
    );

    const schedule = createScheduleReads(db);
    expect(schedule.tasks({ isOpen: true, limit: 9 }).map(({ id }) => id)).toEqual([2]);
    expect(schedule.dueTasks(9, 9).map(({ id }) => id)).toEqual([2]);
    const asked = createApprovalReads(db).requests({ includeAnswered: false, limit: 9 });
    expect(asked.map(({ requestId }) => requestId)).toEqual([12]);
    const items = createReads(db).inbox({ includeSettled: false, limit: 9 });
    expect(items.map(({ title, facts }) => [title, facts])).toEqual([
      ['Item 21', undefined],
      ['Item 22', { some: 'fact' }],
    ]);
    const history = createHistoryReads(db).rows(0, 99, {}, 99);
    expect(history.filter(({ entry }) => entry === undefined)).toHaveLength(2);
    const texts = createJournalTexts({
      ...{ db, decodeAnswer, redactText: (text: string) => text },
      blobs: { get: () => Promise.resolve(undefined) },
    } as never);
    expect((await texts.after(0, 99)).texts.map(({ text }) => text)).toEqual(['Prompt 2']);
  } finally {
    db.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
