import type { Clock } from '../../ports/clock';

/**
 * The end of a wait by the wall clock of now: that instant, or once so much time has passed. A clock
 * that is set back makes no wait longer, and one that stands still in sleep none either.
 */
export function waitUntil(
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  untilMs: number,
): () => number {
  const endMs = clock.monotonicMs() + untilMs - clock.nowMs();
  return () => Math.min(untilMs, clock.nowMs() + endMs - clock.monotonicMs());
}
