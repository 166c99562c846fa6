import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../electron/engine/retry/plan-retry';
import { classifyFailure } from '../../../electron/engine/retry/classify';
import { planRetry } from '../../../electron/engine/retry/plan-retry';
import type { ProviderFailure, ProviderFailureKind } from '../../../electron/ports/provider';
import { createTestRegistry, createKept, DEFAULT_POLICY } from './book';
import { createVirtualTime } from './virtual-time';

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const POLICY = {
  rateLimited: { maxAttempts: 5, firstWaitMs: 1_000, maxWaitMs: 60_000 },
  server: { maxAttempts: 3, firstWaitMs: 1_000, maxWaitMs: 30_000 },
};
const failing = (kind: ProviderFailureKind, retryAfterMs?: number): ProviderFailure => ({
  kind,
  message: 'it failed',
  hint: '',
  isRetryable: kind !== 'config' && kind !== 'quota' && kind !== 'aborted',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

describe('waits of one class of retries', () => {
  it('S2-24 are in [d, 2d) below the cap, and in [cap/2, cap] where the doubling passes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fraction, (failed, random) => {
        const waitMs = backoffMs(POLICY.rateLimited, failed, random);
        const plainMs = 1_000 * 2 ** (failed - 1);
        expect(waitMs).toBeGreaterThanOrEqual(Math.min(plainMs, 30_000));
        expect(waitMs).toBeLessThanOrEqual(Math.min(2 * plainMs, 60_000));
      }),
    );
  });

  it('S2-24 of 200 chains have no instant in common, also at the cap', () => {
    for (const failed of [1, 4, 30]) {
      const waits = Array.from({ length: 200 }, (_, chain) =>
        backoffMs(POLICY.rateLimited, failed, chain / 200),
      );
      expect(new Set(waits).size).toBe(200);
    }
  });

  it('S2-25 S2-26 end after 5 calls at most, whatever fails in whatever order', () => {
    const kinds = fc.constantFrom<ProviderFailureKind>('rate_limited', 'server', 'network', 'cut');
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 9, maxLength: 9 }), fraction, (order, random) => {
        let tries = { rateLimited: 0, server: 0 };
        let calls = 0;
        for (const kind of order) {
          calls += 1;
          const plan = planRetry({ failure: failing(kind), tries, policy: POLICY, random });
          tries = plan.tries;
          if (plan.kind !== 'retry') break;
        }
        expect(calls).toBeLessThanOrEqual(5);
        expect(tries.server).toBeLessThanOrEqual(3);
      }),
    );
  });
});

describe('a breaker', () => {
  it('S2-08 never opens where no 5 failures are in a row', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (outcomes) => {
        const time = createVirtualTime();
        const breaker = createTestRegistry(time.clock, createKept()).of('p', 'provider');
        let inARow = 0;
        for (const isFailure of outcomes) {
          const fails = isFailure && inARow < 4;
          inARow = fails ? inARow + 1 : 0;
          const permit = breaker.allow();
          if (permit.kind === 'refused') throw new Error('it opened');
          if (fails) breaker.onFailure(permit);
          else breaker.onSuccess(permit);
        }
        expect(breaker.view().state).toBe('closed');
      }),
    );
  });

  it('S2-+04 keeps its state at each change of state or count, and nothing for healthy calls', () => {
    const time = createVirtualTime();
    const kept = createKept();
    const breaker = createTestRegistry(time.clock, kept).of('p', 'provider');
    const call = (isOk: boolean): void => {
      const permit = breaker.allow();
      if (permit.kind === 'refused') return;
      if (isOk) breaker.onSuccess(permit);
      else breaker.onFailure(permit, 'down');
    };
    for (let n = 0; n < 1_000; n++) call(true);
    expect(kept.writes).toEqual([]);
    for (let n = 0; n < 5; n++) call(false);
    expect(kept.writes.map(({ state, failures }) => [state, failures])).toEqual([
      ['closed', 1],
      ['closed', 2],
      ['closed', 3],
      ['closed', 4],
      ['open', 5],
    ]);
  });

  it('S2-10 an answer that needed no leave is 1 success of 2 while open, and nothing while closed or half-open', () => {
    const time = createVirtualTime();
    const breaker = createTestRegistry(time.clock, createKept()).of('p', 'provider');
    const seen = (): unknown[] => {
      const { state, failures, successes } = breaker.view();
      return [state, failures, successes];
    };
    breaker.onFailure();
    breaker.onAnswerWhileOpen();
    expect(seen()).toEqual(['closed', 1, 0]);
    breaker.trip('down');
    breaker.onAnswerWhileOpen();
    expect(seen()).toEqual(['half_open', 1, 1]);
    breaker.onAnswerWhileOpen();
    expect(seen()).toEqual(['half_open', 1, 1]);
    breaker.onFailure();
    expect([seen(), breaker.view().backoffMs]).toEqual([['open', 1, 0], 20_000]);
    breaker.onAnswerWhileOpen();
    breaker.onSuccess();
    expect(seen()).toEqual(['closed', 0, 0]);
  });

  it('S2-06 S2-13 says in plain words why it is open and when it tries next', async () => {
    const time = createVirtualTime(Date.UTC(2026, 0, 1, 14, 2));
    const breaker = createTestRegistry(time.clock, createKept()).of(
      'provider.anthropic',
      'provider',
    );
    for (let n = 0; n < 5; n++) breaker.onFailure(undefined, 'no answer');
    expect(breaker.view().explanation).toBe(
      'Open since 14:02:00: 5 requests in a row failed. The next probe is sent at 14:02:10. The last error: no answer.',
    );
    const refusal = breaker.allow();
    expect(refusal).toMatchObject({ kind: 'refused', state: 'open', retryInMs: 10_000 });
    expect(refusal.kind === 'refused' ? refusal.reason : '').toBe(
      'The circuit provider.anthropic is open, next probe at 14:02:10; nothing was sent.',
    );
    await time.advance(10_001);
    expect(breaker.view().explanation).toContain('The next request is the probe.');
  });

  it('S2-09 a trial that shows life within every 30 s is not taken for hung', async () => {
    const time = createVirtualTime();
    const breaker = createTestRegistry(time.clock, createKept()).of('p', 'provider');
    breaker.trip('by hand');
    await time.advance(10_000);
    const trial = breaker.allow();
    if (trial.kind === 'refused') throw new Error('not admitted');
    for (let n = 0; n < 4; n++) {
      await time.advance(20_000);
      breaker.onAlive(trial);
    }
    expect(breaker.view()).toMatchObject({ state: 'half_open', isTrialOut: true });
    breaker.onSuccess(trial);
    expect(breaker.view().successes).toBe(1);
  });

  it('S2-12 S2-14 takes changed thresholds and waits from the next verdict on', () => {
    const time = createVirtualTime();
    let policy = DEFAULT_POLICY;
    const breaker = createTestRegistry(time.clock, createKept(), () => policy).of('p', 'provider');
    breaker.onFailure();
    policy = { ...DEFAULT_POLICY, failureThreshold: 2, initialBackoffMs: 500 };
    breaker.onFailure();
    expect(breaker.view()).toMatchObject({ state: 'open', backoffMs: 500 });
  });
});

describe('the class of a failure', () => {
  it.each<[ProviderFailureKind, string, string | undefined]>([
    ['network', 'server', 'failure'],
    ['timeout', 'server', 'failure'],
    ['server', 'server', 'failure'],
    ['cut', 'server', 'failure'],
    ['malformed', 'server', 'failure'],
    ['rate_limited', 'rate_limited', 'failure'],
    ['quota', 'none', 'quota'],
    ['config', 'none', 'config'],
    ['aborted', 'none', undefined],
  ])(
    'S0-14 S0-15 S0-16 S2-29 %s is retried as %s and a contact of kind %s',
    (kind, retriedAs, contact) => {
      expect(classifyFailure(failing(kind))).toEqual({ retriedAs, contact });
    },
  );

  it('S2-25 a Retry-After above the cap of its class is kept for later: 61 s for 429, 31 s for 5xx', () => {
    const plan = (failure: ProviderFailure): string =>
      planRetry({ failure, tries: { rateLimited: 0, server: 0 }, policy: POLICY, random: 0 }).kind;
    expect([
      plan(failing('rate_limited', 60_000)),
      plan(failing('rate_limited', 61_000)),
      plan(failing('server', 30_000)),
      plan(failing('server', 31_000)),
      plan(failing('quota', 5_000)),
      plan(failing('quota')),
    ]).toEqual(['retry', 'later', 'retry', 'later', 'later', 'give_up']);
  });
});
