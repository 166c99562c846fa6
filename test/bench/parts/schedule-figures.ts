/** What 10,000 tasks cost: a start with them, waiting for them, deciding them; and the sleep guard. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createCronDates } from '../../../electron/adapters/dates/cron-dates';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createScheduleReads } from '../../../electron/adapters/sqlite/tables/schedule';
import { compose } from '../../../electron/compose/compose';
import { judgeSleep } from '../../../electron/engine/shell-policy/sleep-guard';
import { planCatchup } from '../../../electron/engine/schedule/plan-catchup';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { nextSlot } from '../../../electron/engine/schedule/rule';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import type { Rule } from '../../../shared/schedule/states';
import { collect, median } from './numbers';
import type { Report } from './report';

const TASKS = 10_000;
const DAY_MS = 86_400_000;
const IDLE_MS = 10_000;
const CRONS = ['0 9 * * 1-5', '30 2 * * *', '*/15 * * * *', '0 0 1 * *', '0 8-18 * * *'];
const ZONES = ['Europe/Berlin', 'UTC', 'America/New_York'];

/** Half intervals, half cron expressions in three zones. */
function ruleOf(index: number, nowMs: number): Rule {
  if (index % 2 === 0)
    return { kind: 'interval', everyMs: 60_000 * (1 + (index % 500)), anchorMs: nowMs };
  const cron = CRONS[index % CRONS.length] ?? '0 0 * * *';
  return { kind: 'cron', cron, zone: ZONES[index % ZONES.length] ?? 'UTC' };
}

/** Each is due at its first slot after that instant. */
async function withTasks(afterMs: number): Promise<string> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-tasks-'));
  const clock = createSystemClock();
  const nowMs = clock.nowMs();
  const dates = createCronDates();
  const options = { dataDir, isReadOnly: false, newId: () => 'bench', nowMs };
  const db = await openDatabase({ ...options, crashPoints: noCrashPoints });
  const assertOwner = (): void => undefined;
  const journal = createGroupCommit({ db, clock, crashPoints: noCrashPoints, assertOwner });
  const entries = Array.from({ length: TASKS }, (_, index): JournalEntry => ({
    kind: 'task.set',
    taskId: journal.allocate('task'),
    by: 'user',
    name: `task ${String(index)}`,
    prompt: 'look',
    schedule: 'as the rule says',
    rule: ruleOf(index, afterMs),
    zone: 'UTC',
    catchup: 'default',
    agent: 'practice',
    channel: 'window',
    peer: '',
    nextRunAtMs: nextSlot(ruleOf(index, afterMs), afterMs, dates) ?? afterMs,
  }));
  for (let at = 0; at < TASKS; at += 500) await journal.commit(entries.slice(at, at + 500));
  db.close();
  return dataDir;
}

async function startMs(dataDir: string, whileUp?: () => Promise<void>): Promise<number> {
  const flags = { noRestore: false, hidden: true, takeover: false, afterCrash: false };
  const env = { PATH: process.env['PATH'], HOME: dataDir };
  const { lifecycle } = compose({ dataDir, mode: 'headless', flags, version: '0.0.0', env });
  const began = performance.now();
  await lifecycle.start();
  const tookMs = performance.now() - began;
  await whileUp?.();
  await lifecycle.stop('stop');
  return tookMs;
}

const remove = (dataDir: string): void => {
  fs.rmSync(dataDir, { recursive: true, force: true });
};

/** What a running Holdfast with this data holds, in MB. */
async function heldMb(dataDir: string): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  let bytes = 0;
  await startMs(dataDir, () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    bytes = heapUsed + external;
    return Promise.resolve();
  });
  return bytes / 2 ** 20;
}

export async function addScheduleFigures(report: Report, repeats: number): Promise<void> {
  const full = await withTasks(Date.now() + 30 * DAY_MS);
  const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-empty-'));
  await startMs(empty);
  const emptyMs = median(await collect(repeats, () => startMs(empty)));
  const fullMs = median(await collect(repeats, () => startMs(full)));
  let idle = 0;
  await startMs(full, async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const { user, system } = process.cpuUsage(before);
    idle = (user + system) / (IDLE_MS * 10);
  });
  const heldMoreMb = (await heldMb(full)) - (await heldMb(empty));
  report.add(
    '10,000 tasks',
    { name: 'memory, more than without tasks', value: heldMoreMb, unit: 'MB', budget: { sense: '<=', limit: 80 } }, // prettier-ignore
    { name: 'start, none of them due', value: fullMs, unit: 'ms', budget: { sense: '<=', limit: 2_000 }, note: `without tasks ${emptyMs.toFixed(0)} ms` }, // prettier-ignore
    { name: 'idle', value: idle, unit: '% of core', budget: { sense: '<=', limit: 0.5 } },
  );
  remove(full);
  remove(empty);
  await addScan(report, repeats);
  addGuard(report);
}

/** 30 days down: everything is due at once. */
async function addScan(report: Report, repeats: number): Promise<void> {
  const nowMs = Date.now();
  const dataDir = await withTasks(nowMs - 30 * DAY_MS);
  const options = { dataDir, isReadOnly: true, newId: () => 'bench', nowMs };
  const db = await openDatabase({ ...options, crashPoints: noCrashPoints });
  const reads = createScheduleReads(db);
  const scan = (): Promise<number> => {
    const dates = createCronDates();
    const began = performance.now();
    for (const { rule, catchup, nextRunAtMs } of reads.dueTasks(nowMs, TASKS)) {
      planCatchup(
        { rule, catchup, isActive: true, nextRunAtMs },
        { nowMs, windowMs: 3_600_000, isLive: false, dates },
      );
    }
    return Promise.resolve(performance.now() - began);
  };
  await scan();
  report.add('10,000 tasks', {
    name: 'deciding all after 30 days down',
    value: median(await collect(repeats, scan)),
    unit: 'ms',
    budget: { sense: '<=', limit: 200 },
  });
  db.close();
  remove(dataDir);
}

function addGuard(report: Report): void {
  const commands = [
    'npm build && sleep 60',
    'sleep 2 && npm start',
    'git status && git diff --stat | head -20',
    'for i in 1 2 3; do curl -s localhost:3000 && break; sleep 5; done',
    `bash -lc 'cd /tmp && make -j4 && ./run --port 80 || sleep 5'`,
  ];
  const hardest = `${'( '.repeat(200)}sleep 60${' )'.repeat(200)}; ${'echo a && '.repeat(1_500)}sleep 9`;
  const timed = (command: string): number => {
    const began = performance.now();
    judgeSleep(command);
    return (performance.now() - began) * 1_000;
  };
  for (let warm = 0; warm < 500; warm += 1) for (const command of commands) timed(command);
  const times = commands.flatMap((command) => Array.from({ length: 2_000 }, () => timed(command)));
  report.add(
    'Sleep guard',
    { name: 'an ordinary command', value: median(times), unit: 'µs', budget: { sense: '<=', limit: 50 } }, // prettier-ignore
    { name: 'the longest that it reads', value: median(Array.from({ length: 5 }, () => timed(hardest))) / 1_000, unit: 'ms', budget: { sense: '<=', limit: 10 } }, // prettier-ignore
  );
}
