import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldItem, ProviderHealth } from '../../../shared/types/outage';
import type { Site } from './site';
import { createSite, until } from './site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

const COUNT = 31;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('an outage that outlives its process', () => {
  it('S0-17 S0-18 S0-20 31 turns wait in order over a SIGKILL with none but light requests, 1 record, and after another one in the drain each is answered', async () => {
    site.configure({
      resilience: { probe_interval: '100ms', outage_threshold: 3, early_probe: false },
      retry: { server: { max_attempts: 1 } },
      work: { requeue_delay: '10ms', requeue_max_delay: '20ms' },
    });
    site.fp.setScript(() => ({ status: 503 }));
    site.fp.answerProbes({ status: 503 });
    let host = await site.start();
    const client = await site.client();
    const sent: number[] = [];
    for (const n of numbers(COUNT)) {
      const message = { text: `question ${String(n)}.`, agent: 'a', session: `s${String(n % 5)}` };
      sent.push(((await client.call('send', message)) as { turnId: number }).turnId);
    }
    client.close();
    const queue = async (): Promise<number[]> =>
      (await site.json<{ items: HeldItem[] }>('outage', 'queue')).items.map((one) => one.turnId);
    await until('31 that wait', async () => (await queue()).length === COUNT);
    const asked = site.fp.calls().length;
    await site.kill(host);
    expect(await queue()).toEqual(sent);
    host = await site.start();
    const before = site.fp.requests.length;
    await until('3 probes', () => site.fp.requests.length >= before + 3);
    expect(await queue()).toEqual(sent);
    expect(site.fp.calls()).toHaveLength(asked);
    expect(site.db<{ n: number }>('SELECT count(*) AS n FROM outage_events')).toEqual([{ n: 1 }]);
    // Back for five answers, and gone with the process.
    let answers = 0;
    site.fp.setScript(async () => {
      answers += 1;
      if (answers > 5) await new Promise(() => undefined);
      return { text: 'ok' };
    });
    site.fp.answerProbes({ body: { data: [] } });
    await until('a sixth call', () => answers > 5);
    await site.kill(host);
    site.fp.setScript(() => ({ text: 'ok' }));
    await site.start();
    await until('the end of the outage', async () => {
      const { providers } = await site.json<{ providers: ProviderHealth[] }>('provider', 'status');
      return providers[0]?.state === 'answering' && (await queue()).length === 0;
    });
    // The last of them has left the queue, and may still be at work.
    const states = () =>
      site.db<{ state: string; n: number }>(
        'SELECT state, count(*) AS n FROM turns GROUP BY state',
      );
    await until('all are over', () => states().every(({ state }) => state === 'completed'));
    expect(states()).toEqual([{ state: 'completed', n: COUNT }]);
    expect(site.db<{ n: number }>('SELECT count(*) AS n FROM outage_events')).toEqual([{ n: 1 }]);
  });
});
