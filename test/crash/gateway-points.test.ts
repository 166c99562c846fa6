/** A process that is killed while it keeps and counts what a client of the gateway was told. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { clientToken } from '../helpers/client-token';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { databaseProblems } from './evidence';
import { createRealm, endLives, startLife } from './lives';
import type { Realm } from './realm';
import { GATEWAY_CLIENT_POINTS, GATEWAY_POINTS } from './own-workloads';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function realmFor(provider: FakeProvider): Realm {
  const realm = createRealm('safe_only', {
    'observability.enabled': false,
    'gateway.enabled': true,
    'gateway.port': 0,
    providers: {
      claude: { kind: 'anthropic', base_url: provider.baseUrl('anthropic') },
    },
  });
  cleanUps.push(() => realm.remove());
  return realm;
}

/** Until the gateway of this life listens; the file of an earlier one is gone by then. */
async function ask(
  realm: Realm,
  key?: string,
  over: { readonly model?: string; readonly stream?: boolean } = {},
): Promise<string> {
  const portFile = path.join(realm.dataDir, 'run', 'gateway.port');
  await expect.poll(() => fs.existsSync(portFile)).toBe(true);
  const port = fs.readFileSync(portFile, 'utf8').trim();
  const token = key ?? fs.readFileSync(path.join(realm.dataDir, 'gateway.token'), 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ model: 'm', temperature: 0, stream: true, messages: [], ...over }),
  });
  return answer.text();
}

describe('a process that is killed at', () => {
  it.each(GATEWAY_POINTS)(
    'S0-38 %s has its answer counted from the first word on and kept before the client has all of it: nothing heard is paid twice, nothing that was heard or kept is missing from the sum of the day, and what was cut off is marked',
    async (point) => {
      const provider = await startFakeProvider({
        script: () => ({ text: 'whole', usage: { inputTokens: 10, outputTokens: 5 } }),
      });
      cleanUps.push(() => provider.stop());
      const realm = realmFor(provider);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      const answer = await ask(realm).catch(String);
      expect(await first.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      expect(answer).not.toContain('message_stop');
      fs.rmSync(path.join(realm.dataDir, 'run', 'gateway.port'), { force: true });
      const second = startLife(realm);
      await second.ready();
      const counted = async (): Promise<readonly number[]> => {
        const { lines } = await second.call('usage.list', {});
        const sum = (of: 'count' | 'remembered' | 'cut' | 'inputTokens'): number =>
          lines.reduce((total, line) => total + line[of], 0);
        return [sum('count'), sum('remembered'), sum('cut'), sum('inputTokens')];
      };
      const isCounted = point === 'gateway.begin.before' ? 0 : 1;
      const isCut = point === 'gateway.begin.after' || point === 'gateway.count.before' ? 1 : 0;
      expect(await counted()).toEqual([isCounted, 0, isCut, 10 * isCounted]);
      expect(await ask(realm)).toContain('message_stop');
      // What was kept was counted: asked for again it costs nothing.
      const isKept = point === 'gateway.keep.afterRename' ? 1 : 0;
      const paid = isCounted + 1 - isKept;
      await expect.poll(counted).toEqual([isCounted + 1, isKept, isCut, 10 * paid]);
      expect(provider.calls()).toHaveLength(2 - isKept);
      expect(fs.readdirSync(path.join(realm.dataDir, 'gateway-answers'))).toHaveLength(1);
      await second.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it('S0-38 any instant while a whole answer is waited for has it in the sums as asked for, at an unknown cost; the next one counts beside it', async () => {
    const provider = await startFakeProvider({ script: () => ({ fault: 'stall_first_byte' }) });
    cleanUps.push(() => provider.stop());
    const realm = realmFor(provider);
    const first = startLife(realm);
    await first.ready();
    const answer = ask(realm, undefined, { stream: false }).catch(String);
    await provider.waitForRequests(1);
    expect((await first.call('usage.list', {})).lines).toEqual([]);
    await first.kill();
    await answer;
    fs.rmSync(path.join(realm.dataDir, 'run', 'gateway.port'), { force: true });
    const second = startLife(realm);
    await second.ready();
    const { lines } = await second.call('usage.list', {});
    expect(lines).toMatchObject([{ client: 'default', count: 1, cut: 1, inputTokens: 0 }]);
    expect(lines[0]?.costUsd).toBeUndefined();
    const { clients } = await second.call('gateway.clients', {});
    expect(clients).toEqual([{ name: 'default' }]);
    provider.setScript(() => ({
      body: { type: 'message', content: [], usage: { input_tokens: 7, output_tokens: 3 } },
    }));
    expect(await ask(realm, undefined, { stream: false })).toContain('"output_tokens"');
    expect((await second.call('usage.list', {})).lines).toMatchObject([
      { count: 2, cut: 1, inputTokens: 7, outputTokens: 3 },
    ]);
    provider.setScript(() => ({ status: 400 }));
    expect(await ask(realm, undefined, { stream: false, model: 'n' })).toContain('error');
    expect((await second.call('usage.list', {})).lines).toMatchObject([{ count: 2, cut: 1 }]);
    await second.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it.each(GATEWAY_CLIENT_POINTS)(
    'S0-38 %s while a token is revoked: it is worth all or nothing at the next start, and one that was told stays',
    async (point) => {
      const provider = await startFakeProvider({ script: () => ({ text: 'whole' }) });
      cleanUps.push(() => provider.stop());
      const realm = realmFor(provider);
      const first = startLife(realm, { crash: { point, hit: 3 } });
      await first.ready();
      const laptop = clientToken();
      const phone = clientToken();
      for (const [name, { tokenHash }] of Object.entries({ laptop, phone }))
        await first.call('gateway.addClient', { name, tokenHash });
      expect(await ask(realm, laptop.token)).toContain('message_stop');
      void first.ask({ kind: 'call', verb: 'gateway.revokeClient', input: { name: 'laptop' } });
      expect(await first.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      fs.rmSync(path.join(realm.dataDir, 'run', 'gateway.port'), { force: true });
      const second = startLife(realm);
      await second.ready();
      expect(await ask(realm, phone.token)).toContain('message_stop');
      expect(await ask(realm, laptop.token)).toContain(
        point === 'gateway.client.before' ? 'message_stop' : 'authentication_error',
      );
      await second.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );
});
