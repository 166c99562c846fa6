import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createScheduleReads } from '../../../electron/adapters/sqlite/tables/schedule';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { ScheduleReads } from '../../../electron/ports/journal/schedule';

let dataDir = '';
let db: Database.Database | undefined;
afterEach(() => {
  db?.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/** How SQLite finds the rows of every query that the read makes. */
async function plansOf(read: (reads: ScheduleReads) => unknown): Promise<string[]> {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-plans-'));
  const options = { dataDir, isReadOnly: false, newId: () => 'db-1', nowMs: 1 };
  const open = await openDatabase({ ...options, crashPoints: noCrashPoints });
  db = open;
  const queries: string[] = [];
  const listening = new Proxy(open, {
    get: (target, name) =>
      name === 'prepare'
        ? (text: string) => {
            queries.push(text);
            return target.prepare(text);
          }
        : (Reflect.get(target, name) as unknown),
  });
  read(createScheduleReads(listening));
  return queries.flatMap((query) => {
    const values = Array.from({ length: query.split('?').length - 1 }, () => 1);
    const rows = open.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...values);
    return (rows as { readonly detail: string }[]).map(({ detail }) => detail);
  });
}

describe('what the schedule asks of the database', () => {
  it.each<[string, string, (reads: ScheduleReads) => unknown]>([
    ['what is due', 'tasks_due', (reads) => reads.dueTasks(1, 1)],
    ['the next instant', 'tasks_due', (reads) => reads.nextDueMs()],
    ['the next timer', 'timers_due', (reads) => reads.nextDueMs()],
    ['the next heartbeat', 'heartbeats_due', (reads) => reads.nextDueMs()],
    ['timers that are due', 'timers_due', (reads) => reads.dueTimers(1, 1)],
    ['heartbeats that are due', 'heartbeats_due', (reads) => reads.dueHeartbeats(1, 1)],
    ['a slot', 'PRIMARY KEY', (reads) => reads.hasSlot(1, 1)],
    ['what made a turn', 'task_slots_turn', (reads) => reads.madeBy(1)],
    ['slots that came while it waited', 'task_slots_turn', (reads) => reads.mergedInto(1)],
    ['the task of a call', 'tasks_key', (reads) => reads.taskByKey('k')],
    [
      'the timer of a call',
      'sqlite_autoindex|PRIMARY KEY',
      (reads) => reads.timerOfCall(1, 't', 'k'),
    ],
    ['the history of all tasks', 'task_slots_time', (reads) => reads.slots({ limit: 1 })],
    ['the history of one', 'PRIMARY KEY', (reads) => reads.slots({ taskId: 1, limit: 1 })],
    ['open tasks', 'tasks_open', (reads) => reads.tasks({ isOpen: true, limit: 1 })],
  ])(
    'S1-01 finds %s by an index, whatever number of tasks there is',
    async (_what, index, read) => {
      const plans = await plansOf(read);
      expect(plans.join('\n')).toMatch(new RegExp(index));
      // A walk over a table costs more with every task, one over a part of an index does not.
      for (const plan of plans) if (plan.startsWith('SCAN')) expect(plan).toMatch(/USING .*INDEX/);
    },
  );
});
