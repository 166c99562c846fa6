import type { JournalReads } from '../../ports/journal/reads';

/**
 * How many of the running turns do something now. One that waits for a person, for a limit, for a
 * provider that is down or for its next try does not keep the computer awake. KA-01
 */
export function turnsAtWork(
  reads: Pick<JournalReads, 'turn' | 'newestStep' | 'callTries'>,
  running: readonly number[],
  nowMs: number,
): number {
  return running.filter((turnId) => {
    if (reads.turn(turnId)?.state !== 'running') return false;
    const step = reads.newestStep(turnId);
    if (step?.state !== 'started') return true;
    return (reads.callTries(turnId, step.step).at(-1)?.dueAtMs ?? 0) <= nowMs;
  }).length;
}
