import type { JournalReads } from '../../ports/journal/reads';

/**
 * How many of the running turns do something now. One that waits for a person, for a limit, for a
 * provider that is down or for its next try does not keep the computer awake. One that is being
 * started does. Counts at most `upTo`: each takes three reads. KA-01
 */
export function turnsAtWork(
  reads: Pick<JournalReads, 'turn' | 'newestStep' | 'callTries'>,
  running: readonly number[],
  nowMs: number,
  upTo = Infinity,
): number {
  const isAtWork = (turnId: number): boolean => {
    const state = reads.turn(turnId)?.state;
    if (state === 'queued') return true;
    if (state !== 'running') return false;
    const step = reads.newestStep(turnId);
    if (step?.state !== 'started') return true;
    return (reads.callTries(turnId, step.step).at(-1)?.dueAtMs ?? 0) <= nowMs;
  };
  let count = 0;
  for (const turnId of running) {
    if (count >= upTo) break;
    if (isAtWork(turnId)) count += 1;
  }
  return count;
}
