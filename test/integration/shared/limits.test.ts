import { describe, expect, it } from 'vitest';
import type {
  ProviderFailure,
  ProviderOutcome,
  ProviderProbe,
} from '../../../electron/ports/provider';
import { charging, type createComputers, type Computer } from '../../helpers/shared-computers';
import { NO_POSTGRES } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { isLeftOut } from '../../helpers/skips';

let computers: ReturnType<typeof createComputers>;

const LIMIT = { timeout: 120_000, interval: 30 };
const ONE_ACCOUNT = {
  fake: { kind: 'openai-compatible', base_url: 'https://models.example.com/v1', account: 'team' },
};
const QUICK = {
  limits: { margin: '0s' },
  work: { requeue_delay: '10ms', requeue_max_delay: '20ms' },
  retry: { server: { attempts: 1, first_wait: '1ms', max_wait: '5ms' } },
  breakers: { initial_backoff: '200ms', max_backoff: '400ms' },
  resilience: { probe_interval: '10m', early_probe: false, outage_threshold: 2 },
  share: { lease: '3s' },
};
const local = (computer: Computer, session: string): Promise<number> =>
  computer.app.holdfast
    .call('send', { text: 'charge', agent: 'fake', session }, 'test')
    .then(({ turnId }) => turnId);
const stateOf = (computer: Computer, turnId: number) => () =>
  computer.turn(turnId).then(({ state }) => state);
const health = async (computer: Computer) => {
  const { providers } = await computer.app.holdfast.call(
    'provider.status',
    { provider: 'fake' },
    'test',
  );
  return providers[0];
};
const failed = (more: Partial<ProviderFailure>): ProviderOutcome => ({
  kind: 'failure',
  failure: { kind: 'server', message: 'It failed.', hint: '', isRetryable: true, ...more },
});

describe.skipIf(isLeftOut('limits of several computers', NO_POSTGRES))(
  'limits of several computers',
  () => {
    eachOnAnEmptyStore((_, fresh) => {
      computers = fresh;
    });

    it('DW-25 LM-05 a limit that one computer meets is waited for by all of its account: nothing is sent before it resets, and both go on by themselves', async () => {
      let isLimited = true;
      const config = { ...QUICK, providers: ONE_ACCOUNT };
      const a = await computers.start({
        name: 'desk-1',
        config: { ...config, share: { ...QUICK.share, name: 'desk-1' } },
        script: charging(1),
        model: () =>
          isLimited ? failed({ kind: 'quota', retryAfterMs: 2_500, status: 429 }) : undefined,
      });
      const b = await computers.start({
        name: 'desk-2',
        config: { ...config, share: { ...QUICK.share, name: 'desk-2' } },
        script: charging(1),
      });
      const first = await local(a, 'one');
      const metAtMs = Date.now();
      await expect.poll(async () => (await health(b))?.state, LIMIT).toBe('quota');
      isLimited = false;
      expect((await health(b))?.sentence).toMatch(/as desk-1 reported/);
      const second = await local(b, 'two');
      await expect.poll(stateOf(b, second), LIMIT).toBe('waiting');
      expect(b.requests()).toBe(0);
      for (const [computer, turnId] of [
        [a, first],
        [b, second],
      ] as const)
        await expect.poll(stateOf(computer, turnId), LIMIT).toBe('completed');
      expect(Date.now() - metAtMs).toBeGreaterThan(2_300);
      expect(a.requests() + b.requests()).toBe(5);
    });

    it('DW-25 R1 an outage that one computer meets is checked by the others with one light request; where that fails, no turn of theirs has to fail first', async () => {
      let isDown = true;
      const probe = (): ProviderProbe =>
        isDown
          ? {
              kind: 'failed',
              failure: { kind: 'server', message: 'No.', hint: '', isRetryable: true },
            }
          : { kind: 'ok' };
      const model = () => (isDown ? failed({}) : undefined);
      const start = (name: string, isReachedFrom: boolean) =>
        computers.start({
          name,
          config: { ...QUICK, providers: ONE_ACCOUNT, share: { ...QUICK.share, name } },
          script: charging(1),
          ...(isReachedFrom ? {} : { probe, model }),
        });
      const a = await start('desk-1', false);
      const b = await start('desk-2', false);
      const c = await start('desk-3', true);
      const turns = [await local(a, 'one'), await local(a, 'two'), await local(a, 'three')];
      await expect.poll(async () => (await health(b))?.state, LIMIT).toBe('down');
      // Its own network reaches the provider: it works on.
      const there = await local(c, 'there');
      await expect.poll(stateOf(c, there), LIMIT).toBe('completed');
      const here = await local(b, 'here');
      await expect.poll(stateOf(b, here), LIMIT).toBe('waiting');
      expect(b.requests()).toBe(0);
      const { items } = await b.app.holdfast.call('inbox.list', { includeSettled: true }, 'test');
      expect(items.map(({ detail }) => detail).join()).toMatch(/desk-1 reported it/);
      // One that finds it back tells the others, long before their next check is due.
      isDown = false;
      await a.app.holdfast.call('provider.ping', { provider: 'fake' }, 'test');
      for (const [computer, turnId] of [[b, here] as const, ...turns.map((id) => [a, id] as const)])
        await expect.poll(stateOf(computer, turnId), LIMIT).toBe('completed');
    });

    it('DW-25 BU-01 what one computer spends counts on the other for a budget of the same name, each answer once', async () => {
      const config = {
        ...QUICK,
        providers: ONE_ACCOUNT,
        budgets: { caps: { day: { scope: 'all', per: 'day', usd: 0.05 } }, timezone: 'UTC' },
      };
      const start = (name: string) =>
        computers.start({
          name,
          config: { ...config, share: { ...QUICK.share, name, labels: [name] } },
          script: charging(2),
        });
      const [a, b] = [await start('desk-1'), await start('desk-2')];
      const spent = async (computer: Computer) =>
        (await computer.app.holdfast.call('budgets.list', {}, 'test')).budgets[0]?.spentUsd;
      // A shared turn that runs on desk-2 is paid there, and its steps are read here.
      const shared = await a.send('charge', { needs: ['label:desk-2'], session: 'cards' });
      await expect.poll(stateOf(a, shared), LIMIT).toBe('completed');
      for (const one of [a, b]) await expect.poll(() => spent(one), LIMIT).toBeCloseTo(0.03, 6);
      // So does usage: what the other one paid is in its own.
      const used = async (computer: Computer) =>
        (await computer.app.holdfast.call('usage.list', {}, 'test')).lines.reduce(
          (usd, line) => usd + (line.costUsd ?? 0),
          0,
        );
      expect([await used(a), await used(b)]).toEqual([0, 0.03]);
      await expect.poll(stateOf(a, await local(a, 'mine')), LIMIT).toBe('waiting');
      await expect.poll(() => spent(b), { ...LIMIT, timeout: 120_000 }).toBeCloseTo(0.05, 6);
      const refused = await local(b, 'late');
      await expect.poll(stateOf(b, refused), LIMIT).toBe('waiting');
      expect((await b.turn(refused)).reason).toMatch(/budget/i);
    });
  },
);
