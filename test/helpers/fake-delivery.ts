/** The disk queue of events of the fake engine and its dead letters. */
import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import type { DeadLetter, QueueStatus } from '../../shared/types/delivery';

const MINUTE = 60_000;

export interface SeedDelivery {
  status: QueueStatus;
  /** Newest first. */
  letters: DeadLetter[];
}

/** No broker is configured: nothing waits. */
export const localDelivery = (): SeedDelivery => ({
  status: {
    broker: 'local',
    depth: 0,
    bytes: 0,
    maxPending: 10_000,
    fill: 0,
    slowdownMs: 0,
    isDraining: false,
    deadLetters: 0,
    shed: { total: 0, summarised: 0, kept: 0 },
    published: 42,
    delivered: 42,
    refused: 0,
  },
  letters: [],
});

export const fakeLetter = (nowMs: number, at: number, given: Partial<DeadLetter>): DeadLetter => ({
  id: `evt-${String(at)}`,
  topic: 'invoices.new',
  enqueuedAtMs: nowMs - (at + 131) * MINUTE,
  failedAtMs: nowMs - (at + 130) * MINUTE,
  reason: 'refused',
  detail: 'maximum messages exceeded',
  attempts: 3,
  history: [1, 2, 3].map((one) => ({
    atMs: nowMs - (at + 131) * MINUTE + one * 1000,
    error: 'maximum messages exceeded',
  })),
  bytes: 118,
  payloadStart: '{"invoice":2291,"customer":"Northcable"}',
  ...given,
});

/** The broker is away, 6,200 events wait, some were refused, some were shed. */
export function downDelivery(nowMs: number): SeedDelivery {
  return {
    status: {
      broker: 'down',
      server: 'nats://broker.lindner.example:4222',
      sinceMs: nowMs - 22 * MINUTE,
      problem: 'The connection was refused.',
      depth: 6200,
      bytes: 734_003,
      oldestAtMs: nowMs - 22 * MINUTE,
      maxPending: 10_000,
      fill: 0.62,
      slowdownMs: 120,
      isDraining: false,
      deadLetters: 4,
      shed: { total: 1, summarised: 0, kept: 1 },
      published: 9120,
      delivered: 2916,
      refused: 0,
    },
    letters: [
      fakeLetter(nowMs, 1, {}),
      fakeLetter(nowMs, 2, { topic: 'invoices.paid', payloadStart: '{"invoice":2288}' }),
      fakeLetter(nowMs, 3, {
        topic: 'builds.done',
        reason: 'shed',
        detail: 'The queue was full: the oldest event made room.',
        attempts: 0,
        history: [],
      }),
      fakeLetter(nowMs, 4, { topic: 'builds.done', reason: 'too_large', attempts: 1 }),
    ],
  };
}

type DeliveryVerb = 'queue.status' | 'dlq.list' | 'dlq.replay' | 'dlq.purge';

export function fakeDeliveryVerbs(
  seed: { delivery: SeedDelivery; nowMs: number },
  changed: (depth: number, deadLetters: number) => void,
): {
  readonly [V in DeliveryVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never>;
} {
  const take = ({
    id,
    topic,
    all,
    olderThanMs,
  }: VerbInput<'dlq.purge'>): { readonly taken: number } => {
    const isMeant = (one: DeadLetter): boolean =>
      (all === true || one.id === id || one.topic === topic || olderThanMs !== undefined) &&
      (olderThanMs === undefined || seed.nowMs - one.failedAtMs >= olderThanMs);
    const taken = seed.delivery.letters.filter(isMeant).length;
    seed.delivery.letters = seed.delivery.letters.filter((one) => !isMeant(one));
    seed.delivery.status = {
      ...seed.delivery.status,
      deadLetters: Math.max(0, seed.delivery.status.deadLetters - taken),
    };
    changed(seed.delivery.status.depth, seed.delivery.status.deadLetters);
    return { taken };
  };
  return {
    'queue.status': () => seed.delivery.status,
    'dlq.list': ({ topic, limit = 100, beforeId }) => {
      const found = seed.delivery.letters.filter(
        (one) => topic === undefined || one.topic === topic,
      );
      const from = beforeId === undefined ? 0 : found.findIndex(({ id }) => id === beforeId) + 1;
      return {
        letters: found.slice(from, from + limit),
        total: found.length,
        hasMore: found.length > from + limit,
      };
    },
    'dlq.replay': (input) => ({ replayed: take(input).taken }),
    'dlq.purge': (input) => ({ purged: take(input).taken }),
  };
}
