import type Database from 'better-sqlite3';
import { HoldfastError, stoppingError } from '../../../engine/kernel/errors';
import type { Basics } from '../../../engine/kernel/basics';
import type { CommitReceipt, DiskRefusal, Journal } from '../../../ports/journal/journal';
import type { JournalEntry } from '../../../ports/journal/entries';
import { isDamage } from '../damage';
import { encodeEntry } from './entry-codec';
import { isFoldBehind, isOnlySteps, mustWriteApplied } from '../applied';
import { createFold } from '../tables/fold';
import type { Applied } from '../tables/fold-table';
import { preparedOnce } from '../prepared';
import { proveWal } from '../prove-wal';
import { isRefusedByDisk } from '../read-probe';
import type { SentText } from '../../../ports/unsent';
import { refoldTables } from '../refold';

/** Delay between two attempts to write outcomes that the disk rejected. */
const REFUSED_RETRY_MS = 2_000;
/**
 * Consecutive commits within this time rely on one check of the instance lock. A process that was
 * suspended and lost its lock wakes up with a longer gap, and checks.
 */
const OWNER_TRUST_MS = 50;

interface Waiting {
  readonly entries: readonly JournalEntry[];
  /** Writes to tables that are not a fold of the journal. */
  readonly work: ((atMs: number) => unknown) | undefined;
  readonly isOutcome: boolean;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (reason: unknown) => void;
}

type Listener = Parameters<Journal['onCommitted']>[0];

interface Receipt extends CommitReceipt {
  /** What `work` returned. */
  readonly result?: unknown;
}

interface GroupCommitDeps extends Pick<Basics, 'clock' | 'crashPoints'> {
  readonly db: Database.Database;
  /** @throws LOCK_LOST if another process has taken the instance lock (S2-47) */
  readonly assertOwner: () => void;
  /** Writes what must be on disk together with an entry: the events derived from it. */
  readonly together?: (entry: JournalEntry, applied: Applied) => void;
  /** Inside the transaction: the text of these entries is no longer unsent. */
  readonly forget?: (sent: SentText) => void;
  /** A listener failed on committed entries. Without this handler, its error ends the process. */
  readonly onFollowerError?: (error: unknown) => void;
}

export interface GroupCommit extends Journal {
  /**
   * Runs `work` inside the next transaction, shared with the commits that wait; durable when it
   * resolves with what `work` returned. `work` only runs SQL: it may be rolled back and run again.
   * @throws as `commit`
   */
  run<T>(work: (atMs: number) => T, options?: { readonly isOutcome: boolean }): Promise<T>;
  /**
   * The number was assigned before this process started: if it has no row by now, it never gets
   * one.
   */
  isOfEarlier(what: Counter, id: number): boolean;
  /** Rebuilds the tables from the journal; returns the rows applied. @throws DATABASE_CORRUPT */
  refold(): number;
  /** Writes what is waiting, then rejects everything. */
  close(): Promise<void>;
}

const COUNTERS = [
  'session',
  'turn',
  'inbox',
  'frame',
  'start',
  'run',
  'draft',
  'task',
  'outage',
] as const;
type Counter = (typeof COUNTERS)[number];
/** The tables whose highest ID is the last number assigned. */
export const COUNTER_TABLES: Readonly<Record<Counter, string>> = {
  session: 'sessions',
  turn: 'turns',
  inbox: 'inbox',
  frame: 'frames',
  start: 'starts',
  run: 'runs',
  draft: 'drafts',
  task: 'tasks',
  outage: 'outages',
};

/**
 * The one writer. All commits that have arrived by the time the event loop comes round go into one
 * transaction with one sync; every caller is answered after it.
 *
 *   idle --commit--> scheduled --setImmediate--> flushing --ok--> idle
 *                                     \--disk refuses--> refusing (outcomes wait, intents are refused)
 */
export function createGroupCommit(deps: GroupCommitDeps): GroupCommit {
  const { db, clock, crashPoints } = deps;
  /**
   * Undefined after a rollback: what the fold knew about turns may be of entries that were never
   * written.
   */
  let fold: ReturnType<typeof createFold> | undefined = createFold(db);
  const insertRows = createInsertRows(db);
  const setApplied = db.prepare('UPDATE fold SET applied_seq = ? WHERE id = 1');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commitSql = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const listeners = new Set<Listener>();
  /** The listeners that are notified of steps, too. */
  const stepListeners = new Set<Listener>();

  let seq = Math.max(readNumber(db, 'SELECT max(seq) FROM journal'), readState(db, 'floor_seq'));
  let writtenSeq = readNumber(db, 'SELECT applied_seq FROM fold');
  let appliedSeq = isFoldBehind(db) ? writtenSeq : seq;
  const counters = Object.fromEntries(
    COUNTERS.map((name) => [
      name,
      Math.max(
        readNumber(db, `SELECT max(id) FROM ${COUNTER_TABLES[name]}`),
        readState(db, `floor_${name}`),
      ),
    ]),
  ) as Record<Counter, number>;
  const earlier = { ...counters };

  let waiting: Waiting[] = [];
  let isScheduled = false;
  let isClosed = false;
  let refusal: DiskRefusal | undefined;
  /**
   * A sync or a write has failed: the content of the WAL is not trusted until it has been written
   * again.
   */
  let isDoubted = false;
  let ownerSeenMs = Number.NEGATIVE_INFINITY;
  let retryTimer: NodeJS.Timeout | undefined;

  const assertOwner = (): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs - ownerSeenMs < OWNER_TRUST_MS) return;
    ownerSeenMs = Number.NEGATIVE_INFINITY;
    deps.assertOwner();
    ownerSeenMs = nowMs;
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  };

  const write = (group: readonly Waiting[]): readonly Receipt[] => {
    const atMs = clock.nowMs();
    const before = seq;
    crashPoints.hit('journal.commit.before');
    begin.run();
    try {
      const apply = (fold ??= createFold(db));
      insertRows(entriesOf(group), seq, atMs);
      const receipts = group.map(({ entries, work }) => {
        const firstSeq = seq + 1;
        for (const entry of entries) {
          seq += 1;
          const applied = { seq, atMs };
          apply(entry, applied);
          deps.together?.(entry, applied);
        }
        return work === undefined ? { firstSeq, atMs } : { firstSeq, atMs, result: work(atMs) };
      });
      const isWritten = group.some(({ entries }) => mustWriteApplied(entries, seq, writtenSeq));
      if (isWritten) setApplied.run(seq);
      crashPoints.hit('journal.commit.inside');
      commitSql.run();
      appliedSeq = seq;
      if (isWritten) writtenSeq = seq;
      crashPoints.hit('journal.commit.after');
      return receipts;
    } catch (error) {
      seq = before;
      fold = undefined;
      if (db.inTransaction) rollback.run();
      throw error;
    }
  };

  /** The error of a listener does not undo the commit, which is on disk and is written once. */
  const tell: Listener = (entries, atMs, firstSeq) => {
    for (const listener of isOnlySteps(entries) ? stepListeners : listeners) {
      try {
        listener(entries, atMs, firstSeq);
      } catch (error) {
        followerFailed(error);
      }
    }
  };
  const followerFailed =
    deps.onFollowerError ??
    ((error: unknown) => {
      setImmediate(() => {
        throw error;
      });
    });

  const settle = (group: readonly Waiting[], receipts: readonly Receipt[]): void => {
    group.forEach((one, index) => {
      const receipt = receipts[index];
      if (receipt === undefined) return;
      if (one.entries.length > 0) {
        tell(one.entries, receipt.atMs, receipt.firstSeq);
      }
      one.resolve(receipt);
    });
  };

  const refuse = (group: readonly Waiting[], error: unknown, code: DiskRefusal['code']): void => {
    isDoubted ||= code === 'DISK_FAILED';
    refusal = {
      code,
      message: REFUSALS[code].message,
      sinceMs: refusal?.sinceMs ?? clock.nowMs(),
    };
    // Outcomes of what has already happened outside must not be lost: they wait in memory for the
    // disk.
    waiting = [...group.filter((one) => one.isOutcome), ...waiting];
    for (const one of group) if (!one.isOutcome) one.reject(refusalError(code, error));
    tell([], clock.nowMs(), seq);
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      schedule();
    }, REFUSED_RETRY_MS);
    retryTimer.unref();
  };

  /**
   * SQLite reports a page that the disk fails to deliver as damaged. The page may become readable,
   * so the commit waits.
   */
  const refusalBy = (error: unknown): DiskRefusal['code'] | undefined =>
    diskCode(error) ?? (isDamage(error) && isRefusedByDisk(db.name) ? 'DISK_FAILED' : undefined);

  const flush = (): void => {
    isScheduled = false;
    const group = waiting;
    waiting = [];
    if (group.length === 0 && refusal === undefined) return;
    try {
      assertOwner();
      if (isDoubted) prove();
      const receipts = group.length === 0 ? probe() : write(group);
      if (refusal !== undefined) {
        refusal = undefined;
        tell([], clock.nowMs(), seq);
      }
      settle(group, receipts);
    } catch (error) {
      const code = refusalBy(error);
      if (code !== undefined) refuse(group, error, code);
      else if (group.length > 1) oneByOne(group);
      else for (const one of group) one.reject(error);
    }
  };

  /** One bad entry must not reject the others. */
  const oneByOne = (group: readonly Waiting[]): void => {
    for (const one of group) {
      try {
        if (isDoubted) prove();
        settle([one], write([one]));
      } catch (error) {
        const code = refusalBy(error);
        if (code === undefined) one.reject(error);
        else refuse([one], error, code);
      }
    }
  };

  /**
   * Probes a disk that rejects writes with a real write that changes nothing. SQLite writes no page
   * for an unchanged value, so such a commit would not reach the disk and would leave the failed
   * one in the WAL.
   */
  const probe = (): readonly Receipt[] => {
    begin.run();
    setApplied.run(-1);
    setApplied.run(appliedSeq);
    commitSql.run();
    writtenSeq = appliedSeq;
    return [];
  };

  /**
   * The commit that changes nothing replaces the failed one in the WAL, so rejected callers stay
   * rejected. After it, everything before it is written and synced again.
   */
  const prove = (): void => {
    probe();
    proveWal(db);
    isDoubted = false;
    crashPoints.hit('wal.prove.after');
  };

  const join = (
    entries: Waiting['entries'],
    work: Waiting['work'],
    isOutcome = false,
  ): Promise<Receipt> => {
    if (isClosed) return Promise.reject(closedError());
    if (refusal !== undefined && !isOutcome) {
      // The next attempt costs little and shows at once whether there is space again.
      schedule();
      return Promise.reject(refusalError(refusal.code, undefined));
    }
    return new Promise((resolve, reject) => {
      waiting.push({ entries, work, isOutcome, resolve, reject });
      schedule();
    });
  };

  const forgetting = (sent: SentText | undefined): Waiting['work'] =>
    sent === undefined ? undefined : () => deps.forget?.(sent);

  return {
    commit: (entries, options) => join(entries, forgetting(options?.sent), options?.isOutcome),
    run: async <T>(work: (atMs: number) => T, options?: { readonly isOutcome: boolean }) =>
      (await join([], work, options?.isOutcome)).result as T,
    allocate(what) {
      counters[what] += 1;
      return counters[what];
    },
    isOfEarlier: (what, id) => id <= earlier[what],
    seq: () => seq,
    appliedSeq: () => appliedSeq,
    refusal: () => refusal,
    onCommitted(listener, options) {
      listeners.add(listener);
      if (options?.skipsSteps !== true) stepListeners.add(listener);
      return () => {
        listeners.delete(listener);
        stepListeners.delete(listener);
      };
    },
    refold() {
      const applied = refoldTables(db, (fold ??= createFold(db)), crashPoints);
      // The emptied tables no longer contain the numbers that were assigned.
      for (const name of COUNTERS) {
        const top = readNumber(db, `SELECT max(id) FROM ${COUNTER_TABLES[name]}`);
        counters[name] = Math.max(counters[name], top);
        earlier[name] = Math.max(earlier[name], top);
      }
      appliedSeq = seq;
      writtenSeq = seq;
      return applied;
    },
    async close() {
      if (isClosed) return;
      clearTimeout(retryTimer);
      flush();
      isClosed = true;
      for (const one of waiting) one.reject(closedError());
      waiting = [];
      await Promise.resolve();
    },
  };
}

const COLUMNS = '(seq, at_ms, kind, turn_id, step, key, body)';
const ROW = '(?, ?, ?, ?, ?, ?, ?)';
/** Starting a statement costs half as much as inserting a row. */
const MAX_ROWS = 16;

/** Inserts entries into the journal, in this order, with the numbers that follow `afterSeq`. */
function createInsertRows(
  db: Database.Database,
): (entries: readonly JournalEntry[], afterSeq: number, atMs: number) => void {
  const sql = preparedOnce(db);
  const statements = Array.from(
    { length: MAX_ROWS },
    (_, index) =>
      `INSERT INTO journal ${COLUMNS} VALUES ${Array(index + 1)
        .fill(ROW)
        .join(', ')}`,
  );
  return (entries, afterSeq, atMs) => {
    for (let from = 0; from < entries.length; from += MAX_ROWS) {
      const values: unknown[] = [];
      const end = Math.min(from + MAX_ROWS, entries.length);
      for (let at = from; at < end; at += 1) {
        const { kind, turnId, step, key, body } = encodeEntry(entries[at] as JournalEntry);
        values.push(afterSeq + 1 + at, atMs, kind, turnId, step, key, body);
      }
      sql(statements[end - from - 1] ?? '').run(values);
    }
  };
}

/** The steps of a single turn arrive one by one. */
function entriesOf(group: readonly Waiting[]): readonly JournalEntry[] {
  const [first] = group;
  return first !== undefined && group.length === 1
    ? first.entries
    : group.flatMap(({ entries }) => entries);
}

function readNumber(db: Database.Database, query: string): number {
  const value: unknown = db.prepare(query).pluck().get();
  return typeof value === 'number' ? value : 0;
}

function readState(db: Database.Database, key: string): number {
  const value: unknown = db.prepare('SELECT value FROM state WHERE key = ?').pluck().get(key);
  return typeof value === 'string' ? Number(value) : 0;
}

const REFUSALS: Readonly<
  Record<DiskRefusal['code'], { readonly message: string; readonly hint: string }>
> = {
  DISK_FULL: {
    message: 'The disk is full. New work is rejected until there is space; accepted work is saved.',
    hint: 'Free some space. Holdfast continues automatically within seconds.',
  },
  DISK_READ_ONLY: {
    message: 'The data directory cannot be written. New work is rejected; accepted work is saved.',
    hint: 'Make the data directory writable again. Holdfast continues automatically within seconds.',
  },
  DISK_FAILED: {
    message:
      'The disk reports an error and cannot be written. New work is rejected; accepted work is saved.',
    hint: 'Holdfast retries every few seconds and continues automatically. If the error stays, look at the log of your system, then stop Holdfast and run "holdfast doctor --full".',
  },
};

/**
 * Errors of files written without SQLite, because the WAL is proven that way. A code that is
 * missing here would discard the outcomes that wait for the disk.
 */
const ERRNO_REFUSALS: ReadonlyMap<string, DiskRefusal['code']> = new Map([
  ['ENOSPC', 'DISK_FULL'],
  ['EDQUOT', 'DISK_FULL'],
  ['EROFS', 'DISK_READ_ONLY'],
  ['EACCES', 'DISK_READ_ONLY'],
  ['EPERM', 'DISK_READ_ONLY'],
  ['EIO', 'DISK_FAILED'],
  ['EFBIG', 'DISK_FAILED'],
  // SQLite calls these SQLITE_CANTOPEN.
  ['EMFILE', 'DISK_FAILED'],
  ['ENFILE', 'DISK_FAILED'],
]);

/**
 * How the disk rejected a write, from an error of SQLite or of a file; undefined for any other
 * error.
 */
export function diskCode(error: unknown): DiskRefusal['code'] | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const named = ERRNO_REFUSALS.get(code);
  if (named !== undefined) return named;
  // SQLITE_IOERR_SHMSIZE: there is no space for the file that readers and writers share.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return 'DISK_FULL';
  if (code.startsWith('SQLITE_READONLY')) return 'DISK_READ_ONLY';
  if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN') return 'DISK_FAILED';
  return undefined;
}

/** The same as an error for users. */
export function refusalError(code: DiskRefusal['code'], cause: unknown): HoldfastError {
  const { message, hint } = REFUSALS[code];
  return new HoldfastError(code, message, { hint, retryable: true, cause });
}

const closedError = (): HoldfastError =>
  stoppingError('Nothing was written. Try again when it is running.');
