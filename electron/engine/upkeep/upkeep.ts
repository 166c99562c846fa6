/** Retention: what is old goes, its space goes back, and the database is checked as a whole. S0-+02 */
import type { Blobs } from '../../ports/blobs';
import type { Ticker } from '../../ports/clock';
import type { DatabaseUpkeep } from '../../ports/database-upkeep';
import type { Journal } from '../../ports/journal/journal';
import type { TurnReads } from '../../ports/journal/reads';
import type { Basics } from '../kernel/basics';
import type { SettingsPort } from '../../ports/settings';
import { openItem } from '../inbox/entries';
import { believedMs, damageFound, isUpkeepDue, keptSinceMs } from './retention';

/** The hourly looks of about two weeks. */
const MAX_LOOKS = 14 * 24;
/** Between two batches of the database. */
const PAUSE_MS = 20;
const BLOBS_AT_ONCE = 100;

interface UpkeepDeps extends Pick<Basics, 'clock' | 'audit' | 'log'> {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly journal: Pick<Journal, 'commit' | 'allocate'> & {
    isOfEarlier(what: 'turn', id: number): boolean;
  };
  readonly reads: Pick<TurnReads, 'turn'>;
  readonly blobs: Pick<Blobs, 'sweep'>;
  /** A while after the start, then every hour: a daily run would never happen on a computer that sleeps at night. */
  readonly ticks: Ticker;
  /** Loaded with the first run. */
  readonly database: () => Promise<DatabaseUpkeep>;
  /** Removes the files that belong to work which ended before this. */
  readonly removeFiles: (beforeMs: number) => Promise<void>;
}

/** Retention, unreferenced large results, and the full integrity check, while idle. */
export interface Upkeep {
  start(): void;
  stop(): void;
}

export function createUpkeep(deps: UpkeepDeps): Upkeep {
  const { clock, journal, reads } = deps;
  const abort = new AbortController();
  /** Of a Holdfast that writes nothing, its looks show that it ran. */
  const lookedMs: number[] = [];

  const run = async (): Promise<void> => {
    const database = await deps.database();
    const nowMs = clock.nowMs();
    const { beforeMs, pruned, isBlobUsed } = await database.prune({
      believedMs: believedMs(nowMs),
      keptSinceMs: (ranAtMs) =>
        keptSinceMs({
          nowMs,
          days: deps.settings.get('resilience.recovery.retention_days'),
          seenMs: ranAtMs === undefined ? lookedMs : [...lookedMs, ranAtMs],
        }),
      commit: (entries) => journal.commit(entries),
      pause: () => clock.sleep(PAUSE_MS, abort.signal).catch(() => undefined),
      signal: abort.signal,
    });
    if (abort.signal.aborted) return;
    const swept = await deps.blobs.sweep(
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
      BLOBS_AT_ONCE,
    );
    await deps.removeFiles(beforeMs);
    const integrity = await database.check();
    deps.audit.record('upkeep', { pruned, swept, isOk: integrity.isOk });
    if (integrity.isOk) return;
    await journal.commit([openItem(journal.allocate('inbox'), 'problem', damageFound(integrity))]);
  };

  let ticks: { stop(): void } | undefined;
  return {
    start() {
      let isFirst = true;
      let lastMs = clock.nowMs();
      ticks = deps.ticks(() => {
        if (!isFirst) {
          const nowMs = clock.nowMs();
          lookedMs.push(nowMs);
          if (lookedMs.length > MAX_LOOKS) lookedMs.shift();
          if (!isUpkeepDue({ lastMs, nowMs, hour: new Date(nowMs).getHours() })) return;
          lastMs = nowMs;
        }
        isFirst = false;
        run().catch((error: unknown) => {
          if (!abort.signal.aborted) deps.log.error('upkeep.failed', { error });
        });
      });
    },
    stop() {
      abort.abort();
      ticks?.stop();
    },
  };
}
