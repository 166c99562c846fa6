import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { Clock } from '../../../electron/ports/clock';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  linesOf,
  promptOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { ENDED, turnIn } from '../../helpers/compose-world';
import type { Composition } from '../../../electron/compose/options';
import {
  createWorkWorld,
  failing,
  historyOf,
  kindsOf,
  send,
  statusOf,
  type WorkWorld,
} from './work-world';
import { SLACK } from '../../helpers/slack';

let site: WorkWorld;
afterEach(() => site.end());

/** Asks to be woken as its message says, `later 300ms`, and answers what wakes it. */
const reviser: Script = (request) => {
  const prompt = promptOf(request);
  if (!prompt.startsWith('later ') || resultsSoFar(request) > 0) return { text: `re: ${prompt}` };
  const [, after = '1s', key] = prompt.split(' ');
  return {
    calls: [
      {
        tool: 'revisit_later',
        args: { note: 'look again', in: after, ...(key === undefined ? {} : { key }) },
      },
    ],
  };
};
const provider = (): ReturnType<typeof createFakeProvider> =>
  createFakeProvider({ dir: site.world.outside, script: reviser });

const wakeTurn = async (life: Composition): Promise<number> => {
  await expect
    .poll(
      async () =>
        (await historyOf(life, { session: 's' })).filter(
          (event) => event.activationKind === 'queued_wake' && event.kind === 'acked',
        ).length,
      { interval: 20, timeout: 60_000 },
    )
    .toBe(1);
  return (
    (await historyOf(life, { session: 's' })).find(
      (event) => event.activationKind === 'queued_wake' && event.kind === 'acked',
    )?.turnId ?? 0
  );
};

describe('a queued wake', () => {
  it('S3-03 S3-26 S3-+03 an agent schedules more work: it is woken within 200 ms of the due time, its answer stands in the session', async () => {
    site = createWorkWorld();
    const life = await site.start({ providers: [provider()] });
    const turnId = await send(life, 'later 3s');
    await turnIn(life, turnId, [...ENDED]);
    const status = await statusOf(life);
    expect(status).toMatchObject({
      status: 'idle',
      pendingQueuedWakes: 1,
      queuedWakeBacklog: [{ note: 'look again', queuedBy: 'agent', priority: 'normal' }],
    });
    const dueMs = Date.parse(status.nextQueuedWakeAt ?? '');
    const woken = await wakeTurn(life);
    const history = await historyOf(life, { session: 's' });
    const [asked] = history.filter((event) => event.kind === 'acked');
    expect(asked?.queuedWakeIds).toEqual([status.queuedWakeBacklog[0]?.wakeId]);
    const leased = history.find((event) => event.turnId === woken && event.kind === 'leased');
    const lateMs = Date.parse(leased?.createdAt ?? '') - dueMs;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(200 * SLACK);
    expect(leased).toMatchObject({
      activationKind: 'queued_wake',
      note: 'look again',
      dueWakeIds: [status.queuedWakeBacklog[0]?.wakeId],
    });
    const shown = await life.holdfast.call('turns.show', { turnId: woken }, 'test');
    expect(shown.answer).toBe('re: You asked to be woken now: look again');
    // Ready once, when it was queued: the turn that it became is the same activation.
    expect(history.filter((event) => event.kind === 'ready')).toHaveLength(2);
    expect((await statusOf(life)).pendingQueuedWakes).toBe(0);
  });

  it('S3-+04 the same key pending twice in a session is one wake', async () => {
    site = createWorkWorld();
    const life = await site.start({ providers: [provider()] });
    await turnIn(life, await send(life, 'later 1h daily'), [...ENDED]);
    await turnIn(life, await send(life, 'later 2h daily'), [...ENDED]);
    await turnIn(life, await send(life, 'later 3h other'), [...ENDED]);
    await turnIn(life, await send(life, 'later 1h daily', 'else'), [...ENDED]);
    const { queuedWakeBacklog } = await statusOf(life);
    expect(queuedWakeBacklog.map((wake) => wake.dedupeKey)).toEqual(['daily', 'other']);
    expect((await statusOf(life, 'else')).pendingQueuedWakes).toBe(1);
  });

  it('S3-16 S3-17 a wake whose run did not finish is pending again under its key with a later time, and completes once', async () => {
    site = createWorkWorld({ work: { requeue_delay: '3s' } });
    let left = 1;
    const flaky = createFakeProvider({
      dir: site.world.outside,
      script: reviser,
      gate: (request) =>
        promptOf(request).startsWith('You asked') && left > 0
          ? ((left -= 1), failing())
          : undefined,
    });
    const life = await site.start({ providers: [flaky] });
    await turnIn(life, await send(life, 'later 2s key'), [...ENDED]);
    const [queued] = (await statusOf(life)).queuedWakeBacklog;
    await expect.poll(async () => (await statusOf(life)).retryStreak, { interval: 20 }).toBe(1);
    const [again] = (await statusOf(life)).queuedWakeBacklog;
    expect(again).toMatchObject({ wakeId: queued?.wakeId, dedupeKey: 'key' });
    expect(again?.turnId).toBeGreaterThan(1);
    expect(Date.parse(again?.dueAt ?? '')).toBeGreaterThan(Date.parse(queued?.dueAt ?? ''));
    // Asking again with its key while it waits adds nothing.
    const turnId = await send(life, 'later 1h key');
    await turnIn(life, turnId, [...ENDED]);
    const history = await historyOf(life, { session: 's' });
    const requeued = history.filter((event) => event.kind === 'requeued');
    expect(requeued).toMatchObject([
      { activationKind: 'queued_wake', dueWakeIds: [queued?.wakeId] },
    ]);
    expect(requeued[0]?.nextQueuedWakeAt).toBe(requeued[0]?.immediateRetryAt);
    expect(
      history.filter((event) => event.kind === 'acked' && event.activationKind === 'queued_wake'),
    ).toHaveLength(1);
  });

  it('S3-16 S3-+03 a wake outlives a restart and fires at its time; one that fell due meanwhile fires at once, once', async () => {
    site = createWorkWorld();
    const first = await site.start({ providers: [provider()] });
    await turnIn(first, await send(first, 'later 200ms one'), [...ENDED]);
    await turnIn(first, await send(first, 'later 5s two', 'b'), [...ENDED]);
    const dueMs = Date.parse((await statusOf(first, 'b')).nextQueuedWakeAt ?? '');
    await first.lifecycle.stop('stop');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const second = await site.start({ providers: [provider()] });
    const upAtMs = Date.now();
    await wakeTurn(second);
    await expect
      .poll(() => kindsOf(second, 'b'), { interval: 20 })
      .toEqual(['ready', 'leased', 'ready', 'acked', 'leased', 'acked']);
    const leased = (await historyOf(second, { session: 'b' })).filter(
      (event) => event.kind === 'leased',
    )[1];
    const leasedAtMs = Date.parse(leased?.createdAt ?? '');
    expect(leasedAtMs).toBeGreaterThanOrEqual(dueMs);
    expect(leasedAtMs).toBeLessThan(Math.max(dueMs, upAtMs) + 200 * SLACK);
    expect((await kindsOf(second)).filter((kind) => kind === 'acked')).toHaveLength(2);
  });

  it('S3-+03 a clock that is set back by an hour makes no wake late, and one that is set on wakes nothing twice', async () => {
    site = createWorkWorld();
    let shiftMs = 0;
    const system = createSystemClock();
    const clock: Clock = { ...system, nowMs: () => system.nowMs() + shiftMs };
    const life = await site.start({ providers: [provider()], clock });
    await turnIn(life, await send(life, 'later 3s'), [...ENDED]);
    const dueMs = Date.parse((await statusOf(life)).nextQueuedWakeAt ?? '');
    shiftMs = -3_600_000;
    await wakeTurn(life);
    expect(system.nowMs()).toBeGreaterThanOrEqual(dueMs);
    expect(system.nowMs()).toBeLessThan(dueMs + 1_000 * SLACK);
    shiftMs = 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await kindsOf(life)).filter((kind) => kind === 'acked')).toHaveLength(2);
  });

  it('S3-+03 a clock that was set back by an hour between two starts makes a wake wait once more for its 3 s, not for the hour', async () => {
    site = createWorkWorld();
    const system = createSystemClock();
    const first = await site.start({ providers: [provider()] });
    await turnIn(first, await send(first, 'later 3s'), [...ENDED]);
    await first.lifecycle.stop('stop');
    const upAtMs = system.nowMs();
    const clock: Clock = { ...system, nowMs: () => system.nowMs() - 3_600_000 };
    const second = await site.start({ providers: [provider()], clock });
    await wakeTurn(second);
    expect(system.nowMs()).toBeGreaterThanOrEqual(upAtMs + 3_000);
  });

  it('S3-03 the answer of a wake goes to the peer whose conversation it is', async () => {
    site = createWorkWorld();
    const channel = createFakeChannel({ dir: site.world.outside, name: 'chanB' });
    const life = await site.start({ providers: [provider()], channels: [channel] });
    await channel.intake().accept({ peer: 'p', text: 'later 100ms', agent: 'fake' });
    await expect
      .poll(() => channel.received().map((one) => [one.peer, one.text]))
      .toEqual([
        ['p', 're: later 100ms'],
        ['p', 're: You asked to be woken now: look again'],
      ]);
    expect(life.holdfast.status().phase).toBe('running');
  });

  it('S3-29 cutting in drops what was queued for the session, and says so', async () => {
    site = createWorkWorld();
    const life = await site.start({ providers: [provider()] });
    await turnIn(life, await send(life, 'later 1h'), [...ENDED]);
    await life.holdfast.call('session.interrupt', { session: 's' }, 'test');
    expect((await statusOf(life)).queuedWakeBacklog).toEqual([]);
    expect((await historyOf(life, { session: 's' })).at(-1)).toMatchObject({
      kind: 'abandoned',
      abandonReason: 'idle',
      errorMessage: 'You interrupted the turn.',
    });
  });
});

describe('S3-03 the five outcomes of a wake', () => {
  it('S3-03 S3-04 success, pause, failure, retry and more work are reached by five scripts, each on record before it is announced', async () => {
    site = createWorkWorld({
      limits: { turn_steps: 2 },
      work: { requeue_delay: '1h', requeue_max_delay: '1h' },
    });
    const tools = createFakeTools({ dir: site.world.outside });
    const five = createFakeProvider({
      dir: site.world.outside,
      script: (request) => {
        const prompt = promptOf(request);
        if (prompt === 'pause') return { calls: [{ tool: 'charge', args: {} }] };
        return reviser(request);
      },
      gate: (request) => {
        const prompt = promptOf(request);
        if (prompt === 'fail') return failing({ kind: 'config', isRetryable: false });
        return prompt === 'retry' ? failing() : undefined;
      },
    });
    const life = await site.start({ providers: [five], toolHosts: [tools] });
    const seen = new Map<string, string>();
    const recorded = async (session: string, states: readonly string[]): Promise<void> => {
      const turnId = await send(life, session === 'more' ? 'later 1h' : session, session);
      const turn = await turnIn(life, turnId, states as never);
      const { latestOutcome } = await statusOf(life, session);
      seen.set(session, `${turn.state} ${latestOutcome?.kind ?? ''}`);
    };
    await recorded('succeed', [...ENDED]);
    await recorded('pause', ['waiting']);
    await recorded('fail', ['parked']);
    await recorded('retry', ['waiting']);
    life.holdfast.status();
    await life.holdfast.call('config.set', { key: 'limits.turn_steps', value: 10 }, 'test');
    await recorded('more', [...ENDED]);
    expect(Object.fromEntries(seen)).toEqual({
      succeed: 'completed acked',
      pause: 'waiting blocked',
      fail: 'parked abandoned',
      retry: 'waiting requeued',
      more: 'completed acked',
    });
    expect((await statusOf(life, 'pause')).latestOutcome).toMatchObject({ blockedReason: 'limit' });
    expect((await statusOf(life, 'more')).pendingQueuedWakes).toBe(1);
    expect(linesOf(tools.log)).toHaveLength(1);
  });
});
