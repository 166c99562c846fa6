/** History must not cost: step time and start with millions of closed steps behind them. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { collect, median, medianRatio } from './numbers';
import { inFolder, runOn } from './programs';
import type { Report } from './report';
import { startHeadless } from './start-figures';

const STEPS_PER_TURN = 200;

/** Fills a database that the app has made with closed turns, by SQL, as the app would have left it. */
export function fill(dataDir: string, steps: number, stepsPerTurn = STEPS_PER_TURN): void {
  const db = new Database(path.join(dataDir, 'holdfast.db'));
  const turns = Math.ceil(steps / stepsPerTurn);
  const top = Number(db.prepare('SELECT max(seq) FROM journal').pluck().get());
  const nowMs = Date.now();
  const series = (count: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${String(count)})`;
  const perTurn = stepsPerTurn * 2 + 2;
  const first = `(${String(top)} + 1 + turn * ${String(perTurn)})`;
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    db.exec(
      `INSERT INTO sessions (id, key, title, agent, created_at, last_event_at, turn_count)
       VALUES (1, 'old', 'old', 'bench', ${String(nowMs)}, ${String(nowMs)}, ${String(turns)})`,
    );
    db.exec(
      `${series(turns)} INSERT INTO turns (id, session_id, state, prompt_start, prompt_seq, channel, peer,
         attempt, accepted_at, started_at, ended_at, answer_step, closed_seq, is_closed)
       SELECT i + 1, 1, 'completed', 'old', ${first.replaceAll('turn', 'i')}, 'cli', '', 1, ${String(nowMs)},
         ${String(nowMs)}, ${String(nowMs)}, 1, ${first.replaceAll('turn', 'i')} + ${String(perTurn - 1)}, 1 FROM n`,
    );
    const journal = db.prepare(
      'INSERT INTO journal (seq, at_ms, kind, turn_id, step, key, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const step = db.prepare('INSERT INTO steps VALUES (?, ?, 1, ?, ?, 0)');
    const event = db.prepare('INSERT INTO session_events VALUES (1, ?, ?, ?, ?)');
    const key = Buffer.alloc(32, 7);
    const accepted = '{"x":"old","sessionId":1,"promptStart":"old","channel":"cli","peer":""}';
    const closed =
      '{"sessionId":1,"state":"completed","reason":"","answerStep":1,"hasReply":false}';
    const result = JSON.stringify({ x: 'r'.repeat(200) });
    let seq = top;
    for (let turn = 1; turn <= turns; turn += 1) {
      journal.run((seq += 1), nowMs, 2, turn, null, null, accepted);
      event.run(seq, 2, turn, seq);
      for (let index = 1; index <= stepsPerTurn; index += 1) {
        journal.run(seq + 1, nowMs, 6, turn, index, key, '{"t":"bench.note","c":[1,0]}');
        journal.run(seq + 2, nowMs, 7, turn, index, null, result);
        step.run(turn, index, seq + 1, seq + 2);
        seq += 2;
      }
      journal.run((seq += 1), nowMs, 12, turn, null, null, closed);
      event.run(seq, 12, turn, null);
    }
    db.exec(`UPDATE fold SET applied_seq = ${String(seq)}`);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

export async function addGrowthFigures(
  report: Report,
  repeats: number,
  steps: number,
): Promise<void> {
  await inFolder(async (dir) => {
    const folders = { empty: path.join(dir, 'empty'), full: path.join(dir, 'full') };
    for (const folder of Object.values(folders)) {
      fs.mkdirSync(path.join(folder, 'data'), { recursive: true, mode: 0o700 });
      await startHeadless(path.join(folder, 'data'), 0);
    }
    fill(path.join(folders.full, 'data'), steps);
    const rounds = await collect(repeats, async () => {
      const one = async (folder: string) => ({
        start: (await startHeadless(path.join(folder, 'data'), 0)).readyMs,
        step: median(
          (await runOn<{ w1: number[] }>('native', 'w1', { dir: folder, repeats: 1, rounds: 5 }))
            .w1,
        ),
      });
      return { empty: await one(folders.empty), full: await one(folders.full) };
    });
    const ratio = (what: 'start' | 'step'): number =>
      medianRatio(
        rounds.map((round) => round.full[what]),
        rounds.map((round) => round.empty[what]),
      );
    report.add(
      `Growth, ${steps.toLocaleString('en')} closed steps against an empty database`,
      { name: 'step time', value: ratio('step'), unit: '×', budget: { sense: '<=', limit: 1.2 } },
      { name: 'start', value: ratio('start'), unit: '×', budget: { sense: '<=', limit: 1.2 } },
    );
  });
}

/** S4-03: a start that finds tables older than its journal makes them anew, from 100,000 entries. */
export async function addReplayFigure(report: Report, repeats: number): Promise<void> {
  await inFolder(async (dir) => {
    const dataDir = path.join(dir, 'data');
    fs.mkdirSync(dataDir, { mode: 0o700 });
    await startHeadless(dataDir, 0);
    fill(dataDir, 50_000);
    const rounds = await collect(repeats, async () => {
      const usual = (await startHeadless(dataDir, 0)).readyMs;
      const db = new Database(path.join(dataDir, 'holdfast.db'));
      db.exec('UPDATE fold SET applied_seq = 0');
      db.close();
      return { usual, replay: (await startHeadless(dataDir, 0)).readyMs };
    });
    report.add('Start that replays 100,000 journal entries', {
      name: 'more than a usual start',
      value: median(rounds.map(({ usual, replay }) => replay - usual)),
      unit: 'ms',
      budget: { sense: '<=', limit: 2_000 },
    });
  });
}
