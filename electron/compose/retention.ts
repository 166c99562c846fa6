/** Retention: what is old goes, its space goes back, and the database is checked as a whole. S0-+02 */
import { sweepLeftOver } from '../adapters/instance/data-dir';
import { every } from '../adapters/cron/cron-ticks';
import { watchDir } from '../data-dir';
import { openItem } from '../engine/inbox/entries';
import { believedMs, damageFound, isUpkeepDue, keptSinceMs } from '../engine/journal/retention';
import type { LifecyclePart } from '../lifecycle';
import type { Clock } from '../ports/clock';
import type { ComposeOptions } from './options';
import { type Run, need } from './run';

/** After the start the disk is left alone for a while. */
const FIRST_MS = 60_000;
/**
 * The scheduler skips late runs: a daily run would never happen on a computer that sleeps at night.
 */
const HOURLY = '17 * * * *';
const MAX_LOOKS = 14 * 24;

/** Retention, unreferenced large results, and the full integrity check, while idle. */
export function retentionPart(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
): LifecyclePart {
  const abort = new AbortController();
  /** The looks of about two weeks: of a Holdfast that writes nothing they show that it ran. */
  const lookedMs: number[] = [];
  const upkeep = async (): Promise<void> => {
    const { checkIntegrity, pruneDatabase } = await import('../adapters/sqlite/upkeep');
    const { core, leftOpen, programs } = need(run.rooms);
    const { blobs, journal, reads } = core;
    const nowMs = clock.nowMs();
    const { beforeMs, pruned, isBlobUsed } = await pruneDatabase(need(run.db), {
      believedMs: believedMs(nowMs),
      keptSinceMs: (ranAtMs) =>
        keptSinceMs({
          nowMs,
          days: need(run.settings).get('resilience.recovery.retention_days'),
          seenMs: ranAtMs === undefined ? lookedMs : [...lookedMs, ranAtMs],
        }),
      commit: (entries) => journal.commit(entries),
      crashPoints,
      pause: () => clock.sleep(20, abort.signal).catch(() => undefined),
      signal: abort.signal,
    });
    if (abort.signal.aborted) return;
    const swept = await blobs.sweep(
      {
        isUsed: isBlobUsed,
        // A turn that was never accepted, such as a shared one whose texts came only in part, has no end.
        isOver: (turnId) => {
          const turn = reads.turn(turnId);
          return turn === undefined
            ? journal.isOfEarlier('turn', turnId)
            : turn.endedAtMs !== undefined;
        },
      },
      100,
    );
    await leftOpen.drafts.sweep(beforeMs);
    const { pruneWatched } = await import('../adapters/command/watched');
    await pruneWatched(watchDir(options.dataDir), beforeMs);
    await programs.browsers.prune(beforeMs);
    const integrity = await checkIntegrity(options.dataDir);
    need(run.audit).record('upkeep', { pruned, swept, isOk: integrity.isOk });
    if (integrity.isOk) return;
    await journal.commit([openItem(journal.allocate('inbox'), 'problem', damageFound(integrity))]);
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
        lookedMs.push(nowMs);
        if (lookedMs.length > MAX_LOOKS) lookedMs.shift();
        if (!isUpkeepDue({ lastMs, nowMs, hour: new Date(nowMs).getHours() })) return;
        lastMs = nowMs;
        guarded();
      };
      const first = setTimeout(() => {
        guarded();
        tick = every(HOURLY, look);
      }, FIRST_MS);
      first.unref();
      this.stop = () => {
        abort.abort();
        clearTimeout(first);
        tick?.stop();
      };
    },
  };
}
