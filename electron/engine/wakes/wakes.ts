import type { Priority } from '../../../shared/activations';
import type { Ids } from '../../ports/ids';
import type { Basics } from '../kernel/basics';
import type { SessionReads } from '../../ports/journal/reads';
import type { JournalEntry } from '../../ports/journal/entries';
import type { WakeRow, WorkReads } from '../../ports/journal/work';
import { createAlarm } from '../kernel/alarm';
import { waitUntil } from '../kernel/wait-until';
import type { SessionsRoom } from '../sessions/intake';

/**
 * Maximum sleep between clock checks: a timer counts monotonic time, and the wall clock may be set or
 * the computer may sleep. Reading the clock costs nothing and touches no table.
 */
const MAX_NAP_MS = 10_000;

/**
 * How long to sleep before checking the wall clock again; 0 if the wake-up is due. Pure. S3-+03.
 */
export function nextLookMs(dueAtMs: number, nowMs: number): number {
  return Math.min(Math.max(0, dueAtMs - nowMs), MAX_NAP_MS);
}

/** A request to wake a session at an instant. */
interface WakeWish {
  readonly sessionId: number;
  /** The same key pending twice in a session is one wake-up (S3-+04). */
  readonly dedupeKey: string;
  /** Wall time in ms. In the past: at once. */
  readonly dueAtMs: number;
  /** The text for the session when it wakes. */
  readonly note: string;
  readonly priority?: Priority;
  /** The source: a tool, a timer, a schedule or the user. */
  readonly by: string;
  readonly turnId?: number;
}

/**
 * Queued wake-ups: durable and deduplicated; each becomes one turn. Also used by timers and
 * schedules.
 */
export interface Wakes {
  /** On disk when it resolves. @throws DISK_* */
  queue(wish: WakeWish): Promise<{ readonly wakeId: string; readonly isNew: boolean }>;
  /** False if the wake-up is no longer pending. On disk when it resolves. */
  cancel(wakeId: string, reason: string): Promise<boolean>;
  /** Entries that drop everything queued for a session, for the commit that interrupts it. */
  dropping(sessionId: number, reason: string): readonly JournalEntry[];
  /** From here on due wake-ups become turns. */
  start(): void;
  /** Checks again now: the clock may have jumped, or the computer slept. */
  look(): void;
  stop(): void;
}

interface WakesDeps extends Pick<Basics, 'journal' | 'clock' | 'crashPoints' | 'audit' | 'log'> {
  readonly reads: Pick<SessionReads, 'session'>;
  readonly workReads: WorkReads;
  readonly ids: Pick<Ids, 'newId'>;
  readonly sessions: Pick<SessionsRoom, 'acceptWake'>;
}

/** Delay before retrying wake-ups that the disk or the intake rejected. */
const REFUSED_RETRY_MS = 2_000;
const MAX_WAKES = 100_000;

/**
 * Uses one timer for the next due time instead of polling the table. A clock that is set back
 * delays no wake-up: during a run elapsed time counts too, and after a start none waits longer than
 * requested.
 */
export function createWakes(deps: WakesDeps): Wakes {
  const { journal, workReads: reads, clock } = deps;
  /** Keys in a commit in progress: two that arrive together count once. */
  const queueing = new Map<string, Promise<{ wakeId: string; isNew: boolean }>>();
  /** Due time of each possibly pending wake-up, by the current wall clock. */
  const dueMs = new Map<string, () => number>();
  let isStarted = false;
  let isFiring = false;

  const look = (): void => {
    if (!isStarted || isFiring) return;
    alarm.clear();
    if (dueMs.size === 0) return;
    const dueAtMs = [...dueMs.values()].reduce((next, due) => Math.min(next, due()), Infinity);
    const delayMs = nextLookMs(dueAtMs, clock.nowMs());
    if (delayMs > 0) {
      alarm.set(delayMs);
      return;
    }
    isFiring = true;
    fire().then(
      (isDone) => {
        isFiring = false;
        if (isDone) look();
        else if (isStarted) alarm.set(REFUSED_RETRY_MS);
      },
      (error: unknown) => {
        isFiring = false;
        deps.log.warn('wake.refused', { error });
        if (isStarted) alarm.set(REFUSED_RETRY_MS);
      },
    );
  };

  const alarm = createAlarm(clock, look);

  /** False: it is not taken now, and stays due. */
  const fireOne = async (wakeId: string, nowMs: number): Promise<boolean> => {
    const wake = reads.wake(wakeId);
    if (wake?.state === 'pending') {
      const { sessionId, dueAtMs } = wake;
      // It was deleted, possibly while the wake was being queued for it.
      if (deps.reads.session({ id: sessionId })?.isDeleted !== false) {
        const reason = 'The session was deleted.';
        await journal.commit([{ kind: 'wake.cancelled', wakeId, sessionId, reason }]);
      } else {
        const turn = await deps.sessions.acceptWake(wake, wakeText(wake));
        if (turn === undefined) return false;
        const lateMs = Math.max(0, nowMs - dueAtMs);
        deps.audit.record('wake_consumed', { wakeId, turnId: turn.id, lateMs });
      }
    }
    dueMs.delete(wakeId);
    return true;
  };

  /** True if everything due has become a turn. One that fails does not hold up the others. */
  const fire = async (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    const due = [...dueMs].map(([wakeId, at]) => ({ wakeId, atMs: at() }));
    let isDone = true;
    for (const { wakeId } of due
      .filter(({ atMs }) => atMs <= nowMs)
      .sort((one, other) => one.atMs - other.atMs)) {
      const isTaken = await fireOne(wakeId, nowMs).catch((error: unknown) => {
        deps.log.warn('wake.refused', { wakeId, error });
        return false;
      });
      isDone &&= isTaken;
    }
    return isDone;
  };

  return {
    async queue(wish) {
      const key = `${String(wish.sessionId)} ${wish.dedupeKey}`;
      const onItsWay = queueing.get(key);
      if (onItsWay !== undefined) return { ...(await onItsWay), isNew: false };
      const known = reads.wakeByKey(wish.sessionId, wish.dedupeKey);
      if (known !== undefined) return { wakeId: known.wakeId, isNew: false };
      const wakeId = deps.ids.newId();
      deps.crashPoints.hit('wake.queue.before');
      const done = journal
        .commit([
          {
            kind: 'wake.queued',
            wakeId,
            sessionId: wish.sessionId,
            dedupeKey: wish.dedupeKey,
            dueAtMs: Math.round(wish.dueAtMs),
            note: wish.note,
            priority: wish.priority ?? 'normal',
            by: wish.by,
            ...(wish.turnId === undefined ? {} : { turnId: wish.turnId }),
          },
        ])
        .then(() => ({ wakeId, isNew: true }));
      queueing.set(key, done);
      try {
        const queued = await done;
        deps.crashPoints.hit('wake.queue.after');
        dueMs.set(wakeId, waitUntil(clock, Math.round(wish.dueAtMs)));
        deps.audit.record('wake_queued', { wakeId, sessionId: wish.sessionId, by: wish.by });
        look();
        return queued;
      } finally {
        queueing.delete(key);
      }
    },
    async cancel(wakeId, reason) {
      const wake = reads.wake(wakeId);
      if (wake?.state !== 'pending') return false;
      await journal.commit([{ kind: 'wake.cancelled', wakeId, sessionId: wake.sessionId, reason }]);
      dueMs.delete(wakeId);
      look();
      return true;
    },
    dropping: (sessionId, reason) =>
      reads
        .pendingWakes({ sessionId, limit: 10_000 })
        .map(({ wakeId }) => ({ kind: 'wake.cancelled', wakeId, sessionId, reason })),
    start() {
      const nowMs = clock.nowMs();
      for (const { wakeId, dueAtMs, queuedAtMs } of reads.pendingWakes({ limit: MAX_WAKES }))
        dueMs.set(wakeId, waitUntil(clock, Math.min(dueAtMs, nowMs + dueAtMs - queuedAtMs)));
      isStarted = true;
      look();
    },
    look,
    stop() {
      isStarted = false;
      alarm.clear();
    },
  };
}

/** The agent's text at a wake-up. */
function wakeText(wake: WakeRow): string {
  return wake.note === ''
    ? 'You asked to be woken now.'
    : `You asked to be woken now: ${wake.note}`;
}
