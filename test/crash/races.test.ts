import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import { composeIn, createWorld, turnIn, type World } from '../helpers/compose-world';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../helpers/fake-world';

let world: World;
let app: Composition | undefined;

beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await app?.lifecycle.stop('stop');
  app = undefined;
  world.remove();
});

describe('things that happen at the same time', () => {
  it('S4-15 20 first messages of one peer make 1 session and 20 accepted turns', async () => {
    const chanB = createFakeChannel({ dir: world.outside, name: 'chanB' });
    const provider = createFakeProvider({ dir: world.outside, script: () => ({ text: 'ok' }) });
    app = composeIn(world, { channels: [chanB], providers: [provider] });
    await app.lifecycle.start();
    const accepted = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        chanB.intake().accept({ peer: 'new', text: `message ${String(n)}`, agent: 'fake' }),
      ),
    );
    expect(new Set(accepted.map((one) => one.turnId)).size).toBe(20);
    const { sessions } = await app.holdfast.call('sessions.list', {}, 'test');
    expect(sessions.map((session) => session.key)).toEqual(['chanB:new']);
  });

  it('S4-15 of 5 attempts to create one session 1 succeeds and 4 are told that it exists', async () => {
    app = composeIn(world);
    await app.lifecycle.start();
    const { holdfast } = app;
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        holdfast.call('session.create', { key: 'same', agent: 'fake' }, 'test'),
      ),
    );
    expect(
      results.map((one) =>
        one.status === 'fulfilled' ? 'created' : (one.reason as { code: string }).code,
      ),
    ).toEqual(['created', ...Array.from({ length: 4 }, () => 'SESSION_EXISTS')]);
  });

  it('S4-15 3 sessions that nobody has named get 3 free names, also where a person has taken the next 2', async () => {
    app = composeIn(world);
    await app.lifecycle.start();
    const { holdfast } = app;
    for (const key of ['fake-2', 'fake-3'])
      await holdfast.call('session.create', { key, agent: 'fake' }, 'test');
    const made = await Promise.all(
      [1, 2, 3].map(() => holdfast.call('session.create', { agent: 'fake' }, 'test')),
    );
    expect(made.map(({ key }) => key)).toEqual(['fake-4', 'fake-5', 'fake-6']);
  });

  it('S0-+03 a turn canceled while its last answer is on its way stays canceled and sends nothing', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    const provider = createFakeProvider({
      dir: world.outside,
      script: () => ({ text: 'too late' }),
      // Comes back with the answer although the turn is being ended.
      gate: async () => {
        isAsked = true;
        await asked;
        return {
          kind: 'answer',
          answer: {
            parts: [{ kind: 'text', text: 'too late' }],
            finish: 'stop',
            usage: { inputTokens: 1, outputTokens: 1 },
          },
        };
      },
    });
    const chanB = createFakeChannel({ dir: world.outside, name: 'chanB' });
    app = composeIn(world, { providers: [provider], channels: [chanB] });
    await app.lifecycle.start();
    // The first call of a process loads the contract; the cancellation has to act at once.
    await app.holdfast.call('status.get', {}, 'test');
    const { turnId } = await chanB.intake().accept({ peer: 'p', text: 'hello', agent: 'fake' });
    await expect.poll(() => isAsked).toBe(true);
    const cancelling = app.holdfast.call('turns.cancel', { turnId }, 'test');
    answer();
    expect(await cancelling).toMatchObject({ state: 'cancelled' });
    expect(await turnIn(app, turnId, ['cancelled'])).toMatchObject({ reason: 'You canceled it.' });
    const { sessions } = await app.holdfast.call('sessions.list', {}, 'test');
    expect(sessions[0]).toMatchObject({ turns: 1, status: 'idle' });
    expect(chanB.received()).toEqual([]);
  });

  it('S0-+03 no effect begins after the cancellation is on disk, at 25 instants', async () => {
    const tools = createFakeTools({ dir: world.outside });
    const provider = createFakeProvider({
      dir: world.outside,
      script: (request) =>
        resultsSoFar(request) < 30
          ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) } }] }
          : { text: 'all' },
    });
    app = composeIn(world, { toolHosts: [tools], providers: [provider] });
    await app.lifecycle.start();
    for (let round = 0; round < 25; round += 1) {
      const { turnId } = await app.holdfast.call(
        'send',
        { text: 'charge', session: `s${String(round)}`, agent: 'fake' },
        'test',
      );
      for (let wait = 0; wait < round; wait += 1) await new Promise(setImmediate);
      await app.holdfast.call('turns.cancel', { turnId }, 'test');
      const after = linesOf(tools.log).length;
      const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
      expect(shown.turn.state).toBe('cancelled');
      expect(shown.steps.filter((step) => step.state === 'started')).toEqual([]);
      await new Promise(setImmediate);
      expect(linesOf(tools.log).length).toBe(after);
    }
  });
});
