import { HoldfastError } from '../kernel/errors';
import type { Delivery } from '../outbox/outbox';
import type { Clock } from '../../ports/clock';
import type { LetterChoice } from '../../ports/event-queue';
import type { Handlers } from './handlers';

interface DeliveryDeps {
  readonly delivery: Delivery;
  readonly clock: Clock;
}

/** The queue of events and the dead letters. S2-36, S2-+01, S2-+02 */
export function deliveryHandlers({
  delivery,
  clock,
}: DeliveryDeps): Handlers<
  'queue.status' | 'dlq.list' | 'dlq.replay' | 'dlq.purge' | 'events.publish'
> {
  return {
    'queue.status': () => Promise.resolve(delivery.status()),
    'dlq.list': ({ topic, limit = 100, beforeId }) => {
      const found = delivery.letters({
        limit,
        ...(topic === undefined ? {} : { topic }),
        ...(beforeId === undefined ? {} : { beforeId }),
      });
      return Promise.resolve({ ...found, letters: [...found.letters] });
    },
    'dlq.replay': async (choice) => ({ replayed: await delivery.replay(chosen(choice)) }),
    'dlq.purge': async ({ olderThanMs, ...choice }) => ({
      purged: await delivery.purge(
        olderThanMs === undefined
          ? chosen(choice)
          : { ...some(choice), failedBeforeMs: clock.nowMs() - olderThanMs },
      ),
    }),
    'events.publish': async ({ topic, payload, id }) => {
      const end = await delivery.publish({ topic, payload, ...(id === undefined ? {} : { id }) });
      if (end.kind === 'refused')
        throw new HoldfastError(end.code, end.message, { hint: end.hint });
      return { id: end.id, state: end.state, isDuplicate: end.isDuplicate };
    },
  };
}

interface Choice {
  readonly id?: string | undefined;
  readonly topic?: string | undefined;
  readonly all?: boolean | undefined;
}

const some = ({ id, topic }: Choice): LetterChoice => ({
  ...(id === undefined ? {} : { id }),
  ...(topic === undefined ? {} : { topic }),
});

/** All only where all were meant. @throws INPUT_INVALID */
function chosen(choice: Choice): LetterChoice {
  const { id, topic, all = false } = choice;
  if (id === undefined && topic === undefined && !all) {
    throw new HoldfastError('INPUT_INVALID', 'Say which dead letters: by id, by topic, or all.', {
      hint: 'Nothing was changed. What is there: holdfast dlq list',
    });
  }
  return some(choice);
}
