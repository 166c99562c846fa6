/** Holdfast is killed while opencode itself is at work; then it comes back. */
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealm, endLives } from '../crash/lives';
import {
  answer,
  born,
  configureOwn,
  effects,
  ended,
  question,
  REAL_AGENT_MS,
  send,
  WAIT,
} from '../crash/outside-world';
import type { Life, Realm } from '../crash/realm';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { commandOfPrompt, configureOpencode, findOpencode } from '../helpers/opencode';
import { isLeftOut } from '../helpers/skips';

let realm: Realm;
beforeEach(() => {
  realm = createRealm('safe_only');
});
afterEach(() => {
  endLives();
  realm.remove();
});
const agent = (command: string, args: readonly string[], extra: Record<string, unknown> = {}) => {
  configureOwn(realm, command, args, extra);
};
const begin = (): Promise<Life> => born(realm);
const effected = (): readonly string[] => effects(realm);

const real = await findOpencode();
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';

describe.skipIf(isLeftOut('opencode itself', 'missing' in real && real.missing))(
  `opencode itself${why}`,
  { timeout: REAL_AGENT_MS },
  () => {
    let provider: FakeProvider;
    afterAll(() => provider?.stop());

    async function setUp(): Promise<void> {
      provider ??= await startFakeProvider({ script: commandOfPrompt });
      configureOpencode(path.join(realm.outside, '.config'), provider);
      agent('path' in real ? real.path : '', ['acp']);
    }

    it('S3-07 killed at the question: resumed, the effect happens exactly once', async () => {
      await setUp();
      const first = await begin();
      const turnId = await send(first, 'run: echo one >> effects.log');
      await question(first);
      await first.kill();
      expect(effected()).toEqual([]);
      const second = await begin();
      await answer(second, 'approvals.allow', await question(second));
      expect((await ended(second, turnId)).state).toBe('completed');
      expect(effected()).toEqual(['one']);
      // One question in all: the stored answer was heard when the agent asked again.
      const { requests } = await second.call('approvals.list', { includeAnswered: true });
      expect(requests).toHaveLength(1);
      await second.stop();
    });

    it('S4-20 killed in the call: the repeat is put to the person, the effect happens once', async () => {
      await setUp();
      const first = await begin();
      const turnId = await send(
        first,
        'run: echo one >> effects.log; sleep 4; echo two >> effects.log',
      );
      await answer(first, 'approvals.allow', await question(first));
      await expect.poll(effected, WAIT).toEqual(['one']);
      await first.kill();
      const second = await begin();
      const asked = await question(second);
      expect(asked.reason).toContain('before the restart');
      await answer(second, 'approvals.deny', asked);
      expect((await ended(second, turnId)).state).toBe('completed');
      expect(effected().filter((line) => line === 'one')).toHaveLength(1);
      await second.stop();
    });
  },
);
