/** opencode itself works on a shared turn while its computer is killed; another computer goes on. DW-19 */
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endRealms } from '../crash/lives';
import type { Life } from '../crash/realm';
import { born, computer, effectsOf, ending, joined, LIMIT } from '../crash/share-agents-world';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { commandOfPrompt, configureOpencode, findOpencode } from '../helpers/opencode';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';

const real = await findOpencode();

describe.skipIf(isLeftOut('kills of computers with opencode', NO_POSTGRES))(
  'a computer that is killed while opencode works on a shared turn',
  () => {
    let postgres: Postgres;
    let provider: FakeProvider | undefined;
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await provider?.stop();
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    async function storeOf(name: string): Promise<string> {
      await postgres.sql(`CREATE DATABASE ${name}`);
      return `postgres://owner@127.0.0.1:${String(postgres.port)}/${name}`;
    }

    it.skipIf(isLeftOut('opencode itself, shared', 'missing' in real && real.missing))(
      'DW-19 opencode itself: killed in the call on one computer, it goes on at the other; what was done is not done again, and what may have happened is asked about',
      { timeout: 480_000 },
      async () => {
        provider = await startFakeProvider({ script: commandOfPrompt });
        const opencode = { command: 'path' in real ? real.path : '', args: ['acp'] };
        const ask = { 'approvals.tools': { shell: 'ask' } };
        const one = computer('always', 'desk-1', opencode, ask);
        const two = computer('always', 'desk-2', opencode, ask);
        for (const { outside } of [one, two])
          configureOpencode(path.join(outside, '.config'), provider);
        const first = await joined(one, two, await storeOf('opencode'));
        await first.call('share.send', {
          text: 'run: echo one >> effects.log; sleep 4; echo two >> effects.log',
          agent: 'own',
          session: 'work',
        });
        const question = async (life: Life) => (await life.call('approvals.list', {})).requests[0];
        await expect.poll(() => question(first), LIMIT).toBeDefined();
        const asked = (await question(first))!;
        await first.call('approvals.allow', {
          requestId: asked.requestId,
          requestHash: asked.requestHash,
        });
        await expect.poll(() => effectsOf(one), LIMIT).toEqual(['one']);
        await first.kill();
        const second = await born(two);
        const { denied } = await ending(second, 'work');
        expect(denied).toEqual([asked.hint]);
        expect(effectsOf(two)).toEqual([]);
        expect(effectsOf(one).filter((line) => line === 'one')).toHaveLength(1);
        const told = JSON.stringify(provider.requests.at(-1)?.json);
        expect(told).toMatch(/by another computer.*Outcome unknown.*echo one/);
        const { moves } = await second.call('turns.show', {
          turnId: (await second.call('turns.list', {})).turns[0]!.id,
        });
        expect(moves).toMatchObject([{ to: 'here', computer: 'desk-1' }]);
        await second.stop();
      },
    );
  },
);
