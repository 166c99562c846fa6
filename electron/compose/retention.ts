import path from 'node:path';
import type { ComposeOptions } from './options';
import type { LifecyclePart } from '../lifecycle';
import type { Clock } from '../ports/clock';
import type { JournalEntry } from '../ports/journal/entries';
import { watchDir } from '../data-dir';
import { sweepTree } from '../disk/sweep';
import { need, type Run } from './run';
import { openItem } from '../engine/inbox/entries';

/** After the start the disk is left alone for a while. */
const FIRST_UPKEEP_MS = 60_000;
/** The clockwork drops a time that it meets late: one a day would not come where the night is slept. */
const HOURLY = '17 * * * *';
const NIGHT_HOUR = 3;
const OVERDUE_MS = 26 * 3_600_000;

/** What a kill has left of writes, in the folders that the lock does not look through. */
async function sweepLeftOver(dataDir: string, nowMs: number): Promise<void> {
  for (const [folder, depth] of WRITTEN) await sweepTree(path.join(dataDir, folder), depth, nowMs);
}

/** Folders of the data directory, and how many levels of folders below them are written to. */
const WRITTEN: readonly (readonly [folder: string, depth: number])[] = [
  ['secrets', 0],
  ['run/hooks', 0],
  ['backups', 0],
  ['watch', 0],
  ['agent-records', 1],
  ['drafts', 3],
  ['blobs', 1],
];

/** At night; by day where no night was awake. A clock that was set back knows of no last one. Pure. */
export const isUpkeepDue = (at: {
  readonly lastMs: number;
  readonly nowMs: number;
  /** Of the local time. */
  readonly hour: number;
}): boolean => at.hour === NIGHT_HOUR || at.nowMs < at.lastMs || at.nowMs - at.lastMs >= OVERDUE_MS;

/** Retention, large results nobody names any more, and the full integrity check, when it is quiet. */
export function upkeepPart(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
): LifecyclePart {
  const abort = new AbortController();
  const upkeep = async (): Promise<void> => {
    const maintenance = await import('../adapters/sqlite/maintenance');
    const db = need(run.db);
    const rooms = need(run.rooms);
    const days = need(run.settings).get('resilience.recovery.retention_days');
    const old = {
      beforeMs: clock.nowMs() - days * 86_400_000,
      commit: (entries: readonly JournalEntry[]) => rooms.journal.commit(entries),
      crashPoints,
      pause: () => clock.sleep(20, abort.signal).catch(() => undefined),
      signal: abort.signal,
    };
    const pruned = await maintenance.pruneClosedTurns(db, old);
    await maintenance.pruneOutages(db, old);
    await maintenance.pruneBreakers(db, old);
    await maintenance.giveBackSpace(db, old);
    const isUsed = await maintenance.usedBlobs(db, old);
    if (abort.signal.aborted) return;
    const swept = await rooms.blobs.sweep(
      {
        isUsed,
        isOver: (turnId) => rooms.reads.turn(turnId)?.endedAtMs !== undefined,
      },
      100,
    );
    await rooms.drafts.sweep(clock.nowMs() - days * 86_400_000);
    const { pruneWatched } = await import('../adapters/command/watched');
    await pruneWatched(watchDir(options.dataDir), clock.nowMs() - days * 86_400_000);
    await rooms.browsers.prune(clock.nowMs() - days * 86_400_000);
    const integrity = await maintenance.checkIntegrity(options.dataDir);
    need(run.audit).record('upkeep', { pruned, swept, isOk: integrity.isOk });
    if (integrity.isOk) return;
    await rooms.journal.commit([
      openItem(rooms.journal.allocate('inbox'), 'problem', {
        title: integrity.isUnread
          ? 'The disk reports an error where the database is read'
          : 'The database is damaged',
        detail: `${integrity.problems.join('; ').slice(0, 600)}. Run "holdfast doctor --full".`,
      }),
    ]);
  };
  const guarded = (): void => {
    upkeep().catch((error: unknown) => {
      if (!abort.signal.aborted) run.log?.error('upkeep.failed', { error });
    });
  };
  return {
    name: 'upkeep',
    start() {
      void sweepLeftOver(options.dataDir, clock.nowMs());
      let tick: { stop(): void } | undefined;
      let lastMs = clock.nowMs();
      const look = (): void => {
        const nowMs = clock.nowMs();
        if (!isUpkeepDue({ lastMs, nowMs, hour: new Date(nowMs).getHours() })) return;
        lastMs = nowMs;
        guarded();
      };
      // The clockwork is loaded when it has something to do: the start does not wait for it.
      const first = setTimeout(() => {
        guarded();
        void import('../adapters/cron/cron-ticks').then(({ createCronTicks }) => {
          if (!abort.signal.aborted) tick = createCronTicks().every(HOURLY, look);
        });
      }, FIRST_UPKEEP_MS);
      first.unref();
      this.stop = () => {
        abort.abort();
        clearTimeout(first);
        tick?.stop();
      };
    },
  };
}
