import type { WatchedSession } from '../../shared/watch-rules';
import { findWatched } from '../adapters/command/watched';
import { watchDir } from '../data-dir';
import type { WatchedFacts } from '../engine/executors/program/plan-adopt';
import type { ProcessTable } from '../ports/process-facts';

/**
 * What the hooks in a watched terminal wrote of a conversation, and whether its program lives now;
 * undefined where it was never watched.
 */
export async function watchedFacts(
  dataDir: string,
  ref: string,
  processes: () => Promise<Pick<ProcessTable, 'read'>>,
): Promise<WatchedFacts | undefined> {
  const watched = await findWatched(watchDir(dataDir), ref);
  if (watched === undefined) return undefined;
  return {
    hasEnded: watched.state === 'ended',
    lastAtMs: watched.lastAtMs,
    process: await processOf(await processes(), watched),
  };
}

/** The processes of this computer; what reads them is loaded with the first look. */
export const systemProcesses = async (): Promise<Pick<ProcessTable, 'read'>> =>
  (await import('../adapters/instance')).createSystemProcessTable();

async function processOf(
  table: Pick<ProcessTable, 'read'>,
  watched: WatchedSession,
): Promise<'alive' | 'dead' | 'unknown'> {
  if (watched.process === undefined) return 'unknown';
  const { pid, startTicks } = watched.process;
  const facts = await table.read(pid);
  if (facts.kind === 'unavailable') return 'unknown';
  if (facts.kind !== 'alive') return startTicks === undefined ? 'unknown' : 'dead';
  if (startTicks !== undefined) return facts.startTicks === startTicks ? 'alive' : 'dead';
  // Without a start identity the number alone proves nothing.
  return facts.commandLine?.includes('claude') === true ? 'alive' : 'unknown';
}
