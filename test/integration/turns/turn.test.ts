import { describe, expect, it } from 'vitest';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { composeIn, ENDED, QUIET, turnIn } from '../../helpers/compose-world';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { VerbOutput } from '../../../shared/contract';
import type { Composition } from '../../../electron/compose/options';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld();

async function start(extra: Parameters<typeof composeIn>[1] = {}): Promise<Composition> {
  const composition = composeIn(world, extra);
  running.push(composition);
  expect(await composition.lifecycle.start()).toEqual({ kind: 'started' });
  return composition;
}

describe('a turn', () => {
  it('S0-03 runs 3 effects once each and answers in the session that asked; its 7 steps take at most 12 commits, not 2 each', async () => {
    const tools = createFakeTools({ dir: world.outside });
    let commits = 0;
    const hit = (name: string): void => void (commits += name === 'journal.commit.after' ? 1 : 0);
    const provider = createFakeProvider({
      dir: world.outside,
      script: (request) =>
        resultsSoFar(request) < 3
          ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) } }] }
          : { text: 'all three are charged' },
    });
    const chanB = createFakeChannel({ dir: world.outside, name: 'chanB' });
    const app = await start({
      toolHosts: [tools],
      providers: [provider],
      channels: [chanB],
      crashPoints: { hit },
    });
    commits = 0;
    const { turnId } = await chanB
      .intake()
      .accept({ peer: 'peer 7', text: 'charge', agent: 'fake' });
    const turn = await turnIn(app, turnId, [...QUIET]);
    expect(turn).toMatchObject({ state: 'completed', steps: 7, sessionKey: 'chanB:peer 7' });
    // Write rule 2: an intent rides in the commit of the result before it.
    expect(commits).toBeLessThanOrEqual(12);
    expect(linesOf(tools.log)).toHaveLength(3);
    await expect
      .poll(() => chanB.received().map((delivery) => [delivery.peer, delivery.text]))
      .toEqual([['peer 7', 'all three are charged']]);
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.answer).toBe('all three are charged');
    expect(shown.steps.map((step) => [step.tool, step.state])).toEqual([
      ['model', 'completed'],
      ['fake.charge', 'completed'],
      ['model', 'completed'],
      ['fake.charge', 'completed'],
      ['model', 'completed'],
      ['fake.charge', 'completed'],
      ['model', 'completed'],
    ]);
    expect(turn.usage.costUsd).toBeCloseTo(0.04);
    // The list is slim; one step is whole, and so are all where they are asked for.
    expect(shown.steps.some((step) => 'args' in step || 'result' in step)).toBe(false);
    const step = await app.holdfast.call('turns.step', { turnId, step: 2 }, 'test');
    expect(step).toMatchObject({ tool: 'fake.charge', isTruncated: false });
    expect([JSON.parse(step.args ?? ''), step.result]).toEqual([{ n: 0 }, expect.any(String)]);
    const whole = await app.holdfast.call('turns.show', { turnId, withTexts: true }, 'test');
    expect(whole.steps[1]).toEqual(step);
    await expect(
      app.holdfast.call('turns.step', { turnId, step: 8 }, 'test'),
    ).rejects.toMatchObject({ code: 'STEP_UNKNOWN' });
  });

  it('S0-03 an answer of 720,000 characters is read whole, page by page, with no character cut in two', async () => {
    // Odd offset: pairs of code units straddle each border of 50,000.
    const text = `x${'\u{1f600}'.repeat(359_999)}\u001b`;
    const app = await start({
      providers: [createFakeProvider({ dir: world.outside, script: () => ({ text }) })],
    });
    const { turnId } = await app.holdfast.call(
      'send',
      { text: 'p'.repeat(90_000), agent: 'fake' },
      'cli',
    );
    await turnIn(app, turnId, ['completed']);
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect([shown.isAnswerTruncated, shown.isPromptTruncated]).toEqual([true, true]);
    const whole = async (part: 'answer' | 'prompt'): Promise<string> => {
      let read = '';
      for (let fromChar: number | undefined = 0; fromChar !== undefined;) {
        const page: VerbOutput<'turns.text'> = await app.holdfast.call(
          'turns.text',
          { turnId, part, fromChar },
          'test',
        );
        expect(page.fromChar).toBe(fromChar);
        read += page.text;
        fromChar = page.nextChar;
      }
      return read;
    };
    // As everywhere, what could pretend to be another text is shown by its number.
    expect(await whole('answer')).toBe(text.replace('\u001b', '\\u{1b}'));
    expect(await whole('prompt')).toBe('p'.repeat(90_000));
    await expect(
      app.holdfast.call('turns.text', { turnId, part: 'result', step: 9 }, 'test'),
    ).rejects.toMatchObject({ code: 'STEP_UNKNOWN' });
  });

  it('S0-29 a second start sends 1 restart notice to the default channel and none to the other', async () => {
    const chanA = createFakeChannel({ dir: world.outside, name: 'chanA' });
    const chanB = createFakeChannel({ dir: world.outside, name: 'chanB' });
    const overrides = { 'channels.default': 'chanA' };
    const first = await start({ channels: [chanB, chanA], overrides });
    await first.lifecycle.stop('stop');
    expect(chanA.received()).toEqual([]);
    await start({ channels: [chanB, chanA], overrides });
    await expect
      .poll(() => chanA.received().map((one) => one.text))
      .toEqual([
        expect.stringMatching(/^Started again( \(down .+\))?\. No turns were interrupted\.$/),
      ]);
    expect(chanB.received()).toEqual([]);
  });

  it('S3-01 a conversation goes on although the clock was set back by an hour between two turns', async () => {
    const system = createSystemClock();
    let backMs = 0;
    const clock = { ...system, nowMs: () => system.nowMs() - backMs };
    const provider = createFakeProvider({ dir: world.outside, script: () => ({ text: 'yes' }) });
    const app = await start({ providers: [provider], clock });
    for (const text of ['first', 'second']) {
      const input = { text, agent: 'fake', session: 's' };
      const { turnId } = await app.holdfast.call('send', input, 'test');
      await turnIn(app, turnId, ['completed']);
      backMs = 3_600_000;
    }
    expect(linesOf(provider.log).map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { messages: 1 },
      { messages: 3 },
    ]);
  });

  it('S4-17 parks the turn with the reason when the provider refuses, and goes on after a decision', async () => {
    let isBroken = true;
    const provider = createFakeProvider({
      dir: world.outside,
      script: () => ({ text: 'done' }),
      gate: () =>
        isBroken
          ? {
              kind: 'failure',
              failure: {
                kind: 'config',
                message: 'Key refused.',
                hint: 'Change it.',
                isRetryable: false,
              },
            }
          : undefined,
    });
    const app = await start({ providers: [provider] });
    const { turnId } = await app.holdfast.call('send', { text: 'hello', agent: 'fake' }, 'test');
    const parked = await turnIn(app, turnId, [...QUIET]);
    expect(parked).toMatchObject({ state: 'parked', reason: 'Key refused. Change it.' });
    isBroken = false;
    const { decisions } = await app.holdfast.call('recovery.list', {}, 'test');
    const requestHash = decisions[0]?.requestHash ?? '';
    await app.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
    expect(await turnIn(app, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
  });

  it('S0-03 a prompt of 201 characters is shown by its first 199 with an ellipsis, one of 200 in full', async () => {
    const provider = createFakeProvider({ dir: world.outside, script: () => ({ text: 'ok' }) });
    const app = await start({ providers: [provider] });
    for (const [length, shown] of [
      [201, `${'a'.repeat(199)}…`],
      [200, 'a'.repeat(200)],
    ] as const) {
      const prompt = { text: 'a'.repeat(length), agent: 'fake' };
      const { turnId } = await app.holdfast.call('send', prompt, 'test');
      expect((await turnIn(app, turnId, [...ENDED])).promptStart).toBe(shown);
    }
  });
});
