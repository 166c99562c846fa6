import type Database from 'better-sqlite3';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { JournalEntry } from '../../ports/journal/entries';
import { createSessionErasure } from './erase-sessions';
import {
  giveBackSpace,
  newestEntryMs,
  pruneBreakers,
  pruneClosedTurns,
  pruneOutages,
  usedBlobs,
} from './retention';

export { checkIntegrity } from './check-integrity';

interface UpkeepFacts {
  /** The newest entry up to then counts as an instant at which Holdfast ran. */
  readonly believedMs: number;
  /** What ended before this may go; given that instant. */
  readonly keptSinceMs: (ranAtMs: number | undefined) => number;
  readonly commit: (entries: readonly JournalEntry[]) => Promise<unknown>;
  readonly crashPoints: CrashPoints;
  /** Between two batches, so that work that starts waits for one at most. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Removes from the database what retention no longer keeps, in small batches, and gives its space back.
 * Interrupted at any point, the next run finishes the rest. S0-+02
 */
export async function pruneDatabase(
  db: Database.Database,
  { believedMs, keptSinceMs, ...facts }: UpkeepFacts,
): Promise<{
  readonly beforeMs: number;
  readonly pruned: Awaited<ReturnType<typeof pruneClosedTurns>>;
  readonly isBlobUsed: Awaited<ReturnType<typeof usedBlobs>>;
}> {
  const beforeMs = keptSinceMs(await newestEntryMs(db, believedMs, facts));
  const old = { ...facts, beforeMs };
  const pruned = await pruneClosedTurns(db, old);
  // What a crash left of a deleted session.
  await createSessionErasure(db, old.commit).erase();
  await pruneOutages(db, old);
  await pruneBreakers(db, old);
  await giveBackSpace(db, old);
  return { beforeMs, pruned, isBlobUsed: await usedBlobs(db, old) };
}
