import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ProviderOutcome } from '../../../electron/ports/provider';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { ENDED, QUIET, turnIn } from '../../helpers/compose-world';
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

const SHORT = {
  work: { lease_renew: '100ms', lease_stale: '800ms' },
  resilience: { recovery: { resume_delay: '0s' } },
};

/** Long until a worker stalls: a cold start on a busy machine is no stall of its own. */
const PATIENT = { ...SHORT, work: { ...SHORT.work, lease_stale: '1m' } };

/** Runs of this turn are lost soon until one is, and not after that: who takes over may take its time. */
async function loseOnce(life: Composition): Promise<void> {
  const setStale = (value: string) =>
    life.holdfast.call('config.set', { key: 'work.lease_stale', value }, 'test');
  await setStale(SHORT.work.lease_stale);
  await expect
    .poll(async () => (await historyOf(life, { session: 's' })).map(({ kind }) => kind), {
      interval: 10,
    })
    .toContain('abandoned');
  await setStale(PATIENT.work.lease_stale);
}

/** A gate that stands still once, deaf to every signal, until it is opened. */
function stall(): { at: () => Promise<void>; open: () => void; isReached: Promise<void> } {
  let open: () => void = () => undefined;
  let reached: () => void = () => undefined;
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const gate = new Promise<void>((resolve) => (open = resolve));
  let isUsed = false;
  return {
    isReached,
    open: () => open(),
    async at() {
      if (isUsed) return;
      isUsed = true;
      reached();
      await gate;
    },
  };
}

describe('a worker that stalls past its lease', () => {
  it('S3-19 S3-18 S3-23 S3-25 is overtaken: exactly one effect, its late answer is dropped and said in the audit', async () => {
    site = createWorkWorld(PATIENT);
    const tools = createFakeTools({ dir: site.world.outside });
    const first = stall();
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0 ? { calls: [{ tool: 'charge', args: {} }] } : { text: 'paid' },
      gate: () => first.at().then(() => undefined),
    });
    const life = await site.start({ providers: [provider], toolHosts: [tools] });
    const turnId = await send(life, 'pay');
    await first.isReached;
    await loseOnce(life);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({
      state: 'completed',
      attempt: 2,
    });
    expect(linesOf(tools.log)).toHaveLength(1);
    // The loser wakes up: it has an answer that asks for the effect.
    first.open();
    await expect
      .poll(() => site.audit().map((line) => line.event))
      .toContain('late_result_dropped');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(linesOf(tools.log)).toHaveLength(1);
    const history = await historyOf(life, { session: 's' });
    expect(history.map((event) => event.kind)).toEqual([
      'ready',
      'leased',
      'abandoned',
      'ready',
      'leased',
      'acked',
    ]);
    // S3-23: ready before anybody has leased it.
    expect(history[0]).toMatchObject({
      activationKind: 'pending_events',
      priority: 'normal',
      dueAt: history[0]?.createdAt,
    });
    expect(history[0]).not.toHaveProperty('claimId');
    expect(history[2]).toMatchObject({
      abandonReason: 'wake_lease_renew_failed',
      errorMessage: expect.stringMatching(/^lease lost: not responding/) as string,
      attempt: 1,
    });
    const [, loser, , , taker] = history;
    expect(loser?.claimId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    expect(loser?.leaseOwner).not.toBe(taker?.leaseOwner);
    expect(loser?.claimId).not.toBe(taker?.claimId);
    // The history of one claim alone.
    const claim = await historyOf(life, { claimId: loser?.claimId ?? '' });
    expect(claim.map((event) => event.kind)).toEqual(['leased', 'abandoned']);
    const steps = (await life.holdfast.call('turns.show', { turnId }, 'test')).steps;
    expect(steps.map((step) => [step.tool, step.state, step.attempt])).toEqual([
      ['model', 'failed', 1],
      ['model', 'completed', 2],
      ['fake.charge', 'completed', 2],
      ['model', 'completed', 2],
    ]);
  });

  const usage = { inputTokens: 100, outputTokens: 10, costUsd: 0.01 };
  const said = { kind: 'text', text: 'late' } as const;
  it.each<[string, ProviderOutcome]>([
    [
      'a whole answer, after the turn has ended',
      { kind: 'answer', answer: { parts: [said], finish: 'stop', usage } },
    ],
    [
      'one that was cut off, while the next run waits for its own answer',
      failing({ kind: 'aborted', isRetryable: false, usage }),
    ],
  ])(
    'S3-19 BU-03 the $0.01 for the answer of an overtaken run, %s, is in the turn, the usage and the budget, once, after a restart too',
    async (_when, paidFor) => {
      site = createWorkWorld({
        ...PATIENT,
        budgets: { caps: { daily: { scope: 'all', per: 'day', usd: 5 } } },
      });
      const [first, second] = [stall(), stall()];
      let asked = 0;
      const provider = createFakeProvider({
        dir: site.world.outside,
        script: () => ({ text: 'done' }),
        gate: async (): Promise<ProviderOutcome | undefined> => {
          const isFirst = (asked += 1) === 1;
          await (isFirst ? first : second).at();
          return isFirst ? paidFor : undefined;
        },
      });
      const life = await site.start({ providers: [provider] });
      const turnId = await send(life, 'pay');
      await first.isReached;
      await loseOnce(life);
      await second.isReached;
      const paid = async (of: Composition) => {
        const { turn } = await of.holdfast.call('turns.show', { turnId }, 'test');
        const { budgets } = await of.holdfast.call('budgets.list', {}, 'test');
        const { lines } = await of.holdfast.call('usage.list', {}, 'test');
        const used = lines.map(({ costUsd = 0 }) => costUsd).reduce((sum, usd) => sum + usd, 0);
        return [turn.usage.costUsd, budgets[0]?.spentUsd, used];
      };
      if (paidFor.kind === 'failure') {
        first.open();
        await expect.poll(() => paid(life), { timeout: 60_000 }).toEqual([0.01, 0.01, 0.01]);
        second.open();
        await turnIn(life, turnId, [...ENDED]);
      } else {
        second.open();
        await turnIn(life, turnId, [...ENDED]);
        first.open();
      }
      await expect.poll(() => paid(life), { timeout: 60_000 }).toEqual([0.02, 0.02, 0.02]);
      await life.lifecycle.stop('stop');
      expect(await paid(await site.start({ providers: [provider] }))).toEqual([0.02, 0.02, 0.02]);
    },
  );

  it('S3-19 an effect that finishes after the loss stays unknown: listed, it is held for a person and never fired again', async () => {
    site = createWorkWorld({
      ...SHORT,
      resilience: { recovery: { side_effect_tools: ['send_email'] } },
    });
    const after = stall();
    const tools = createFakeTools({
      dir: site.world.outside,
      gate: (at) => (at === 'after' ? after.at() : undefined),
    });
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0
          ? { calls: [{ tool: 'send_email', args: { to: 'x' } }] }
          : { text: 'sent' },
    });
    const life = await site.start({ providers: [provider], toolHosts: [tools] });
    const turnId = await send(life, 'mail');
    await after.isReached;
    expect(await turnIn(life, turnId, [...QUIET])).toMatchObject({ state: 'held' });
    after.open();
    await expect
      .poll(() => site.audit().map((line) => line.event))
      .toContain('late_result_dropped');
    const shown = await life.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.turn.state).toBe('held');
    expect(shown.steps.at(-1)).toMatchObject({ tool: 'fake.send_email', state: 'ambiguous' });
    expect(shown.decision?.ambiguous).toHaveLength(1);
    expect(linesOf(tools.log)).toHaveLength(1);
  });

  it('S3-19 a call whose intent was on its way when the lease was lost is never made', async () => {
    site = createWorkWorld(SHORT);
    const tools = createFakeTools({ dir: site.world.outside });
    const answers = stall();
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) < 2
          ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) } }] }
          : { text: 'paid' },
      gate: (request) =>
        resultsSoFar(request) === 1 ? answers.at().then(() => undefined) : undefined,
    });
    const life = await site.start({ providers: [provider], toolHosts: [tools] });
    const turnId = await send(life, 'pay twice');
    await answers.isReached;
    await turnIn(life, turnId, [...ENDED]);
    answers.open();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(linesOf(tools.log).map((line) => (JSON.parse(line) as { args: unknown }).args)).toEqual([
      { n: 0 },
      { n: 1 },
    ]);
  });

  it('S3-18 is overtaken before its first word is on disk: the turn goes on, and after 3 such ends a person is asked', async () => {
    site = createWorkWorld({
      ...SHORT,
      // Never answers: a turn of the agent waits for it before it begins.
      mcp: { servers: { mute: { command: 'tail', args: ['-f', '/dev/null'] } } },
    });
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
    });
    const life = await site.start({ providers: [provider] });
    const turnId = await send(life, 'ask');
    expect(await turnIn(life, turnId, [...QUIET])).toMatchObject({
      state: 'parked',
      reason: 'Parked: this turn stopped responding 3 times at step 0.',
    });
    const history = await historyOf(life, { session: 's' });
    expect(history.filter((event) => event.kind === 'abandoned')).toHaveLength(3);
    expect(linesOf(provider.log)).toEqual([]);
  });

  it('S3-24 S3-25 keeps its lease while it streams, and while a tool runs within its own timeout', async () => {
    site = createWorkWorld({ ...SHORT, work: { ...SHORT.work, lease_stale: '1500ms' } });
    const tools = createFakeTools({
      dir: site.world.outside,
      specs: [
        {
          name: 'slow',
          description: 'Takes its time',
          inputSchema: { type: 'object' },
          timeoutMs: () => 5_000,
        },
      ],
      gate: (at) =>
        at === 'before' ? new Promise((resolve) => setTimeout(resolve, 3_000)) : undefined,
    });
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0 ? { calls: [{ tool: 'slow', args: {} }] } : { text: 'done' },
    });
    const streaming = {
      ...provider,
      async stream(...args: Parameters<typeof provider.stream>) {
        for (let n = 0; n < 30; n += 1) {
          args[1].onText('word ');
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        return provider.stream(...args);
      },
    };
    const life = await site.start({ providers: [streaming], toolHosts: [tools] });
    const turnId = await send(life, 'slow');
    await expect.poll(async () => (await statusOf(life)).activeLease?.isAlive).toBe(true);
    const lease = (await statusOf(life)).activeLease;
    expect(lease).toMatchObject({ turnId, attempt: 1, isAlive: true });
    expect((await statusOf(life)).activeWakeLeaseOwner).toBe(lease?.owner);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({
      state: 'completed',
      attempt: 1,
    });
    expect(await kindsOf(life)).toEqual(['ready', 'leased', 'acked']);
    expect((await statusOf(life)).activeLease).toBeNull();
  });

  it('S3-+02 a shorter stale time set while a turn stands still takes it without a restart', async () => {
    site = createWorkWorld();
    const first = stall();
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
      gate: () => first.at().then(() => undefined),
    });
    const life = await site.start({ providers: [provider] });
    const turnId = await send(life, 'hello');
    await first.isReached;
    await loseOnce(life);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({
      state: 'completed',
      attempt: 2,
    });
    first.open();
  });
});

describe('two messages of one session', () => {
  it('S3-24 S3-28 the second is blocked by the lease of the first, said once; another session goes on', async () => {
    site = createWorkWorld();
    const first = stall();
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
      gate: () => first.at().then(() => undefined),
    });
    const life = await site.start({ providers: [provider] });
    const one = await send(life, 'one');
    await first.isReached;
    const two = await send(life, 'two');
    const other = await send(life, 'other', 'other');
    await turnIn(life, other, [...ENDED]);
    first.open();
    await turnIn(life, two, [...ENDED]);
    const history = await historyOf(life, { session: 's' });
    expect(history.filter((event) => event.kind === 'blocked')).toMatchObject([
      { turnId: two, blockedReason: 'lease_contended' },
    ]);
    const acked = history.filter((event) => event.kind === 'acked');
    expect(acked).toMatchObject([
      { turnId: one, stopReason: 'completed', wakeId: `${String(one)}.1` },
      { turnId: two },
    ]);
    for (const event of acked) expect(event.processedEventIds).toHaveLength(1);
  });
});
