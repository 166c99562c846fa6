import type Database from 'better-sqlite3';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { DatabaseUpkeep, UpkeepFacts } from '../../ports/database-upkeep';
import { checkIntegrity } from './check-integrity';
import { createSessionErasure } from './erase-sessions';
import {
  giveBackSpace,
  newestEntryMs,
  pruneBreakers,
  pruneClosedTurns,
  pruneOutages,
  usedBlobs,
} from './retention';

/** Loaded together, when the first upkeep runs. */
export const createDatabaseUpkeep = (deps: {
  readonly db: Database.Database;
  readonly dataDir: string;
  readonly crashPoints: CrashPoints;
}): DatabaseUpkeep => ({
  prune: (facts) => prune(deps, facts),
  check: () => checkIntegrity(deps.dataDir),
});

/**
 * Removes from the database what retention no longer keeps, in small batches, and gives its space back.
 * Interrupted at any point, the next run finishes the rest. S0-+02
 */
async function prune(
  { db, crashPoints }: { readonly db: Database.Database; readonly crashPoints: CrashPoints },
  { believedMs, keptSinceMs, ...given }: UpkeepFacts,
) {
  const facts = { ...given, crashPoints };
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
