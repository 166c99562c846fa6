import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAudit } from '../../../electron/adapters/log/audit';
import { createLog } from '../../../electron/adapters/log/log';
import { createAuditReader } from '../../../electron/adapters/log/audit-reader';
import { createPowerRecords } from '../../../electron/adapters/log/power-records';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { createHistoryReads } from '../../../electron/adapters/sqlite/tables/history';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createDayLine } from '../../../electron/engine/history/day-line';
import { createEventList } from '../../../electron/engine/history/event-list';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry, StepEnd } from '../../../electron/ports/journal/entries';
import { oneTurn } from '../../../electron/read-in-slices';
import { createReads } from '../../../electron/adapters/sqlite/tables/reads';
import type { ProviderRecord } from '../../../electron/ports/journal/outage';
import { createRedactor } from '../../../shared/redact';
import { VERBS } from '../../../shared/contract';
import { SLACK } from '../../helpers/slack';
import { NO_REASON, quoted } from '../../../shared/reason';

const HOUR = 3_600_000;
const NOW = new Date(2026, 2, 24, 14, 31).getTime();

let dataDir: string;
let nowMs = NOW;
const clock = {
  nowMs: () => nowMs,
  monotonicMs: () => performance.now(),
  sleep: () => Promise.resolve(),
};
const closers: (() => void)[] = [];
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-history-'));
  nowMs = NOW;
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function openHere() {
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs,
    crashPoints: noCrashPoints,
  });
  closers.push(() => db.close());
  const journal = createGroupCommit({
    db,
    clock,
    crashPoints: noCrashPoints,
    assertOwner: () => undefined,
  });
  const at = (ms: number, ...entries: JournalEntry[]) => {
    nowMs = ms;
    return journal.commit(entries);
  };
  return { db, journal, at };
}

const start = (
  startId: number,
  reason: 'first_start' | 'kill',
  downSinceMs?: number,
): JournalEntry => ({
  kind: 'marker.started',
  startId,
  reason,
  ...(downSinceMs === undefined ? {} : { downSinceMs }),
  bootId: 'b',
  instanceId: 'i',
  machineId: 'm',
  version: '1.0.0',
});
const session = (sessionId: number): JournalEntry => ({
  kind: 'session.created',
  sessionId,
  key: `s${String(sessionId)}`,
  title: 'A session',
  agent: 'fake',
});
const message = (turnId: number, text = 'Do it'): JournalEntry => ({
  kind: 'message.accepted',
  sessionId: 1,
  turnId,
  text: { kind: 'inline', text },
  promptStart: text.slice(0, 200),
  channel: 'cli',
  peer: '',
});
const began = (
  turnId: number,
  step: number,
  tool = 'files.write_file',
  hint = 'notes.md',
): JournalEntry => ({
  kind: 'step.started',
  turnId,
  step,
  attempt: 1,
  tool,
  purity: 'side_effect',
  key: 'ab'.repeat(32),
  hint,
  hasEffects: true,
  isWorkspaceRead: false,
  isIdempotent: false,
});
const DONE: StepEnd = {
  state: 'completed',
  content: { kind: 'inline', text: 'done' },
  isError: false,
};
const ended = (turnId: number, step: number, end: StepEnd = DONE): JournalEntry => ({
  kind: 'step.ended',
  turnId,
  step,
  end,
});
const closed = (turnId: number): JournalEntry => ({
  kind: 'turn.closed',
  turnId,
  sessionId: 1,
  state: 'completed',
  reason: NO_REASON,
  hasReply: false,
});

const dayLineOf = (db: Database.Database) => {
  const log = createLog({ dir: path.join(dataDir, 'logs'), level: 'info', clock });
  closers.push(() => log.close());
  return {
    log,
    ask: createDayLine({
      history: createHistoryReads(db),
      power: createPowerRecords(log.path),
      clock,
      rest: oneTurn,
      isAlive: () => true,
      reads: createReads(db),
    }),
  };
};

const listOf = (db: Database.Database, more: { readonly budgetMs?: number } = {}) => {
  const redactor = createRedactor();
  const log = createLog({ dir: path.join(dataDir, 'logs'), level: 'info', clock });
  const audit = createAudit({ dir: path.join(dataDir, 'audit'), clock, log, redactor });
  closers.push(() => log.close());
  const list = createEventList({
    history: createHistoryReads(db),
    audit: createAuditReader(path.join(dataDir, 'audit')),
    flushAudit: () => audit.flush(),
    sessionOfTurn: (turnId) => (turnId === 1 ? 1 : undefined),
    redactor,
    clock,
    rest: oneTurn,
    loadDescribe: () => import('../../../electron/engine/history/describe'),
    ...more,
  });
  return {
    audit,
    redactor,
    // Through the contract, as every caller gets it.
    list: async (input: Parameters<typeof list>[0]) =>
      VERBS['events.list'].output().parse(await list(VERBS['events.list'].input().parse(input))),
  };
};

describe('the last 24 hours', () => {
  it('S4-33 counts exactly the steps that were finished, in their ten minutes', async () => {
    const { db, at } = await openHere();
    await at(NOW - 30 * HOUR, start(1, 'first_start'), session(1), message(1));
    await at(NOW - 25 * HOUR, began(1, 1), ended(1, 1));
    await at(NOW - 2 * HOUR, began(1, 2), ended(1, 2), began(1, 3));
    await at(
      NOW - 2 * HOUR + 60_000,
      ended(1, 3, { state: 'failed', error: 'no', isCutOff: false }),
    );
    await at(
      NOW - HOUR,
      began(1, 4),
      ended(1, 4, { state: 'confirmed', by: 'person', content: { kind: 'inline', text: '' } }),
      began(1, 5),
      ended(1, 5, { state: 'ambiguous', error: 'gone' }),
      closed(1),
    );
    nowMs = NOW;
    const { ask } = dayLineOf(db);
    const day = VERBS['day.line'].output().parse(await ask({}));
    expect(day.steps).toHaveLength(145);
    const counted = day.steps.flatMap((steps, slot) =>
      steps === 0
        ? []
        : [[new Date(day.fromMs + slot * day.slotMs).toTimeString().slice(0, 5), steps]],
    );
    expect(counted).toEqual([
      ['12:30', 1],
      ['13:30', 1],
    ]);
    expect(day.turnsFinishedToday).toBe(1);
  });

  it('S4-33 counts what was added since, without reading the rest again', async () => {
    const { db, at } = await openHere();
    await at(NOW - HOUR, start(1, 'first_start'), session(1), message(1), began(1, 1), ended(1, 1));
    const reads = createHistoryReads(db);
    const asked: [number, number][] = [];
    const ask = createDayLine({
      history: {
        ...reads,
        counts: (afterSeq, toSeq, slotMs) => {
          asked.push([afterSeq, toSeq]);
          return reads.counts(afterSeq, toSeq, slotMs);
        },
      },
      power: () => Promise.resolve([]),
      rest: oneTurn,
      clock,
      isAlive: () => true,
      reads: createReads(db),
    });
    const sum = async (): Promise<number> => (await ask({})).steps.reduce((a, b) => a + b, 0);
    expect(await sum()).toBe(1);
    await at(NOW, began(1, 2), ended(1, 2));
    expect(await sum()).toBe(2);
    expect(await sum()).toBe(2);
    expect(asked).toEqual([
      [0, 5],
      [5, 7],
    ]);
  });

  it('counts an hour by minutes and a week by two hours, and an earlier day as it was', async () => {
    const { db, at } = await openHere();
    await at(NOW - 100 * HOUR, start(1, 'first_start'), session(1), message(1));
    await at(NOW - 99 * HOUR, began(1, 1), ended(1, 1));
    await at(NOW - 50 * HOUR, began(1, 2), ended(1, 2));
    await at(NOW - 90 * 60_000, began(1, 3), ended(1, 3));
    await at(NOW - 30 * 60_000, began(1, 4), ended(1, 4), closed(1));
    nowMs = NOW;
    const { ask } = dayLineOf(db);
    const sum = ({ steps }: { readonly steps: readonly number[] }): number =>
      steps.reduce((a, b) => a + b, 0);
    const hour = VERBS['day.line'].output().parse(await ask({ range: 'hour' }));
    expect([hour.range, hour.slotMs, hour.steps.length, sum(hour)]).toEqual([
      'hour',
      60_000,
      60,
      1,
    ]);
    // The number of the day, also where the picture shows less.
    expect(hour.turnsFinishedToday).toBe(1);
    const week = VERBS['day.line'].output().parse(await ask({ range: 'week' }));
    expect([week.range, week.slotMs, sum(week)]).toEqual(['week', 7_200_000, 4]);
    expect(week.steps.length).toBeLessThanOrEqual(85);
    const past = VERBS['day.line']
      .output()
      .parse(await ask({ range: 'day', untilMs: NOW - 40 * HOUR }));
    expect([past.toMs, sum(past), past.stretches.at(-1)?.toMs]).toEqual([
      NOW - 40 * HOUR,
      1,
      NOW - 40 * HOUR,
    ]);
    expect(sum(await ask({ range: 'day' }))).toBe(2);
  });

  it('fits itself to the history: an hour in the first hour, a day from then on', async () => {
    const { db, at } = await openHere();
    await at(NOW, start(1, 'first_start'));
    const { ask } = dayLineOf(db);
    nowMs = NOW + 59 * 60_000;
    expect((await ask({ range: 'fit' })).range).toBe('hour');
    nowMs = NOW + 61 * 60_000;
    expect((await ask({ range: 'fit' })).range).toBe('day');
  });

  it('S0-30 shows the gap of an unexpected stop and the sleep that the log tells of', async () => {
    const { db, at } = await openHere();
    const { log, ask } = dayLineOf(db);
    await at(NOW - 20 * HOUR, start(1, 'first_start'));
    nowMs = NOW - 10 * HOUR;
    log.info('power.suspend', {});
    nowMs = NOW - 4 * HOUR;
    log.info('power.resume', {});
    await at(NOW - HOUR, start(2, 'kill', NOW - 2 * HOUR));
    nowMs = NOW;
    // The files were written now; their age is no reason to pass over them.
    const day = await ask({});
    expect(day.stretches.map((one) => [one.kind, (one.toMs - one.fromMs) / HOUR])).toEqual([
      ['running', 10],
      ['asleep', 6],
      ['running', 2],
      ['stopped', 1],
      ['running', 1],
    ]);
    expect(day.stops).toEqual([{ atMs: NOW - 2 * HOUR, backAtMs: NOW - HOUR, reason: 'kill' }]);
  });

  it('S0-17 S0-30 shows the outages of the day as the journal has them: ended, still in force, not those of before', async () => {
    const { db, at } = await openHere();
    const record = (provider: string, standing: ProviderRecord['standing']): ProviderRecord => ({
      provider,
      failedTurns: 3,
      tries: 0,
      standing,
    });
    const declared = (outageId: number, provider: string, sinceMs: number): JournalEntry => ({
      kind: 'outage.declared',
      provider,
      outageId,
      failedTurns: 3,
      reason: quoted('refused'),
      record: record(provider, { kind: 'down', outageId, sinceMs }),
    });
    const resolved = (outageId: number, provider: string): JournalEntry => ({
      kind: 'outage.resolved',
      provider,
      outageId,
      record: record(provider, { kind: 'answering' }),
    });
    await at(NOW - 40 * HOUR, start(1, 'first_start'), declared(1, 'openai', NOW - 40 * HOUR));
    await at(NOW - 30 * HOUR, resolved(1, 'openai'));
    await at(NOW - 26 * HOUR, declared(2, 'openai', NOW - 26 * HOUR));
    await at(NOW - 20 * HOUR, resolved(2, 'openai'));
    await at(NOW - 3 * HOUR, declared(3, 'anthropic', NOW - 3 * HOUR));
    await at(NOW - 2 * HOUR, resolved(3, 'anthropic'));
    await at(NOW - HOUR, declared(4, 'office', NOW - HOUR));
    nowMs = NOW;
    const day = VERBS['day.line'].output().parse(await dayLineOf(db).ask({}));
    expect(day.outages).toEqual([
      { provider: 'openai', fromMs: NOW - 26 * HOUR, toMs: NOW - 20 * HOUR },
      { provider: 'anthropic', fromMs: NOW - 3 * HOUR, toMs: NOW - 2 * HOUR },
      { provider: 'office', fromMs: NOW - HOUR },
    ]);
  });

  it('finds the place of a moment over holes in the sequence', async () => {
    const { db, at } = await openHere();
    for (let n = 1; n <= 60; n += 1) await at(NOW - (100 - n) * HOUR, message(n));
    db.exec('DELETE FROM journal WHERE seq % 7 < 4 AND seq < 50');
    const reads = createHistoryReads(db);
    const all = db.prepare('SELECT seq, at_ms FROM journal ORDER BY seq').all() as {
      seq: number;
      at_ms: number;
    }[];
    for (let hour = 101; hour >= 35; hour -= 1) {
      const moment = NOW - hour * HOUR;
      const expected = all.find((row) => row.at_ms >= moment)?.seq;
      const found = reads.seqAt(moment);
      expect(all.find((row) => row.seq >= found)?.seq).toBe(expected);
    }
  });
});

describe('S4-33 events of the journal', () => {
  const story = async () => {
    const opened = await openHere();
    const { at } = opened;
    await at(NOW - 3 * HOUR, start(1, 'first_start'), session(1), session(2));
    await at(NOW - 2 * HOUR, message(1, 'Write the notes'), began(1, 1));
    await at(NOW - 2 * HOUR + 1, ended(1, 1), began(1, 2, 'mail.send', 'anna'));
    await at(NOW - HOUR, ended(1, 2, { state: 'ambiguous', error: 'the line was cut' }), closed(1));
    await at(NOW, { ...message(2, 'Another'), sessionId: 2 } as JournalEntry);
    return opened;
  };

  it('says in words what happened, newest first, with turn, session and step', async () => {
    const { db } = await story();
    const { list } = listOf(db);
    const { events, nextBefore } = await list({});
    expect(nextBefore).toBeUndefined();
    expect(events.map((event) => event.words)).toEqual([
      'Prompt accepted: Another',
      'Turn 1 completed',
      'Step 2, outcome unknown: mail.send, anna',
      'Step 2 started: mail.send, anna',
      'Step 1 completed: write_file, notes.md',
      'Step 1 started: write_file, notes.md',
      'Prompt accepted: Write the notes',
      'Session started with fake',
      'Session started with fake',
      'Holdfast started for the first time',
    ]);
    expect(events[2]).toMatchObject({
      kind: 'step.ended',
      outcome: 'ambiguous',
      turnId: 1,
      sessionId: 1,
      step: 2,
      detail: 'the line was cut',
    });
  });

  it('filters by turn, session, kind, time and words', async () => {
    const { db } = await story();
    const { list } = listOf(db);
    const words = async (input: Parameters<typeof list>[0]): Promise<readonly string[]> =>
      (await list(input)).events.map((event) => event.words);
    expect(await words({ turnId: 2 })).toEqual(['Prompt accepted: Another']);
    expect(await words({ sessionId: 2 })).toEqual([
      'Prompt accepted: Another',
      'Session started with fake',
    ]);
    expect(await words({ kinds: ['turn.closed', 'marker.started'] })).toEqual([
      'Turn 1 completed',
      'Holdfast started for the first time',
    ]);
    expect(await words({ kinds: ['no.such.kind'] })).toEqual([]);
    expect(await words({ untilMs: NOW - 3 * HOUR })).toHaveLength(3);
    expect(await words({ text: 'MAIL.send' })).toEqual([
      'Step 2, outcome unknown: mail.send, anna',
      'Step 2 started: mail.send, anna',
    ]);
    expect(await words({ turnId: 99 })).toEqual([]);
  });

  it.each([1, 3, 10])('pages of %i give every event once and then the end', async (limit) => {
    const { db } = await story();
    const { list } = listOf(db);
    const ids: string[] = [];
    for (let before: string | undefined, n = 0; n < 20; n += 1) {
      const page = await list({ limit, ...(before === undefined ? {} : { before }) });
      ids.push(...page.events.map((event) => event.id));
      before = page.nextBefore;
      if (before === undefined) break;
    }
    expect(ids).toEqual(['j10', 'j9', 'j8', 'j7', 'j6', 'j5', 'j4', 'j3', 'j2', 'j1']);
  });

  it('R1 hides a known key, and does not find it either', async () => {
    const { db, at } = await story();
    const { list, redactor } = listOf(db);
    await at(NOW + 1, message(3, 'Use quietvalue77 for it'), {
      kind: 'turn.state',
      turnId: 3,
      state: 'parked',
      reason: quoted('refused with sk-ant-REDACTED'),
    });
    redactor.learn('quietvalue77');
    const [parked, accepted] = (await list({ limit: 2 })).events;
    expect(accepted?.words).toBe('Prompt accepted: Use [redacted] for it');
    expect(parked?.detail).not.toContain('aaaaaaaa');
    expect((await list({ text: 'quietvalue77' })).events).toEqual([]);
  });

  it('never shows a payload: neither the prompt behind its start nor a result', async () => {
    const { db, at } = await story();
    const { list } = listOf(db);
    await at(
      NOW + 1,
      message(3, `${'a'.repeat(200)}THE END OF A PROMPT`),
      began(3, 1),
      ended(3, 1, { ...DONE, content: { kind: 'inline', text: `THE RESULT ${'r'.repeat(900)}` } }),
    );
    const text = JSON.stringify(await list({}));
    expect(text).not.toContain('THE END OF A PROMPT');
    expect(text).not.toContain('THE RESULT');
    expect((await list({ text: 'THE RESULT' })).events).toEqual([]);
  });
});

describe('S4-33 events of the audit', () => {
  it('reads every line once over blocks and months, with its turn', async () => {
    const { db } = await openHere();
    const { list, audit } = listOf(db, { budgetMs: 60_000 });
    nowMs = Date.UTC(2026, 1, 27);
    for (let n = 0; n < 700; n += 1)
      audit.record('step', {
        turnId: 1,
        step: n + 1,
        tool: 'files.read_file',
        state: 'completed',
        n,
      });
    await audit.flush();
    nowMs = Date.UTC(2026, 2, 2);
    for (let n = 0; n < 700; n += 1)
      audit.record('setting_changed', { key: `k${String(n)}`, by: 'cli' });
    const ids = new Set<string>();
    const sizes: number[] = [];
    for (let before: string | undefined, n = 0; n < 20; n += 1) {
      const page = await list({
        source: 'audit',
        limit: 500,
        ...(before === undefined ? {} : { before }),
      });
      for (const event of page.events) ids.add(event.id);
      sizes.push(page.events.length);
      before = page.nextBefore;
      if (before === undefined) break;
    }
    expect(ids.size).toBe(1400);
    expect(sizes).toEqual([500, 500, 400]);
    const [last] = (await list({ source: 'audit', turnId: 1, limit: 1 })).events;
    expect(last).toMatchObject({
      words: 'Step 700 completed: read_file',
      turnId: 1,
      sessionId: 1,
      step: 700,
    });
    const untilMs = Date.UTC(2026, 1, 28);
    expect((await list({ source: 'audit', untilMs, limit: 1 })).events[0]?.kind).toBe('step');
    expect((await list({ source: 'audit', text: 'k699' })).events).toHaveLength(1);
    await audit.close();
  });

  it('refuses a place of the journal, and lives with torn and foreign lines', async () => {
    const { db } = await openHere();
    const { list, audit } = listOf(db);
    await expect(list({ source: 'audit', before: 'j1' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    expect(await list({ source: 'audit' })).toEqual({ events: [] });
    audit.record('start', { version: '1.2.3' });
    await audit.close();
    const [name = ''] = fs.readdirSync(path.join(dataDir, 'audit'));
    fs.appendFileSync(path.join(dataDir, 'audit', name), 'not json\n{"at":5}\n{"n":9,"at":"20');
    expect((await list({ source: 'audit' })).events.map((event) => event.words)).toEqual([
      'Holdfast started, version 1.2.3',
    ]);
  });
});

describe('a long history', () => {
  const ROWS = 200_000;
  const fill = (db: Database.Database): void => {
    const insert = db.prepare(
      'INSERT INTO journal (seq, at_ms, kind, turn_id, step, key, body) VALUES (?, ?, ?, 1, ?, NULL, ?)',
    );
    const body = JSON.stringify({ x: 'r'.repeat(300), u: [1, 2, null] });
    db.transaction(() => {
      for (let seq = 1; seq <= ROWS; seq += 1)
        insert.run(
          seq,
          NOW - (ROWS - seq) * 430,
          6 + (seq % 2),
          seq,
          seq % 2 ? body : '{"t":"model"}',
        );
    })();
  };

  it('S4-33 a search for a word that is nowhere ends by its budget and goes on where it was', async () => {
    const { db } = await openHere();
    fill(db);
    const { list } = listOf(db, { budgetMs: 30 });
    let before: string | undefined;
    let calls = 0;
    const searched: number[] = [];
    do {
      const page = await list({ text: 'nowhere', ...(before === undefined ? {} : { before }) });
      expect(page.events).toEqual([]);
      before = page.nextBefore;
      calls += 1;
      if (page.searchedBackToMs !== undefined) searched.push(page.searchedBackToMs);
    } while (before !== undefined && calls < 2000);
    expect(before).toBeUndefined();
    expect(calls).toBeGreaterThan(1);
    expect(searched).toEqual([...searched].sort((a, b) => b - a));
  });

  it('lets others work: no piece of a search or of the day holds the process for long', async () => {
    const { db } = await openHere();
    fill(db);
    nowMs = NOW;
    const { list } = listOf(db);
    const { ask } = dayLineOf(db);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const day = await ask({});
    await list({ text: 'nowhere' });
    delay.disable();
    expect(day.steps.reduce((a, b) => a + b, 0)).toBeGreaterThan(90_000);
    // 10 ms is the aim and the bench has the figure; a busy machine may stop us for longer.
    expect(delay.percentile(90) / 1e6).toBeLessThan(50 * SLACK);
    if (process.env['HOLDFAST_FIGURES'] === '1')
      process.stdout.write(
        `loop delay p90 ${String(delay.percentile(90) / 1e6)} ms, max ${String(delay.max / 1e6)} ms\n`,
      );
  });
});
