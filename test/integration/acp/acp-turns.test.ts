/** Turns of an agent of another program, through the whole engine. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnIn } from '../../helpers/compose-world';
import {
  ENDED,
  again,
  allow,
  answerOf,
  app,
  begin,
  configure,
  effects,
  ended,
  goOn,
  nested,
  prompts,
  question,
  send,
  steps,
  useAcpWorld,
  world,
} from './acp-world';

useAcpWorld();

describe('a turn of an outside agent', () => {
  it('S4-19 has every call with its input and its result in the journal, and the answer', async () => {
    configure('plain');
    await begin();
    const turnId = await send('do: read a.txt\ndo: run one\ndo: say all done');
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one']);
    const rows = await steps(turnId);
    expect(rows.map((step) => [step.tool, step.purity, step.state])).toEqual([
      ['own.prompt', 'llm', 'completed'],
      ['own.read', 'world', 'completed'],
      ['own.shell', 'side_effect', 'completed'],
    ]);
    const step = await app().holdfast.call('turns.step', { turnId, step: 3 }, 'test');
    expect(step.args).toContain('one');
    expect(step.result).toBe('ran one');
    expect(await answerOf()).toBe('all done');
  });

  it('S4-19 a call whose input has 20,000 levels loses that input and not the turn', async () => {
    configure('plain');
    await begin();
    const turnId = await send('do: read deep\ndo: say all done');
    expect(await ended(turnId)).toMatchObject({ state: 'completed', reason: '' });
    expect((await steps(turnId)).map(({ tool, hint }) => [tool, hint]).at(-1)).toEqual([
      'own.read',
      'deep',
    ]);
  });

  it('S3-06 a call that began under a name that says nothing is shown by what was said of it last', async () => {
    configure('vague', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say all done');
    const asked = await question();
    expect((await steps(turnId)).map((step) => step.hint)).toContain('one');
    await allow(asked);
    await ended(turnId);
    const hints = (await steps(turnId)).map((step) => step.hint);
    expect(hints).toContain('one');
    expect(hints).not.toContain('Terminal');
  });

  it('goes on in the same session of the agent with the next message', async () => {
    configure('plain');
    await begin();
    await ended(await send('do: run one'));
    // Known to the agent from its own record of the session: it does not do it again.
    const second = await send('do: run one\ndo: run two');
    expect((await ended(second)).state).toBe('completed');
    expect(effects()).toEqual(['one', 'two']);
    expect(prompts()).toHaveLength(2);
  });

  it('S3-06 waits for leave with everything on disk, and the answer is heard', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say done');
    const asked = await question();
    expect(asked).toMatchObject({ tool: 'own.shell', hint: 'one' });
    expect(effects()).toEqual([]);
    expect((await turnIn(app(), turnId, ['requires_action'])).state).toBe('requires_action');
    const fateNow = async () => (await steps(turnId)).find(({ tool }) => tool === 'own.shell');
    expect(await fateNow()).toMatchObject({ fate: 'asks', requestId: asked.requestId });
    await allow(asked);
    expect((await ended(turnId)).state).toBe('completed');
    expect(await fateNow()).toMatchObject({ fate: 'fresh', approvedBy: 'test' });
    expect(effects()).toEqual(['one']);
  });

  it('a refused call is not made, and the agent goes on', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say went on');
    const asked = await question();
    await app().holdfast.call(
      'approvals.deny',
      { requestId: asked.requestId, requestHash: asked.requestHash },
      'test',
    );
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual([]);
    expect(await answerOf()).toBe('went on');
  });

  it('S1-29 S1-25 a command that only waits is refused where it asks for leave, and nobody is asked', async () => {
    configure('plain');
    await begin();
    const turnId = await send('do: run sleep 60\ndo: run true\ndo: say went on');
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['true']);
    const [refused] = (await steps(turnId)).filter((step) => step.tool === 'own.shell');
    expect(refused?.hint).toBe('sleep 60');
    expect((await app().holdfast.call('approvals.list', {}, 'test')).requests).toEqual([]);
  });

  it('S3-07 a question outlives a stop; its answer counts once when the agent asks again', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say done');
    await question();
    await again();
    const asked = await question();
    expect(asked.turnId).toBe(turnId);
    await allow(asked);
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one']);
    const all = await app().holdfast.call('approvals.list', { includeAnswered: true }, 'test');
    expect(all.requests).toHaveLength(1);
    expect(prompts()[1]).toContain('Did not start:\n- shell: one');
  });

  it('S3-06 S3-30 two questions of one session at once: each has its own answer, also over a restart', async () => {
    configure('forget', nested());
    await begin();
    const turnId = await send('do: both one two\ndo: say done');
    const open = async () => (await app().holdfast.call('approvals.list', {}, 'test')).requests;
    const hints = async () => (await open()).map(({ hint }) => hint).toSorted();
    await expect.poll(hints).toEqual(['one', 'two']);
    const status = async () => app().holdfast.call('session.status', { session: 'work' }, 'test');
    expect((await status()).pendingRequests.map(({ hint }) => hint).toSorted()).toEqual([
      'one',
      'two',
    ]);
    await allow((await open()).find(({ hint }) => hint === 'two')!);
    await expect.poll(effects).toEqual(['two']);
    expect((await status()).status).toBe('requires_action');
    await again();
    expect(await hints()).toEqual(['one']);
    await allow((await open())[0]!);
    // The agent has forgotten both: the first has its answer, the second would be a repeat.
    await expect.poll(hints).toEqual(['two']);
    const [repeat] = await open();
    expect(repeat?.reason).toContain('was completed before the restart');
    await app().holdfast.call(
      'approvals.deny',
      { requestId: repeat!.requestId, requestHash: repeat!.requestHash },
      'test',
    );
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['two', 'one']);
  });

  it('S3-05 the session of the agent is lost while a question waits: a new one is told, and the answer counts', async () => {
    configure('lost', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say done');
    const asked = await question();
    await again();
    await allow(asked);
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one']);
    expect(prompts()).toHaveLength(2);
    expect(prompts()[1]).toContain('Did not start:\n- shell: one');
  });

  it('a stop by a person ends an agent that hangs, and it is not run again', async () => {
    configure('plain');
    await begin();
    const turnId = await send('do: run one\ndo: never');
    await expect.poll(effects).toEqual(['one']);
    await app().holdfast.call('turns.cancel', { turnId }, 'test');
    expect((await ended(turnId)).state).toBe('cancelled');
    await again();
    expect(prompts()).toHaveLength(1);
  });

  it('S4-20 an agent that dies in a call leaves it unknown and the turn with a person', async () => {
    configure('plain');
    await begin();
    const turnId = await send('do: die-after one');
    const turn = await ended(turnId);
    expect(turn).toMatchObject({ state: 'parked' });
    expect(turn.reason).toContain('ended unexpectedly (exit code 9)');
    expect((await steps(turnId)).map((step) => step.state)).toEqual(['failed', 'ambiguous']);
    expect(effects()).toEqual(['one']);
  });

  it('S0-09 holds the turn in safe_only where the call is of a listed tool', async () => {
    configure('plain', { resilience: { recovery: { side_effect_tools: ['shell'] } } });
    await begin();
    const turn = await ended(await send('do: die-after one'));
    expect(turn.state).toBe('held');
    expect(turn.reason).toContain('one (started, outcome unknown)');
  });

  it('a finished effect that the agent wants to repeat is put to the person', async () => {
    // This agent forgets what it did: without the question it would do it a second time.
    configure('forget');
    await begin();
    const turnId = await send('do: run one\ndo: crash');
    expect((await ended(turnId)).state).toBe('parked');
    const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
    await app().holdfast.call(
      'recovery.resume',
      { turnId, requestHash: decisions[0]!.requestHash },
      'test',
    );
    const asked = await question();
    expect(asked.reason).toContain('was completed before the restart');
    expect(effects()).toEqual(['one']);
    expect(prompts()[1]).toContain('Already done. Do not do these again:\n- shell: one -> ran one');
  });

  it('S3-06 a question that the agent does not wait for is over with its turn, on every list', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: alien\ndo: rush one\ndo: hush 200\ndo: say went on');
    expect((await ended(turnId)).state).toBe('completed');
    expect(await answerOf()).toBe('heard -32601\n\nwent on');
    const all = { includeAnswered: true };
    const { requests } = await app().holdfast.call('approvals.list', all, 'test');
    expect(requests.map(({ answer }) => answer)).toEqual(['cleared']);
    expect((await app().holdfast.call('inbox.list', {}, 'test')).items).toEqual([]);
    expect(effects()).toEqual([]);
  });

  it('S3-06 leave that could not reach the agent is asked of nobody: the call is not made, and says why', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: odd one\ndo: say went on');
    expect((await ended(turnId)).state).toBe('completed');
    const step = await app().holdfast.call('turns.step', { turnId, step: 2 }, 'test');
    expect(step.result).toContain('offered no "allow" option');
    expect(effects()).toEqual([]);
  });

  it('S3-07 an agent that ends with exit code 0 while it asks: the answer is kept, the decision is one, and each goes by itself', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: quit one');
    expect((await ended(turnId)).state).toBe('parked');
    await allow(await question());
    const { items } = await app().holdfast.call('inbox.list', {}, 'test');
    expect(items.map(({ kind }) => kind)).toEqual(['replay_decision']);
    expect((await ended(turnId)).state).toBe('parked');
    const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
    const { requestHash } = decisions[0]!;
    await app().holdfast.call('recovery.discard', { turnId, requestHash }, 'test');
    expect((await app().holdfast.call('inbox.list', {}, 'test')).items).toEqual([]);
  });

  it('S3-06 a turn that is discarded takes its open question with it', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: quit one');
    expect((await ended(turnId)).state).toBe('parked');
    await question();
    const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
    const { requestHash } = decisions[0]!;
    await app().holdfast.call('recovery.discard', { turnId, requestHash }, 'test');
    expect((await app().holdfast.call('approvals.list', {}, 'test')).requests).toEqual([]);
    expect((await app().holdfast.call('inbox.list', {}, 'test')).items).toEqual([]);
  });

  it('S4-19 calls that all have one id are a step each, with leave of their own', async () => {
    configure('one-id', nested());
    await begin();
    const turnId = await send('do: run one\ndo: sure two\ndo: run three');
    await allow(await question());
    await expect.poll(effects).toEqual(['one', 'two']);
    await allow(await question());
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one', 'two', 'three']);
    expect((await steps(turnId)).slice(1).map((step) => [step.hint, step.state])).toEqual([
      ['one', 'completed'],
      ['two', 'completed'],
      ['three', 'completed'],
    ]);
  });

  it('S4-20 a call whose id an earlier turn had too is not done because that one was', async () => {
    configure('one-id');
    await begin();
    expect((await ended(await send('do: run first'))).state).toBe('completed');
    const turnId = await send('do: die-after second');
    expect((await ended(turnId)).state).toBe('parked');
    const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
    await app().holdfast.call(
      'recovery.resume',
      { turnId, requestHash: decisions[0]!.requestHash },
      'test',
    );
    expect((await question()).reason).toContain('started before the restart');
    expect(prompts().at(-1)).toContain('Outcome unknown');
    expect(prompts().at(-1)).not.toContain('ran first');
  });

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create'])(
    'S4-19 %s is not offered: it is refused, nothing is read or written past a question, and the turn goes on',
    async (method) => {
      configure('plain', nested());
      await begin();
      const kept = path.join(world.outside, 'kept.txt');
      const made = path.join(world.outside, 'made.txt');
      fs.writeFileSync(kept, 'nobody reads this');
      const turnId = await send(
        `do: alien ${method} ${method === 'fs/read_text_file' ? kept : made}\ndo: run one`,
      );
      await allow(await question());
      expect((await ended(turnId)).state).toBe('completed');
      expect(await answerOf()).toBe('heard -32601');
      expect(fs.existsSync(made)).toBe(false);
      expect((await steps(turnId)).map((step) => step.tool)).toEqual(['own.prompt', 'own.shell']);
    },
  );

  it('with a session that the agent has lost, a new one is told what is known', async () => {
    configure('lost');
    await begin();
    await ended(await send('do: say first answer'));
    const second = await ended(await send('do: say second answer'));
    expect(second.state).toBe('completed');
    expect(prompts()[1]).toContain('You: first answer');
  });

  it('an agent that cannot be started leaves the turn with what to do', async () => {
    configure('plain', {}, { command: '/nowhere/agent', args: [] });
    await begin();
    const turn = await ended(await send('hello'));
    expect(turn.state).toBe('parked');
    expect(turn.reason).toContain('not found on your PATH');
    const test = await app().holdfast.call('agents.test', { name: 'own' }, 'test');
    expect(test.ok).toBe(false);
  });

  it.each([
    ['nonsense', /does not follow the protocol/],
    ['flood', /\d MB/],
  ])(
    'S2-19 one that answers with %s is ended and said; another session goes on',
    async (how, said) => {
      configure(how);
      await begin();
      const turnId = await send('hello');
      const other = await app().holdfast.call(
        'send',
        { text: 'count the words', session: 'other', agent: 'practice' },
        'test',
      );
      expect((await turnIn(app(), other.turnId, ENDED)).state).toBe('completed');
      const turn = await ended(turnId);
      expect(turn.state).toBe('parked');
      expect(turn.reason).toMatch(said);
      const status = app().holdfast.status();
      expect([status.phase, status.counts.parked]).toEqual(['running', 1]);
    },
  );

  const SHORT_LEASE = { work: { lease_renew: '100ms', lease_stale: '1500ms' } };

  it('S3-18 keeps its lease while a call is open within its own time, however silent it is', async () => {
    configure('plain', SHORT_LEASE);
    await begin();
    const turnId = await send('do: hush 4000\ndo: say done');
    expect(await ended(turnId)).toMatchObject({ state: 'completed', attempt: 1 });
    expect(prompts()).toHaveLength(1);
  });

  it('S3-18 every message of it is a sign of life, a thought too', async () => {
    configure('plain', SHORT_LEASE);
    await begin();
    const turnId = await send('do: muse 4000\ndo: say done');
    expect(await ended(turnId)).toMatchObject({ state: 'completed', attempt: 1 });
  });

  it('S3-18 S3-25 one that hangs without a word and without a call loses its lease', async () => {
    configure('plain', SHORT_LEASE);
    await begin();
    const turnId = await send('do: never');
    const attempt = async (): Promise<number> =>
      (await app().holdfast.call('turns.show', { turnId }, 'test')).turn.attempt;
    await expect.poll(attempt).toBeGreaterThan(1);
    await app().holdfast.call('turns.cancel', { turnId }, 'test');
    expect((await ended(turnId)).state).toBe('cancelled');
  });

  it('S3-25 the limit of time counts what its earlier runs worked: 1.6 s before a raise, 400 ms after it', async () => {
    configure('plain', { limits: { turn_time: '1600ms' } });
    const { holdfast } = await begin();
    const turnId = await send('do: never');
    expect((await ended(turnId)).reason).toMatch(/^This turn has run for ([2-9]|\d\d) s\./);
    const change = { key: 'limits.turn_time', value: '400ms' };
    await holdfast.call('config.set', change, 'test');
    await goOn(turnId);
    await expect.poll(() => prompts().length).toBe(2);
    // A run that counted alone would end after 0.8 s of its own, and say "1 s".
    expect((await ended(turnId)).reason).toMatch(/^This turn has run for ([2-9]|\d\d) s\./);
  });

  it('limits count for it too', async () => {
    configure('plain', { limits: { turn_steps: 3 } });
    await begin();
    const turn = await ended(
      await send(['a', 'b', 'c', 'd', 'e'].map((name) => `do: run ${name}`).join('\n')),
    );
    expect(turn).toMatchObject({ state: 'waiting' });
    expect(turn.reason).toContain('reached 3 steps');
    expect(effects().length).toBeLessThan(4);
  });

  it('agents.test says what it is, and how exact it is stands with the agent', async () => {
    configure('plain');
    await begin();
    const test = await app().holdfast.call('agents.test', { name: 'own' }, 'test');
    expect(test).toMatchObject({ ok: true });
    const { agents } = await app().holdfast.call('agents.list', {}, 'test');
    expect(agents.find((agent) => agent.name === 'own')).toMatchObject({
      executor: 'acp',
      howExact: expect.stringContaining('can only tell it what is already done') as unknown,
    });
  });
});
