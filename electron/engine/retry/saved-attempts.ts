import type { AttemptRecord, Attempts, AttemptState } from '../../ports/attempts';
import type { Journal } from '../../ports/journal/journal';
import type { BreakerEntry, BreakerReads } from '../../ports/journal/breaker';
import type { Basics } from '../kernel/basics';

interface AttemptsDeps extends Pick<Basics, 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<BreakerReads, 'attempts'>;
}

/**
 * Consecutive failures, waits and counted starts, on disk so that a restart resets none of them.
 */
export function createAttempts(deps: AttemptsDeps): Attempts {
  const { reads, crashPoints } = deps;
  const write = (entry: BreakerEntry): Promise<unknown> =>
    deps.journal.commit([entry]).catch((error: unknown) => {
      deps.log.warn('attempts.not_kept', { error });
    });
  return (name): AttemptRecord => ({
    saved: () => reads.attempts(name),
    async keep(state: AttemptState) {
      crashPoints.hit('attempts.keep.before');
      await write({ kind: 'attempts.kept', name, ...state });
      crashPoints.hit('attempts.keep.after');
    },
    async over() {
      if (reads.attempts(name) === undefined) return;
      crashPoints.hit('attempts.over.before');
      await write({ kind: 'attempts.over', name });
      crashPoints.hit('attempts.over.after');
    },
  });
}
