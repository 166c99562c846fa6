import type Database from 'better-sqlite3';
import { parsedJson } from '../../../../shared/parsed-json';
import type { DeadLetter } from '../../../../shared/types/delivery';
import { DEAD_REASONS } from '../../../../shared/states';
import { HoldfastError } from '../../../engine/kernel/errors';
import type {
  AttemptRecord,
  EventQueue,
  EventRows,
  DeadLetterFilter,
  QueueBounds,
  QueueTotals,
  Settlement,
  WaitingEvent,
} from '../../../ports/event-queue';
import type { Row } from '../row';

/** Number of attempts, with their errors, that a row stores. */
const HISTORY_LENGTH = 20;

const eventStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    insert: sql(
      `INSERT INTO event_queue (id, topic, bytes, enqueued_at, attempts, history, payload)
       VALUES (@id, @topic, @bytes, @atMs, @attempts, @history, @payload)`,
    ),
    isQueued: sql('SELECT 1 FROM event_queue WHERE id = ?').pluck(),
    isWaiting: sql('SELECT 1 FROM event_queue WHERE topic = ? LIMIT 1').pluck(),
    isDead: sql('SELECT 1 FROM dead_letters WHERE id = ?').pluck(),
    depth: sql('SELECT count(*) FROM event_queue').pluck(),
    oldest: sql(
      `SELECT seq FROM event_queue WHERE seq NOT IN (SELECT value FROM json_each(?))
       ORDER BY seq LIMIT 1`,
    ).pluck(),
    next: sql(
      `SELECT seq, id, topic, bytes, enqueued_at, attempts FROM event_queue
       WHERE seq > ? ORDER BY seq LIMIT ?`,
    ),
    payload: sql('SELECT payload FROM event_queue WHERE seq = ?').pluck(),
    history: sql('SELECT history FROM event_queue WHERE seq = ?').pluck(),
    remove: sql('DELETE FROM event_queue WHERE seq = ?'),
    attempted: sql('UPDATE event_queue SET attempts = attempts + 1, history = ? WHERE seq = ?'),
    bury: sql(
      `INSERT OR REPLACE INTO dead_letters
         (id, topic, bytes, enqueued_at, failed_at, reason, detail, attempts, history, payload)
       SELECT id, topic, bytes, enqueued_at, ?, ?, ?, attempts, history, payload
       FROM event_queue WHERE seq = ?`,
    ),
    requeue: sql(
      `INSERT INTO event_queue (id, topic, bytes, enqueued_at, payload)
       SELECT id, topic, bytes, ?, payload FROM dead_letters WHERE id = ?`,
    ),
    unbury: sql('DELETE FROM dead_letters WHERE id = ?'),
    shedLetters: sql("SELECT count(*) FROM dead_letters WHERE reason = 'shed'").pluck(),
    dropOldestShed: sql(
      `DELETE FROM dead_letters WHERE seq IN
         (SELECT seq FROM dead_letters WHERE reason = 'shed' ORDER BY seq LIMIT ?)`,
    ),
    count: sql(
      `INSERT INTO delivery_counts (name, value) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
    ),
    told: sql(
      `INSERT OR REPLACE INTO delivery_counts (name, value)
       SELECT 'shed_told', value FROM delivery_counts WHERE name = 'shed'`,
    ),
    sums: sql(
      'SELECT count(*) AS depth, total(bytes) AS bytes, min(enqueued_at) AS oldest FROM event_queue',
    ),
    letters: sql('SELECT count(*) FROM dead_letters').pluck(),
    counted: sql('SELECT value FROM delivery_counts WHERE name = ?').pluck(),
    shedSince: sql(
      "SELECT seq, id, topic FROM dead_letters WHERE reason = 'shed' AND seq > ? ORDER BY seq LIMIT 1000",
    ),
    lastLetter: sql('SELECT max(seq) FROM dead_letters').pluck(),
  };
};

export function createEventRows(db: Database.Database): EventRows {
  const on = eventStatements(db);
  const number = (value: unknown): number => Number(value ?? 0);
  const remembered = (seq: number, record: AttemptRecord): string =>
    JSON.stringify([...historyOf(on.history.get(seq)), record].slice(-HISTORY_LENGTH));

  /** Moves the event to the dead letters. The last rejection counts as an attempt. */
  const bury = (one: Settlement['buried'][number], atMs: number): void => {
    if (one.error !== undefined)
      on.attempted.run(remembered(one.seq, { atMs, error: one.error }), one.seq);
    on.bury.run(atMs, one.reason, one.detail.slice(0, 500), one.seq);
    on.remove.run(one.seq);
  };

  const shedOldest = (bounds: QueueBounds, atMs: number): void => {
    const seq = on.oldest.get(JSON.stringify(bounds.inFlight)) as number | undefined;
    if (seq === undefined) return;
    const detail = `The queue was full (${String(bounds.maxPending)} events): the oldest was dropped.`;
    bury({ seq, reason: 'shed', detail }, atMs);
    on.count.run('shed', 1);
    const surplus = number(on.shedLetters.get()) - bounds.maxShedLetters;
    if (surplus <= 0) return;
    on.count.run('shed_summarised', on.dropOldestShed.run(surplus).changes);
  };

  const insert: EventRows['insert'] = (event, bounds, atMs) => {
    if (on.isQueued.get(event.id) !== undefined) return false;
    // The user published it again, so it is no longer a dead letter.
    on.unbury.run(event.id);
    const { history = [] } = event;
    on.insert.run({ ...event, atMs, attempts: history.length, history: JSON.stringify(history) });
    if (number(on.depth.get()) > bounds.maxPending) shedOldest(bounds, atMs);
    return true;
  };

  const chosen = (
    choice: DeadLetterFilter,
  ): { readonly where: string; readonly values: unknown[] } => {
    const parts: [string, unknown][] = [];
    if (choice.id !== undefined) parts.push(['id = ?', choice.id]);
    if (choice.topic !== undefined) parts.push(['topic = ?', choice.topic]);
    if (choice.failedBeforeMs !== undefined) parts.push(['failed_at < ?', choice.failedBeforeMs]);
    return {
      where: parts.length === 0 ? '1' : parts.map(([text]) => text).join(' AND '),
      values: parts.map(([, value]) => value),
    };
  };

  const replay = (choice: DeadLetterFilter, bounds: QueueBounds, atMs: number): number => {
    const { where, values } = chosen(choice);
    // Queued events matter as much as replayed ones: none of them is dropped to make room.
    const room = Math.max(0, bounds.maxPending - number(on.depth.get()));
    const ids = db
      .prepare(`SELECT id FROM dead_letters WHERE ${where} ORDER BY seq LIMIT ?`)
      .pluck()
      .all(...values, room) as string[];
    for (const id of ids) {
      on.requeue.run(atMs, id);
      on.unbury.run(id);
    }
    return ids.length;
  };

  const reads = {
    next: (afterSeq: number, limit: number) =>
      (on.next.all(afterSeq, limit) as Row[]).map(waitingOf),
    payload: (seq: number): unknown => on.payload.get(seq),
    knows: (id: string) => (on.isQueued.get(id) ?? on.isDead.get(id)) !== undefined,
    isWaiting: (topic: string) => on.isWaiting.get(topic) !== undefined,
    depth: () => number(on.depth.get()),
    shedTotal: () => number(on.counted.get('shed')),
    totals(): QueueTotals {
      const sums = on.sums.get() as Row;
      return {
        depth: number(sums['depth']),
        bytes: number(sums['bytes']),
        oldestAtMs: sums['oldest'] === null ? undefined : number(sums['oldest']),
        deadLetters: number(on.letters.get()),
        shed: number(on.counted.get('shed')),
        shedSummarised: number(on.counted.get('shed_summarised')),
        shedLetters: number(on.shedLetters.get()),
      };
    },
    shedUntold: () => number(on.counted.get('shed')) - number(on.counted.get('shed_told')),
    letters(options: Parameters<EventQueue['letters']>[0]) {
      const { where, values } = chosen(options);
      const total = number(
        db
          .prepare(`SELECT count(*) FROM dead_letters WHERE ${where}`)
          .pluck()
          .get(...values),
      );
      const before =
        options.beforeId === undefined
          ? ''
          : ' AND seq < coalesce((SELECT seq FROM dead_letters WHERE id = ?), 0)';
      const rows = db
        .prepare(
          `SELECT *, substr(CAST(payload AS TEXT), 1, 500) AS start FROM dead_letters
           WHERE ${where}${before} ORDER BY seq DESC LIMIT ?`,
        )
        .all(
          ...values,
          ...(options.beforeId === undefined ? [] : [options.beforeId]),
          options.limit,
        ) as Row[];
      return { letters: rows.map(letterOf), total };
    },
    shedSince(afterSeq: number) {
      const rows = on.shedSince.all(afterSeq) as { seq: number; id: string; topic: string }[];
      const seq = rows.length === 1000 ? rows.at(-1)?.seq : on.lastLetter.get();
      return { events: rows, seq: Math.max(afterSeq, number(seq)) };
    },
  };

  return {
    insert,
    markShedTold: () => void on.told.run(),
    queue: (run) => ({
      ...reads,
      enqueue: async (event, bounds) => {
        const row = (atMs: number): boolean => insert(event, bounds(), atMs);
        try {
          return await run(row);
        } catch (error) {
          if (!isRefusedByDisk(error)) throw error;
          // This may be outdated: the writer probes the disk again in the next round of the event
          // loop.
          await new Promise(setImmediate);
          return run(row);
        }
      },
      settle: (settlement) =>
        run(
          (atMs) => {
            for (const seq of settlement.delivered) on.remove.run(seq);
            for (const { seq, error } of settlement.failed)
              on.attempted.run(remembered(seq, { atMs, error }), seq);
            for (const one of settlement.buried) bury(one, atMs);
          },
          { isOutcome: true },
        ),
      replay: (choice, bounds) => run((atMs) => replay(choice, bounds(), atMs)),
      purge: (choice) =>
        run(() => {
          const { where, values } = chosen(choice);
          return db.prepare(`DELETE FROM dead_letters WHERE ${where}`).run(...values).changes;
        }),
      markShedTold: () => run(() => void on.told.run()),
    }),
  };
}

function isRefusedByDisk(error: unknown): boolean {
  return error instanceof HoldfastError && error.code.startsWith('DISK_');
}

function waitingOf(row: Row): WaitingEvent {
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    topic: String(row['topic']),
    bytes: Number(row['bytes']),
    enqueuedAtMs: Number(row['enqueued_at']),
    attempts: Number(row['attempts']),
  };
}

/** A damaged history counts as empty, because the event itself matters more. */
function historyOf(value: unknown): readonly AttemptRecord[] {
  const parsed = parsedJson(String(value));
  return Array.isArray(parsed) ? parsed.filter(isAttempt) : [];
}

function isAttempt(value: unknown): value is AttemptRecord {
  const record = value as Partial<AttemptRecord> | null;
  return typeof record?.atMs === 'number' && typeof record.error === 'string';
}

function letterOf(row: Row): DeadLetter {
  const reason = DEAD_REASONS.find((one) => one === row['reason']) ?? 'refused';
  return {
    id: String(row['id']),
    topic: String(row['topic']),
    enqueuedAtMs: Number(row['enqueued_at']),
    failedAtMs: Number(row['failed_at']),
    reason,
    detail: String(row['detail']),
    attempts: Number(row['attempts']),
    history: historyOf(row['history'])
      .slice(-HISTORY_LENGTH)
      .map(({ atMs, error }) => ({ atMs, error: error.slice(0, 300) })),
    bytes: Number(row['bytes']),
    payloadStart: String(row['start']).slice(0, 500),
  };
}
