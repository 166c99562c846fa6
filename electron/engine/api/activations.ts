import { HoldfastError } from '../kernel/errors';
import { unknownTurn } from '../recovery/decisions';
import { activationView } from '../status/activation-view';
import { type Handlers, type VerbsDeps, summary } from './deps';

/** What wakes sessions, and what waits for its next try. */
export function workVerbs(deps: VerbsDeps): Handlers<'activations.events' | 'turns.retryNow'> {
  const { reads, work } = deps;
  return {
    'activations.events': ({ session, claimId, kinds, afterSeq, limit = 50 }) =>
      Promise.resolve({
        events: work
          .activations({
            ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
            ...(claimId === undefined ? {} : { claimId }),
            ...(kinds === undefined ? {} : { events: kinds }),
            ...(afterSeq === undefined ? {} : { afterSeq }),
            limit,
          })
          .map((row) => activationView(row, (turnId) => work.wakesQueuedBy(turnId))),
      }),
    'turns.retryNow': ({ turnId }, origin) => {
      const turn = reads.turn(turnId);
      if (turn === undefined) throw unknownTurn(turnId);
      if (turn.retry?.dueAtMs === undefined) {
        throw new HoldfastError(
          'TURN_STATE',
          `Turn ${String(turnId)} does not wait for its next try: it is ${turn.state}.`,
          {
            hint: 'Nothing was changed. "holdfast recovery list" shows what waits for you.',
            facts: { turnId, state: turn.state },
          },
        );
      }
      // Not on disk: a restart in between only brings back the rest of the wait.
      if (!deps.scheduler.hasten(turnId)) {
        deps.scheduler.enqueue({
          turnId,
          sessionId: turn.sessionId,
          notBeforeMs: 0,
          hasBegun: turn.attempt > 0,
        });
      }
      deps.audit.record('retry_hastened', { turnId, by: origin });
      return Promise.resolve(summary(deps, reads.turn(turnId) ?? turn));
    },
  };
}
