import { afterEach, describe, expect, it } from 'vitest';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { ENDED, QUIET, turnIn } from '../../helpers/compose-world';
import type { ProviderOutcome } from '../../../electron/ports/provider';
import { createVirtualClock } from '../../helpers/virtual-clock';
import {
  createWorkWorld,
  failing,
  historyOf,
  kindsOf,
  send,
  statusOf,
  type WorkWorld,
} from './work-world';

let site: WorkWorld;
afterEach(() => site.end());

const FAST = { work: { requeue_delay: '40ms', requeue_max_delay: '200ms', max_requeues: 3 } };
const talk: Script = () => ({ text: 'done' });

/** Fails as long as `failures` says so. */
function flaky(
  dir: string,
  failures: { left: number },
  options: { script?: Script; outcome?: () => ProviderOutcome } = {},
): ReturnType<typeof createFakeProvider> {
  return createFakeProvider({
    dir,
    script: options.script ?? talk,
    gate: () => {
      if (failures.left <= 0) return undefined;
      failures.left -= 1;
      return (options.outcome ?? failing)();
    },
  });
}

describe('a wake that fails in a way that may pass', () => {
  it('S3-12 S3-14 S3-15 S3-27 waits with growing gaps, is rescheduling meanwhile, and finishes when the provider is back', async () => {
    site = createWorkWorld({ work: { requeue_delay: '1s', requeue_max_delay: '10s' } });
    const failures = { left: 2 };
    const life = await site.start({ providers: [flaky(site.world.outside, failures)] });
    const turnId = await send(life, 'hello');
    const waiting = await turnIn(life, turnId, [...QUIET]);
    expect(waiting).toMatchObject({ state: 'waiting', retry: { streak: 1 } });
    expect(waiting.reason).toMatch(
      /^The provider failed \(500\)\. Next retry at \d\d:\d\d:\d\d \(try 2\)\.$/,
    );
    const status = await statusOf(life);
    expect(status).toMatchObject({
      status: 'rescheduling',
      retryStreak: 1,
      pendingEvents: 1,
      runnablePendingEvent: { turnId, deferUntil: expect.stringMatching(/^20/) as string },
      retryPosture: { isRetrying: true, streak: 1, lastError: 'The provider failed (500).' },
      resilience: { requeueDelayMs: 1_000, maxRequeues: 10 },
    });
    expect(status.nextRetryAt).toBe(new Date(waiting.retry?.dueAtMs ?? 0).toISOString());
    // Nobody has to do anything about it.
    expect(life.holdfast.status().counts).toMatchObject({ needsYou: 0, waiting: 1 });
    expect((await life.holdfast.call('recovery.list', {}, 'test')).decisions).toEqual([]);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({
      state: 'completed',
      attempt: 3,
    });
    expect(await kindsOf(life)).toEqual([
      'ready',
      'leased',
      'requeued',
      'leased',
      'requeued',
      'leased',
      'acked',
    ]);
    const requeued = (await historyOf(life)).filter((event) => event.kind === 'requeued');
    const gaps = requeued.map(
      (event) => Date.parse(event.immediateRetryAt ?? '') - Date.parse(event.createdAt),
    );
    expect(requeued[0]?.queuedWakeIds).toEqual([]);
    // From its being written down, which may come later than the time was counted from.
    expect(gaps[0]).toBeGreaterThan(600);
    expect(gaps[1]).toBeGreaterThan(1_200);
    expect(gaps[1]).toBeLessThan(2_400);
    expect((await statusOf(life)).retryStreak).toBe(0);
  });

  it('S3-12 S3-15 at the defaults failures in a row wait 2, 4, 8, 16, 30 and 30 s, each within a tenth, shown with its streak', async () => {
    site = createWorkWorld({ resilience: { outage_threshold: 100 } });
    const clock = createVirtualClock(Date.parse('2026-03-01T12:00:00Z'));
    const provider = flaky(site.world.outside, { left: 6 });
    const life = await site.start({ clock, ticker: clock.ticker, providers: [provider] });
    const turnId = await send(life, 'hello');
    for (const [at, plainMs] of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      await expect.poll(async () => (await statusOf(life)).retryStreak).toBe(at + 1);
      const { nextRetryAt, retryPosture } = await statusOf(life);
      const waitMs = Date.parse(nextRetryAt ?? '') - clock.nowMs();
      expect(waitMs).toBeGreaterThanOrEqual(plainMs * 0.9);
      expect(waitMs).toBeLessThanOrEqual(Math.min(30_000, plainMs * 1.1));
      expect(retryPosture).toMatchObject({ isRetrying: true, streak: at + 1 });
      await clock.advance(waitMs - 1);
      expect(linesOf(provider.log)).toHaveLength(at + 1);
      await clock.advance(1);
    }
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
    expect(linesOf(provider.log)).toHaveLength(7);
  });

  it('S3-12 is parked with a decision after work.max_requeues waits, and goes on when a person says so', async () => {
    site = createWorkWorld({ ...FAST, resilience: { outage_threshold: 100 } });
    const failures = { left: 4 };
    const provider = flaky(site.world.outside, failures);
    const life = await site.start({ providers: [provider] });
    const turnId = await send(life, 'hello');
    const parked = await turnIn(life, turnId, ['parked']);
    expect(parked.reason).toContain('Tried 4 times in a row');
    expect(linesOf(provider.log)).toHaveLength(4);
    const { decisions } = await life.holdfast.call('recovery.list', {}, 'test');
    expect(decisions.map((one) => [one.turnId, one.kind])).toEqual([[turnId, 'parked']]);
    expect((await statusOf(life)).latestOutcome).toMatchObject({
      kind: 'abandoned',
      abandonReason: 'wake_failed',
    });
    const requestHash = decisions[0]?.requestHash ?? '';
    await life.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
  });

  it('S3-12 a failure that cannot pass is parked at once: 401 is not tried again', async () => {
    site = createWorkWorld(FAST);
    const failures = { left: 1 };
    const provider = flaky(site.world.outside, failures, {
      outcome: () => failing({ kind: 'config', message: 'Key refused.', isRetryable: false }),
    });
    const life = await site.start({ providers: [provider] });
    const turnId = await send(life, 'hello');
    expect(await turnIn(life, turnId, [...QUIET])).toMatchObject({ state: 'parked' });
    expect(linesOf(provider.log)).toHaveLength(1);
  });

  it('S3-12 a finished step begins the count again, and no finished effect is fired again', async () => {
    site = createWorkWorld(FAST);
    let calls = 0;
    const tools = createFakeTools({ dir: site.world.outside });
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) < 3
          ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) } }] }
          : { text: 'all' },
      // Two failures before each answer: six in all, never more than two in a row.
      gate: () => ((calls += 1) % 3 === 0 ? undefined : failing()),
    });
    const life = await site.start({ providers: [provider], toolHosts: [tools] });
    const turnId = await send(life, 'charge');
    expect(await turnIn(life, turnId, [...ENDED, 'parked'])).toMatchObject({ state: 'completed' });
    expect(linesOf(tools.log)).toHaveLength(3);
    const streaks = (await historyOf(life))
      .filter((event) => event.kind === 'requeued')
      .map((event) => Date.parse(event.immediateRetryAt ?? '') - Date.parse(event.createdAt));
    expect(streaks).toHaveLength(8);
    // 40, 80, 40, 80, …
    for (const [index, gapMs] of streaks.entries())
      expect(gapMs, String(index)).toBeLessThan(index % 2 === 0 ? 60 : 120);
  });

  it('S3-12 S3-13 the wait, its streak and the message outlive a restart: it goes on after the rest of the time', async () => {
    site = createWorkWorld({ work: { requeue_delay: '1500ms' } });
    const failures = { left: 1 };
    const provider = flaky(site.world.outside, failures);
    const first = await site.start({ providers: [provider] });
    const turnId = await send(first, 'hello');
    const waiting = await turnIn(first, turnId, [...QUIET]);
    await first.lifecycle.stop('stop');
    const second = await site.start({ providers: [provider] });
    const again = await second.holdfast.call('turns.show', { turnId }, 'test');
    expect(again.turn).toMatchObject({ state: 'waiting', retry: waiting.retry });
    const done = await turnIn(second, turnId, [...ENDED]);
    expect(done.state).toBe('completed');
    expect(done.endedAtMs).toBeGreaterThanOrEqual(waiting.retry?.dueAtMs ?? Infinity);
    // It was not running when the process ended: nothing was cut off, nobody counts a crash.
    expect(await kindsOf(second)).not.toContain('abandoned');
  });

  it('S3-12 a wait that a clock 3 years ahead wrote down is no longer after a start by the right one', async () => {
    site = createWorkWorld({ work: { requeue_delay: '30m', requeue_max_delay: '30m' } });
    const clock = createVirtualClock(Date.parse('2030-06-01T00:00:00Z'));
    const provider = flaky(site.world.outside, { left: 1 });
    const parts = { clock, ticker: clock.ticker, providers: [provider] };
    const ahead = await site.start(parts);
    const turnId = await send(ahead, 'hello');
    await turnIn(ahead, turnId, ['waiting']);
    await ahead.lifecycle.stop('stop');
    clock.set(-3 * 365 * 86_400_000);
    const right = await site.start(parts);
    // Up to a tenth shorter; never longer.
    await clock.advance(26 * 60_000);
    expect(linesOf(provider.log)).toHaveLength(1);
    await clock.advance(4 * 60_000);
    expect(await turnIn(right, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
  });

  it('S3-12 a wait of an hour that the computer sleeps through is over within 10 s of its waking, not an hour later', async () => {
    site = createWorkWorld({ work: { requeue_delay: '1h', requeue_max_delay: '1h' } });
    const clock = createVirtualClock(Date.parse('2027-06-01T00:00:00Z'));
    const provider = flaky(site.world.outside, { left: 1 });
    const parts = { clock, ticker: clock.ticker, providers: [provider] };
    const life = await site.start(parts);
    const turnId = await send(life, 'hello');
    await turnIn(life, turnId, ['waiting']);
    await clock.advance(60_000);
    expect(linesOf(provider.log)).toHaveLength(1);
    clock.suspend(2 * 3_600_000);
    await clock.advance(10_000);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
  });

  it('S3-12 "retry now" does not wait for the time; a turn that does not wait is refused', async () => {
    site = createWorkWorld({ work: { requeue_delay: '1h', requeue_max_delay: '1h' } });
    const failures = { left: 1 };
    const life = await site.start({ providers: [flaky(site.world.outside, failures)] });
    const turnId = await send(life, 'hello');
    await turnIn(life, turnId, ['waiting']);
    await life.holdfast.call('turns.retryNow', { turnId }, 'test');
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
    await expect(life.holdfast.call('turns.retryNow', { turnId }, 'test')).rejects.toMatchObject({
      code: 'TURN_STATE',
    });
  });

  it('S3-+02 changed backoff values count from the next failure on, without a restart', async () => {
    site = createWorkWorld({ work: { requeue_delay: '1h', requeue_max_delay: '2h' } });
    const failures = { left: 2 };
    const life = await site.start({ providers: [flaky(site.world.outside, failures)] });
    const turnId = await send(life, 'hello');
    await turnIn(life, turnId, ['waiting']);
    await life.holdfast.call('config.set', { key: 'work.requeue_delay', value: '10m' }, 'test');
    await life.holdfast.call('turns.retryNow', { turnId }, 'test');
    await expect.poll(async () => (await statusOf(life)).retryStreak).toBe(2);
    const status = await statusOf(life);
    expect(status.resilience.requeueDelayMs).toBe(600_000);
    const waitMs = Date.parse(status.nextRetryAt ?? '') - Date.now();
    expect(waitMs).toBeGreaterThan(1_000_000);
    expect(waitMs).toBeLessThan(1_400_000);
    await life.holdfast.call('turns.cancel', { turnId }, 'test');
    expect((await statusOf(life)).nextRetryAt).toBeNull();
  });
});
