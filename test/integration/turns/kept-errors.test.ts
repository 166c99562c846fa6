/** What a failed call leaves for the next start: a failure that may pass is tried anew, one that cannot is a result. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { composeIn, QUIET, turnIn, type World } from '../../helpers/compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld();
let release: () => void = () => undefined;

afterEach(() => release());

const script: Script = (request) =>
  resultsSoFar(request) === 0
    ? { calls: [{ tool: 'charge', args: { card: 1 } }] }
    : { text: request.messages.find((message) => message.role === 'tool')?.content ?? '' };

/** An image of D while the answer after the failed call is awaited. */
async function imageAfterFailure(isRetryable: boolean): Promise<{ image: World; turnId: number }> {
  let reached: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => (reached = resolve));
  const held = new Promise<undefined>((resolve) => {
    release = () => {
      resolve(undefined);
    };
  });
  const app = composeIn(world, {
    toolHosts: [
      createFakeTools({
        dir: world.outside,
        outcome: () => ({ kind: 'failed', message: 'The till is closed.', isRetryable }),
      }),
    ],
    providers: [
      createFakeProvider({
        dir: world.outside,
        script,
        gate: (request) => {
          if (resultsSoFar(request) === 0) return undefined;
          reached();
          return held;
        },
      }),
    ],
  });
  running.push(app);
  await app.lifecycle.start();
  const { turnId } = await app.holdfast.call('send', { text: 'pay', agent: 'fake' }, 'test');
  await isThere;
  const dataDir = path.join(world.root, 'image');
  expect(spawnSync('cp', ['-r', world.dataDir, dataDir]).status).toBe(0);
  for (const name of ['agent.lock', 'lock.db']) fs.rmSync(path.join(dataDir, name));
  return { image: { ...world, dataDir }, turnId };
}

describe('a call that had failed when the process ended', () => {
  it.each([
    ['in a way that may pass is made again with its first key', true, 1, 'charge: ok'],
    ['for good is not made again: its failure is the result', false, 0, 'The till is closed.'],
  ] as const)('S4-09 %s', async (_what, isRetryable, calls, answer) => {
    const { image, turnId } = await imageAfterFailure(isRetryable);
    const dir = path.join(world.root, 'second');
    fs.mkdirSync(dir);
    const tools = createFakeTools({ dir });
    const provider = createFakeProvider({ dir, script });
    const app = composeIn(image, { toolHosts: [tools], providers: [provider] });
    running.push(app);
    await app.lifecycle.start();
    expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.answer).toBe(answer);
    expect([linesOf(tools.log).length, linesOf(provider.log).length]).toEqual([calls, 1]);
    const keys = [path.join(world.outside, 'effects.log'), tools.log]
      .flatMap(linesOf)
      .map((line) => (JSON.parse(line) as { key: string }).key);
    expect(new Set(keys).size).toBe(1);
    // It surely did nothing before: nobody is warned of a duplicate.
    expect(shown.steps.some((step) => step.duplicateRisk)).toBe(false);
  });
});

describe('a text of a message', () => {
  it.each([
    [32_768, 0],
    [32_769, 1],
  ])(
    'S4-+05 of %i characters is in %i files beside the journal, whole after a restart',
    async (chars, files) => {
      const seen: unknown[] = [];
      const provider = createFakeProvider({
        dir: world.outside,
        script: (request) => {
          seen.push((request.messages[0] as { text?: string }).text);
          return { text: 'ok' };
        },
      });
      const first = composeIn(world, { providers: [provider] });
      running.push(first);
      await first.lifecycle.start();
      const text = 'é'.repeat(chars);
      const { turnId } = await first.holdfast.call('send', { text, agent: 'fake' }, 'test');
      await turnIn(first, turnId, ['completed']);
      await first.lifecycle.stop('stop');
      const blobs = path.join(world.dataDir, 'blobs');
      const names = fs.existsSync(blobs)
        ? fs
            .readdirSync(blobs, { recursive: true, withFileTypes: true })
            .filter((one) => one.isFile())
        : [];
      expect(names).toHaveLength(files);
      const second = composeIn(world, { providers: [provider] });
      running.push(second);
      await second.lifecycle.start();
      const next = await second.holdfast.call('send', { text: 'and?', agent: 'fake' }, 'test');
      await turnIn(second, next.turnId, ['completed']);
      expect(seen).toHaveLength(2);
      expect(seen.every((one) => one === text)).toBe(true);
    },
  );
});
