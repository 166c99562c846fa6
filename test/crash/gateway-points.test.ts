/** A process that is killed while it counts what a client of the gateway used. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { databaseProblems } from './evidence';
import { createRealm, endLives, startLife, type Realm } from './lives';
import { GATEWAY_POINTS } from './own-workloads';

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
async function ask(realm: Realm): Promise<string> {
  const portFile = path.join(realm.dataDir, 'run', 'gateway.port');
  await expect.poll(() => fs.existsSync(portFile)).toBe(true);
  const port = fs.readFileSync(portFile, 'utf8').trim();
  const token = fs.readFileSync(path.join(realm.dataDir, 'gateway.token'), 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ model: 'm', stream: true, messages: [] }),
  });
  return answer.text();
}

describe('a process that is killed at', () => {
  it.each(GATEWAY_POINTS)(
    'S0-38 %s has given its client the whole answer; the count is there or not, never half or twice',
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
      expect(answer).toContain('message_stop');
      fs.rmSync(path.join(realm.dataDir, 'run', 'gateway.port'), { force: true });
      const second = startLife(realm);
      await second.ready();
      const counted = async (): Promise<number> => {
        const { lines } = await second.call('usage.list', {});
        return lines.reduce((sum, line) => sum + line.count, 0);
      };
      expect(await counted()).toBe(point === 'gateway.count.before' ? 0 : 1);
      expect(await ask(realm)).toContain('whole');
      await expect.poll(counted).toBe(point === 'gateway.count.before' ? 1 : 2);
      await second.stop();
      expect(databaseProblems(realm)).toEqual([]);
    },
  );
});
