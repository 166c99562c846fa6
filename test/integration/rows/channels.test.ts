import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { Delivery } from '../../../electron/ports/channel';
import type { ProviderOutcome } from '../../../electron/ports/provider';
import { composeIn, createWorld, turnIn, type World } from '../../helpers/compose-world';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { SLACK } from '../../helpers/slack';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';

let worlds: World[];
let running: Composition[];

beforeEach(() => {
  worlds = [];
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.lifecycle.stop('stop');
  for (const world of worlds) world.remove();
});

const world = (config: Record<string, unknown> = {}): World => {
  const made = createWorld(config);
  worlds.push(made);
  return made;
};

async function start(
  where: World,
  extra: Parameters<typeof composeIn>[1] = {},
): Promise<Composition> {
  const composition = composeIn(where, extra);
  running.push(composition);
  expect(await composition.lifecycle.start()).toEqual({ kind: 'started' });
  return composition;
}

/** The data directory as a SIGKILL at this instant would leave it, with its own outside. */
function cutOff(from: World): World {
  const to = world();
  fs.rmSync(to.dataDir, { recursive: true });
  fs.cpSync(from.dataDir, to.dataDir, {
    recursive: true,
    filter: (name) => !name.endsWith('.sock'),
  });
  return to;
}

const texts = (channel: { received(): Delivery[] }): string[] =>
  channel.received().map((one) => `${one.kind} ${one.peer} ${one.text}`);

describe('where an answer goes', () => {
  it('S0-06 asked on chanB by peer 7, cut off in the middle: the answer comes once, on chanB to peer 7, in the same session, also after one more start', async () => {
    const first = world();
    const tools = createFakeTools({ dir: first.outside });
    let atStall: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => (atStall = resolve));
    const provider = createFakeProvider({
      dir: first.outside,
      script: (request) =>
        resultsSoFar(request) === 0 ? { calls: [{ tool: 'charge' }] } : { text: 'never' },
      gate: (request) =>
        resultsSoFar(request) === 0
          ? undefined
          : new Promise<ProviderOutcome>((resolve) => {
              atStall();
              setTimeout(() => {
                resolve({
                  kind: 'failure',
                  failure: { kind: 'aborted', message: 'x', hint: '', isRetryable: true },
                });
              }, 3_000).unref();
            }),
    });
    const before = createFakeChannel({ dir: first.outside, name: 'chanB' });
    await start(first, { toolHosts: [tools], providers: [provider], channels: [before] });
    const { turnId } = await before
      .intake()
      .accept({ peer: 'peer 7', text: 'do it', agent: 'fake' });
    await stalled;
    const second = cutOff(first);
    const again = {
      toolHosts: [createFakeTools({ dir: second.outside })],
      providers: [
        createFakeProvider({ dir: second.outside, script: () => ({ text: 'it is done' }) }),
      ],
    };
    const chanA = createFakeChannel({ dir: second.outside, name: 'chanA' });
    const chanB = createFakeChannel({ dir: second.outside, name: 'chanB' });
    const overrides = { 'channels.default': 'chanA' };
    const app = await start(second, { ...again, channels: [chanA, chanB], overrides });
    expect(await turnIn(app, turnId, ['completed'])).toMatchObject({
      sessionKey: 'chanB:peer 7',
      attempt: 2,
    });
    await expect.poll(() => texts(chanB)).toEqual(['answer peer 7 it is done']);
    await expect.poll(() => texts(chanA)).toHaveLength(1);
    expect(linesOf(path.join(second.outside, 'effects.log'))).toEqual([]);
    await app.lifecycle.stop('stop');
    const later = await start(second, { ...again, channels: [chanA, chanB], overrides });
    await expect.poll(() => texts(chanA)).toHaveLength(2);
    await later.lifecycle.stop('stop');
    expect(texts(chanB)).toHaveLength(1);
  });

  it('S0-06 an answer for a channel that is not there waits on disk and is delivered by the start that has it', async () => {
    const where = world();
    const provider = createFakeProvider({ dir: where.outside, script: () => ({ text: 'late' }) });
    const chanB = createFakeChannel({ dir: where.outside, name: 'chanB', isReady: () => false });
    const app = await start(where, { providers: [provider], channels: [chanB] });
    const { turnId } = await chanB.intake().accept({ peer: '7', text: 'x', agent: 'fake' });
    await turnIn(app, turnId, ['completed']);
    expect(chanB.received()).toEqual([]);
    await app.lifecycle.stop('stop');
    const back = createFakeChannel({ dir: where.outside, name: 'chanB' });
    await start(where, { providers: [provider], channels: [back] });
    await expect
      .poll(() => texts(back).filter((one) => one.startsWith('answer')))
      .toEqual(['answer 7 late']);
  });
});

describe.skipIf(isLeftOut('an answer that the disk does not give', NOT_LINUX))(
  'an answer that the disk does not give',
  () => {
    it('S0-06 S4-+05 of 40,000 characters waits for the disk; the channel never gets a sentence in its place', async () => {
      const where = world();
      const long = 'y'.repeat(40_000);
      const provider = createFakeProvider({ dir: where.outside, script: () => ({ text: long }) });
      const away = createFakeChannel({ dir: where.outside, name: 'chanB', isReady: () => false });
      const first = await start(where, { providers: [provider], channels: [away] });
      const { turnId } = await away.intake().accept({ peer: '7', text: 'x', agent: 'fake' });
      await turnIn(first, turnId, ['completed']);
      await first.lifecycle.stop('stop');
      const folder = path.join(where.dataDir, 'blobs');
      const [name = ''] = fs
        .readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((one) => one.includes('/'));
      const file = path.join(folder, name);
      fs.renameSync(file, `${file}.aside`);
      // Reading it ends with EIO.
      fs.symlinkSync('/proc/self/mem', file);
      const back = createFakeChannel({ dir: where.outside, name: 'chanB' });
      const second = await start(where, { providers: [provider], channels: [back] });
      await expect
        .poll(async () => (await second.holdfast.call('logs.tail', {}, 'test')).lines.join('\n'))
        .toMatch(/cannot be read.*reply\.not_delivered/);
      expect(texts(back).some((one) => one.startsWith('answer'))).toBe(false);
      fs.renameSync(`${file}.aside`, file);
      await expect
        .poll(() => texts(back).filter((one) => one.startsWith('answer')))
        .toEqual([`answer 7 ${long}`]);
    });
  },
);

describe('what is no message', () => {
  it('S2-53 six kinds of events without text or media make no turn and no model call, and are counted', async () => {
    const where = world();
    const provider = createFakeProvider({ dir: where.outside, script: () => ({ text: 'hi' }) });
    const chanB = createFakeChannel({ dir: where.outside, name: 'chanB' });
    const app = await start(where, { providers: [provider], channels: [chanB] });
    const intake = chanB.intake();
    for (const event of [
      { text: ' \n ' },
      { event: 'sticker' },
      { event: 'reaction', text: '+1' },
      { event: 'receipt' },
      { event: 'typing' },
      { event: 'edited', text: 'other words' },
    ] as const) {
      expect(await intake.offer({ peer: '7', agent: 'fake', ...event })).toMatchObject({
        kind: 'filtered',
      });
    }
    expect(linesOf(provider.log)).toEqual([]);
    expect((await app.holdfast.call('turns.list', {}, 'test')).turns).toEqual([]);
    const real = await intake.offer({ peer: '7', agent: 'fake', text: 'hello' });
    if (real.kind !== 'accepted') throw new Error('a message was filtered');
    await turnIn(app, real.turnId, ['completed']);
    expect(app.holdfast.status().inbound).toEqual({ accepted: 1, filtered: 6 });
  });
});

describe('where the restart notice goes', () => {
  it.each([
    ['is down', false],
    ['refuses it', true],
  ])(
    'S0-29 S0-31 S0-34 the default channel %s: the next one gets it, exactly once, and the start goes on; a first start sends nothing',
    async (_what, isReady) => {
      const where = world();
      const chanA = {
        ...createFakeChannel({ dir: where.outside, name: 'chanA', isReady: () => isReady }),
        deliver: () => Promise.reject(new Error('503')),
      };
      const chanB = createFakeChannel({ dir: where.outside, name: 'chanB' });
      const chanC = createFakeChannel({ dir: where.outside, name: 'chanC' });
      const extra = {
        channels: [chanC, chanA, chanB].reverse(),
        overrides: { 'channels.default': 'chanA' },
      };
      const first = await start(where, extra);
      await first.lifecycle.stop('stop');
      expect([chanA, chanB, chanC].map((one) => one.received().length)).toEqual([0, 0, 0]);
      const second = await start(where, extra);
      await expect.poll(() => chanB.received().length + chanC.received().length).toBe(1);
      await second.lifecycle.stop('stop');
      expect(chanA.received()).toEqual([]);
    },
  );

  it('S0-29 no channel is ready: the notice is deferred and sent once when one is, and the start does not wait for it', async () => {
    const where = world();
    let isReady = false;
    const chanA = createFakeChannel({ dir: where.outside, name: 'chanA', isReady: () => isReady });
    const extra = { channels: [chanA], overrides: { 'channels.default': 'chanA' } };
    const first = await start(where, extra);
    await first.lifecycle.stop('stop');
    const began = performance.now();
    await start(where, extra);
    expect(performance.now() - began).toBeLessThan(3_000 * SLACK);
    expect(chanA.received()).toEqual([]);
    isReady = true;
    await expect.poll(() => texts(chanA)).toHaveLength(1);
    expect(texts(chanA)[0]).toContain('Started again');
  });
});

describe('a tool that can say what became of a call', () => {
  it.each([
    ['done', 1, 'confirmed'],
    ['not_done', 2, 'completed'],
  ] as const)(
    'S4-23 status check says %s after the cut: %i effect(s), the step ends %s',
    async (status, effects, state) => {
      const first = world();
      let atStall: () => void = () => undefined;
      const stalled = new Promise<void>((resolve) => (atStall = resolve));
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const script: Parameters<typeof createFakeProvider>[0]['script'] = (request) =>
        resultsSoFar(request) === 0 ? { calls: [{ tool: 'send_email' }] } : { text: 'done' };
      await start(first, {
        providers: [createFakeProvider({ dir: first.outside, script })],
        toolHosts: [
          createFakeTools({
            dir: first.outside,
            gate: async (at) => {
              if (at === 'before') return;
              atStall();
              await released;
            },
          }),
        ],
      });
      const [running0] = running;
      const { turnId } = await (running0 as Composition).holdfast.call(
        'send',
        { text: 'mail', agent: 'fake' },
        'test',
      );
      await stalled;
      const second = cutOff(first);
      fs.copyFileSync(
        path.join(first.outside, 'effects.log'),
        path.join(second.outside, 'effects.log'),
      );
      release();
      const tools = createFakeTools({ dir: second.outside, status: () => status });
      const app = await start(second, {
        providers: [createFakeProvider({ dir: second.outside, script })],
        toolHosts: [tools],
      });
      await turnIn(app, turnId, ['completed']);
      expect(linesOf(tools.log)).toHaveLength(effects);
      const keys = linesOf(tools.log).map((line) => (JSON.parse(line) as { key: string }).key);
      expect(new Set(keys).size).toBe(1);
      const { steps } = await app.holdfast.call('turns.show', { turnId }, 'test');
      expect(steps.filter((step) => step.tool === 'fake.send_email').at(-1)?.state).toBe(state);
    },
  );
});
