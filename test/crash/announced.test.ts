/** Who is told of an outcome can rely on it: the process ends in the moment of the announcement. */
import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../electron/offline/open-data';
import type { VerbOutput } from '../../shared/contract';
import { databaseProblems } from './evidence';
import { createRealm, effectsOf, endRealms, holdEdge, requestsOf, startLife } from './lives';
import type { Life, Realm } from './realm';

afterEach(endRealms);

interface Found {
  readonly turn: VerbOutput<'turns.show'>['turn'];
  readonly status: VerbOutput<'session.status'>;
  readonly events: VerbOutput<'session.events'>['events'];
  /** What waits to be woken, and what it has become already. */
  readonly made: number;
}

/** What whoever looks afterward finds on disk, with nothing running. */
async function foundIn(realm: Realm): Promise<Found> {
  const { holdfast, close } = await openReadOnly(realm.dataDir);
  try {
    const { turn } = await holdfast.call('turns.show', { turnId: 1 }, 'cli');
    const status = await holdfast.call('session.status', { session: 'main' }, 'cli');
    const { events } = await holdfast.call('session.events', { session: 'main' }, 'cli');
    const { turns } = await holdfast.call('turns.list', {}, 'cli');
    return { turn, status, events, made: status.pendingQueuedWakes + turns.length - 1 };
  } finally {
    await close();
  }
}

describe('S3-04 killed when it is announced that a wake', () => {
  it.each([
    ['succeeded', 'one x', 'completed', 'acked', 0],
    ['pauses for leave', 'asked x', 'requires_action', 'blocked', 0],
    ['failed', 'refused x', 'parked', 'abandoned', 0],
    ['is tried again', 'flaky x', 'waiting', 'requeued', 0],
    ['made more work', 'later x', 'completed', 'acked', 1],
  ] as const)(
    'S3-04 %s: event, state and activation record are there',
    async (_what, text, told, kind, wakes) => {
      const realm = createRealm('safe_only', {
        'retry.server.max_attempts': 1,
        'work.requeue_delay': '1h',
        'work.requeue_max_delay': '1h',
      });
      const life = startLife(realm, { endsWhenTold: told });
      await life.ready();
      void life.ask({ kind: 'accept', text, channel: 'cli', peer: 'main' });
      expect(await life.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([`told ${told}`]);
      const { turn, status, events, made } = await foundIn(realm);
      expect([turn.state, status.latestOutcome?.kind]).toEqual([told, kind]);
      expect(made).toBe(wakes);
      const isOver = told === 'completed';
      expect(events[0]).toMatchObject({ type: 'user.message', text, isPending: !isOver });
      const answers = events.filter((event) => event.type === 'agent.message');
      expect(answers.map((event) => event.text.startsWith('done: '))).toEqual(isOver ? [true] : []);
      expect(databaseProblems(realm)).toEqual([]);
    },
  );
});

type End = 'SIGKILL' | 'no memory left' | 'stop of all';

async function endOf(life: Life, end: End): Promise<void> {
  if (end === 'stop of all') return life.stop();
  if (end === 'SIGKILL') return life.kill();
  void life.ask({ kind: 'exhaust' }).catch(() => undefined);
  expect(await life.ended).toBe('SIGABRT');
}

describe('S4-01 a turn goes on by itself and without a question after', () => {
  const cases = (['SIGKILL', 'no memory left', 'stop of all'] as const).flatMap((end) =>
    (['provider', 'charge-before', 'charge-after'] as const).map((edge) => [end, edge] as const),
  );
  it.each(cases)('S4-01 %s at %s: completed, 1 idempotency key', async (end, edge) => {
    const realm = createRealm('safe_only', { 'shutdown.grace': '200ms' });
    const release = holdEdge(realm, edge);
    const first = startLife(realm, { heapMb: 128 });
    await first.ready();
    const turnId = await first.accept('one x');
    await first.stalled(edge);
    await endOf(first, end);
    release();
    const life = startLife(realm);
    await life.ready();
    await life.ask({ kind: 'quiet' });
    expect((await life.call('recovery.list', {})).decisions).toEqual([]);
    expect((await life.call('turns.show', { turnId })).turn).toMatchObject({
      state: 'completed',
      attempt: 2,
    });
    await life.stop();
    const effects = effectsOf(realm);
    expect(new Set(effects.map((one) => one.key)).size).toBe(1);
    expect(effects.length).toBeLessThanOrEqual(edge === 'charge-after' ? 2 : 1);
    // Two answers; the one that was cut off is asked for again.
    expect(requestsOf(realm)).toHaveLength(edge === 'provider' ? 3 : 2);
    expect(databaseProblems(realm)).toEqual([]);
  });
});
