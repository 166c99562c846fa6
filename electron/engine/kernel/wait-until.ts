import type { Clock } from '../../ports/clock';

/**
 * The end of a wait by the current wall clock: that instant, or once this much time has passed.
 * Neither a clock that is set back nor one that pauses in sleep makes a wait longer.
 */
export function waitUntil(
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  untilMs: number,
): () => number {
  const endMs = clock.monotonicMs() + untilMs - clock.nowMs();
  return () => Math.min(untilMs, clock.nowMs() + endMs - clock.monotonicMs());
}
