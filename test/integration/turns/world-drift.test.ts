/** `resume.world_drift` (R19): a read gives something else after the restart. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ToolHost } from '../../../electron/ports/tools';
import { composeIn, QUIET, turnIn, writeConfig, type World } from '../../helpers/compose-world';
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

/** Reads the world, changes something, says what it read. */
const script: Script = (request) => {
  const seen = request.messages.find((message) => message.role === 'tool')?.content ?? '';
  const calls = [{ tool: 'look' }, { tool: 'charge', args: { always: 'this' } }];
  const call = calls[resultsSoFar(request)];
  return call === undefined ? { text: `saw ${seen}` } : { calls: [call] };
};

/** An image of D while the third answer is awaited, with the world as it was. */
async function imageAtLastAnswer(): Promise<{ image: World; turnId: number }> {
  fs.writeFileSync(path.join(world.outside, 'world.txt'), 'old');
  let reached: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => (reached = resolve));
  const held = new Promise<undefined>((resolve) => {
    release = () => {
      resolve(undefined);
    };
  });
  const provider = createFakeProvider({
    dir: world.outside,
    script,
    gate: (request) => {
      if (resultsSoFar(request) < 2) return undefined;
      reached();
      return held;
    },
  });
  const app = composeIn(world, {
    toolHosts: [createFakeTools({ dir: world.outside })],
    providers: [provider],
  });
  running.push(app);
  await app.lifecycle.start();
  const { turnId } = await app.holdfast.call('send', { text: 'go', agent: 'fake' }, 'test');
  await isThere;
  const dataDir = path.join(world.root, 'image');
  expect(spawnSync('cp', ['-r', world.dataDir, dataDir]).status).toBe(0);
  for (const name of ['agent.lock', 'lock.db']) fs.rmSync(path.join(dataDir, name));
  return { image: { ...world, dataDir }, turnId };
}

/** A second engine on the image, in a world that is another one now. */
async function startOn(
  image: World,
  choice: string,
  outcome?: Parameters<typeof createFakeTools>[0]['outcome'],
): Promise<{
  app: Composition;
  calls: () => string[];
  requests: () => number;
  audit: () => string[];
}> {
  writeConfig(image, { resume: { world_drift: choice } });
  const dir = path.join(world.root, 'second');
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'world.txt'), 'new');
  const tools: ToolHost & { readonly log: string } = createFakeTools({
    dir,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const provider = createFakeProvider({ dir, script });
  const app = composeIn(image, { toolHosts: [tools], providers: [provider] });
  running.push(app);
  await app.lifecycle.start();
  const auditDir = path.join(image.dataDir, 'audit');
  return {
    app,
    calls: () => linesOf(tools.log).map((line) => (JSON.parse(line) as { tool: string }).tool),
    requests: () => linesOf(provider.log).length,
    audit: () =>
      fs
        .readdirSync(auditDir)
        .flatMap((name) => linesOf(path.join(auditDir, name)))
        .filter((line) => line.includes('"world_drift"')),
  };
}

const answerOf = async (app: Composition, turnId: number): Promise<string | undefined> =>
  (await app.holdfast.call('turns.show', { turnId }, 'test')).answer;

it('S4-11 S4-+01 continue: answers after a changed read are asked anew, the effect is not repeated, the audit says drift once', async () => {
  const { image, turnId } = await imageAtLastAnswer();
  const { app, calls, requests, audit } = await startOn(image, 'continue');
  expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
  expect(await answerOf(app, turnId)).toBe('saw look: new');
  expect([calls(), requests()]).toEqual([['look'], 2]);
  await expect.poll(audit).toHaveLength(1);
  expect(audit()[0]).toContain('fake.look');
});

it('S4-10 S4-13 pin: the recorded read and the recorded answers count, 1 answer is paid', async () => {
  const { image, turnId } = await imageAtLastAnswer();
  const { app, calls, requests, audit } = await startOn(image, 'pin');
  expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
  expect(await answerOf(app, turnId)).toBe('saw look: old');
  expect([calls(), requests()]).toEqual([[], 1]);
  // All of the audit is written with the stop.
  await app.lifecycle.stop('stop');
  expect(audit()).toEqual([]);
});

it('S4-11 hold: a changed read asks a person before any answer is paid, and goes on with the new one', async () => {
  const { image, turnId } = await imageAtLastAnswer();
  const { app, calls, requests } = await startOn(image, 'hold');
  const held = await turnIn(app, turnId, [...QUIET]);
  expect(held).toMatchObject({ state: 'held', reason: expect.stringContaining('has changed') });
  expect([calls(), requests()]).toEqual([['look'], 0]);
  const { decisions } = await app.holdfast.call('recovery.list', {}, 'test');
  expect(decisions.map((one) => one.turnId)).toEqual([turnId]);
  const requestHash = decisions[0]?.requestHash ?? '';
  await app.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
  expect(await turnIn(app, turnId, ['completed', 'failed', 'parked'])).toMatchObject({
    state: 'completed',
  });
  expect(await answerOf(app, turnId)).toBe('saw look: new');
  expect(calls().filter((tool) => tool === 'charge')).toEqual([]);
});

it.each([true, false])(
  'S4-11 hold: a read that fails now (may pass: %s) is a change too',
  async (isRetryable) => {
    const { image, turnId } = await imageAtLastAnswer();
    const { app, requests, audit } = await startOn(image, 'hold', () => ({
      kind: 'failed',
      message: 'gone',
      isRetryable,
    }));
    expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'held' });
    expect(requests()).toBe(0);
    await expect.poll(audit).toHaveLength(1);
  },
);
